/* tune/evaluate/judge.h - trials: replays of settings and policies, each once, on all cores and processes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_JUDGE_H
#define TUNE_EVALUATE_JUDGE_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/startup.h"
#include "replay/sim/simulate.h"

struct config;
struct dag;
struct ht_err;
struct judge;
struct machine;
struct policy;
struct setting;
struct submission;

/* The makespan where some task is never executed, or has no bucket. */
#define JUDGE_NEVER (INT64_MAX / 8)

enum { JUDGE_MAX_GRAPHS = 16, JUDGE_MAX_DRAWS = 64 };

/* Graph 0 is the run that is tuned; others are parts of it, or other runs. Borrowed. */
struct judge_graph {
	const struct dag *dag;
	const struct machine *machine;
	enum simulate_transfers transfers;
	const struct submission *submission; /* NULL: as in the graph */
};

/* How far it is; for a line on a terminal. */
struct judge_state {
	size_t replays, remembered; /* trials that were replayed, and that the journal had */
	double elapsed_s, share;    /* share of what may be spent, 0 to 1 */
	int64_t best_ns;            /* smallest makespan of graph 0 without jitter; -1: none */
};

struct judge_options {
	const struct config *base;  /* machine and workers of configs: config_from_dag() of graph 0 */
	const char *policy_options; /* of heteroprio */
	const char *journal;        /* path; NULL: none */
	int jobs;                   /* threads, 1 or more */
	uint64_t max_tasks;         /* to replay before the budget is spent; 0: no limit */
	double max_s;               /* seconds before it is; 0: no limit */
	double jitter_cv;           /* < 0: recorded, at least -cv */
	uint64_t seed;              /* of jitter */
	void (*progress)(void *ctx, const struct judge_state *state); /* NULL: none; after every batch, in rank 0 */
	void *ctx;
};

struct trial {
	const struct setting *setting; /* under heteroprio; NULL: `policy` */
	const struct policy *policy;
	const char *options; /* of the policy; NULL: none */
	int graph;
	int may_fail;           /* a policy that leaves tasks behind has JUDGE_NEVER, and nothing failed */
	struct startup startup; /* of StarPU, on the machine of the graph */
	int draw;               /* of jitter, 1 to JUDGE_MAX_DRAWS - 1; 0: mean durations */
	int64_t makespan_ns;    /* the result; -1: the budget did not allow it */
};

enum judge_limit { JUDGE_WITHIN_BUDGET, JUDGE_ALWAYS };

/* Everything given has to stay. Graphs are added next. free with judge_free(). */
struct judge *judge_create(const struct judge_options *o);
void judge_free(struct judge *j);

/* The number of the graph. */
int judge_add(struct judge *j, const struct judge_graph *g);
const struct judge_graph *judge_graph(const struct judge *j, int graph);

/* Opens the journal, once the graphs of the problem are there. */
int judge_open(struct judge *j, struct ht_err *err);

/* Instead of what the options said: judge_open() may have to know what one replay takes. */
void judge_limit_tasks(struct judge *j, uint64_t max_tasks);

/*
 * All n trials: those that were replayed before, in this tune or in the one that the journal is of, are looked up. The
 * results do not depend on the number of threads and processes, and with max_s = 0 what the budget allows does not
 * either. Every process of the spread has to make the same calls. -1: a replay of a policy failed that may not.
 */
int judge_run(struct judge *j, struct trial *trials, size_t n, enum judge_limit limit, struct ht_err *err);

/*
 * Settings on a graph, each with the draws 0 to samples - 1, of which 0 is no jitter: ns[i] is the mean makespan of
 * settings[i], JUDGE_NEVER if one is that, -1 if the budget did not allow all of them.
 */
int judge_settings(struct judge *j, const struct setting *const *settings, size_t n, int graph, int samples,
                   enum judge_limit limit, int64_t *ns, struct ht_err *err);

/* Why a trial has JUDGE_NEVER; returns -1. */
int judge_explain(const struct judge *j, const struct trial *t, struct ht_err *err);

/* Share of the budget that is spent, 0 to 1; 0 without any limit. The journal's trials count as they did before. */
double judge_spent(const struct judge *j);

void judge_state(const struct judge *j, struct judge_state *state);

/* The config that a trial of the setting is a replay of; free with config_free(). */
struct config *judge_config(const struct judge *j, const struct setting *s);

#endif
