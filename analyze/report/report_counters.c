/* analyze/report/report_counters.c - PAPI counters by event, type and architecture: a table, JSON and CSV. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/csv.h"
#include "core/base/json.h"
#include "core/base/table.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

enum { MAX_ROWS = 400 };

typedef void row_fn(void *ctx, const struct report *r, int event, uint32_t type, enum arch a);

/* Every event, type and architecture that have a value. */
static void each(const struct report *r, row_fn *fn, void *ctx)
{
	for (int e = 0; e < r->counters.nevents; e++)
		for (uint32_t p = 0; p < r->counters.ntypes; p++)
			for (enum arch a = 0; a < ARCH_COUNT; a++)
				if (task_counters_of(&r->counters, e, p, a)->tasks)
					fn(ctx, r, e, p, a);
}

static const char *type_name(const struct report *r, uint32_t type)
{
	return trace_text(r->run->trace, r->run->trace->codelets[type].label);
}

/* "1024", "1.23M": counts have no unit. */
static const char *count_text(char buf[16], double v)
{
	static const char units[] = " kMGTPE";
	int u = 0;

	if (!isfinite(v)) {
		snprintf(buf, 16, "-");
		return buf;
	}
	while (fabs(v) >= 99999.5 && u < 6) {
		v /= 1000;
		u++;
	}
	if (u)
		snprintf(buf, 16, "%.4g%c", v, units[u]);
	else
		snprintf(buf, 16, fabs(v) >= 1000 ? "%.0f" : "%.4g", v);
	return buf;
}

struct rows {
	struct table *table;
	int count, event;
	uint32_t type;
};

static void table_row(void *ctx, const struct report *r, int event, uint32_t type, enum arch a)
{
	const struct task_counter *c = task_counters_of(&r->counters, event, type, a);
	struct rows *rows = ctx;
	int first = rows->count == 0 || rows->event != event;
	char text[16];

	if (rows->count++ >= MAX_ROWS)
		return;
	table_cell(rows->table, "%.40s", first ? r->counters.names[event] : "");
	table_cell(rows->table, "%.28s", first || rows->type != type ? type_name(r, type) : "");
	table_cell(rows->table, "%s", arch_name(a));
	table_cell(rows->table, "%" PRIu64, c->tasks);
	table_cell(rows->table, "%s", count_text(text, task_counter_mean(c)));
	table_cell(rows->table, "%s", count_text(text, task_counter_deviation(c)));
	table_cell(rows->table, "%s", count_text(text, task_counter_per_s(c)));
	rows->event = event;
	rows->type = type;
}

static struct table *make(const struct report *r)
{
	struct rows rows = {0};

	if (!r->show_counters || !r->counters.nevents)
		return NULL;
	rows.table = table_create("<counter|<type|<arch|tasks|per task|deviation|per second");
	each(r, table_row, &rows);
	return rows.table;
}

static void json_row(void *ctx, const struct report *r, int event, uint32_t type, enum arch a)
{
	const struct task_counter *c = task_counters_of(&r->counters, event, type, a);
	struct json *j = ctx;

	json_open(j, NULL, '{');
	json_str(j, "counter", r->counters.names[event]);
	json_str(j, "type", type_name(r, type));
	json_str(j, "arch", arch_name(a));
	json_int(j, "tasks", (int64_t)c->tasks);
	json_num(j, "sum", c->sum);
	json_num(j, "mean", task_counter_mean(c));
	json_num(j, "deviation", task_counter_deviation(c));
	json_num(j, "per_second", task_counter_per_s(c));
	json_close(j, '}');
}

void report_counters_json(const struct report *r, struct json *j)
{
	json_open(j, "counters", '[');
	each(r, json_row, j);
	json_close(j, ']');
}

static void csv_row(void *ctx, const struct report *r, int event, uint32_t type, enum arch a)
{
	const struct task_counter *c = task_counters_of(&r->counters, event, type, a);
	struct csv *out = ctx;

	csv_text(out, r->counters.names[event]);
	csv_text(out, type_name(r, type));
	csv_text(out, arch_name(a));
	csv_int(out, (int64_t)c->tasks);
	csv_num(out, c->sum);
	csv_num(out, task_counter_mean(c));
	csv_num(out, task_counter_deviation(c));
	csv_num(out, task_counter_per_s(c));
	csv_end(out);
}

void report_counters_csv(const struct report *r, FILE *f)
{
	struct csv c = {.f = f};

	fputs("counter,type,arch,tasks,sum,mean,deviation,per_second\n", f);
	each(r, csv_row, &c);
}

const struct report_table report_counters = {
	.name = "counters",
	.title = "Counters of tasks",
	.summary =
		"PAPI counters of the tasks of each type: the mean of a task, its deviation, and the rate while they ran.",
	.make = make,
};
