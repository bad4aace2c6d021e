/* tune/tune_report.c - the outcome of tuning, for people and for programs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/tune_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/table.h"
#include "core/config/priority_list_text.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/scenario.h"
#include "tune/settings/heuristic.h"
#include "tune/tune.h"

static double ratio(int64_t ns, int64_t to)
{
	return to > 0 ? (double)ns / (double)to : 0;
}

/* What a row of the table says; a time below 0 is not known. */
struct row {
	const char *name, *note;
	int64_t ns, median_ns, p90_ns;
	size_t index;
};

/*
 * Of "search-1:rank:PRWS/no-slow, simplified" the front and what is behind the comma, of "rank:PRWS/no-slow" the end:
 * the note says by what its buckets are.
 */
static void put_name(struct table *t, const char *name)
{
	const char *colon = strchr(name, ':');

	if (strncmp(name, TRIAL_SEARCHED, strlen(TRIAL_SEARCHED)) == 0)
		table_cell(t, "%.*s%s", (int)strcspn(name, ":"), name, name + strcspn(name, ","));
	else
		table_cell(t, "%s", colon ? colon + 1 : name);
}

static void put_row(struct table *t, const struct tune_result *r, const struct row *x)
{
	int never = x->ns == EVALUATOR_NEVER;
	char text[16];

	put_name(t, x->name);
	table_cell(t, "%s", never ? "never ends" : time_text(text, x->ns));
	if (never)
		table_cell(t, "-");
	else
		table_cell(t, "%.3f", ratio(x->ns, r->bounds.largest_ns));
	if (!never && r->own_ns > 0 && strcmp(x->name, TRIAL_RECORDED) != 0 && strcmp(x->name, TRIAL_OWN_SCHEDULE) != 0)
		table_cell(t, "%+.1f %%", 100 * (ratio(x->ns, r->own_ns) - 1));
	else
		table_cell(t, "-");
	table_cell(t, "%s", x->median_ns < 0 ? "" : time_text(text, x->median_ns));
	table_cell(t, "%s", x->p90_ns < 0 ? "" : time_text(text, x->p90_ns));
	table_cell(t, "%s", x->note);
}

static int is_starpu(const struct candidate *c)
{
	return c->heuristic >= starpu_orderings && c->heuristic < starpu_orderings + STARPU_ORDERINGS;
}

static int is_default(const struct candidate *c)
{
	return c->heuristic == starpu_orderings + STARPU_DEFAULT_ORDERING;
}

static int in_final_round(const struct tune_result *r, const char *name)
{
	for (size_t i = 0; i < r->final_round.count; i++)
		if (strcmp(r->final_round.items[i].name, name) == 0)
			return 1;
	return 0;
}

/* Whether start k is better than start i, or as good and named before. */
static int is_better(const struct tune_result *r, size_t k, size_t i)
{
	int64_t a = r->starts[k].makespan_ns, b = r->starts[i].makespan_ns;

	return a >= 0 && (a < b || (a == b && k < i));
}

/*
 * Whether it is shown: the best of its family; of StarPU's families AutoHeteroprio's default and the best of the
 * others; of each finer grain the best.
 */
static int is_shown(const struct tune_result *r, size_t i)
{
	const struct candidate *c = i < r->candidates.count ? &r->candidates.items[i] : NULL;

	for (size_t k = 0; k < r->nstarts; k++) {
		const struct candidate *o = k < r->candidates.count ? &r->candidates.items[k] : NULL;
		int alike = c && o ? o->family == c->family ||
		                             (is_starpu(o) && is_starpu(c) && !is_default(o) && !is_default(c)) :
		                     !c && !o && r->starts[k].setting.granularity == r->starts[i].setting.granularity;

		if (alike && is_better(r, k, i))
			return 0;
	}
	return 1;
}

