/* replay/target.h - the machine that a run is replayed on: its own, another one, or one of other numbers. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_TARGET_H
#define REPLAY_TARGET_H

struct ht_err;
struct machine;
struct run;
struct simulate_options;
struct starpu_env;
struct what_if;

struct target {
	const struct machine *machine;
	struct machine *given, *scaled, *limited, *started; /* NULL: not asked for */
};

/*
 * `w` names a machine for machine_open(), a scale for machine_scale() of that machine, and a capacity for
 * machine_limit() of that. Data that the run had in the memory of a device that is not there is in main memory from now
 * on: the one thing of `run` that changes. -1 with the sentence, also when the machine has an architecture that the run
 * does not, and the costs of no task tell of it. target_fini() it in any case; `run` has to stay.
 */
int target_open(struct target *t, struct run *run, const struct what_if *w, struct ht_err *err);

/*
 * The machine as StarPU is started on it: without the CPU workers that a config's startup leaves out, and the other
 * settings of it in `how`.
 */
void target_start(struct target *t, const struct starpu_env *s, struct simulate_options *how);

/* The two parts of that. The machine is NULL where all workers are left; machine_free() it. */
struct machine *target_started(const struct machine *m, const struct starpu_env *s);
void target_set_startup(const struct starpu_env *s, struct simulate_options *how);

void target_fini(struct target *t);

#endif
