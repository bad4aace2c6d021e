/* replay/scenario.h - what a replay assumes: machine, homes of data, submission, copies that take time or not. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SCENARIO_H
#define REPLAY_SCENARIO_H

#include "core/base/options.h"
#include "core/metrics/bound.h"
#include "core/run/conditions.h"
#include "replay/sim/simulate.h"
#include "replay/sim/window.h"

struct dag;
struct ht_err;
struct machine;
struct run;
struct starpu_env;

/* As given on a command line; NULL: not given. */
struct scenario_options {
	const char *machine;    /* for machine_open() */
	const char *scale;      /* for machine_scale() of that machine */
	const char *capacity;   /* for machine_limit() of that */
	const char *submission; /* "recorded" when not given, "none", "window=N" */
	const char *transfers;  /* "on", "off"; NULL: on where data moves, or where the run shows StarPU's own work */
	const char *conditions; /* a run on the same machine, for conditions_complete() */
};

/* For the table of a command; `o` is a struct scenario_options. */
#define SCENARIO_OPTIONS(o) \
	{OPTION_TEXT, 0, "machine", &(o).machine, "MACHINE", "another machine: a file, or \"cuda:4 cpu:20\""}, \
		{OPTION_TEXT,      0, \
	         "scale",          &(o).scale, \
	         "ARCH=COUNT,...", "other numbers of workers: copies of those there are, with their memory and links"}, \
		{OPTION_TEXT,     0, \
	         "capacity",      &(o).capacity, \
	         "ARCH=SIZE,...", "another size of the memory of each device of an architecture, such as cuda=600M"}, \
		{OPTION_TEXT, \
	         0, \
	         "submission", \
	         &(o).submission, \
	         "WHEN", \
	         "tasks are submitted as in the run (recorded), all at once (none), or at most N at a time (window=N)"}, \
	{ \
		OPTION_TEXT, 0, "transfers", &(o).transfers, "on|off", \
			"copies between memory nodes and StarPU's own work take time; off for a graph without links" \
	}

/* `dag`, `machine` and `conditions` are borrowed from the run unless the scenario has its own. */
struct scenario {
	const struct dag *dag;
	const struct machine *machine;
	const struct conditions *conditions;
	struct conditions completed;
	enum simulate_transfers transfers;
	int ignore_submission;
	struct window window;
	const char *transfers_option;
	struct dag *dags[2];
	int ndags;
	struct machine *made[4];
	int nmade;
	int has_threads; /* the run shows what StarPU's threads do: they are simulated where no data moves, too */
	int has_copies;  /* data moves in it */
};

/* Of submission and transfers: -1 with the sentence. What is wrong with a machine scenario_open() says. */
int scenario_check(const struct scenario_options *o, struct ht_err *err);

/* 1: one of the options asks for something else than the run. */
int scenario_asks(const struct scenario_options *o);

/*
 * `o` has passed the check. Data that the run had in the memory of a device that the machine has not is in main memory.
 * With "recorded" the window of submission is that of the run, where it has one; with "window=N" the application waits
 * at N uncompleted tasks. -1 with the sentence, also when the machine has an architecture that the run has not, and
 * no task has a cost there. scenario_fini() in any case; `run` and `o` have to stay.
 */
int scenario_open(struct scenario *s, const struct run *run, const struct scenario_options *o, struct ht_err *err);

/*
 * A generated graph is replayed under the conditions of a recorded run of its application, and its codelets drive
 * devices as there; another graph keeps what it has.
 */
void scenario_share_conditions(struct scenario *s, const struct run *generated, const struct run *recorded);

/* The machine as StarPU is started on it: without the CPU workers that the environment leaves out. */
void scenario_start(struct scenario *s, const struct starpu_env *env);

/* That machine; NULL: no worker is left out. Free with machine_free(). */
struct machine *scenario_started(const struct machine *m, const struct starpu_env *env);

/* Conditions, transfers and submission; `s` has to stay until simulate() returns. `s` NULL: changes nothing. */
void scenario_set(const struct scenario *s, struct simulate_options *how);

/* What else the environment says: pipeline, unless `how` has one already, and prefetches. */
void scenario_set_env(const struct starpu_env *env, struct simulate_options *how);

void scenario_fini(struct scenario *s);

/*
 * When the last task is submitted, in any replay, from the first submission; 0: the run has not recorded it, or what
 * the application waits for decides. Later than SUBMISSION_LIMITS of the makespan it is what limits replays.
 */
int64_t scenario_submitted_ns(const struct scenario *s, const struct dag *d);

#define SUBMISSION_LIMITS 0.9

/* Whether StarPU's threads are simulated in it, and take time; NULL: they are not. */
static inline int scenario_has_threads(const struct scenario *s)
{
	return s && s->transfers == TRANSFERS_ON;
}

/* Whether copies of data take time in it; NULL: they do not. */
static inline int scenario_has_copies(const struct scenario *s)
{
	return scenario_has_threads(s) && s->has_copies;
}

/* The bounds of its makespans. */
static inline enum bounds_copies scenario_bounds(const struct scenario *s)
{
	return scenario_has_copies(s) ? BOUNDS_WITH_COPIES : BOUNDS_WITHOUT_COPIES;
}

#endif
