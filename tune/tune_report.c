/* tune/tune_report.c - the outcome of tuning, for people and for programs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/tune_report.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/dag.h"
#include "core/json.h"
#include "core/machine.h"
#include "core/table.h"
#include "tune/heuristic.h"
#include "tune/tune.h"

static double ratio(int64_t ns, int64_t to)
{
	return to > 0 ? (double)ns / (double)to : 0;
}

static void row(struct table *t, const struct tune_result *r, const char *name, int64_t ns, const char *note)
{
	char text[16];

	if (ns < 0)
		return;
	table_cell(t, "%s", name);
	table_cell(t, "%s", time_text(text, ns));
	table_cell(t, "%.3f", ratio(ns, r->bounds.largest_ns));
	if (r->own_ns > 0 && strcmp(name, TRIAL_RECORDED) != 0 && strcmp(name, TRIAL_OWN_SCHEDULE) != 0)
		table_cell(t, "%+.1f %%", 100 * (ratio(ns, r->own_ns) - 1));
	else
		table_cell(t, "-");
	table_cell(t, "%s", note);
}

static int is_starpu(const struct candidate *c)
{
	return c->heuristic >= starpu_orderings && c->heuristic < starpu_orderings + STARPU_ORDERINGS;
}

static int is_default(const struct candidate *c)
{
	return c->heuristic == starpu_orderings + STARPU_DEFAULT_ORDERING;
}

/*
 * Whether it is shown: the best of its family; of StarPU's families AutoHeteroprio's default and the best of the
 * others.
 */
static int is_shown(const struct tune_result *r, size_t i)
{
	const struct candidate *c = &r->candidates.items[i];

	if ((int)i == r->chosen)
		return 1;
	for (size_t k = 0; k < r->candidates.count; k++) {
		const struct candidate *o = &r->candidates.items[k];
		int others = is_starpu(o) && is_starpu(c) && !is_default(o) && !is_default(c);

		if ((others || o->family == c->family) &&
		    (o->makespan_ns < c->makespan_ns || (o->makespan_ns == c->makespan_ns && k < i)))
			return 0;
	}
	return 1;
}

struct shown {
	size_t index;
	int64_t makespan_ns;
};

