/* generate/graph_pipeline.c - random graphs made by filling a pipeline of workers: a good schedule is known. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The generator of Flint, Paillat, Bramas, "Automated prioritizing heuristics for parallel task graph scheduling in
 * heterogeneous computing" (2022), section "Graph generation": tasks are made while filling a pipeline of workers,
 * each on its best worker, and a random matrix holds how many predecessors of type j a task of type i has on the
 * average.
 *
 * The worker that is free first gets the next task, of a type that is fastest on its architecture, and the task may
 * wait for any that has ended by then: so the pipeline has no hole, and its length is the makespan of a schedule. The
 * paper leaves open how the matrix is drawn; here every row has 1 to 3 entries of 0.2 to 1.8, unless all of it, with
 * types, shares and costs, is given (generate/mix.h). Shares hold among the types of one architecture: how much there
 * is of each architecture follows from its workers. What a task cannot have, because too few tasks have ended, later
 * ones of its type get, at most one each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/rng.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "generate/execute.h"
#include "generate/graph.h"
#include "generate/mix.h"
#include "generate/random_types.h"

enum { KNOB_TASKS, KNOB_TYPES, KNOB_TILE_SIZE };
enum { MAX_PREDECESSORS = MIX_MOST_PREDECESSORS + 2 }; /* of one type: the mean and two more */

static const struct graph_knob knobs[] = {
	{"tasks", 10000, 1, GRAPH_MAX_TASKS},
	{"types", 6, 1, RANDOM_TYPES_MAX},
	{"tile-size", 960, 1, 1e5},
	{NULL, 0, 0, 0},
};

struct pipeline_type {
	enum arch best;
	double share;
	double mean[RANDOM_TYPES_MAX]; /* a row of the matrix */
	double owed[RANDOM_TYPES_MAX]; /* what is still to be had of it */
	struct made {
		uint32_t task;
		int64_t end_ns;
	} * made; /* by start, and so by end: all take the same time */
	size_t nmade, capmade, ended;
};

struct pipeline {
	struct graph *g;
	const struct machine *m;
	struct pipeline_type *types;
	uint32_t ntypes;
	int64_t *free_ns; /* per worker */
	struct rng rng;
};

static enum arch best_of(const struct pipeline *p, uint32_t type)
{
	arch_mask archs = machine_archs(p->m);
	const double *cost_us = p->g->types[type].cost_us;
	enum arch best = ARCH_NONE;

	for (int a = 0; a < ARCH_COUNT; a++)
		if (archs >> a & 1 && cost_us[a] >= 0 && (best == ARCH_NONE || cost_us[a] < cost_us[best]))
			best = (enum arch)a;
	return best;
}

static uint32_t types_on(const struct pipeline *p, enum arch a)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->ntypes; i++)
		n += p->types[i].best == a;
	return n;
}

/*
 * Workers of an architecture that is the fastest for no type would stay idle: one of several types that are fastest
 * elsewhere has its two costs exchanged, unless they are the user's.
 */
static void give_type(struct pipeline *p, enum arch a)
{
	for (uint32_t i = 0; i < p->ntypes; i++) {
		double *cost_us = p->g->types[i].cost_us, elsewhere;

		if (p->g->types[i].given || types_on(p, p->types[i].best) < 2)
			continue;
		elsewhere = cost_us[p->types[i].best];
		cost_us[p->types[i].best] = cost_us[a];
		cost_us[a] = elsewhere;
		p->types[i].best = a;
		return;
	}
}

static int no_best(const struct pipeline *p, uint32_t type, struct ht_err *err)
{
	return ht_err_set(err, "no worker of the machine can run %s", p->g->types[type].name);
}

/* Types and matrix as given. */
static int take_types(struct pipeline *p, const struct mix *mix, struct ht_err *err)
{
	for (uint32_t i = 0; i < mix->ntypes; i++) {
		struct pipeline_type *t = &p->types[i];

		graph_type(p->g, mix->types[i].name, mix->types[i].cost_us);
		t->best = best_of(p, i);
		if (t->best == ARCH_NONE)
			return no_best(p, i, err);
		t->share = mix->types[i].share;
		memcpy(t->mean, mix->types[i].predecessors, sizeof(t->mean));
	}
	return 0;
}

static int make_types(struct pipeline *p, struct ht_err *err)
{
	arch_mask archs = machine_archs(p->m);

	random_types(p->g, p->ntypes, p->m, &p->rng);
	for (uint32_t i = 0; i < p->ntypes; i++) {
		struct pipeline_type *t = &p->types[i];
		uint32_t entries = 1 + rng_below(&p->rng, 3);

		t->best = best_of(p, i);
		if (t->best == ARCH_NONE)
			return no_best(p, i, err);
		t->share = rng_between(&p->rng, 0.2, 1);
		while (entries-- > 0)
			t->mean[rng_below(&p->rng, p->ntypes)] = rng_between(&p->rng, 0.2, 1.8);
	}
	for (int a = 0; a < ARCH_COUNT; a++)
		if (archs >> a & 1 && types_on(p, (enum arch)a) == 0)
			give_type(p, (enum arch)a);
	return 0;
}

