/* tune/tune_report.c - the outcome of tuning, for people and for programs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/tune_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/stats.h"
#include "core/base/table.h"
#include "core/base/wrap.h"
#include "core/config/config_words.h"
#include "core/config/priority_list_text.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/heuristic.h"
#include "core/metrics/reference.h"
#include "replay/scenario.h"
#include "sched/policy.h"
#include "tune/evaluate/baselines.h"
#include "tune/outcome.h"
#include "tune/tune.h"

enum { NOTE = 96, MOST_ROWS = 14, LIST_LINES = 2, MOST_CHANGES = 4, WIDTH = 80 }; /* but with --all */

static const char RUN_LABEL[] = "recorded run";

/* A paragraph in lines, the second and the later ones from column `indent` on. */
static void __attribute__((format(printf, 3, 4))) put_text(FILE *f, int indent, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = ht_vasprintf(fmt, ap);
	va_end(ap);
	wrap_text(f, text, 0, indent, WIDTH);
	free(text);
	putc('\n', f);
}

/* What a row of the table says; a time below 0 is not known. */
struct row {
	struct trial_id id;
	char note[NOTE];
	int64_t ns, median_ns, p90_ns;
	size_t index;
};

/* What all trials are compared with; 0: nothing was recorded on this machine. */
static int64_t reference(const struct tune_result *r)
{
	return r->run_ns > 0 ? reference_of(r->recorded_ns, r->run_ns) : 0;
}

/* NAN where the bound is 0. */
static double to_bound(const struct tune_result *r, int64_t ns)
{
	return stats_ratio((double)ns, (double)r->bounds.largest_ns, NAN);
}

static const char *reference_label(const struct tune_result *r)
{
	return reference(r) == r->recorded_ns ? CONFIG_TRIAL_RECORDED_ORDER : RUN_LABEL;
}

static void put_times(struct table *t, const struct tune_result *r, int64_t ns)
{
	char text[16];

	table_cell(t, "%s", time_text(text, ns));
	if (r->bounds.largest_ns > 0)
		table_cell(t, "%.3f", to_bound(r, ns));
	else
		table_cell(t, "-");
}

/* One that no other trial has: a setting that was searched has a number. */
static const char *label_of(char label[TRIAL_LABEL], const struct trial_id *id)
{
	return trial_label(label, id, id->origin == TRIAL_SEARCHED ? TRIAL_LABEL_SHORT : TRIAL_LABEL_WHOLE);
}

static void put_row(struct table *t, const struct tune_result *r, const struct row *x)
{
	int never = x->ns == EVALUATOR_NEVER;
	char text[16], label[TRIAL_LABEL];

	table_cell(t, "%s", label_of(label, &x->id));
	if (never) {
		table_cell(t, "never ends");
		table_cell(t, "-");
	} else {
		put_times(t, r, x->ns);
	}
	if (reference(r) > 0 && never)
		table_cell(t, "-");
	else if (reference(r) > 0)
		table_cell(t, "%s", change_text(text, (double)x->ns / (double)reference(r) - 1));
	table_cell(t, "%s", x->median_ns < 0 ? "" : time_text(text, x->median_ns));
	table_cell(t, "%s", x->p90_ns < 0 ? "" : time_text(text, x->p90_ns));
	table_cell(t, "%s", x->note);
}

/* The run itself, or its order in a replay: all is compared with one of them. */
static void put_recorded_row(struct table *t, const struct tune_result *r, const char *name, int64_t ns,
                             const char *note)
{
	if (ns < 0)
		return;
	table_cell(t, "%s", name);
	put_times(t, r, ns);
	if (reference(r) > 0)
		table_cell(t, "-");
	table_cell(t, "%s", "");
	table_cell(t, "%s", "");
	table_cell(t, "%s", note);
}

static int is_starpu(const struct trial_id *id)
{
	return id->order == ORDER_STARPU;
}

static int is_default(const struct trial_id *id)
{
	return is_starpu(id) && id->number == STARPU_DEFAULT_ORDERING;
}

static int in_final_round(const struct tune_result *r, const struct trial_id *id)
{
	for (size_t i = 0; i < r->final_round.count; i++)
		if (trial_id_equal(&r->final_round.items[i].id, id))
			return 1;
	return 0;
}

/* Whether initial setting k is better than i, or as good and before it. */
static int is_better(const struct tune_result *r, size_t k, size_t i)
{
	int64_t a = r->initial.items[k].makespan_ns, b = r->initial.items[i].makespan_ns;

	return a >= 0 && (a < b || (a == b && k < i));
}