static int by_makespan(const void *pa, const void *pb)
{
	const struct shown *a = pa, *b = pb;

	if (a->makespan_ns != b->makespan_ns)
		return a->makespan_ns < b->makespan_ns ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Where an order comes from; a setting that an earlier candidate has is said to be that one's. */
static void note_of(char *buf, size_t size, const struct tune_result *r, size_t i)
{
	const struct candidate *c = &r->candidates.items[i];
	const char *mark = (int)i == r->chosen ? "chosen: " : "", *origin = "types as they first appear";

	if (c->heuristic)
		origin = is_starpu(c) ? c->heuristic->name : c->heuristic->source;
	if (is_default(c))
		origin = "StarPU's default";
	if (c->same_as < 0)
		snprintf(buf, size, "%s%s", mark, origin);
	else
		snprintf(buf, size, "%s%sas %s", mark, is_default(c) ? "StarPU's default, " : "",
		         r->candidates.items[c->same_as].name);
}

static void print_trials(FILE *f, const struct tune_result *r, enum tune_report_rows rows)
{
	struct table *t = table_create("<trial|makespan|to bound|to own|<note");
	struct shown *shown = ht_alloc(r->candidates.count, sizeof(*shown));
	size_t count = 0;
	char note[96];

	row(t, r, TRIAL_RECORDED, r->recorded_ns, "as recorded, not a replay");
	row(t, r, TRIAL_OWN_SCHEDULE, r->own_ns, "the run's order, replayed");
	row(t, r, TRIAL_EAGER, r->eager_ns, "no priorities");
	for (size_t i = 0; i < r->candidates.count; i++)
		if (rows == TUNE_ROWS_ALL || is_shown(r, i))
			shown[count++] = (struct shown){i, r->candidates.items[i].makespan_ns};
	qsort(shown, count, sizeof(*shown), by_makespan);
	for (size_t i = 0; i < count; i++) {
		note_of(note, sizeof(note), r, shown[i].index);
		row(t, r, r->candidates.items[shown[i].index].name, shown[i].makespan_ns, note);
	}
	table_print(t, f);
	table_free(t);
	free(shown);
}

/* One line a list, broken before it gets longer than a terminal. */
static void print_list(FILE *f, const struct config *c, enum arch a)
{
	int at = fprintf(f, "  %-8s", arch_name(a));

	for (int i = 0; i < c->lists[a].count; i++) {
		const struct config_bucket *b = &c->buckets[c->lists[a].buckets[i]];
		char text[128];
		int len = snprintf(text, sizeof(text), " %.60s", b->name);

		if (b->slow_factor[a] > 0)
			len += snprintf(text + len, sizeof(text) - (size_t)len, " (slow %.3g)", b->slow_factor[a]);
		if (i + 1 < c->lists[a].count)
			len += snprintf(text + len, sizeof(text) - (size_t)len, ",");
		if (at + len > 98)
			at = fprintf(f, "\n          ") - 1;
		at += fprintf(f, "%s", text);
	}
	putc('\n', f);
}

static void print_chosen(FILE *f, const struct tune_result *r)
{
	const struct heuristic *h = r->candidates.items[r->chosen].heuristic;

	fprintf(f, "\nchosen: %s", r->config->chosen);
	if (h)
		fprintf(f, ", %s\n        %s (%s)", h->summary, h->equation, h->source);
	fputs("\nworkers look at these buckets, first to last:\n", f);
}

static void print_verdict(FILE *f, const struct tune_problem *p, const struct tune_result *r)
{
	int64_t best = r->candidates.items[r->chosen].makespan_ns;
	char a[16];

	fprintf(f, "\nReplays time execution, dependencies, submission%s.\n"
	           "They leave out %s: compare them with \"%s\", not with \"%s\".\n",
	        p->transfers == TRANSFERS_ON ? " and data transfers" : "",
	        p->transfers == TRANSFERS_ON ? "the work of the scheduler" : "data transfers and scheduling",
	        TRIAL_OWN_SCHEDULE, TRIAL_RECORDED);
	if (r->own_ns >= 0 && r->own_ns < best)
		fprintf(f, "The run's own schedule is better than every candidate: %s. Its scheduler may be the one to "
		           "keep.\n", time_text(a, r->own_ns));
	if (r->eager_ns < best)
		fprintf(f, "Eager is better than every candidate: %s.\n", time_text(a, r->eager_ns));
}

void tune_report_text(FILE *f, const struct tune_problem *p, const struct tune_result *r, enum tune_report_rows rows)
{
	char machine[128], text[16];

	fprintf(f, "%s: %u tasks of %u types on %s\n", p->run, p->dag->ntasks, p->dag->ntypes,
	        machine_summary(p->machine, machine, sizeof(machine)));
	fprintf(f, "bound: %s (%s); %zu candidates, %zu different settings replayed\n\n",
	        time_text(text, r->bounds.largest_ns),
	        bounds_largest_name(&r->bounds), r->candidates.count, r->replays);
	print_trials(f, r, rows);
	print_chosen(f, r);
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (r->config->lists[a].count)
			print_list(f, r->config, a);
	print_verdict(f, p, r);
}

static void json_trials(struct json *j, const struct tune_result *r)
{
	const struct config *c = r->config;

	json_open(j, "trials", '[');
	for (int i = 0; i < c->ntrials; i++) {
		json_open(j, NULL, '{');
		json_str(j, "name", c->trials[i].name);
		json_str(j, "source", c->trials[i].source);
		json_int(j, "makespan_ns", c->trials[i].makespan_ns);
		json_num(j, "bound_ratio", ratio(c->trials[i].makespan_ns, r->bounds.largest_ns));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_setting(struct json *j, const struct config *c)
{
	json_open(j, "lists", '{');
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		if (!c->lists[a].count)
			continue;
		json_open(j, arch_name(a), '[');
		for (int i = 0; i < c->lists[a].count; i++)
			json_str(j, NULL, c->buckets[c->lists[a].buckets[i]].name);
		json_close(j, ']');
	}
	json_close(j, '}');
	json_open(j, "slow_factors", '{');
	for (int i = 0; i < c->nbuckets; i++) {
		json_open(j, c->buckets[i].name, '{');
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			if (c->buckets[i].slow_factor[a] > 0)
				json_num(j, arch_name(a), c->buckets[i].slow_factor[a]);
		json_close(j, '}');
	}
	json_close(j, '}');
}

void tune_report_json(FILE *f, const struct tune_problem *p, const struct tune_result *r)
{
	struct json j = {.f = f};

	json_open(&j, NULL, '{');
	json_str(&j, "run", p->run);
	json_int(&j, "tasks", p->dag->ntasks);
	json_str(&j, "chosen", r->config->chosen);
	json_int(&j, "makespan_ns", r->candidates.items[r->chosen].makespan_ns);
	json_int(&j, "bound_ns", r->bounds.largest_ns);
	json_trials(&j, r);
	json_setting(&j, r->config);
	json_close(&j, '}');
}