static int by_makespan(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Where an order comes from; a setting that an earlier candidate has is said to be that one's. */
static void note_of_start(char *buf, size_t size, const struct tune_result *r, size_t i)
{
	const struct candidate *c = i < r->candidates.count ? &r->candidates.items[i] : NULL;
	const char *origin = "as they first appear";

	if (!c) {
		snprintf(buf, size, "%d by %s", r->starts[i].setting.nbuckets,
		         granularity_name(r->starts[i].setting.granularity->kind));
		return;
	}
	if (c->heuristic) { /* "AutoHeteroprio, eq 9" */
		const char *equation = strstr(c->heuristic->source, "eq ");

		origin = is_starpu(c) || !equation ? c->heuristic->name : equation;
	}
	if (is_default(c))
		snprintf(buf, size, "StarPU's default");
	else if (c->same_as < 0)
		snprintf(buf, size, "%s", origin);
	else
		snprintf(buf, size, "as %.19s", r->candidates.items[c->same_as].name);
}

static const struct start *start_named(const struct tune_result *r, const char *name, size_t *i)
{
	for (*i = 0; *i < r->nstarts; ++*i)
		if (strcmp(r->starts[*i].name, name) == 0)
			return &r->starts[*i];
	return NULL;
}

static void note_of_finalist(char *buf, size_t size, const struct tune_result *r, size_t i)
{
	const struct finalist *x = &r->final_round.items[i];
	const char *mark = i == r->chosen ? "chosen: " : "";
	size_t start;

	if (x->reference_only)
		snprintf(buf, size, "%.31s", x->options);
	else if (x->policy)
		snprintf(buf, size, "%sStarPU's own", mark);
	else if (start_named(r, x->name, &start)) {
		int n = snprintf(buf, size, "%s", mark);

		note_of_start(buf + n, size - (size_t)n, r, start);
	} else
		snprintf(buf, size, "%s%d by %s", mark, x->setting->nbuckets,
		         granularity_name(x->setting->granularity->kind));
}

static int is_searched(const struct finalist *x)
{
	return strncmp(x->name, TRIAL_SEARCHED, strlen(TRIAL_SEARCHED)) == 0;
}

static int is_best_searched(const struct tune_result *r, size_t i)
{
	for (size_t k = 0; k < r->final_round.count; k++)
		if (is_searched(&r->final_round.items[k]) &&
		    (r->final_round.items[k].median < r->final_round.items[i].median ||
		     (r->final_round.items[k].median == r->final_round.items[i].median && k < i)))
			return 0;
	return 1;
}

enum { NOTE = 96, LIST_LINES = 6 };

static void print_trials(FILE *f, const struct tune_result *r, enum tune_report_rows how)
{
	struct table *t = table_create("<trial|makespan|to bound|to own|median|p90|<note");
	struct row *rows = ht_alloc(r->nstarts + r->final_round.count, sizeof(*rows));
	char(*notes)[NOTE] = ht_alloc(r->nstarts + r->final_round.count, sizeof(*notes));
	size_t n = 0;

	if (r->recorded_ns >= 0)
		put_row(t, r, &(struct row){TRIAL_RECORDED, "measured", r->recorded_ns, -1, -1, 0});
	if (r->own_ns >= 0)
		put_row(t, r, &(struct row){TRIAL_OWN_SCHEDULE, "its order, replayed", r->own_ns, -1, -1, 0});
	for (size_t i = 0; i < r->final_round.count; i++) {
		const struct finalist *x = &r->final_round.items[i];

		if (how == TUNE_ROWS_BEST && i != r->chosen && is_searched(x) && !is_best_searched(r, i))
			continue;
		note_of_finalist(notes[n], NOTE, r, i);
		rows[n] = (struct row){x->name, notes[n], x->mean_ns, x->median_ns, x->p90_ns, n};
		n++;
	}
	for (size_t i = 0; i < r->nstarts; i++) {
		if (r->starts[i].makespan_ns < 0 || in_final_round(r, r->starts[i].name) ||
		    (how == TUNE_ROWS_BEST && !is_shown(r, i)))
			continue;
		note_of_start(notes[n], NOTE, r, i);
		rows[n] = (struct row){r->starts[i].name, notes[n], r->starts[i].makespan_ns, -1, -1, n};
		n++;
	}
	qsort(rows, n, sizeof(*rows), by_makespan);
	for (size_t i = 0; i < n; i++)
		put_row(t, r, &rows[i]);
	table_print(t, f);
	table_free(t);
	free(rows);
	free(notes);
}

static void print_locality(FILE *f, const struct config_locality *l)
{
	if (!l->enabled) {
		fputs("off\n", f);
		return;
	}
	fprintf(f, "%s", *l->push ? l->push : "AUTO");
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (l->step[a])
			fprintf(f, ", %s step %d", arch_name((enum arch)a), l->step[a]);
		if (l->subgroup[a])
			fprintf(f, ", %s subgroup %d", arch_name((enum arch)a), l->subgroup[a]);
	}
	putc('\n', f);
}