/* Whether the two are of one kind, of which the best is shown: a list, StarPU's other orderings, a granularity. */
static int are_alike(const struct tune_result *r, size_t i, size_t k)
{
	const struct trial_id *a = &r->initial.items[i].id, *b = &r->initial.items[k].id;

	if ((i < r->initial.ncandidates) != (k < r->initial.ncandidates))
		return 0;
	if (i >= r->initial.ncandidates)
		return a->granularity == b->granularity;
	return trial_id_same_origin(a, b) || (is_starpu(a) && is_starpu(b) && !is_default(a) && !is_default(b));
}

static int is_shown(const struct tune_result *r, size_t i)
{
	for (size_t k = 0; k < r->initial.count; k++)
		if (are_alike(r, i, k) && is_better(r, k, i))
			return 0;
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
static void note_of_initial(char *buf, size_t size, const struct tune_result *r, const struct initial_setting *s)
{
	const struct heuristic *h = trial_id_heuristic(&s->id);
	char label[TRIAL_LABEL];

	if (s >= r->initial.items + r->initial.ncandidates)
		snprintf(buf, size, "%d by %s", s->setting.nbuckets, granularity_name(s->id.granularity));
	else if (is_default(&s->id))
		snprintf(buf, size, "StarPU's default");
	else if (s->same_as >= 0)
		snprintf(buf, size, "as %.19s",
		         trial_label(label, &r->initial.items[s->same_as].id, TRIAL_LABEL_WHOLE));
	else
		snprintf(buf, size, "%s%s", h && !is_starpu(&s->id) ? "paper, " : "", h ? h->note : "as they appear");
}

static void note_of_finalist(char *buf, size_t size, const struct tune_result *r, size_t i)
{
	const struct finalist *x = &r->final_round.items[i];
	const struct initial_setting *initial = outcome_initial_of(r, &x->id);
	const char *mark = i == r->chosen ? "chosen: " : "";
	int n = snprintf(buf, size, "%s", x->reference_only ? "" : mark);

	buf += n;
	size -= (size_t)n;
	if (x->reference_only)
		snprintf(buf, size, "%.31s", x->options ? x->options : "as in its first run");
	else if (x->policy)
		snprintf(buf, size, "%s", x->policy == &policy_placement ? "library" : "StarPU's own");
	else if (initial)
		note_of_initial(buf, size, r, initial);
	else
		snprintf(buf, size, "%d by %s", x->setting->nbuckets, granularity_name(x->setting->granularity->kind));
}

static int is_searched(const struct finalist *x)
{
	return x->id.origin == TRIAL_SEARCHED;
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

/* Whether finalist i is an initial setting with lists that a better one has, too, with other slow factors. */
static int is_same_again(const struct tune_result *r, size_t i)
{
	const struct finalist *x = &r->final_round.items[i];

	for (size_t k = 0; k < r->final_round.count && !x->policy; k++) {
		const struct finalist *y = &r->final_round.items[k];

		if (k != i && y->id.origin == TRIAL_INITIAL && x->id.origin == TRIAL_INITIAL &&
		    trial_id_same_origin(&x->id, &y->id) && x->id.simplified == y->id.simplified &&
		    memcmp(&x->id.starpu_env, &y->id.starpu_env, sizeof(x->id.starpu_env)) == 0 &&
		    (y->mean_ns < x->mean_ns || (y->mean_ns == x->mean_ns && k < i)))
			return 1;
	}
	return 0;
}

/* The trials that have a row, the fastest first; those of one kind by its best, unless all are wanted. */
static size_t make_rows(struct row *rows, const struct tune_result *r, enum tune_report_rows how)
{
	size_t n = 0;

	for (size_t i = 0; i < r->final_round.count; i++) {
		const struct finalist *x = &r->final_round.items[i];

		if (how == TUNE_ROWS_BEST && i != r->chosen &&
		    ((is_searched(x) && !is_best_searched(r, i)) || is_same_again(r, i)))
			continue;
		rows[n] = (struct row){x->id, "", x->mean_ns, x->median_ns, x->p90_ns, n};
		note_of_finalist(rows[n++].note, NOTE, r, i);
	}
	for (size_t i = 0; i < r->initial.count; i++) {
		const struct initial_setting *x = &r->initial.items[i];

		if (x->makespan_ns < 0 || in_final_round(r, &x->id) || (how == TUNE_ROWS_BEST && !is_shown(r, i)))
			continue;
		rows[n] = (struct row){x->id, "", x->makespan_ns, -1, -1, n};
		note_of_initial(rows[n++].note, NOTE, r, x);
	}
	qsort(rows, n, sizeof(*rows), by_makespan);
	return n;
}

/* Of those that are not among the fastest: what was chosen, what the run had, StarPU's heteroprio as it is. */
static int is_wanted(const struct trial_id *id, const struct tune_problem *p, const struct tune_result *r)
{
	return trial_id_equal(id, &r->final_round.items[r->chosen].id) ||
	       (id->origin == TRIAL_POLICY && !id->knobs && !id->by_rank &&
	        ((p->scheduler && strcmp(id->policy, p->scheduler) == 0) || strcmp(id->policy, BASELINE_AUTO) == 0));
}

static void print_trials(FILE *f, const struct tune_problem *p, const struct tune_result *r, enum tune_report_rows how)
{
	struct table *t = table_create(reference(r) > 0 ? "<trial|makespan|to bound|to recorded|median|p90|<note" :
	                                                  "<trial|makespan|to bound|median|p90|<note");
	struct row *rows = ht_alloc(r->initial.count + r->final_round.count, sizeof(*rows));
	size_t n = make_rows(rows, r, how), left_out = 0;

	put_recorded_row(t, r, RUN_LABEL, r->run_ns, p->is_predicted ? "as predicted" : "as measured");
	put_recorded_row(t, r, CONFIG_TRIAL_RECORDED_ORDER, r->recorded_ns, "on its workers");
	for (size_t i = 0; i < n; i++)
		if (how == TUNE_ROWS_ALL || i < MOST_ROWS || is_wanted(&rows[i].id, p, r))
			put_row(t, r, &rows[i]);
		else
			left_out++;
	table_print(t, f);
	if (left_out)
		fprintf(f, "and %zu more, none of them faster: --all shows them, and the config has them\n", left_out);
	putc('\n', f);
	put_text(f, 0,
	         "Trials are StarPU's schedulers, placement by the scheduler library, and settings of Heteroprio by the "
	         "order of their buckets (heterotune tune --list) or of the search. +LA: near their data; +rank: with "
	         "priorities from the library; /no-slow: without slow factors.");
	table_free(t);
	free(rows);
}

static void print_locality(FILE *f, const struct config_locality *l)
{
	if (!l->enabled) {
		fputs("off\n", f);
		return;
	}
	fprintf(f, "by the formula %s", *l->push ? l->push : "AUTO");
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (l->step[a])
			fprintf(f, ", %s step %d", arch_name((enum arch)a), l->step[a]);
		if (l->subgroup[a])
			fprintf(f, ", %s subgroup %d", arch_name((enum arch)a), l->subgroup[a]);
	}
	putc('\n', f);
}

/* The best setting of Heteroprio, with its order, and what of it was made simpler. */
static void print_setting(FILE *f, const struct tune_result *r, enum tune_report_rows how)
{
	const struct finalist *best = &r->final_round.items[r->final_round.best_setting];
	const struct initial_setting *initial = outcome_initial_of(r, &best->id);
	const int is_candidate = initial && initial < r->initial.items + r->initial.ncandidates;
	const struct heuristic *h = is_candidate ? trial_id_heuristic(&best->id) : NULL;
	const struct setting *s = best->setting;

	if (h)
		put_text(f, 8, "it begins with the order %s, %s: %s (%s)", h->name, h->summary, h->equation, h->source);
	fprintf(f, "buckets: %d, by %s; locality: ", s->nbuckets, granularity_name(s->granularity->kind));
	print_locality(f, &s->locality);
	if (r->simplified.changed)
		put_text(
			f, 8,
			"simplified: %d buckets are %d, %d slow factors %d; the makespan changes by %+.2f %%, which is noise",
			r->simplified.buckets, s->nbuckets, r->simplified.factors, setting_factors(s),
			100 * r->simplified.loss);
	fputs("workers look at these buckets, first to last:\n", f);
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (r->config->lists[a].count) {
			int at = fprintf(f, "  %-8s", arch_name(a));

			priority_list_print(f, r->config, a, at, at + 1, WIDTH, how == TUNE_ROWS_ALL ? 0 : LIST_LINES);
			putc('\n', f);
		}
}

static void print_chosen(FILE *f, const struct tune_result *r)
{
	const struct finalist *best = &r->final_round.items[r->final_round.best_setting];
	char text[STARPU_ENV_TEXT], label[TRIAL_LABEL], words[CONFIG_WORDS], ns[16];

	putc('\n', f);
	put_text(f, 8, "chosen: %s, the trial %s", config_words(r->config, words), r->config->chosen);
	for (int k = 0; k < STARPU_ENV_COUNT; k++)
		if (r->config->starpu_env.value[k])
			fprintf(f, "startup: %s, %.1f %% less time\n",
			        starpu_env_text(text, (enum starpu_env_knob)k, r->config->starpu_env.value[k]),
			        100 * r->config->starpu_env_gain[k]);
	if (r->chosen != r->final_round.best_setting)
		fprintf(f, "no setting of Heteroprio is clearly faster; the best of these takes %s:\n  %s\n",
		        time_text(ns, best->mean_ns), trial_label(label, &best->id, TRIAL_LABEL_WHOLE));
}

/* Effects are of the median; where the worst replication says something else about the sign, it is noise. */
static void print_sensitivity(FILE *f, const struct tune_result *r, enum tune_report_rows how)
{
	const struct sensitivity *s = &r->sensitivity;
	size_t shown = 0, real = 0;

	if (!s->count) /* there was no time for them */
		return;
	for (size_t i = 0; i < s->count; i++)
		real += s->items[i].worst > 0.001;
	putc('\n', f);
	put_text(f, 0, "of %zu change%s to these buckets %zu make%s the run slower in every replication%s", s->count,
	         plural(s->count), real, real == 1 ? "s" : "",
	         real ? "; what matters most:" : ": within these its details are noise");
	for (size_t i = 0; i < s->count && (how == TUNE_ROWS_ALL || shown < MOST_CHANGES); i++)
		if (s->items[i].worst > 0.001 || how == TUNE_ROWS_ALL) {
			if (isinf(s->items[i].effect))
				fprintf(f, "  never ends without  %s\n", s->items[i].what);
			else
				fprintf(f, "  %+8.1f %% without  %s\n", 100 * s->items[i].effect, s->items[i].what);
			shown++;
		}
}

/* A program whose main thread has no core of its own submits sooner where its workers do less. */
static void print_submission(FILE *f, const struct tune_result *r)
{
	const struct final_round *round = &r->final_round;
	char last[16], a[16], b[16], *by = NULL;

	if (!round->at_once || (double)round->submitted_ns < SUBMISSION_LIMITS * (double)r->makespan_ns)
		return;
	if (round->at_once_ns && r->chosen == round->best)
		by = ht_asprintf(
			" The choice is by replays with all tasks submitted at once, where it takes %s, and what "
			"else would be chosen %s.",
			time_text(a, round->at_once_ns), time_text(b, round->other_at_once_ns));
	put_text(f, 0,
	         "The run's last task was submitted after %s, and so no replay is much shorter.%s The program "
	         "may submit sooner under another scheduler: tune --submission none compares candidates "
	         "without this limit, and auto --verify in runs.",
	         time_text(last, round->submitted_ns), by ? by : "");
	free(by);
}

static void print_verdict(FILE *f, const struct tune_problem *p, const struct tune_result *r)
{
	const struct finalist *best = &r->final_round.items[r->final_round.best];
	const char *left_out = scenario_has_threads(p->scenario) ? "the work of the scheduler" :
	                                                           "data transfers and scheduling";
	char a[16], label[TRIAL_LABEL], why[REFERENCE_TEXT];

	fprintf(f, "\nReplays time execution, dependencies%s.\n",
	        scenario_has_copies(p->scenario)  ? ", submission and data transfers" :
	        scenario_has_threads(p->scenario) ? ", submission and what StarPU's threads do" :
	                                            " and submission");
	reference_text(why, r->recorded_ns, r->run_ns);
	if (reference(r) > 0)
		put_text(f, 0, "They leave out %s: compare them with \"%s\"%s%s%s.", left_out, reference_label(r),
		         *why ? " (" : "", why, *why ? ")" : "");
	else
		put_text(f, 0, "They leave out %s.", left_out);
	print_submission(f, r);
	if (r->final_round.replications)
		put_text(f, 0,
		         "median and p90: of %d replay%s with durations that vary as recorded, or by 2 %% at least.",
		         r->final_round.replications, plural((uint64_t)r->final_round.replications));
	else
		put_text(f, 0,
		         "There was no time for replays with durations that vary: median and p90 are the makespan.");
	if (r->recorded_ns >= 0 && reference(r) < r->makespan_ns)
		put_text(f, 0, "\"%s\" is shorter than the choice: the scheduler of the run may be the one to keep.",
		         reference_label(r));
	for (size_t i = 0; i < r->final_round.nnever; i++)
		put_text(f, 0, "%s is not compared: under it some tasks are never executed.",
		         trial_label(label, &r->final_round.never[i], TRIAL_LABEL_WHOLE));
	if (best->policy && r->chosen == r->final_round.best_setting)
		put_text(f, 0, "%s is better than every setting of Heteroprio: %s.",
		         trial_label(label, &best->id, TRIAL_LABEL_WHOLE), time_text(a, best->mean_ns));
}

/* The run with the number: its path. */
static const char *run_path(const struct tune_problem *p, int run)
{
	return run ? p->more_paths[run - 1] : p->run;
}

/* The least that one of StarPU's own schedulers takes on a run. */
static int64_t starpu_on(const struct tune_result *r, int run)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < r->final_round.count; i++) {
		const struct finalist *x = &r->final_round.items[i];

		if (x->policy && x->policy != &policy_placement && !x->id.by_rank && !x->id.knobs &&
		    x->run_ns[run] < least)
			least = x->run_ns[run];
	}
	return least;
}

