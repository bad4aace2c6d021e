/* analyze/data/task_metrics_csv.c - every metric of every task, a line per task. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is the same for all tasks of a class is written as text once, and each task's line is put together from it and
 * from whole numbers: a million lines are a matter of seconds.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/data/task_metrics.h"
#include "core/base/alloc.h"
#include "core/base/csv.h"
#include "core/dag/dag.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

/* Of a class on an architecture: cost, diff, rel_diff, speedup, as fields. */
struct class_text {
	char *fields[ARCH_COUNT];
};

enum { DECIMALS = 6 };

static void write_head(const struct task_metrics *k, struct csv *c)
{
	static const char *const once[] = {
		"task",     "rank",   "job",          "type",           "footprint",        "ran_on",
		"start_ns", "end_ns", "predecessors", "ability_direct", "ability",          "efficiency",
		"nod",      "urt",    "released_ns",  "upward_rank_ns", "downward_rank_ns", "earliest_start_ns",
		"slack_ns",
	};
	static const char *const each[] = {
		"cost_%s", "diff_%s", "rel_diff_%s", "speedup_%s", "nrt_%s", "released_%s_ns", "nod_bonus_%s",
	};

	for (size_t i = 0; i < sizeof(once) / sizeof(*once); i++)
		csv_raw(c, once[i]);
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		for (size_t i = 0; k->metrics->archs >> a & 1 && i < sizeof(each) / sizeof(*each); i++) {
			char name[48];

			snprintf(name, sizeof(name), each[i], arch_name(a));
			csv_raw(c, name);
		}
	csv_end(c);
}

static char *class_fields(const struct task_metrics *k, uint32_t class, enum arch a)
{
	const struct metrics_class *x = &k->classes[class];
	char *text = NULL;
	size_t size;
	struct csv c = {.f = open_memstream(&text, &size)};

	csv_num(&c, x->cost[a]);
	csv_num(&c, x->diff[a]);
	csv_num(&c, x->rel_diff[a]);
	csv_num(&c, released_speedup(&k->released, class, (int)a));
	fclose(c.f);
	return text;
}

static void write_task(const struct task_metrics *k, const struct run *run, uint32_t t, int64_t first_ns,
                       const struct class_text *text, struct csv *c)
{
	const struct dag *d = k->dag;
	const struct trace_task *tt = &run->trace->tasks[d->tasks[t].trace_task];
	char footprint[16];
	const struct metrics *x = k->metrics;
	double nrt[ARCH_COUNT], urt = 0;

	task_metrics_nrt(k, t, nrt);
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		urt += nrt[a] * x->idle[a];
	snprintf(footprint, sizeof(footprint), "%08x",
	         (unsigned)dag_class_data_footprint(&d->classes[d->tasks[t].class_id]));
	csv_int(c, t);
	csv_int(c, tt->rank);
	csv_int(c, (int64_t)tt->job);
	csv_text(c, d->types[dag_type_of(d, t)].name);
	csv_raw(c, footprint);
	csv_raw(c, arch_name(run->trace->workers[tt->worker].arch));
	csv_int(c, tt->start_ns - first_ns);
	csv_int(c, tt->end_ns - first_ns);
	csv_int(c, dag_npred(k->dag, t));
	csv_int(c, dag_nsucc(k->dag, t));
	csv_int(c, llround(k->ability.transitive[t]));
	csv_int(c, k->efficiency.counts[t]);
	csv_decimal(c, k->released.nod[t], DECIMALS);
	csv_decimal(c, urt, DECIMALS);
	csv_int(c, llround(k->released.work_ns[t]));
	csv_int(c, llround(k->ranks.upward_ns[t]));
	csv_int(c, llround(k->ranks.downward_ns[t]));
	csv_int(c, k->start_times.earliest_ns[t]);
	csv_int(c, k->start_times.latest_ns[t] - k->start_times.earliest_ns[t]);
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		if (!(x->archs >> a & 1))
			continue;
		csv_raw(c, text->fields[a]);
		csv_decimal(c, nrt[a], DECIMALS);
		csv_int(c, llround(k->released.work_on_ns[a][t]));
		csv_decimal(c, task_metrics_nod_bonus(k, t, a), DECIMALS);
	}
	csv_end(c);
}

void task_metrics_csv(const struct task_metrics *k, const struct run *run, struct csv *c)
{
	const struct dag *d = k->dag;
	struct class_text *texts = ht_alloc(d->nclasses, sizeof(*texts));
	int64_t first_ns;

	trace_makespan_ns(run->trace, &first_ns);
	for (uint32_t i = 0; i < d->nclasses; i++)
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			if (k->metrics->archs >> a & 1)
				texts[i].fields[a] = class_fields(k, i, a);
	write_head(k, c);
	for (uint32_t t = 0; t < d->ntasks; t++)
		write_task(k, run, t, first_ns, &texts[d->tasks[t].class_id], c);
	for (uint32_t i = 0; i < d->nclasses; i++)
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			free(texts[i].fields[a]);
	free(texts);
}
