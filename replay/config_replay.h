/* replay/config_replay.h - a replay as a config has it: its policy and knobs, and StarPU as it starts it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_CONFIG_REPLAY_H
#define REPLAY_CONFIG_REPLAY_H

#include "replay/scenario.h"
#include "replay/sim/simulate.h"

struct config;
struct dag;
struct ht_err;
struct machine;
struct run;

/* What simulate() is to be given; `how` can be added to. */
struct config_replay {
	const struct dag *dag;
	const struct machine *machine;
	struct simulate_options how;
	struct scenario scenario;
	struct dag *ranked; /* with ranks as priorities; NULL: the config asks for none */
	char *policy;       /* "dmdas:beta=3" */
};

/*
 * Of `run` under a scenario whose options have passed scenario_check(). All given have to stay, and so has `x`, which
 * `how` points into. -1 with the sentence; config_replay_fini() in any case.
 */
int config_replay_init(struct config_replay *x, const struct config *c, const struct run *run,
                       const struct scenario_options *o, struct ht_err *err);
void config_replay_fini(struct config_replay *x);

#endif
