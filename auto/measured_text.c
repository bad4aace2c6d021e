/* auto/measured_text.c - what runs have shown, for people. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/measured_text.h"

#include <stdio.h>
#include <string.h>

#include "auto/measured.h"
#include "core/base/stats.h"
#include "core/base/table.h"
#include "core/base/wrap.h"
#include "tune/evaluate/noise.h"

enum { INDENT = 11, HANG = 2, WIDTH = 80, NAME = 38, NAME_OF_RUNS = 22 }; /* of several runs there are more columns */
static const double MODES_DIFFER = 0.1, MODES_APART = 3;                  /* of the median, and of the width of each */

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

/* Of rounds in which the program as it is has other times, or none that are kept. */
static int is_earlier(const struct measured *m, const struct measured_case *c)
{
	return c->n && !measured_is_part(m, (int)(c - m->cases));
}

/* Against the program as it is, which may have no times. */
static int has_difference(const struct measured *m, const struct measured_case *c)
{
	return m->cases[0].n && c->n && c != &m->cases[0] && m->cases[0].median_ns > 0 && !is_earlier(m, c);
}

static const char *change_of(char buf[16], const struct measured *m, const struct measured_case *c)
{
	return change_text(buf, (double)c->median_ns / (double)m->cases[0].median_ns - 1);
}

/* What the test says of the choice, or of what is faster than it; of simulated runs there is nothing to say. */
static void print_significance(const struct measured *m, FILE *f)
{
	const struct measured_case *base = &m->cases[0], *c = &m->cases[m->chosen ? m->chosen : m->fastest];
	char text[256], change[16];
	double p;

	if (m->simulated || !has_difference(m, c) || measured_too_short(m) ||
	    (!m->chosen && !noise_is_gain(base->median_ns, c->median_ns)))
		return;
	p = measured_chance(c, base);
	if (c->n < measured_least_runs())
		snprintf(text, sizeof(text), "%d runs are too few to know whether that is chance: --runs %d", c->n,
		         measured_least_runs());
	else
		snprintf(text, sizeof(text), "%s%s%s is %s (rank-sum test: chance %s %.3f%s)",
		         m->chosen ? "" : c->words, m->chosen ? "" : ": ", change_of(change, m, c),
		         p <= MEASURED_SIGNIFICANT ? "significant" : "not significant", p < 0.001 ? "below" : "is",
		         p < 0.001 ? 0.001 : p, p <= MEASURED_SIGNIFICANT || p > 0.05 ? "" : ", and 0.022 would be");
	fprintf(f, "%*s", INDENT, "");
	wrap_text(f, text, INDENT, INDENT + HANG, WIDTH);
	putc('\n', f);
}

/*
 * How many of the runs, the shortest ones, are one group, where the others are another: at least two each, and far
 * from each other for how wide either is. Leaves the times sorted in `ns`. 0: they are no groups.
 */
static int first_group(const struct measured_case *c, int64_t ns[RANK_SUM_MAX])
{
	int at = 0, last = c->n - 1;
	double gap = MEASURED_LEAST_NS;

	memcpy(ns, c->ns, (size_t)c->n * sizeof(*ns));
	stats_sort_i64(ns, (size_t)c->n);
	for (int i = 2; i <= c->n - 2; i++)
		if ((double)(ns[i] - ns[i - 1]) > gap) {
			at = i;
			gap = (double)(ns[i] - ns[i - 1]);
		}
	if (!at || gap < MODES_DIFFER * (double)c->median_ns || gap < MODES_APART * (double)(ns[at - 1] - ns[0]) ||
	    gap < MODES_APART * (double)(ns[last] - ns[at]))
		return 0;
	return at;
}

/* A median of runs of two kinds is that of the kind there was more of in this hour. */
static void print_modes(const struct measured *m, FILE *f)
{
	for (int i = 0; i < m->count; i++) {
		const struct measured_case *c = &m->cases[i];
		char text[MEASURED_SENTENCE], shorter[16], longer[16];
		int64_t ns[RANK_SUM_MAX];
		int n;

		if (m->simulated || !c->n || (i && i != m->chosen) || !(n = first_group(c, ns)))
			continue;
		snprintf(text, sizeof(text),
		         "%.256s has two speeds: %d runs of about %s, %d of about %s; know which production has",
		         i ? c->words : "as it is", n, time_text(shorter, ns[n / 2]), c->n - n,
		         time_text(longer, ns[n + (c->n - n) / 2]));
		fprintf(f, "%*s", INDENT, "");
		wrap_text(f, text, INDENT, INDENT + HANG, WIDTH);
		putc('\n', f);
	}
}

/* What a row is called: in words, or as its trial where that is too long or another setting has the same words. */
static const char *row_name(const struct measured *m, int i, int columns)
{
	const char *words = i ? m->cases[i].words : "as it is";

	if (words[text_shortened(words, columns)])
		return m->cases[i].name;
	for (int k = 1; i && k < m->count; k++)
		if (k != i && m->cases[k].n && strcmp(m->cases[k].words, words) == 0)
			return m->cases[i].name;
	return words;
}

void measured_print(const struct measured *m, FILE *f)
{
	char titles[128], text[16];
	struct table *t;
	int n, earlier = 0, trials = 0;

	if (m->chosen < 0)
		return;
	n = m->cases[m->chosen].n;
	if (n > 1)
		snprintf(titles, sizeof(titles), "<measured   in turns|runs|median|%s|to|change",
		         n >= STATS_MEDIAN_VALUES ? "95 %: from" : "from");
	else
		snprintf(titles, sizeof(titles), "<measured   1 run each|makespan|replayed|change");
	t = table_create(titles);
	for (int i = 0; i < m->count; i++) {
		const struct measured_case *c = &m->cases[i];
		int columns = n > 1 ? NAME_OF_RUNS : NAME;
		const char *name = row_name(m, i, columns);
		int length = (int)text_shortened(name, columns);

		if (!c->n)
			continue;
		trials |= name == c->name;
		table_cell(t, "%*s %.*s%s", INDENT - 1, i == m->chosen ? "*" : "", length, name,
		           name[length] ? "..." : "");
		if (n > 1)
			table_cell(t, "%d", c->n);
		table_cell(t, "%s", time_text(text, c->median_ns));
		if (n > 1) {
			table_cell(t, "%s", time_text(text, c->low_ns));
			table_cell(t, "%s", time_text(text, c->high_ns));
		} else {
			table_cell(t, "%s", c->predicted_ns < 0 ? "-" : time_text(text, c->predicted_ns));
		}
		if (has_difference(m, c))
			table_cell(t, "%s", change_of(text, m, c));
		else
			table_cell(t, "%s", is_earlier(m, c) ? "earlier" : "");
		earlier |= is_earlier(m, c);
	}
	table_print(t, f);
	table_free(t);
	fprintf(f, "%*s %s\n", INDENT - 1, "*", m->chosen ? "is what the config is" : "is what to keep");
	if (trials)
		fprintf(f, "%*s tuning.txt explains the names of trials\n", INDENT - 1, "");
	if (earlier)
		fprintf(f, "%*s earlier: in other rounds than the others, so not to be compared\n", INDENT - 1, "");
	print_significance(m, f);
	print_modes(m, f);
}
