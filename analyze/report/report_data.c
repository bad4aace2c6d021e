/* analyze/report/report_data.c - what is known of a run, written for programs: JSON and CSV. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>

#include "analyze/data/task_metrics.h"
#include "analyze/report/report.h"
#include "core/base/csv.h"
#include "core/base/json.h"
#include "core/dag/dag.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

/* -1 in the metrics is "there is none". */
static void json_time(struct json *j, const char *key, int64_t ns)
{
	if (ns < 0)
		json_null(j, key);
	else
		json_int(j, key, ns);
}

/* A mean of times; NAN: there is none. */
static void json_mean(struct json *j, const char *key, double ns)
{
	json_time(j, key, isfinite(ns) ? llround(ns) : -1);
}

static void json_means(struct json *j, const struct type_means *m)
{
	json_num(j, "ability_direct", m->successors);
	json_num(j, "ability", m->ability);
	json_num(j, "efficiency", m->efficiency);
	json_mean(j, "upward_rank_ns", m->upward_ns);
	json_mean(j, "downward_rank_ns", m->downward_ns);
	json_mean(j, "slack_ns", m->slack_ns);
	json_int(j, "critical", m->critical);
}

static void json_arch_means(struct json *j, const struct type_arch_means *m)
{
	json_mean(j, "released_ns", m->released_ns);
	json_num(j, "speedup", m->speedup);
	json_num(j, "nod_bonus", m->nod_bonus);
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
	if (means)
		json_means(j, means);
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
		if (means)
			json_arch_means(j, &means->arch[a]);
		json_close(j, '}');
	}
	json_close(j, '}');
	json_close(j, '}');
}

static void json_tasks(struct json *j, const struct task_metrics *k)
{
	json_open(j, "ability", '{');
	json_int(j, "labels", k->ability.labels);
	json_num(j, "standard_error", k->ability.error);
	json_close(j, '}');
	json_open(j, "efficiency", '{');
	json_int(j, "window_ns", k->efficiency.window_ns);
	json_num(j, "told_apart", k->efficiency.apart);
	json_num(j, "told_apart_best", k->efficiency.apart_best);
	json_int(j, "limited", k->efficiency.limited);
	json_close(j, '}');
}

static void json_defects(struct json *j, const struct trace_defects *d)
{
	json_open(j, "defects", '{');
	json_int(j, "flushes", (int64_t)d->flushes);
	json_int(j, "unfinished", (int64_t)d->unfinished);
	json_int(j, "unmatched", (int64_t)d->unmatched);
	json_int(j, "unordered", (int64_t)d->unordered);
	json_int(j, "profiling_gaps", (int64_t)d->profiling_gaps);
	json_int(j, "truncated_bytes", (int64_t)d->truncated_bytes);
	json_int(j, "unknown_workers", (int64_t)d->unknown_workers);
	json_int(j, "orphan_accesses", (int64_t)d->orphan_accesses);
	json_close(j, '}');
}

static void json_states(struct json *j, const struct worker_time *w)
{
	char key[32];

	json_int(j, "tasks", w->tasks);
	for (int s = 0; s < WORKER_STATES; s++) {
		snprintf(key, sizeof(key), "%s_ns", worker_state_names[s]);
		json_int(j, key, w->ns[s]);
	}
}

