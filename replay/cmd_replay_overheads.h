/* replay/cmd_replay_overheads.h - heterotune replay: what the threads are taken to need for their own work. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_CMD_REPLAY_OVERHEADS_H
#define REPLAY_CMD_REPLAY_OVERHEADS_H

#include "core/machine/arch.h"

struct json;
struct overheads_all;

/* As text on standard output, and as members of the object that is open; of the architectures named. */
void overheads_print(const struct overheads_all *o, arch_mask archs);
void overheads_json(struct json *j, const struct overheads_all *o, arch_mask archs);

#endif
