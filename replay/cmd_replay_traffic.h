/* replay/cmd_replay_traffic.h - heterotune replay: what went over the links, and what memories held. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_CMD_REPLAY_TRAFFIC_H
#define REPLAY_CMD_REPLAY_TRAFFIC_H

struct json;
struct machine;
struct simulation;

/* Of a simulation with TRANSFERS_ON, on standard output. */
void traffic_print(const struct machine *m, const struct simulation *s);
void traffic_json(struct json *j, const struct machine *m, const struct simulation *s);

#endif
