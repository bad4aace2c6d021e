/* analyze/report/report_data.c - what is known of a run, written for programs: JSON. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "analyze/data/task_metrics.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/json.h"
#include "core/dag/dag.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

/* A mean of times; NAN: there is none. */
static void json_mean(struct json *j, const char *key, double ns)
{
	json_time(j, key, isfinite(ns) ? llround(ns) : -1);
}

/* `means` may be NULL. */
static void json_type(struct json *j, const struct metrics *x, const struct metrics_type *t,
                      const struct type_means *means)
{
	json_open(j, NULL, '{');
	json_str(j, "name", t->name);
	json_int(j, "count", t->count);
	json_num(j, "nod", t->nod);
	json_num(j, "urt", t->urt);
	json_int(j, "released_ns", t->released_ns);
	if (means) {
		json_num(j, "ability_direct", means->successors);
		json_num(j, "ability", means->ability);
		json_num(j, "efficiency", means->efficiency);
		json_mean(j, "upward_rank_ns", means->upward_ns);
		json_mean(j, "downward_rank_ns", means->downward_ns);
		json_mean(j, "slack_ns", means->slack_ns);
		json_int(j, "critical", means->critical);
	}
	json_open(j, "archs", '{');
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		const struct metrics_arch *m = &t->arch[a];

		if (!(x->archs >> a & 1))
			continue;
		json_open(j, arch_name(a), '{');
		json_int(j, "executed", (int64_t)m->executed);
		json_time(j, "mean_ns", m->mean_ns);
		json_time(j, "deviation_ns", m->deviation_ns);
		json_num(j, "share", m->share);
		json_num(j, "nrt", m->nrt);
		json_num(j, "diff", m->diff);
		json_num(j, "rel_diff", m->rel_diff);
		json_num(j, "cost", m->cost);
		if (means) {
			json_mean(j, "released_ns", means->arch[a].released_ns);
			json_num(j, "speedup", means->arch[a].speedup);
			json_num(j, "nod_bonus", means->arch[a].nod_bonus);
		}
		json_close(j, '}');
	}
	json_close(j, '}');
	json_close(j, '}');
}

static void json_worker_times(struct json *j, const struct report *r)
{
	struct records *archs = report_table_records(&report_worker_time, r);

	json_open(j, "worker_time", '{');
	json_int(j, "elapsed_ns", r->times.elapsed_ns);
	json_bool(j, "waits_recorded", r->times.waits_recorded);
	json_bool(j, "runtime_recorded", r->times.runtime_recorded);
	records_json_by_name(archs, "archs", j);
	report_table_json(&report_workers, r, "workers", j);
	json_close(j, '}');
	records_free(archs);
}

void report_json(const struct report *r, FILE *f)
{
	const struct metrics *x = r->metrics;
	const struct trace_defects *d = &r->run->trace->defects;
	struct json j = {.f = f};

	json_open(&j, NULL, '{');
	json_int(&j, "tasks", r->run->dag->ntasks);
	json_int(&j, "makespan_ns", r->makespan_ns);
	json_int(&j, "critical_path_ns", r->bounds.critical_path_ns);
	json_int(&j, "area_bound_ns", r->bounds.area_ns);
	json_num(&j, "unit_ns", x->unit_ns);
	json_int(&j, "mixed_bound_ns", r->bounds.mixed_ns);
	if (r->bounds.exclusion_ns >= 0)
		json_int(&j, "exclusion_bound_ns", r->bounds.exclusion_ns);
	if (r->bounds.bus_ns >= 0)
		json_int(&j, "bus_bound_ns", r->bounds.bus_ns);
	json_num(&j, "bound_ratio",
	         r->bounds.largest_ns > 0 ? (double)r->makespan_ns / (double)r->bounds.largest_ns : NAN);
	json_open(&j, "types", '[');
	for (uint32_t p = 0; p < x->ntypes; p++)
		json_type(&j, x, &x->types[p], r->tasks ? &r->tasks->types[p] : NULL);
	json_close(&j, ']');
	if (r->tasks) {
		json_open(&j, "ability", '{');
		json_int(&j, "labels", r->tasks->ability.labels);
		json_num(&j, "standard_error", r->tasks->ability.error);
		json_close(&j, '}');
		json_open(&j, "efficiency", '{');
		json_int(&j, "window_ns", r->tasks->efficiency.window_ns);
		json_num(&j, "distinguished", r->tasks->efficiency.apart);
		json_num(&j, "distinguished_best", r->tasks->efficiency.apart_best);
		json_int(&j, "at_limit", r->tasks->efficiency.limited);
		json_close(&j, '}');
	}
	json_open(&j, "idle", '{');
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (x->archs >> a & 1)
			json_num(&j, arch_name(a), x->idle[a]);
	json_close(&j, '}');
	report_time_breakdown_json(r, &j);
	json_worker_times(&j, r);
	if (r->messages.nranks) {
		report_table_json(&report_ranks, r, "ranks", &j);
		report_table_json(&report_messages, r, "messages", &j);
	}
	report_table_json(&report_counters, r, "counters", &j);
	report_energy_json(r, &j);
	report_copies_json(r, &j);
	report_table_json(&report_memories, r, "memories", &j);
	if (r->has_locality)
		report_locality_json(r, &j);
	json_open(&j, "defects", '{');
	json_int(&j, "flushes", (int64_t)d->flushes);
	json_int(&j, "unfinished", (int64_t)d->unfinished);
	json_int(&j, "unmatched", (int64_t)d->unmatched);
	json_int(&j, "unordered", (int64_t)d->unordered);
	json_int(&j, "profiling_gaps", (int64_t)d->profiling_gaps);
	json_int(&j, "truncated_bytes", (int64_t)d->truncated_bytes);
	json_int(&j, "unknown_workers", (int64_t)d->unknown_workers);
	json_int(&j, "missing_ranks", (int64_t)d->missing_ranks);
	json_int(&j, "orphan_accesses", (int64_t)d->orphan_accesses);
	json_close(&j, '}');
	findings_json(&r->findings, &j);
	json_close(&j, '}');
}
