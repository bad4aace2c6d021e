/* replay/sim/jitter.c - random durations of tasks, as they vary in the run, and random delays of threads. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/jitter.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/rng.h"
#include "core/dag/dag.h"

struct jitter {
	const struct dag *d;
	uint64_t seed;
	double most_wake_ns;
	float *draw;                 /* per task */
	float (*spread)[ARCH_COUNT]; /* per class: s */
};

static const double MOST_WAKE_NS = 5e4, WAKE_SHARE = 0.01;

static double class_cv(const struct dag_class *c, int a, const struct jitter_options *o)
{
	double cv = o->cv;

	if (o->source == JITTER_RECORDED && c->deviation_ns[a] > 0 && c->cost_ns[a] > 0)
		cv = fmax(cv, (double)c->deviation_ns[a] / (double)c->cost_ns[a]);
	return fmin(cv, 1);
}

/* A share of what tasks take where they take least. */
static double most_wake_ns(const struct dag *d)
{
	double sum = 0;

	for (uint32_t c = 0; c < d->nclasses; c++) {
		const struct dag_class *class = &d->classes[c];
		enum arch best = dag_class_best(class, dag_class_archs(class));

		sum += best == ARCH_NONE ? 0 : (double)class->cost_ns[best] * class->count;
	}
	return d->ntasks ? fmin(MOST_WAKE_NS, WAKE_SHARE * sum / d->ntasks) : 0;
}

struct jitter *jitter_create(const struct dag *d, const struct jitter_options *o)
{
	struct jitter *j = ht_alloc(1, sizeof(*j));
	struct rng r = {o->seed};

	j->d = d;
	j->seed = o->seed;
	j->most_wake_ns = o->source == JITTER_GIVEN && o->cv == 0 ? 0 : most_wake_ns(d);
	j->draw = ht_alloc((size_t)d->ntasks + 1, sizeof(*j->draw));
	j->spread = ht_alloc(d->nclasses, sizeof(*j->spread));
	for (uint32_t t = 0; t < d->ntasks; t += 2) { /* Box and Muller 1958: two at a time */
		double radius = sqrt(-2 * log(1 - rng_real(&r))), angle = 2 * M_PI * rng_real(&r);

		j->draw[t] = (float)(radius * cos(angle));
		j->draw[t + 1] = (float)(radius * sin(angle));
	}
	for (uint32_t c = 0; c < d->nclasses; c++)
		for (int a = 0; a < ARCH_COUNT; a++)
			j->spread[c][a] = (float)sqrt(log1p(pow(class_cv(&d->classes[c], a, o), 2)));
	return j;
}

void jitter_free(struct jitter *j)
{
	if (!j)
		return;
	free(j->draw);
	free(j->spread);
	free(j);
}

int64_t jitter_ns(const struct jitter *j, uint32_t task, enum arch a, int64_t mean_ns)
{
	double s = j->spread[j->d->tasks[task].class_id][a];
	int64_t ns;

	if (mean_ns <= 0)
		return mean_ns;
	ns = (int64_t)((double)mean_ns * exp(s * (double)j->draw[task] - s * s / 2));
	return ns > 0 ? ns : 1;
}

int64_t jitter_wake_ns(const struct jitter *j, int64_t now, int node)
{
	struct rng r = {hash64(hash64(j->seed, &now, sizeof(now)), &node, sizeof(node))};
	double x = rng_between(&r, -1, 1);

	return x > 0 ? (int64_t)(x * j->most_wake_ns) : 0;
}
