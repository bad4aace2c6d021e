/* tune/evaluate/evaluator.h - trials: replays of settings and policies, each once, on all cores and processes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_EVALUATOR_H
#define TUNE_EVALUATE_EVALUATOR_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/starpu_env.h"

struct config;
struct dag;
struct ht_err;
struct evaluator;
struct machine;
struct policy;
struct scenario;
struct setting;

/* The makespan where some task is never executed, or has no bucket. */
#define EVALUATOR_NEVER (INT64_MAX / 8)

enum { EVALUATOR_MAX_GRAPHS = 16, EVALUATOR_MAX_REPLICATIONS = 64 };

/* Graph 0 is the run that is tuned; others are parts of it, or other runs. Borrowed. */
struct evaluator_graph {
	const struct dag *dag;
	const struct machine *machine;
	const struct scenario *scenario; /* NULL: no transfers, submission as in the graph */
};

/* How far it is; for a line on a terminal. */
struct evaluator_state {
	size_t replays, remembered; /* trials that were replayed, and that the journal had */
	double elapsed_s, share;    /* share of what may be spent, 0 to 1 */
	const char *doing;          /* what the replays are for; the evaluator does not know it: NULL */
	double tasks_per_s;         /* replayed, by all threads and processes; 0: not known */
	/* Smallest makespans of graph 0 without jitter: of a setting or placement, of another policy; -1: none. */
	int64_t best_ns, policy_ns;
};

struct evaluator_options {
	const struct config *base;  /* machine and workers of configs: config_from_dag() of graph 0 */
	const char *policy_options; /* of heteroprio */
	const char *journal;        /* path; NULL: none */
	int jobs;                   /* threads, 1 or more */
	uint64_t max_tasks;         /* to replay before the budget is spent; 0: no limit */
	double max_s;               /* seconds before it is; 0: no limit */
	/* Whether no replay is to begin any more; every thread asks before each one. NULL: never. */
	int (*is_over)(const void *tune);
	const void *tune;
	double jitter_cv;                                                 /* < 0: recorded, at least -cv */
	uint64_t seed;                                                    /* of jitter */
	void (*progress)(void *ctx, const struct evaluator_state *state); /* NULL: none; after every batch, in rank 0 */
	void *ctx;
};

struct trial {
	const struct setting *setting; /* under heteroprio; NULL: `policy` */
	const struct policy *policy;
	const char *options;         /* of the policy; NULL: none */
	const void *policy_data;     /* policy_world.data; what `options` say has to determine it, */
	const struct config *config; /* and that which the policy sees; both may be NULL */
	int by_rank;                 /* tasks have their upward ranks as priorities */
	int graph;
	int may_fail; /* a policy that never executes some tasks has EVALUATOR_NEVER, and nothing failed */
	struct starpu_env starpu_env; /* of StarPU, on the machine of the graph */
	int replication;              /* of jitter, 1 to EVALUATOR_MAX_REPLICATIONS - 1; 0: mean durations */
	int64_t makespan_ns;          /* the result; -1: the budget did not allow it, or it was over */
};

enum evaluator_limit { EVALUATOR_WITHIN_BUDGET, EVALUATOR_ALWAYS };

/* Everything given has to stay. Graphs are added next. free with evaluator_free(). */
struct evaluator *evaluator_create(const struct evaluator_options *o);
void evaluator_free(struct evaluator *e);

/* The number of the graph. */
int evaluator_add(struct evaluator *e, const struct evaluator_graph *g);
const struct evaluator_graph *evaluator_graph(const struct evaluator *e, int graph);

/* Instead of what the options said; 0: no limit. */
void evaluator_limit_time(struct evaluator *e, double max_s);

/* Opens the journal, once the graphs of the problem are there. */
int evaluator_open(struct evaluator *e, struct ht_err *err);

/* Instead of what the options said, and counted from now on. */
void evaluator_limit_tasks(struct evaluator *e, uint64_t max_tasks);

/*
 * All n trials: those that were replayed before, in this tune or in the one that the journal is of, are looked up. The
 * results do not depend on the number of threads and processes, and with max_s = 0 what the budget allows does not
 * either. Every MPI process has to make the same calls. EVALUATOR_ALWAYS: until it is over. -1: a replay of a policy
 * failed that may not.
 */
int evaluator_run(struct evaluator *e, struct trial *trials, size_t n, enum evaluator_limit limit, struct ht_err *err);

/*
 * Settings on a graph, each with the replications 0 to samples - 1, of which 0 is no jitter: ns[i] is the mean makespan
 * of settings[i], EVALUATOR_NEVER if one is that, -1 if the budget did not allow all of them. most_ns[i]: more is of no
 * use; where already the first replay takes clearly more, the others are left out, and ns[i] is EVALUATOR_NEVER. NULL:
 * no limits.
 */
int evaluator_settings(struct evaluator *e, const struct setting *const *settings, size_t n, int graph, int samples,
                       enum evaluator_limit limit, const int64_t *most_ns, int64_t *ns, struct ht_err *err);

/*
 * What a trial of a policy would do, with its schedule; simulation_free() it. NULL: the replay failed. Several threads
 * may ask at one time for replication 0 in StarPU's plain environment, with the application's priorities.
 */
struct simulation *evaluator_schedule(struct evaluator *e, const struct trial *t, struct ht_err *err);

/* Calls act(ctx, i) for each i below n, on all threads of the process. */
void evaluator_each(const struct evaluator *e, size_t n, void (*act)(void *ctx, size_t i), void *ctx);

/* Why a trial has EVALUATOR_NEVER; returns -1. */
int evaluator_explain(const struct evaluator *e, const struct trial *t, struct ht_err *err);

/* Share of the budget that is spent, 0 to 1; 0 without any limit. The journal's trials count as they did before. */
double evaluator_spent(const struct evaluator *e);

/* Whether a trial was left out because it was over, since the last evaluator_go_on(); then the budget is spent, too. */
int evaluator_is_cut(const struct evaluator *e);
void evaluator_go_on(struct evaluator *e);

/* Whether it is over for some process. Every process has to ask. */
int evaluator_is_over(const struct evaluator *e);

void evaluator_state(const struct evaluator *e, struct evaluator_state *state);

/* The config that a trial of the setting is a replay of; free with config_free(). */
struct config *evaluator_config(const struct evaluator *e, const struct setting *s);

#endif
