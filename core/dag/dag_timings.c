/* core/dag/dag_timings.c - what lengthens a task beside what it is: a worker's first execution, and other CPUs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Both are looked for where they can be: in a run of a real machine. What is found is left out of the costs of classes,
 * which are then those of a task that comes later and has as little company as any had, and a simulation adds it where
 * it belongs.
 */
#include "core/dag/dag_parts.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/radix_sort.h"
#include "core/trace/trace.h"

#define CHANCE 0.05 /* of a warm-up by chance */
#define LONGER 1.5  /* of a first execution over the mean of the others */
#define SURE   3.0  /* standard errors of the effect of another CPU over 0 */
#define SPREAD 6.0  /* of the squared deviations of company over its squared range: as of 6 tasks at either end */

static const struct trace_task *task_of(const struct dag *d, const struct trace *t, uint32_t i)
{
	return &t->tasks[d->tasks[i].trace_task];
}

static double duration_of(const struct dag *d, const struct trace *t, uint32_t i)
{
	return (double)(task_of(d, t, i)->end_ns - task_of(d, t, i)->start_ns);
}

static int is_real(const struct trace *t)
{
	return t->source == TRACE_FXT && !trace_simulated(t);
}

/* A worker's executions of one class. */
struct executions {
	uint32_t first, class_id, others;
	enum arch arch;
	double sum, most; /* of the others */
};

/* Those of an architecture's workers. */
struct group {
	double expected; /* of first executions that are the longest by chance */
	double extra_ns; /* summed over those that are longer */
	uint32_t longer, workers;
};

/* That so many or more are the longest of theirs, of which so many are expected: a Poisson distribution. */
static double chance(double expected, uint32_t found)
{
	double term = exp(-expected), less = 0;

	for (uint32_t k = 0; k < found; k++) {
		less += term;
		term *= expected / (k + 1);
	}
	return 1 - less;
}

static int is_longer(const struct executions *x, double first_ns)
{
	return x->others && first_ns > x->most && first_ns > LONGER * x->sum / x->others;
}

static struct executions *collect(const struct dag *d, const struct trace *t, size_t *n)
{
	struct executions *all = NULL;
	struct idmap of = {0};
	size_t cap = 0;

	*n = 0;
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *x = task_of(d, t, i);
		uint64_t key = (uint64_t)d->tasks[i].class_id << 32 | (uint32_t)x->worker;
		uint32_t at = idmap_get(&of, key), other = i;
		double ns;

		if (at == IDMAP_NONE) {
			idmap_put(&of, key, (uint32_t)*n);
			*VEC_PUSH(all, *n, cap) = (struct executions){.first = i,
			                                              .class_id = d->tasks[i].class_id,
			                                              .arch = t->workers[x->worker].arch};
			continue;
		}
		if (x->start_ns < task_of(d, t, all[at].first)->start_ns) {
			other = all[at].first;
			all[at].first = i;
		}
		ns = duration_of(d, t, other);
		all[at].others++;
		all[at].sum += ns;
		all[at].most = fmax(all[at].most, ns);
	}
	idmap_fini(&of);
	return all;
}

