/* analyze/report_data.c - what is known of a run, written for programs: JSON and CSV. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analyze/report.h"
#include "core/dag.h"
#include "core/json.h"
#include "core/number.h"
#include "core/run.h"
#include "core/trace.h"

/* -1 in the metrics is "there is none". */
static void json_time(struct json *j, const char *key, int64_t ns)
{
	if (ns < 0)
		json_null(j, key);
	else
		json_int(j, key, ns);
}

static void json_type(struct json *j, const struct metrics *x, const struct metrics_type *t)
{
	json_open(j, NULL, '{');
	json_str(j, "name", t->name);
	json_int(j, "count", t->count);
	json_num(j, "nod", t->nod);
	json_num(j, "urt", t->urt);
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
		json_close(j, '}');
	}
	json_close(j, '}');
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

void report_json(const struct report *r, FILE *f)
{
	const struct metrics *x = r->metrics;
	struct json j = {.f = f};

	json_open(&j, NULL, '{');
	json_int(&j, "tasks", r->run->dag->ntasks);
	json_int(&j, "makespan_ns", r->makespan_ns);
	json_int(&j, "critical_path_ns", r->bounds.critical_path_ns);
	json_int(&j, "area_bound_ns", r->bounds.area_ns);
	json_open(&j, "types", '[');
	for (uint32_t p = 0; p < x->ntypes; p++)
		json_type(&j, x, &x->types[p]);
	json_close(&j, ']');
	json_open(&j, "idle", '{');
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (x->archs >> a & 1)
			json_num(&j, arch_name(a), x->idle[a]);
	json_close(&j, '}');
	json_defects(&j, &r->run->trace->defects);
	json_close(&j, '}');
}

/* RFC 4180: quoted when it has a separator, quotes doubled. */
static void csv_text(FILE *f, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		fputs(s, f);
		return;
	}
	putc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', f);
		putc(*s, f);
	}
	putc('"', f);
}

static void csv_number(FILE *f, double v)
{
	char text[32];

	fprintf(f, ",%s", isfinite(v) ? number_text(text, v) : "");
}

static void csv_time(FILE *f, int64_t ns)
{
	if (ns < 0)
		putc(',', f);
	else
		fprintf(f, ",%" PRId64, ns);
}

void report_csv(const struct report *r, FILE *f)
{
	fputs("type,count,arch,executed,share,mean_ns,deviation_ns,nod,nrt,urt,diff,rel_diff\n", f);
	for (uint32_t p = 0; p < r->metrics->ntypes; p++) {
		const struct metrics_type *t = &r->metrics->types[p];

		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			const struct metrics_arch *m = &t->arch[a];

			if (!(r->metrics->archs >> a & 1))
				continue;
			csv_text(f, t->name);
			fprintf(f, ",%" PRIu32 ",%s,%" PRIu64, t->count, arch_name(a), m->executed);
			csv_number(f, m->share);
			csv_time(f, m->mean_ns);
			csv_time(f, m->deviation_ns);
			csv_number(f, t->nod);
			csv_number(f, m->nrt);
			csv_number(f, t->urt);
			csv_number(f, m->diff);
			csv_number(f, m->rel_diff);
			putc('\n', f);
		}
	}
}
