/* compare/recordings.c - recordings beside the first of them, as text, CSV and JSON. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compare/recordings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/report.h"
#include "compare/differences.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/records.h"
#include "core/base/table.h"
#include "core/base/terminal.h"
#include "core/dag/dag.h"
#include "core/dag/other_type.h"
#include "core/machine/machine.h"
#include "core/run/incomplete.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

enum { SHOWN = 12 }; /* rows of a table of text */

struct recordings {
	struct report *reports;
	char **paths;
	size_t n;
	struct differences *to_first; /* [0] is empty */
};

struct recordings *recordings_open(char **paths, struct ht_err *err)
{
	struct recordings *x = ht_alloc(1, sizeof(*x));

	while (paths[x->n])
		x->n++;
	x->paths = paths;
	x->reports = ht_alloc(x->n, sizeof(*x->reports));
	x->to_first = ht_alloc(x->n, sizeof(*x->to_first));
	for (size_t i = 0; i < x->n; i++)
		if (report_open(&x->reports[i], paths[i], err) != 0) {
			recordings_free(x);
			return NULL;
		}
	for (size_t i = 1; i < x->n; i++)
		differences_init(&x->to_first[i], &x->reports[0], &x->reports[i]);
	return x;
}

void recordings_free(struct recordings *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->n; i++) {
		differences_fini(&x->to_first[i]);
		report_fini(&x->reports[i]);
	}
	free(x->to_first);
	free(x->reports);
	free(x);
}

/* Where run i has tasks of a type that run k has none of. */
static int check_types(const struct recordings *x, size_t i, size_t k, struct ht_err *err)
{
	const struct dag_type *other = other_type(x->reports[i].run->dag, x->reports[k].run->dag);

	return other ? ht_err_set(err,
	                          "%s: has tasks of %s, and %s has none: recordings of different applications say "
	                          "nothing of each other",
	                          x->paths[i], other->name, x->paths[k]) :
	               0;
}

/* What ended of a program that was stopped, or of another size, says nothing of what all of it takes. */
static int check_tasks(const struct recordings *x, size_t i, struct ht_err *err)
{
	uint32_t first = x->reports[0].run->dag->ntasks, tasks = x->reports[i].run->dag->ntasks;
	char text[INCOMPLETE_TEXT];

	if (x->reports[i].run->trace->defects.unfinished)
		return ht_err_set(err, "%s: %s", x->paths[i], run_incomplete(x->reports[i].run, text));
	if (tasks != first)
		return ht_err_set(err,
		                  "%s: has %" PRIu32 " task%s, and %s has %" PRIu32
		                  ": they took time for different work",
		                  x->paths[i], tasks, plural(tasks), x->paths[0], first);
	return 0;
}

int recordings_check(const struct recordings *x, struct ht_err *err)
{
	for (size_t i = 1; i < x->n; i++)
		if (check_types(x, i, 0, err) != 0 || check_types(x, 0, i, err) != 0)
			return -1;
	for (size_t i = 0; i < x->n; i++)
		if (check_tasks(x, i, err) != 0)
			return -1;
	return 0;
}

/* What takes nothing is as long as itself, and has no share of what it grew by. */
static double change(double first, double second)
{
	return first > 0 ? second / first - 1 : first == second ? 0 : NAN;
}

static double makespan_change(const struct recordings *x, size_t i)
{
	return change((double)x->reports[0].makespan_ns, (double)x->reports[i].makespan_ns);
}

double recordings_change(const struct recordings *x)
{
	double most = -INFINITY;

	for (size_t i = 1; i < x->n; i++) {
		double longer = makespan_change(x, i);

		most = isnan(longer) ? INFINITY : fmax(most, longer);
	}
	return most;
}

static const struct column run_columns[] = {
	{"run", "run", COLUMN_TEXT, 0},
	{"scheduler", "scheduler", COLUMN_TEXT, 0},
	{"machine", "machine", COLUMN_TEXT, 0},
	{"tasks", "tasks", COLUMN_COUNT, 0},
	{"makespan_ns", "makespan", COLUMN_NS, 0},
	{"change", "change", COLUMN_CHANGE, 0},
	{0},
};

static struct records *runs(const struct recordings *x)
{
	struct records *rows = records_create(run_columns);

