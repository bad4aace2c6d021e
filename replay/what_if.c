/* replay/what_if.c - what a run would take if something were otherwise: machine, copies, submission, a kernel. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/what_if.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "replay/config_replay.h"
#include "replay/sim/jitter.h"

enum { TOP_TYPES = 3 };

static const double LEAST_CV = 0.02;

/* What is otherwise; 0, or an empty text: nothing. */
struct change {
	char scale[32]; /* for machine_scale() */
	const char *transfers, *submission;
	int pipeline, no_prefetch, faster;
	uint32_t type; /* with `faster`: of it */
	enum arch arch;
};

struct trying {
	struct what_ifs *x;
	const struct run *run;
	const struct config *config; /* NULL: `policy` */
	const struct config *as;     /* either as a config */
	int64_t base_ns[WHAT_IF_REPLICATIONS];
};

static int replay_all(const struct trying *t, const struct change *c, const struct dag *d, struct config_replay *r,
                      int64_t *ns, struct ht_err *err)
{
	for (int i = 0; i < WHAT_IF_REPLICATIONS; i++) {
		const struct jitter_options o = {JITTER_RECORDED, LEAST_CV, (uint64_t)i + 1};
		struct jitter *jitter = jitter_create(d, &o);
		struct simulation *s;

		r->how.config = t->config;
		r->how.jitter = jitter;
		if (c->pipeline)
			r->how.pipeline = c->pipeline;
		r->how.no_prefetch |= c->no_prefetch;
		s = simulate(d, r->machine, &r->how, err);
		jitter_free(jitter);
		if (!s)
			return -1;
		ns[i] = s->makespan_ns;
		simulation_free(s);
	}
	return 0;
}

static int replay_change(const struct trying *t, const struct change *c, int64_t *ns, struct ht_err *err)
{
	const struct scenario_options o = {.scale = *c->scale ? c->scale : NULL,
	                                   .transfers = c->transfers,
	                                   .submission = c->submission ? c->submission : "recorded"};
	struct config_replay r;
	struct dag *faster = NULL;
	int rc = config_replay_init(&r, t->as, t->run, &o, err);

	if (rc == 0 && c->faster)
		faster = dag_with_faster(r.dag, c->type, c->arch, 0.5);
	if (rc == 0)
		rc = replay_all(t, c, faster ? faster : r.dag, &r, ns, err);
	dag_free(faster);
	config_replay_fini(&r);
	return rc;
}

static void try_it(struct trying *t, const struct change *c, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void try_it(struct trying *t, const struct change *c, const char *fmt, ...)
{
	int64_t ns[WHAT_IF_REPLICATIONS];
	double gains[WHAT_IF_REPLICATIONS], squares = 0, sum_ns = 0;
	struct what_if w = {.gain = 0};
	va_list ap;

	if (replay_change(t, c, ns, NULL) != 0 || memcmp(ns, t->base_ns, sizeof(ns)) == 0)
		return;
	for (int i = 0; i < WHAT_IF_REPLICATIONS; i++) {
		gains[i] = 1 - (double)ns[i] / fmax((double)t->base_ns[i], 1);
		w.gain += gains[i] / WHAT_IF_REPLICATIONS;
		sum_ns += (double)ns[i];
	}
	for (int i = 0; i < WHAT_IF_REPLICATIONS; i++)
		squares += (gains[i] - w.gain) * (gains[i] - w.gain);
	w.error = sqrt(squares / (WHAT_IF_REPLICATIONS - 1) / WHAT_IF_REPLICATIONS);
	w.makespan_ns = llround(sum_ns / WHAT_IF_REPLICATIONS);
	va_start(ap, fmt);
	vsnprintf(w.what, sizeof(w.what), fmt, ap);
	va_end(ap);
	*VEC_PUSH(t->x->items, t->x->count, t->x->cap) = w;
}

static void try_workers(struct trying *t)
{
	int cpus = machine_workers_of(t->run->machine, ARCH_CPU);

	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		int n = machine_workers_of(t->run->machine, a);
		struct change c = {.scale = ""};

		if (!n)
			continue;
		snprintf(c.scale, sizeof(c.scale), "%s=%d", arch_name(a), n + 1);
		try_it(t, &c, "one more %s worker", arch_name(a));
	}
	for (int i = 0; i < 2; i++) {
		int left = i ? cpus / 2 : cpus - 1;
		struct change c = {.scale = ""};

		if (left < 1 || (i && left == cpus - 1))
			continue;
		snprintf(c.scale, sizeof(c.scale), "%s=%d", arch_name(ARCH_CPU), left);
		try_it(t, &c, "%d of the %d cpu workers", left, cpus);
	}
}

