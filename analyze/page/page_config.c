/* analyze/page/page_config.c - the section of a report's page about the config that was tuned for the run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/page_config.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/page/html.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "core/config/config_words.h"
#include "core/config/priority_list_text.h"

/* The trials of baselines, as tune and compare name them. */
static const char *const baselines[] = {CONFIG_TRIAL_RUN,
                                        CONFIG_TRIAL_RECORDED_ORDER,
                                        "eager",
                                        "random",
                                        "lws",
                                        "dm",
                                        "dmda",
                                        "dmdas",
                                        "modular-heft-prio",
                                        "modular-heteroprio",
                                        "AutoHeteroprio",
                                        "best AutoHeteroprio"};

enum { BASELINES = sizeof(baselines) / sizeof(*baselines), ROWS = BASELINES + 16 };

/* 0: not known */
struct row {
	const char *name;
	int64_t predicted_ns, measured_ns;
};

struct rows {
	struct row at[ROWS];
	int n;
};

static int is_measured(const struct config_trial *t)
{
	return strcmp(t->source, "replay") != 0;
}

/* Once for each name. */
static void add_row(struct rows *r, const struct config *c, const char *name)
{
	struct row row = {.name = name};

	for (int i = 0; i < r->n; i++)
		if (strcmp(r->at[i].name, name) == 0)
			return;
	for (int i = 0; i < c->ntrials; i++) {
		const struct config_trial *t = &c->trials[i];
		int64_t *ns = is_measured(t) ? &row.measured_ns : &row.predicted_ns;

		/* What was measured beside the config outweighs the one run that was recorded. */
		if (strcmp(t->name, name) == 0 && (!*ns || strcmp(t->source, "measured") == 0))
			*ns = t->makespan_ns;
	}
	if ((row.predicted_ns || row.measured_ns) && r->n < ROWS)
		r->at[r->n++] = row;
}

/* What bars show: the measurement where there is one. */
static int64_t shown_ns(const struct row *r)
{
	return r->measured_ns ? r->measured_ns : r->predicted_ns;
}

/* What was measured comes before what was predicted alone. */
static int by_makespan(const void *a, const void *b)
{
	int64_t x = shown_ns(a), y = shown_ns(b);
	int is_predicted = !((const struct row *)a)->measured_ns, other = !((const struct row *)b)->measured_ns;

	if (is_predicted != other)
		return is_predicted - other;
	return x != y ? (x < y ? -1 : 1) : strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

/* The chosen one, what was measured, and the baselines; sorted. */
static void collect_rows(struct rows *r, const struct config *c)
{
	*r = (struct rows){.n = 0};
	add_row(r, c, c->chosen);
	for (int i = 0; i < c->ntrials; i++)
		if (strcmp(c->trials[i].source, "measured") == 0)
			add_row(r, c, c->trials[i].name);
	for (int i = 0; i < BASELINES; i++)
		add_row(r, c, baselines[i]);
	qsort(r->at, (size_t)r->n, sizeof(*r->at), by_makespan);
}

static void put_ns(FILE *f, int64_t ns)
{
	char text[16];

	fprintf(f, "<td>%s</td>", ns > 0 ? time_text(text, ns) : "-");
}

static void put_row(FILE *f, const char *class, const struct row *r, int64_t longest_ns)
{
	fprintf(f, "<tr class=\"%s\"><th scope=\"row\">", class);
	html_text(f, strcmp(r->name, CONFIG_TRIAL_RUN) == 0 ? "the program as it is" : r->name);
	fputs("</th>", f);
	put_ns(f, r->predicted_ns);
	put_ns(f, r->measured_ns);
	fprintf(f, "<td class=\"t bar-cell\"><span class=\"bar\" style=\"width:%.2f%%\"></span></td></tr>\n",
	        100.0 * (double)shown_ns(r) / (double)longest_ns);
}

static void put_rows(FILE *f, const struct config *c, const struct rows *r)
{
	const struct row bound = {"the least of any schedule", c->bound_ns, 0};
	int64_t longest_ns = c->bound_ns > 0 ? c->bound_ns : 1;

	for (int i = 0; i < r->n; i++)
		longest_ns = shown_ns(&r->at[i]) > longest_ns ? shown_ns(&r->at[i]) : longest_ns;
	fputs("<figure class=\"table\">\n<figcaption id=\"tuning-table\">Makespans, those that were measured before those that "
	      "were predicted alone, and of each the shortest first; the chosen one is marked.</figcaption>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
	      "aria-labelledby=\"tuning-table\">\n<table class=\"bars\" aria-labelledby=\"tuning-table\">\n<thead><tr>"
	      "<th scope=\"col\" class=\"t\">schedule</th><th scope=\"col\">predicted</th>"
	      "<th scope=\"col\">measured</th><th scope=\"col\" class=\"t\"></th></tr></thead>\n<tbody>\n",
	      f);
	for (int i = 0; i < r->n; i++)
		put_row(f, strcmp(r->at[i].name, c->chosen) == 0 ? "chosen" : "other", &r->at[i], longest_ns);
	if (c->bound_ns > 0)
		put_row(f, "bound", &bound, longest_ns);
	fputs("</tbody>\n</table>\n</div>\n</figure>\n", f);
}

static void put_choice(FILE *f, const struct config *c, const struct rows *r)
{
	char words[CONFIG_WORDS];

	fputs("<p class=\"verdict\">Chosen of ", f);
	fprintf(f, "%d candidates: <strong>", config_candidates(c));
	html_text(f, config_words(c, words));
	fputs("</strong>", f);
	if (strcmp(words, c->chosen) != 0) {
		fputs(" (", f);
		html_text(f, c->chosen);
		fputs(")", f);
	}
	fputs(".</p>\n", f);
	if (r->n && strcmp(r->at[0].name, c->chosen) != 0)
		fputs("<p class=\"note\">Predictions are of one replay each, with mean durations. The choice also rests on replays "
		      "with varied durations: of the candidates that these do not distinguish it is the simplest, so those "
		      "above it in the table are not clearly faster.</p>\n",
		      f);
}

static void put_lists(FILE *f, const struct config *c)
{
	fputs("<h3>Order of buckets</h3>\n<p class=\"note\">Workers of an architecture take from the first bucket of their list that "
	      "has a task for them; with a slow factor only when so much is waiting that the fastest architecture would take "
	      "longer.</p>\n<dl class=\"lists\">\n",
	      f);
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (c->lists[a].count > 0) {
			char text[PRIORITY_LIST_TEXT];
			int place = 0;

			fprintf(f, "<div><dt>%s</dt><dd><ol class=\"buckets\">", arch_name(a));
			while (priority_list_text(c, a, &place, text) > 0) {
				fputs("<li>", f);
				html_text(f, text);
				fputs("</li>", f);
			}
			fputs("</ol></dd></div>\n", f);
		}
	fputs("</dl>\n", f);
}

void page_config(FILE *f, const struct config *c)
{
	struct rows rows;

	collect_rows(&rows, c);
	fputs("<section id=\"tuning\">\n<h2>Tuning</h2>\n", f);
	put_choice(f, c, &rows);
	if (rows.n)
		put_rows(f, c, &rows);
	if (strcmp(c->policy, "heteroprio") == 0)
		put_lists(f, c);
	fputs("</section>\n", f);
}