static void print_chosen(FILE *f, const struct tune_result *r)
{
	size_t start;
	const struct finalist *best = &r->final_round.items[r->final_round.best_setting];
	const struct start *from = start_named(r, best->name, &start);
	const struct heuristic *h = from && start < r->candidates.count ? r->candidates.items[start].heuristic : NULL;

	const struct setting *s = best->setting;
	char text[STARPU_ENV_TEXT];

	fprintf(f, "\nchosen: %s", r->config->chosen);
	if (r->chosen != r->final_round.best_setting)
		fprintf(f, ", StarPU's own; no setting of Heteroprio is as fast\nthe best of these: %s", best->name);
	if (h)
		fprintf(f, ", %s\n        %s (%s)", h->summary, h->equation, h->source);
	fprintf(f, "\nbuckets: %d, by %s; locality: ", s->nbuckets, granularity_name(s->granularity->kind));
	print_locality(f, &s->locality);
	if (r->simplified.changed)
		fprintf(f,
		        "simplified: %d buckets are %d, %d slow factors %d; the makespan changes by %+.2f %%, which is noise\n",
		        r->simplified.buckets, s->nbuckets, r->simplified.factors, setting_factors(s),
		        100 * r->simplified.loss);
	for (int k = 0; k < STARPU_ENV_COUNT; k++)
		if (r->config->starpu_env.value[k])
			fprintf(f, "startup: %s, %.1f %% less time\n",
			        starpu_env_text(text, (enum starpu_env_knob)k, r->config->starpu_env.value[k]),
			        100 * r->config->starpu_env_gain[k]);
	fputs("workers look at these buckets, first to last:\n", f);
}

/* Effects are of the median; where the worst draw says something else about the sign, it is noise. */
static void print_sensitivity(FILE *f, const struct tune_result *r, enum tune_report_rows how)
{
	const struct sensitivity *s = &r->sensitivity;
	size_t shown = 0, real = 0;

	for (size_t i = 0; i < s->count; i++)
		real += s->items[i].worst > 0.001;
	fprintf(f, "\nof %zu changes to it %zu make the run slower in every draw", s->count, real);
	fputs(real ? "; what matters most:\n" : ": within these its details are noise\n", f);
	for (size_t i = 0; i < s->count && (how == TUNE_ROWS_ALL || shown < 8); i++)
		if (s->items[i].worst > 0.001 || how == TUNE_ROWS_ALL) {
			if (isinf(s->items[i].effect))
				fprintf(f, "  never ends without  %s\n", s->items[i].what);
			else
				fprintf(f, "  %+8.1f %% without  %s\n", 100 * s->items[i].effect, s->items[i].what);
			shown++;
		}
}

