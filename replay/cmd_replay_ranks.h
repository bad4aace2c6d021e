/* replay/cmd_replay_ranks.h - what heterotune replay says of the ranks of a run, and of its simulation of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_CMD_REPLAY_RANKS_H
#define REPLAY_CMD_REPLAY_RANKS_H

#include <stdint.h>

struct json;
struct machine;
struct run;
struct scenario;
struct simulation;

/*
 * The run's makespan, and that of its own order on its workers by the rules of the simulation, both from the first
 * submission: what the simulation leaves out is their difference. -1 each where there is none: another machine.
 */
struct replay_ranks {
	int64_t run_ns, schedule_ns;
};

void replay_ranks_find(struct replay_ranks *x, const struct run *run, const struct scenario *s);

/* Of each rank its workers, tasks, idle time and end; the messages; and the above. */
void replay_ranks_print(const struct replay_ranks *x, const struct run *run, const struct machine *m,
                        const struct simulation *s);
void replay_ranks_json(struct json *j, const struct replay_ranks *x, const struct run *run, const struct machine *m,
                       const struct simulation *s);

#endif