static void try_starpu(struct trying *t)
{
	try_it(t, &(struct change){.transfers = "off"},
	       simulate_has_transfers(t->run->dag, t->run->machine) ? "copies that take no time" :
	                                                              "StarPU's own work that takes no time");
	try_it(t, &(struct change){.submission = "none"}, "all tasks submitted at once");
	for (int n = 1; n <= PIPELINE_MOST; n++)
		try_it(t, &(struct change){.pipeline = n}, "devices with a pipeline of %d", n);
	try_it(t, &(struct change){.no_prefetch = 1}, "no prefetch");
}

/* The types that took most of the run's time on an architecture. */
static void try_types(struct trying *t)
{
	const struct dag *d = t->run->dag;
	double(*ns)[ARCH_COUNT] = ht_alloc(d->ntypes, sizeof(*ns));

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *x = &t->run->trace->tasks[d->tasks[i].trace_task];

		ns[dag_type_of(d, i)][t->run->trace->workers[x->worker].arch] += (double)(x->end_ns - x->start_ns);
	}
	for (int n = 0; n < TOP_TYPES; n++) {
		struct change c = {.faster = 1};

		for (uint32_t p = 0; p < d->ntypes; p++)
			for (enum arch a = 0; a < ARCH_COUNT; a++)
				if (ns[p][a] > ns[c.type][c.arch]) {
					c.type = p;
					c.arch = a;
				}
		if (ns[c.type][c.arch] <= 0)
			break;
		ns[c.type][c.arch] = 0;
		try_it(t, &c, "%s twice as fast on %s", SHORT_NAME(d->types[c.type].name), arch_name(c.arch));
	}
	free(ns);
}

/* An insertion sort: few, and equal ones keep their order. */
static void sort(struct what_ifs *x)
{
	for (size_t i = 1; i < x->count; i++) {
		struct what_if w = x->items[i];
		size_t j = i;

		for (; j > 0 && x->items[j - 1].gain < w.gain; j--)
			x->items[j] = x->items[j - 1];
		x->items[j] = w;
	}
}

int what_ifs_make(struct what_ifs *x, const struct run *run, const struct config *c, const char *policy,
                  struct ht_err *err)
{
	const struct config of_policy = {.policy = policy, .knobs = ""};
	struct trying t = {.x = x, .run = run, .config = policy ? NULL : c, .as = policy ? &of_policy : c};
	double sum = 0;

	*x = (struct what_ifs){0};
	if (replay_change(&t, &(struct change){.scale = ""}, t.base_ns, err) != 0)
		return -1;
	for (int i = 0; i < WHAT_IF_REPLICATIONS; i++)
		sum += (double)t.base_ns[i];
	x->base_ns = llround(sum / WHAT_IF_REPLICATIONS);
	try_workers(&t);
	try_starpu(&t);
	try_types(&t);
	sort(x);
	return 0;
}

void what_ifs_fini(struct what_ifs *x)
{
	free(x->items);
	*x = (struct what_ifs){0};
}

int what_if_is_gain(const struct what_if *w, double least)
{
	return w->gain >= least && w->gain > 2 * w->error;
}