static void print_verdict(FILE *f, const struct tune_problem *p, const struct tune_result *r)
{
	const struct finalist *best = &r->final_round.items[r->final_round.best];
	int on = p->scenario && p->scenario->transfers == TRANSFERS_ON;
	char a[16];

	fprintf(f,
	        "\nReplays time execution, dependencies, submission%s.\n"
	        "They leave out %s%s.\n"
	        "median and p90: of %d replay%s with durations that vary as recorded, or by 2 %% at least.\n",
	        on ? " and data transfers" : "", on ? "the work of the scheduler" : "data transfers and scheduling",
	        r->own_ns < 0 ? "" : ": compare them with \"" TRIAL_OWN_SCHEDULE "\", not with \"" TRIAL_RECORDED "\"",
	        r->final_round.draws, plural((uint64_t)r->final_round.draws));
	if (r->own_ns >= 0 && r->own_ns < r->makespan_ns)
		fprintf(f,
		        "The run's own schedule is better than every trial: %s. Its scheduler may be the one to "
		        "keep.\n",
		        time_text(a, r->own_ns));
	for (size_t i = 0; i < r->final_round.nnever; i++)
		fprintf(f, "%s is not compared: under it some tasks are never executed.\n", r->final_round.never[i]);
	if (best->policy && r->chosen == r->final_round.best_setting)
		fprintf(f, "%s is better than every setting of Heteroprio: %s.\n", best->name,
		        time_text(a, best->mean_ns));
}

void tune_report_text(FILE *f, const struct tune_problem *p, const struct tune_result *r, enum tune_report_rows rows)
{
	char machine[128], text[16];

	fprintf(f, "%s: %u task%s of %u type%s on %s\n", p->run, p->dag->ntasks, plural(p->dag->ntasks), p->dag->ntypes,
	        plural(p->dag->ntypes), machine_summary(p->machine, machine, sizeof(machine)));
	fprintf(f, "bound: %s (%s); %zu starts, %zu replays\n\n", time_text(text, r->bounds.largest_ns),
	        bounds_largest_name(&r->bounds), r->nstarts, r->spent.replays + r->spent.remembered);
	print_trials(f, r, rows);
	print_chosen(f, r);
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (r->config->lists[a].count) {
			int at = fprintf(f, "  %-8s", arch_name(a));

			priority_list_print(f, r->config, a, at, at + 1, 100, rows == TUNE_ROWS_ALL ? 0 : LIST_LINES);
			putc('\n', f);
		}
	print_sensitivity(f, r, rows);
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

static void json_sensitivity(struct json *j, const struct sensitivity *s)
{
	json_open(j, "sensitivity", '[');
	for (size_t i = 0; i < s->count; i++) {
		json_open(j, NULL, '{');
		json_str(j, "without", s->items[i].what);
		json_num(j, "effect", s->items[i].effect);
		json_num(j, "least", s->items[i].worst);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_setting(struct json *j, const struct config *c)
{
	struct starpu_env_var vars[STARPU_ENV_MAX_VARS];
	int n;

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
	json_open(j, "startup", '{');
	n = starpu_env_vars(&c->starpu_env, c->workers, vars);
	for (int i = 0; i < n; i++)
		json_str(j, vars[i].name, vars[i].value);
	json_close(j, '}');
}

void tune_report_json(FILE *f, const struct tune_problem *p, const struct tune_result *r)
{
	struct json j = {.f = f};

	json_open(&j, NULL, '{');
	json_str(&j, "run", p->run);
	json_int(&j, "tasks", p->dag->ntasks);
	json_str(&j, "chosen", r->config->chosen);
	json_int(&j, "makespan_ns", r->makespan_ns);
	json_int(&j, "median_ns", r->final_round.items[r->chosen].median_ns);
	json_int(&j, "p90_ns", r->final_round.items[r->chosen].p90_ns);
	json_int(&j, "replays", (int64_t)(r->spent.replays + r->spent.remembered));
	json_int(&j, "bound_ns", r->bounds.largest_ns);
	json_trials(&j, r);
	json_sensitivity(&j, &r->sensitivity);
	json_setting(&j, r->config);
	json_close(&j, '}');
}
