/* analyze/data/task_counters.c - PAPI counters of tasks, summed up by event, type and architecture. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/task_counters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "core/run/manifest.h"
#include "core/trace/trace.h"

/* "counter: 0x40000000 perf::PAGE-FAULTS": the trace has the number alone. */
static void name_event(char name[64], uint32_t code, const struct manifest *m)
{
	snprintf(name, 64, "0x%" PRIx32, code);
	for (size_t i = 0; i < m->count; i++) {
		char *end;

		if (strcmp(m->entries[i].key, "counter") != 0 || strtoul(m->entries[i].value, &end, 16) != code)
			continue;
		if (*end == ' ' && end[1])
			snprintf(name, 64, "%s", end + 1);
		return;
	}
}

static int event_of(struct task_counters *x, uint32_t code)
{
	int e = 0;

	while (e < x->nevents && x->codes[e] != code)
		e++;
	if (e == x->nevents && e < TASK_COUNTERS_MAX)
		x->codes[x->nevents++] = code;
	return e;
}

void task_counters_init(struct task_counters *x, const struct trace *t, const struct manifest *m)
{
	*x = (struct task_counters){.ntypes = (uint32_t)t->ncodelets};
	for (size_t i = 0; i < t->ncounters; i++)
		event_of(x, t->counters[i].event);
	if (x->nevents)
		stats_sort_u32(x->codes, (size_t)x->nevents);
	for (int e = 0; e < x->nevents; e++)
		name_event(x->names[e], x->codes[e], m);
	x->sums = ht_alloc((size_t)x->nevents * x->ntypes, sizeof(*x->sums));
	for (size_t i = 0; i < t->ncounters; i++) {
		const struct trace_task *k = &t->tasks[t->counters[i].task];
		int e = event_of(x, t->counters[i].event);
		double value = (double)t->counters[i].value;
		struct task_counter *c;

		if (!trace_task_counts(k) || e == TASK_COUNTERS_MAX)
			continue;
		c = &x->sums[(size_t)e * x->ntypes + k->codelet][t->workers[k->worker].arch];
		c->tasks++;
		c->sum += value;
		c->sum_squares += value * value;
		c->duration_ns += k->end_ns - k->start_ns;
	}
}

void task_counters_fini(struct task_counters *x)
{
	free(x->sums);
	*x = (struct task_counters){0};
}

double task_counter_mean(const struct task_counter *c)
{
	return c->tasks ? c->sum / (double)c->tasks : NAN;
}

double task_counter_deviation(const struct task_counter *c)
{
	double mean = task_counter_mean(c);

	return c->tasks ? sqrt(fmax(0, c->sum_squares / (double)c->tasks - mean * mean)) : NAN;
}

double task_counter_per_s(const struct task_counter *c)
{
	return c->duration_ns > 0 ? c->sum / ((double)c->duration_ns * 1e-9) : NAN;
}
