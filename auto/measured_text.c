/* auto/measured_text.c - what runs have shown, for people. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/measured_text.h"

#include <stdio.h>

#include "auto/measured.h"
#include "core/base/stats.h"
#include "core/base/table.h"
#include "core/base/wrap.h"

enum { INDENT = 11, HANG = 2, WIDTH = 80, LONG_NAME = 24 };

const char *measured_warning(const struct measured *m, char text[MEASURED_SENTENCE])
{
	char predicted[16], takes[16];
	int i = measured_surprise(m);

	*text = '\0';
	if (i >= 0)
		snprintf(text, MEASURED_SENTENCE,
		         "replays do not hold here: %.256s was predicted to take %s, and takes %s", m->cases[i].words,
		         time_text(predicted, m->cases[i].predicted_ns), time_text(takes, m->cases[i].median_ns));
	return text;
}

/* Against the program as it is, which may have no times. */
static int has_difference(const struct measured *m, const struct measured_case *c)
{
	return m->cases[0].n && c->n && c != &m->cases[0] && m->cases[0].median_ns > 0;
}

static double change_percent(const struct measured *m, const struct measured_case *c)
{
	return 100 * ((double)c->median_ns / (double)m->cases[0].median_ns - 1);
}

static void print_line(FILE *f, const char *text)
{
	fprintf(f, "%*s", INDENT, "");
	wrap_text(f, text, INDENT, INDENT + HANG, WIDTH);
	putc('\n', f);
}

/* What the test says of the choice; of simulated runs there is nothing to say. */
static void print_significance(const struct measured *m, FILE *f)
{
	const struct measured_case *c = &m->cases[m->chosen], *base = &m->cases[0];
	char text[128];
	double p;

	if (m->simulated || !has_difference(m, c))
		return;
	p = rank_sum_p(c->ns, (size_t)c->n, base->ns, (size_t)base->n);
	if (c->n < MEASURED_LEAST_RUNS)
		snprintf(text, sizeof(text), "%d runs are too few to know whether that is chance: --runs %d", c->n,
		         MEASURED_LEAST_RUNS);
	else
		snprintf(text, sizeof(text), "%+.1f %% is %s (rank-sum test: chance %s %.3f)", change_percent(m, c),
		         p <= MEASURED_SIGNIFICANT ? "significant" : "not significant", p < 0.001 ? "below" : "is",
		         p < 0.001 ? 0.001 : p);
	print_line(f, text);
}

/* Their names are of papers and of the search. */
static void print_settings(const struct measured *m, FILE *f)
{
	char text[MEASURED_SENTENCE] = "";
	size_t used = 0;
	int n = 0;

	for (int i = 0; i < m->count && used < sizeof(text); i++)
		if (m->cases[i].n && m->cases[i].effort == CONFIG_EFFORT_BUCKETS)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.64s", n++ ? ", " : "",
			                         m->cases[i].name);
	if (!n)
		return;
	snprintf(text + used, sizeof(text) - used, " %s of Heteroprio (tuning.txt)",
	         n > 1 ? "are settings" : "is a setting");
	print_line(f, text);
}

void measured_print(const struct measured *m, FILE *f)
{
	char titles[128], text[16];
	struct table *t;
	int n;

	if (m->chosen < 0)
		return;
	n = m->cases[m->chosen].n;
	if (n > 1)
		snprintf(titles, sizeof(titles), "<measured   %d runs each, in turns|median|%s|to|replayed|change", n,
		         stats_median_interval((size_t)n) ? "95 %: from" : "from");
	else
		snprintf(titles, sizeof(titles), "<measured   1 run each|makespan|replayed|change");
	t = table_create(titles);
	for (int i = 0; i < m->count; i++) {
		const struct measured_case *c = &m->cases[i];

		if (!c->n)
			continue;
		table_cell(t, "%*s %.*s", INDENT - 1, i == m->chosen ? "*" : "", LONG_NAME, i ? c->name : "as it is");
		table_cell(t, "%s", time_text(text, c->median_ns));
		if (n > 1) {
			table_cell(t, "%s", time_text(text, c->low_ns));
			table_cell(t, "%s", time_text(text, c->high_ns));
		}
		table_cell(t, "%s", c->predicted_ns < 0 ? "-" : time_text(text, c->predicted_ns));
		if (has_difference(m, c))
			table_cell(t, "%+.1f %%", change_percent(m, c));
		else
			table_cell(t, "%s", "");
	}
	table_print(t, f);
	table_free(t);
	print_settings(m, f);
	print_significance(m, f);
}