static void json_worker_times(struct json *j, const struct worker_times *x)
{
	json_open(j, "worker_time", '{');
	json_int(j, "elapsed_ns", x->elapsed_ns);
	json_bool(j, "waits_recorded", x->waits_recorded);
	json_bool(j, "runtime_recorded", x->runtime_recorded);
	json_open(j, "archs", '{');
	for (enum arch a = 0; a < ARCH_COUNT && !x->unknown; a++) {
		if (!x->arch_workers[a])
			continue;
		json_open(j, arch_name(a), '{');
		json_int(j, "workers", x->arch_workers[a]);
		json_states(j, &x->arch[a]);
		json_close(j, '}');
	}
	json_close(j, '}');
	json_open(j, "workers", '[');
	for (size_t w = 0; w < x->nworkers && !x->unknown; w++) {
		json_open(j, NULL, '{');
		json_int(j, "rank", x->trace->workers[w].rank);
		json_str(j, "name", trace_text(x->trace, x->trace->workers[w].name));
		json_str(j, "arch", arch_name(x->trace->workers[w].arch));
		json_states(j, &x->workers[w]);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void json_traffic(struct json *j, const struct traffic *x)
{
	json_open(j, "traffic", '{');
	json_bool(j, "recorded", x->recorded);
	json_int(j, "bytes", (int64_t)x->bytes);
	json_time(j, "least_ns", x->least_ns);
	json_time(j, "host_least_ns", x->host_least_ns);
	json_open(j, "links", '[');
	for (int i = 0; i < x->nlinks; i++) {
		const struct traffic_link *l = &x->links[i];

		json_open(j, NULL, '{');
		json_int(j, "rank", l->rank);
		json_int(j, "from", l->from);
		json_int(j, "to", l->to);
		json_int(j, "copies", (int64_t)l->copies);
		json_int(j, "bytes", (int64_t)l->bytes);
		json_int(j, "busy_ns", l->busy_ns);
		json_time(j, "least_ns", l->least_ns);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

void report_json(const struct report *r, FILE *f)
{
	const struct metrics *x = r->metrics;
	struct json j = {.f = f};

	json_open(&j, NULL, '{');
	json_int(&j, "tasks", r->run->dag->ntasks);
	json_int(&j, "makespan_ns", r->makespan_ns);
	json_int(&j, "critical_path_ns", r->bounds.critical_path_ns);
	json_int(&j, "area_bound_ns", r->bounds.area_ns);
	json_num(&j, "unit_ns", x->unit_ns);
	json_int(&j, "mixed_bound_ns", r->bounds.mixed_ns);
	json_num(&j, "bound_ratio",
	         r->bounds.largest_ns > 0 ? (double)r->makespan_ns / (double)r->bounds.largest_ns : NAN);
	json_open(&j, "types", '[');
	for (uint32_t p = 0; p < x->ntypes; p++)
		json_type(&j, x, &x->types[p], r->tasks ? &r->tasks->types[p] : NULL);
	json_close(&j, ']');
	if (r->tasks)
		json_tasks(&j, r->tasks);
	json_open(&j, "idle", '{');
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (x->archs >> a & 1)
			json_num(&j, arch_name(a), x->idle[a]);
	json_close(&j, '}');
	report_time_breakdown_json(r, &j);
	json_worker_times(&j, &r->times);
	json_traffic(&j, &r->traffic);
	report_counters_json(r, &j);
	report_energy_json(r, &j);
	report_copies_json(r, &j);
	report_memories_json(r, &j);
	if (r->has_locality)
		report_locality_json(r, &j);
	json_defects(&j, &r->run->trace->defects);
	findings_json(&r->findings, &j);
	json_close(&j, '}');
}

static void csv_means(struct csv *c, const struct type_means *m, enum arch a)
{
	csv_num(c, m->successors);
	csv_num(c, m->ability);
	csv_num(c, m->efficiency);
	csv_decimal(c, m->upward_ns, 0);
	csv_decimal(c, m->downward_ns, 0);
	csv_decimal(c, m->slack_ns, 0);
	csv_decimal(c, m->arch[a].released_ns, 0);
	csv_num(c, m->arch[a].speedup);
	csv_num(c, m->arch[a].nod_bonus);
}

static void csv_arch(struct csv *c, const struct metrics_type *t, enum arch a)
{
	const struct metrics_arch *m = &t->arch[a];

	csv_text(c, t->name);
	csv_int(c, t->count);
	csv_raw(c, arch_name(a));
	csv_int(c, (int64_t)m->executed);
	csv_num(c, m->share);
	csv_time(c, m->mean_ns);
	csv_time(c, m->deviation_ns);
	csv_num(c, t->nod);
	csv_num(c, m->nrt);
	csv_num(c, t->urt);
	csv_num(c, m->diff);
	csv_num(c, m->rel_diff);
	csv_num(c, m->cost);
	csv_int(c, t->released_ns);
}

void report_csv(const struct report *r, FILE *f)
{
	struct csv c = {.f = f};

	csv_raw(&c, "type,count,arch,executed,share,mean_ns,deviation_ns,nod,nrt,urt,diff,rel_diff,cost,released_ns");
	if (r->tasks)
		csv_raw(&c, "ability_direct,ability,efficiency,upward_rank_ns,downward_rank_ns,slack_ns,"
		            "released_on_arch_ns,speedup,nod_bonus");
	csv_end(&c);
	for (uint32_t p = 0; p < r->metrics->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			if (!(r->metrics->archs >> a & 1))
				continue;
			csv_arch(&c, &r->metrics->types[p], a);
			if (r->tasks)
				csv_means(&c, &r->tasks->types[p], a);
			csv_end(&c);
		}
}

void report_workers_csv(const struct report *r, FILE *f)
{
	const struct worker_times *x = &r->times;
	struct csv c = {.f = f};

	fputs("rank,worker,arch,tasks", f);
	for (int s = 0; s < WORKER_STATES; s++)
		fprintf(f, ",%s_ns", worker_state_names[s]);
	putc('\n', f);
	for (size_t w = 0; w < x->nworkers && !x->unknown; w++) {
		csv_int(&c, x->trace->workers[w].rank);
		csv_text(&c, trace_text(x->trace, x->trace->workers[w].name));
		csv_text(&c, arch_name(x->trace->workers[w].arch));
		csv_int(&c, x->workers[w].tasks);
		for (int s = 0; s < WORKER_STATES; s++)
			csv_time(&c, x->workers[w].ns[s]);
		csv_end(&c);
	}
}