	for (size_t i = 0; i < x->n; i++) {
		const struct report *r = &x->reports[i];
		char machine[128];

		machine_summary(r->run->machine, machine, sizeof(machine));
		records_add(rows, V((const char *)x->paths[i]), V(*r->run->scheduler ? r->run->scheduler : NULL),
		            V((const char *)machine), V(r->run->dag->ntasks), V(r->makespan_ns),
		            V(i ? makespan_change(x, i) : NAN));
	}
	return rows;
}

/* What a table of differences has; "first" and "second" are times or bytes. */
struct part {
	const char *key, *title;
	const struct column *columns;
	void (*add)(struct records *rows, const struct difference *d, const struct report *of[2]);
};

static const struct column cause_columns[] = {
	{"cause", "cause", COLUMN_TEXT, 0},         {"first_ns", "first", COLUMN_DELTA, 0},
	{"second_ns", "second", COLUMN_DELTA, 0},   {"difference_ns", "difference", COLUMN_DELTA, 0},
	{"of_first", "of first", COLUMN_CHANGE, 0}, {0},
};

static void add_cause(struct records *rows, const struct difference *d, const struct report *of[2])
{
	double longer = d->value[1] - d->value[0];

	records_add(rows, V(d->name), V(d->value[0]), V(d->value[1]), V(longer),
	            V(of[0]->makespan_ns > 0 ? longer / (double)of[0]->makespan_ns : NAN));
}

static const struct column type_columns[] = {
	{"type", "type", COLUMN_TEXT, 0},
	{"arch", "arch", COLUMN_TEXT, 0},
	{"first_tasks", "tasks", COLUMN_COUNT, 0},
	{"second_tasks", "tasks", COLUMN_COUNT, 0},
	{"first_mean_ns", "mean", COLUMN_NS, 0},
	{"second_mean_ns", "mean", COLUMN_NS, 0},
	{"first_ns", "first", COLUMN_NS, 0},
	{"second_ns", "second", COLUMN_NS, 0},
	{"difference_ns", "difference", COLUMN_DELTA, 0},
	{"change", "change", COLUMN_CHANGE, 0},
	{0},
};

static void add_type(struct records *rows, const struct difference *d, const struct report *of[2])
{
	(void)of;
	records_add(rows, V(d->name), V(arch_name(d->arch)), V(d->count[0]), V(d->count[1]));
	for (int i = 0; i < 2; i++)
		records_add(rows, V(d->count[i] ? d->value[i] / (double)d->count[i] : NAN));
	records_add(rows, V(d->value[0]), V(d->value[1]), V(d->value[1] - d->value[0]),
	            V(change(d->value[0], d->value[1])));
}

static const struct column worker_columns[] = {
	{"arch", "arch", COLUMN_TEXT, 0},
	{"state", "state", COLUMN_TEXT, 0},
	{"first_share", "first", COLUMN_SHARE, 0},
	{"second_share", "second", COLUMN_SHARE, 0},
	{"first_ns", "first", COLUMN_NS, 0},
	{"second_ns", "second", COLUMN_NS, 0},
	{"difference_ns", "difference", COLUMN_DELTA, 0},
	{0},
};

static void add_worker(struct records *rows, const struct difference *d, const struct report *of[2])
{
	records_add(rows, V(arch_name(d->arch)), V(d->name));
	for (int i = 0; i < 2; i++) {
		double all = (double)d->count[i] * (double)of[i]->makespan_ns;

		records_add(rows, V(all > 0 ? d->value[i] / all : NAN));
	}
	records_add(rows, V(d->value[0]), V(d->value[1]), V(d->value[1] - d->value[0]));
}

static const struct column link_columns[] = {
	{"link", "link", COLUMN_TEXT, 0},
	{"first_copies", "copies", COLUMN_COUNT, 0},
	{"second_copies", "copies", COLUMN_COUNT, 0},
	{"first_bytes", "first", COLUMN_BYTES, 0},
	{"second_bytes", "second", COLUMN_BYTES, 0},
	{"change", "change", COLUMN_CHANGE, 0},
	{0},
};

static void add_link(struct records *rows, const struct difference *d, const struct report *of[2])
{
	(void)of;
	records_add(rows, V(d->name), V(d->count[0]), V(d->count[1]), V(d->value[0]), V(d->value[1]),
	            V(change(d->value[0], d->value[1])));
}

