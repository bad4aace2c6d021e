/* tune/evaluate/starpu_settings.c - CPU workers, pipeline and prefetch: what each brings to the finalists. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/starpu_settings.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"
#include "replay/scenario.h"
#include "sched/policy.h"
#include "tune/evaluate/evaluator.h"
#include "tune/evaluate/final_round.h"
#include "tune/evaluate/noise.h"

enum { MAX_VALUES = 32 }; /* of a knob; powers of two of an int are fewer */

static const double LEAST_GAIN = 0.001;

/* Values of a knob, and the trials of each after those of the finalist as it is. */
struct line {
	const struct starpu_settings_problem *p;
	struct finalist *c;
	enum starpu_env_knob knob;
	int values[MAX_VALUES], count;
	int best; /* a value; 0: StarPU's default */
	double gain;
};

static void add(struct line *l, int value)
{
	for (int i = 0; i < l->count; i++)
		if (l->values[i] == value)
			return;
	assert(l->count < MAX_VALUES);
	l->values[l->count++] = value;
}

static int replay_line(struct line *l, struct ht_err *err)
{
	const struct starpu_settings_problem *p = l->p;
	size_t replications = (size_t)p->replications, n = (size_t)(l->count + 1) * replications;
	struct trial *trials = ht_alloc(n, sizeof(*trials));
	int rc;

	for (size_t i = 0; i < n; i++) {
		trials[i] = finalist_trial(l->c, p->graph, p->first_replication + (int)(i % replications));
		if (i >= replications)
			trials[i].starpu_env.value[l->knob] = l->values[i / replications - 1];
	}
	rc = evaluator_run(p->evaluator, trials, n, EVALUATOR_ALWAYS, err);
	for (int i = 0; i < l->count && rc == 0; i++) {
		struct noise ratio = noise_of_ratio(trials + (size_t)(i + 1) * replications, trials, p->replications);
		double gain = 1 - ratio.mean;

		if (gain >= LEAST_GAIN && gain > 2 * ratio.error && gain > l->gain) {
			l->gain = gain;
			l->best = l->values[i];
		}
	}
	free(trials);
	return rc;
}

/* First in powers of two, then to both sides of the best one. */
static int fewer_cpus(struct line *l, int cpus, struct ht_err *err)
{
	int step;

	for (step = 1; step < cpus; step *= 2)
		add(l, cpus - step);
	if (!l->count)
		return 0;
	if (replay_line(l, err) != 0)
		return -1;
	step = cpus - l->best;
	l->count = 0;
	if (l->best && step >= 4)
		add(l, cpus - step * 3 / 4);
	if (l->best && step >= 2 && step * 3 / 2 < cpus)
		add(l, cpus - step * 3 / 2);
	return l->count ? replay_line(l, err) : 0;
}

/* Of the machine, those whose drivers pipeline. */
static arch_mask devices_of(const struct machine *m)
{
	return machine_archs(m) & (1u << ARCH_CUDA | 1u << ARCH_OPENCL | 1u << ARCH_HIP);
}

static int have_copies(const struct evaluator_graph *g)
{
	return scenario_has_copies(g->scenario) && devices_of(g->machine) != 0;
}

int starpu_settings_pipeline(const struct evaluator_graph *g)
{
	const struct conditions *c = g->scenario ? g->scenario->conditions : NULL;
	int n = PIPELINE_OF_RUN;

	if (!have_copies(g))
		return 0;
	if (c)
		n = c->pipeline[__builtin_ctz(devices_of(g->machine))];
	return n == PIPELINE_OF_RUN ? PIPELINE_DEFAULT : n == PIPELINE_NONE ? 0 : n;
}

static int search_knob(struct line *l, struct ht_err *err)
{
	const struct evaluator_graph *g = evaluator_graph(l->p->evaluator, l->p->graph);

	switch (l->knob) {
	case STARPU_ENV_CPUS:
		if (machine_ranks(g->machine) > 1)
			return 0;
		return fewer_cpus(l, machine_workers_of(g->machine, ARCH_CPU), err);
	case STARPU_ENV_PIPELINE:
		if (l->c->policy == &policy_placement && starpu_settings_pipeline(g))
			return 0;
		for (int n = 1; n <= STARPU_ENV_MAX_PIPELINE; n++)
			if (n != starpu_settings_pipeline(g))
				add(l, n);
		return have_copies(g) ? replay_line(l, err) : 0;
	case STARPU_ENV_NO_PREFETCH: add(l, 1); return have_copies(g) ? replay_line(l, err) : 0;
	default: return 0;
	}
}

int starpu_settings_search(const struct starpu_settings_problem *p, struct finalist *c, struct ht_err *err)
{
	for (int k = 0; k < STARPU_ENV_COUNT; k++) {
		struct line l = {.p = p,
		                 .c = c,
		                 .knob = (enum starpu_env_knob)k,
		                 .best = c->id.starpu_env.value[k],
		                 .gain = c->starpu_env_gain[k]};

		if (search_knob(&l, err) != 0)
			return -1;
		c->id.starpu_env.value[k] = l.best;
		c->starpu_env_gain[k] = round(l.gain * 1e4) / 1e4; /* more digits would be noise */
	}
	return 0;
}