uint8_t *dag_find_warm_up(struct dag *d, const struct trace *t)
{
	uint8_t *left_out = ht_alloc(d->ntasks, sizeof(*left_out));
	struct group(*groups)[ARCH_COUNT];
	struct executions *all;
	size_t n;

	if (!is_real(t))
		return left_out;
	all = collect(d, t, &n);
	groups = ht_alloc(d->nclasses, sizeof(*groups));
	for (size_t i = 0; i < n; i++) {
		struct group *g = &groups[all[i].class_id][all[i].arch];
		double ns = duration_of(d, t, all[i].first);

		g->workers++;
		g->expected += all[i].others ? 1.0 / (all[i].others + 1) : 0;
		if (is_longer(&all[i], ns)) {
			g->longer++;
			g->extra_ns += ns - all[i].sum / all[i].others;
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct group *g = &groups[all[i].class_id][all[i].arch];

		if (!g->longer || chance(g->expected, g->longer) > CHANCE)
			continue;
		d->classes[all[i].class_id].warm_up_ns[all[i].arch] = (float)(g->extra_ns / g->workers);
		left_out[all[i].first] = (uint8_t)is_longer(&all[i], duration_of(d, t, all[i].first));
	}
	free(groups);
	free(all);
	return left_out;
}

/* Of the tasks of one class on CPUs: x is how many other CPUs executed when each started, y its duration. */
struct fit {
	double n, x, y, xx, xy, yy; /* sums; of y from `origin` */
	double origin, shortest;
	uint32_t least, most;
};

static void fit_add(struct fit *f, uint32_t x, double ns)
{
	double y;

	if (f->n == 0)
		*f = (struct fit){.origin = ns, .shortest = ns, .least = x, .most = x};
	y = ns - f->origin;
	f->n++;
	f->x += x;
	f->y += y;
	f->xx += (double)x * x;
	f->xy += x * y;
	f->yy += y * y;
	f->shortest = fmin(f->shortest, ns);
	f->least = x < f->least ? x : f->least;
	f->most = x > f->most ? x : f->most;
}

/* Least squares: the slope, where it is above 0 for sure. */
static void fit_settle(const struct fit *f, struct dag_class *c)
{
	double xx = f->xx - f->x * f->x / f->n, xy = f->xy - f->x * f->y / f->n, yy = f->yy - f->y * f->y / f->n;
	double range = f->most - f->least, slope, rest;

	if (f->n < 3 || !(range > 0) || xx < SPREAD * range * range || !(xy > 0))
		return;
	slope = xy / xx;
	rest = fmax(yy - slope * xy, 0);
	if (slope * slope * xx * (f->n - 2) < SURE * SURE * rest)
		return;
	c->company_ns = (float)slope;
	c->company_least = (uint16_t)f->least;
	c->company_most = (uint16_t)f->most;
	c->cost_ns[ARCH_CPU] = llround(fmax(f->origin + f->y / f->n - slope * (f->x / f->n - f->least), f->shortest));
	c->deviation_ns[ARCH_CPU] = llround(sqrt(rest / f->n));
}

/* By start, those that CPUs executed, and their ends in order. */
static uint32_t sort_executions(const struct dag *d, const struct trace *t, struct radix_item *starts, uint64_t *ends)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *x = task_of(d, t, i);

		if (t->workers[x->worker].arch != ARCH_CPU)
			continue;
		starts[n] = (struct radix_item){(uint64_t)(x->start_ns + TIME_LIMIT), i};
		ends[n++] = (uint64_t)(x->end_ns + TIME_LIMIT);
	}
	radix_sort(starts, n);
	radix_sort_keys(ends, n);
	return n;
}

void dag_find_company(struct dag *d, const struct trace *t, const uint8_t *left_out)
{
	struct radix_item *starts;
	struct fit *fits;
	uint64_t *ends;
	uint32_t n, ended = 0, cpus = 0;

	for (size_t w = 0; w < t->nworkers; w++)
		cpus += t->workers[w].arch == ARCH_CPU;
	if (!is_real(t) || cpus < 2)
		return;
	starts = ht_alloc(d->ntasks, sizeof(*starts));
	ends = ht_alloc(d->ntasks, sizeof(*ends));
	fits = ht_alloc(d->nclasses, sizeof(*fits));
	n = sort_executions(d, t, starts, ends);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t task = (uint32_t)starts[i].value, others;

		while (ended < n && ends[ended] <= starts[i].key)
			ended++;
		others = i > ended ? i - ended : 0;
		if (!left_out[task])
			fit_add(&fits[d->tasks[task].class_id], others < cpus ? others : cpus - 1,
			        duration_of(d, t, task));
	}
	for (uint32_t c = 0; c < d->nclasses; c++)
		if (d->classes[c].source[ARCH_CPU] == COST_RUN)
			fit_settle(&fits[c], &d->classes[c]);
	free(starts);
	free(ends);
	free(fits);
}