static const struct part parts[DIFFERENCE_PARTS] = {
	[DIFFERENCE_CAUSE] = {"causes", "What the makespan is made of", cause_columns, add_cause},
	[DIFFERENCE_TYPE] = {"types", "Time in tasks, over all workers", type_columns, add_type},
	[DIFFERENCE_WORKER] = {"workers", "Time of the workers by what they do", worker_columns, add_worker},
	[DIFFERENCE_LINK] = {"links", "Bytes copied", link_columns, add_link},
};

static struct records *rows_of(const struct recordings *x, size_t i, int part, size_t most)
{
	const struct differences *d = &x->to_first[i];
	const struct report *of[2] = {&x->reports[0], &x->reports[i]};
	struct records *rows = records_create(parts[part].columns);

	for (size_t k = 0; k < d->count[part] && k < most; k++)
		parts[part].add(rows, &d->at[part][k], of);
	return rows;
}

static void write_text(const struct recordings *x, FILE *f)
{
	struct records *rows = runs(x);

	records_print(rows, f);
	records_free(rows);
	for (size_t i = 1; i < x->n; i++)
		for (int p = 0; p < DIFFERENCE_PARTS; p++) {
			size_t n = x->to_first[i].count[p];

			if (!n)
				continue;
			putc('\n', f);
			terminal_write(f, TERMINAL_BOLD, parts[p].title, strlen(parts[p].title));
			if (x->n > 2)
				fprintf(f, ": %s and %s", x->paths[0], x->paths[i]);
			putc('\n', f);
			rows = rows_of(x, i, p, SHOWN);
			records_print(rows, f);
			records_free(rows);
			if (n > SHOWN)
				fprintf(f, "and %zu with smaller differences: --csv and --json have them\n", n - SHOWN);
		}
}

static const struct column csv_columns[] = {
	{"run", NULL, COLUMN_TEXT, 0},
	{"part", NULL, COLUMN_TEXT, 0},
	{"name", NULL, COLUMN_TEXT, 0},
	{"arch", NULL, COLUMN_TEXT, 0},
	{"first_count", NULL, COLUMN_COUNT, 0},
	{"second_count", NULL, COLUMN_COUNT, 0},
	{"first", NULL, COLUMN_DELTA, 0},
	{"second", NULL, COLUMN_DELTA, 0},
	{0},
};

/* One table of all parts, so that it is one file: times are in ns. */
static void write_csv(const struct recordings *x, FILE *f)
{
	struct records *rows = records_create(csv_columns);

	for (size_t i = 1; i < x->n; i++) {
		const char *run = x->paths[i];

		records_add(rows, V(run), V("makespan"), V("makespan"), V((const char *)NULL),
		            V(x->reports[0].run->dag->ntasks), V(x->reports[i].run->dag->ntasks),
		            V(x->reports[0].makespan_ns), V(x->reports[i].makespan_ns));
		for (int p = 0; p < DIFFERENCE_PARTS; p++)
			for (size_t k = 0; k < x->to_first[i].count[p]; k++) {
				const struct difference *d = &x->to_first[i].at[p][k];

				records_add(rows, V(run), V(parts[p].key), V(d->name),
				            V(d->arch == ARCH_NONE ? NULL : arch_name(d->arch)), V(d->count[0]),
				            V(d->count[1]), V(llround(d->value[0])), V(llround(d->value[1])));
			}
	}
	records_csv(rows, f);
	records_free(rows);
}

static void write_json(const struct recordings *x, FILE *f)
{
	struct records *rows = runs(x);
	struct json j = {.f = f};

	json_open(&j, NULL, '{');
	records_json(rows, "runs", &j);
	records_free(rows);
	json_open(&j, "differences", '[');
	for (size_t i = 1; i < x->n; i++) {
		json_open(&j, NULL, '{');
		json_str(&j, "run", x->paths[i]);
		for (int p = 0; p < DIFFERENCE_PARTS; p++) {
			rows = rows_of(x, i, p, SIZE_MAX);
			records_json(rows, parts[p].key, &j);
			records_free(rows);
		}
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
}

void recordings_write(const struct recordings *x, enum recordings_form form, FILE *f)
{
	if (form == RECORDINGS_JSON)
		write_json(x, f);
	else if (form == RECORDINGS_CSV)
		write_csv(x, f);
	else
		write_text(x, f);
}