/* Where there are several runs: what was chosen has to hold on each of them. */
static void print_runs(FILE *f, const struct tune_problem *p, const struct tune_result *r)
{
	struct table *t = table_create("<run|chosen|<best of StarPU's own schedulers");
	char text[16];

	for (int i = 0; p->nmore && i <= p->nmore; i++) {
		int64_t ns = i < r->final_round.nruns ? starpu_on(r, i) : 0;

		table_cell(t, "%s", run_path(p, i));
		if (i < r->final_round.nruns) {
			table_cell(t, "%s", time_text(text, r->final_round.items[r->chosen].run_ns[i]));
			table_cell(t, "%s", ns < INT64_MAX ? time_text(text, ns) : "-");
		} else {
			table_cell(t, "-");
			table_cell(t, "not compared: there was no time for it");
		}
	}
	if (p->nmore) {
		putc('\n', f);
		table_print(t, f);
	}
	table_free(t);
}

void tune_report_text(FILE *f, const struct tune_problem *p, const struct tune_result *r, enum tune_report_rows rows)
{
	static const char *const ends[] = {
		[SEARCH_SPENT] = "",
		[SEARCH_IDLE] = "the search ended early, with nothing better for a third of it\n",
		[SEARCH_BEHIND] = "the search for buckets ended early, far behind placement of data\n",
	};
	char machine[128], text[16];

	fprintf(f, "%s: %u task%s of %u type%s on %s\n", p->run, p->dag->ntasks, plural(p->dag->ntasks), p->dag->ntypes,
	        plural(p->dag->ntypes), machine_summary(p->machine, machine, sizeof(machine)));
	put_text(f, 0, "bound: %s (%s), which no schedule is below; %d candidates, %zu replays",
	         time_text(text, r->bounds.largest_ns), bounds_largest_name(&r->bounds), config_candidates(r->config),
	         r->spent.replays + r->spent.remembered);
	fprintf(f, "%s\n", ends[r->search.end]);
	print_trials(f, p, r, rows);
	print_runs(f, p, r);
	print_chosen(f, r);
	if (r->chosen == r->final_round.best_setting || rows == TUNE_ROWS_ALL) {
		print_setting(f, r, rows);
		print_sensitivity(f, r, rows);
	}
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
		json_num(j, "bound_ratio", to_bound(r, c->trials[i].makespan_ns));
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
	json_bool(&j, "ended_early", r->search.end != SEARCH_SPENT);
	json_open(&j, "runs", '[');
	for (int i = 0; i < r->final_round.nruns; i++) {
		json_open(&j, NULL, '{');
		json_str(&j, "run", run_path(p, i));
		json_int(&j, "makespan_ns", r->final_round.items[r->chosen].run_ns[i]);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_int(&j, "bound_ns", r->bounds.largest_ns);
	json_trials(&j, r);
	json_sensitivity(&j, &r->sensitivity);
	json_setting(&j, r->config);
	json_close(&j, '}');
}
