/* analyze/page/page_config.c - the section of a report's page about the config that was tuned for the run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/page_config.h"

#include <string.h>

#include "analyze/page/html.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "core/config/priority_list_text.h"

/* The trials of baselines, as tune and compare name them; the config's own is the first bar. */
static const char *const baselines[] = {CONFIG_TRIAL_RECORDED_SCHEDULE,
                                        CONFIG_TRIAL_RUN,
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

enum { BASELINES = sizeof(baselines) / sizeof(*baselines) };

static void put_bar(FILE *f, const char *class, const char *name, const char *source, int64_t ns, int64_t longest_ns)
{
	char text[16];

	fprintf(f, "<tr class=\"%s\"><th scope=\"row\">", class);
	html_text(f, name);
	fprintf(f,
	        "</th><td class=\"t\">%s</td><td>%s</td><td class=\"t\"><span class=\"bar\" style=\"width:%.2f%%\"></span></td>"
	        "</tr>\n",
	        source, time_text(text, ns), 100.0 * (double)ns / (double)longest_ns);
}

/* The baselines that the config has trials of, the fastest first; returns their number. */
static int rank_baselines(const struct config *c, const struct config_trial *t[BASELINES])
{
	int n = 0;

	for (int i = 0; i < BASELINES; i++) {
		const struct config_trial *baseline = strcmp(baselines[i], c->chosen) == 0 ?
		                                              NULL :
		                                              config_trial_find(c, baselines[i]);
		int at = n;

		if (!baseline)
			continue;
		for (; at > 0 && t[at - 1]->makespan_ns > baseline->makespan_ns; at--)
			t[at] = t[at - 1];
		t[at] = baseline;
		n++;
	}
	return n;
}

static void put_bars(FILE *f, const struct config *c, const struct config_trial *ours)
{
	const struct config_trial *t[BASELINES];
	int n = rank_baselines(c, t);
	int64_t longest_ns = ours->makespan_ns > c->bound_ns ? ours->makespan_ns : c->bound_ns;

	if (n > 0 && t[n - 1]->makespan_ns > longest_ns)
		longest_ns = t[n - 1]->makespan_ns;
	fputs("<figure class=\"table\">\n<figcaption id=\"tuning-table\">Makespans: of the recorded run as it was measured, of all "
	      "others as they were replayed.</figcaption>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
	      "aria-labelledby=\"tuning-table\">\n<table class=\"bars\" aria-labelledby=\"tuning-table\">\n<thead><tr>"
	      "<th scope=\"col\" class=\"t\">schedule</th><th scope=\"col\" class=\"t\">from</th><th scope=\"col\">makespan</th>"
	      "<th scope=\"col\" class=\"t\"></th></tr></thead>\n<tbody>\n",
	      f);
	put_bar(f, "chosen", "this config", "replay", ours->makespan_ns, longest_ns);
	for (int i = 0; i < n; i++)
		put_bar(f, "other", strcmp(t[i]->name, CONFIG_TRIAL_RUN) == 0 ? "the recorded run" : t[i]->name,
		        strcmp(t[i]->source, "recorded") == 0 ? "measured" : "replay", t[i]->makespan_ns, longest_ns);
	if (c->bound_ns > 0)
		put_bar(f, "bound", "no schedule is below", "bound", c->bound_ns, longest_ns);
	fputs("</tbody>\n</table>\n</div>\n</figure>\n", f);
}

static void put_prediction(FILE *f, const struct config *c, const struct config_trial *ours)
{
	const struct config_trial *own = config_trial_find(c, CONFIG_TRIAL_RECORDED_SCHEDULE);
	char text[16];

	fputs("<p class=\"verdict\">", f);
	if (config_is_policy(c->policy) && strcmp(c->policy, "heteroprio") != 0)
		fputs("No setting of Heteroprio that was found is predicted to be clearly faster than <strong>", f);
	else
		fputs("The setting of Heteroprio that was chosen comes from <strong>", f);
	html_text(f, c->chosen);
	fputs("</strong>.", f);
	if (ours)
		fprintf(f, " It is predicted to take %s", time_text(text, ours->makespan_ns));
	if (ours && own && own->makespan_ns > 0)
		fprintf(f,
		        ", <strong>%+.1f %%</strong> against the recorded schedule replayed under the same rules (%s)",
		        100 * ((double)ours->makespan_ns / (double)own->makespan_ns - 1),
		        time_text(text, own->makespan_ns));
	fprintf(f, "%s It is the best of %d trials.</p>\n", ours ? "." : "", c->ntrials);
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
	const struct config_trial *ours = config_trial_find(c, c->chosen);

	fputs("<section id=\"tuning\">\n<h2>Tuning</h2>\n", f);
	put_prediction(f, c, ours);
	if (ours && ours->makespan_ns > 0)
		put_bars(f, c, ours);
	if (strcmp(c->policy, "heteroprio") == 0)
		put_lists(f, c);
	fputs("</section>\n", f);
}