/* The worker that is free first, of those whose architecture is the best of some type. */
static int next_worker(const struct pipeline *p, arch_mask used)
{
	int first = -1;

	for (int w = 0; w < p->m->nworkers; w++)
		if (used >> p->m->workers[w].arch & 1 && (first < 0 || p->free_ns[w] < p->free_ns[first]))
			first = w;
	return first;
}

/* In proportion to their shares, of those that are fastest on `a`. */
static uint32_t draw_type(struct pipeline *p, enum arch a)
{
	double total = 0, at;
	uint32_t last = 0;

	for (uint32_t i = 0; i < p->ntypes; i++)
		total += p->types[i].best == a ? p->types[i].share : 0;
	at = rng_real(&p->rng) * total;
	for (uint32_t i = 0; i < p->ntypes; i++) {
		if (p->types[i].best != a)
			continue;
		last = i;
		at -= p->types[i].share;
		if (at < 0)
			break;
	}
	return last;
}

/* `n` different ones of the tasks of a type that have ended; there are that many. */
static void read_ended(struct pipeline *p, const struct pipeline_type *from, uint32_t n)
{
	uint32_t taken[MAX_PREDECESSORS];

	for (uint32_t k = 0; k < n; k++) {
		uint32_t at = rng_below(&p->rng, (uint32_t)(from->ended - k)), i = 0;

		/* The at-th of those not taken: taken[] is ascending. */
		while (i < k && taken[i] <= at + i)
			i++;
		at += i;
		for (uint32_t j = k; j > i; j--)
			taken[j] = taken[j - 1];
		taken[i] = at;
		graph_use(p->g, from->made[at].task, ACCESS_R);
	}
}

static void add_task(struct pipeline *p, int worker, uint32_t type)
{
	struct pipeline_type *t = &p->types[type];
	uint32_t task = graph_task(p->g, type);
	int64_t start_ns = p->free_ns[worker];
	struct made *made;

	for (uint32_t j = 0; j < p->ntypes; j++) {
		struct pipeline_type *from = &p->types[j];
		double n, most = ceil(t->mean[j]) + 1;

		if (t->mean[j] <= 0)
			continue;
		while (from->ended < from->nmade && from->made[from->ended].end_ns <= start_ns)
			from->ended++;
		t->owed[j] += t->mean[j];
		n = floor(fmin(fmin(t->owed[j], most), (double)from->ended));
		t->owed[j] -= n;
		read_ended(p, from, (uint32_t)n);
	}
	graph_use(p->g, task, ACCESS_W);
	p->free_ns[worker] += llround(p->g->types[type].cost_us[p->types[type].best] * 1e3);
	made = VEC_PUSH(t->made, t->nmade, t->capmade);
	made->task = task;
	made->end_ns = p->free_ns[worker];
	if (made->end_ns > p->g->best_ns)
		p->g->best_ns = made->end_ns;
}

static double row_sum(const struct mix_type *t, uint32_t ntypes)
{
	double sum = 0;

	for (uint32_t j = 0; j < ntypes; j++)
		sum += t->predecessors[j];
	return sum;
}

static int make(struct graph *g, const struct graph_input *in, struct ht_err *err)
{
	struct pipeline p = {.g = g, .m = in->machine, .ntypes = (uint32_t)in->knob[KNOB_TYPES], .rng = {in->seed}};
	double ntasks = in->knob[KNOB_TASKS], b = in->knob[KNOB_TILE_SIZE];
	arch_mask used = 0;
	int rc = -1;
	double most = 7; /* accesses of a task: 3 entries of 1.8, and its own data */

	if (in->mix) {
		p.ntypes = in->mix->ntypes;
		most = 1;
		for (uint32_t i = 0; i < p.ntypes; i++)
			most = fmax(most, 1 + row_sum(&in->mix->types[i], p.ntypes));
	}
	if (graph_fits(ntasks, most * ntasks, err) != 0)
		return -1;
	p.types = ht_alloc(p.ntypes, sizeof(*p.types));
	p.free_ns = ht_alloc((size_t)p.m->nworkers, sizeof(*p.free_ns));
	if ((in->mix ? take_types(&p, in->mix, err) : make_types(&p, err)) != 0)
		goto out;
	for (uint32_t i = 0; i < p.ntypes; i++)
		used |= (arch_mask)(1u << p.types[i].best);
	graph_data(g, (size_t)ntasks, b * b * sizeof(double)); /* task t writes data t */
	rc = 0;
	for (uint32_t t = 0; t < (uint32_t)ntasks && rc == 0; t++) {
		int w = next_worker(&p, used);

		add_task(&p, w, draw_type(&p, p.m->workers[w].arch));
		rc = execute_fits(p.free_ns[w], t, err);
	}
out:
	for (uint32_t i = 0; i < p.ntypes; i++)
		free(p.types[i].made);
	free(p.types);
	free(p.free_ns);
	return rc;
}

const struct graph_kind graph_pipeline = {
	"pipeline", "random graph that fills a pipeline, as AutoHeteroprio's evaluation has it",
	knobs,      GRAPH_SEED | GRAPH_MIX,
	make,
};
