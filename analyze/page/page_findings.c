/* analyze/page/page_findings.c - the section of a page with what limits the run, and what is wrong, worst first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/page_findings.h"

#include <math.h>
#include <string.h>

#include "analyze/page/glossary.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/report/report.h"
#include "core/base/err.h"
#include "core/base/table.h"

/* Where the page shows what a finding is about. */
static const struct {
	const char *finding, *at, *what;
	int is_plot;
} pictures[] = {
	{"submission", "timeline", "ready tasks in the timeline", 0},
	{"critical-path", "timeline", "the critical chain in the timeline", 0},
	{"area", "timeline", "the timeline", 0},
	{"transfers", "plot-bytes", "the copies over time", 1},
	{"links", "plot-bytes", "the copies over time", 1},
	{"copied-again", "plot-bytes", "the copies over time", 1},
	{"scheduling", "timeline", "the timeline", 0},
	{"starvation", "timeline", "ready tasks in the timeline", 0},
	{"ready", "timeline", "ready tasks in the timeline", 0},
	{"tail", "timeline", "the end of the timeline", 0},
	{"cores", "timeline", "the timeline", 0},
	{"crowd", "timeline", "the timeline", 0},
	{"faster-elsewhere", "plot-durations", "the durations by architecture", 1},
	{"architecture", "plot-durations", "the durations by architecture", 1},
	{"spread", "plot-durations", "the durations", 1},
	{"model-run", "plot-predicted", "durations beside the models", 1},
	{"model-deviation", "plot-predicted", "durations beside the models", 1},
	{"recording", "recording", "the recording", 0},
};

/* `drawn`: the page has plots, and ids of them. */
static void put_link(FILE *f, const char *finding, int drawn)
{
	for (size_t i = 0; i < sizeof(pictures) / sizeof(*pictures); i++)
		if (strcmp(pictures[i].finding, finding) == 0 && (drawn || !pictures[i].is_plot))
			fprintf(f, "<p class=\"see\"><a href=\"#%s\">See %s</a></p>\n", pictures[i].at,
			        pictures[i].what);
}

static void put_limits(FILE *f, const struct report *r)
{
	size_t wrong = findings_wrong(&r->findings);
	double gain = r->makespan_ns > 0 ? 1 - (double)r->bounds.largest_ns / (double)r->makespan_ns : 0;
	const char *which = bounds_largest_name(&r->bounds);
	char text[16];

	fputs("<p class=\"verdict\">", f);
	if (gain >= 0.01)
		fprintf(f,
		        "With the durations measured, no schedule on this machine takes less than %s (the %s): "
		        "at most <strong>%.0f %%</strong> of the time can be gained.",
		        time_text(text, r->bounds.largest_ns), which, 100 * gain);
	else
		fprintf(f,
		        "The run is within 1 %% of its bound, %s (the %s): <strong>with these durations no schedule "
		        "on this machine is faster</strong>.",
		        time_text(text, r->bounds.largest_ns), which);
	if (wrong)
		fprintf(f, " %zu thing%s to look at, worst first.", wrong, wrong == 1 ? "" : "s");
	else
		fputs(" Nothing was found to be wrong.", f);
	fputs("</p>\n", f);
}

/* "lost_ns" 4.07e7 is "lost: 40.7 ms"; the end of a name is its unit. */
static void put_evidence(FILE *f, const struct finding_evidence *e)
{
	static const char *const units[] = {"_ns", "_us", "_bytes", "_share"};
	size_t len = strlen(e->name), unit = 0, cut = 0;
	char text[32], small[16];

	for (; unit < sizeof(units) / sizeof(*units); unit++) {
		cut = strlen(units[unit]);
		if (len > cut && strcmp(e->name + len - cut, units[unit]) == 0)
			break;
		cut = 0;
	}
	unit = strcmp(e->name, "bytes") == 0 ? 2 : unit;
	fputs("<div><dt>", f);
	cut = unit == 3 ? 0 : cut;
	for (size_t i = 0; i < len - cut; i++)
		putc(e->name[i] == '_' ? ' ' : e->name[i], f);
	if (!isfinite(e->value))
		snprintf(text, sizeof(text), "-");
	else if (unit <= 1)
		snprintf(text, sizeof(text), "%s", time_text(small, llround(e->value * (unit ? 1000 : 1))));
	else if (unit == 2)
		snprintf(text, sizeof(text), "%s", bytes_text(small, e->value));
	else if (unit == 3)
		snprintf(text, sizeof(text), "%.1f %%", 100 * e->value);
	else
		snprintf(text, sizeof(text), "%.6g", e->value);
	fprintf(f, "</dt><dd>%s</dd></div>\n", text);
}

/* Item `i`; those that share an advice are in one element of the list. */
static void put_finding(FILE *f, const struct findings *all, size_t i, int drawn)
{
	const struct finding *x = &all->items[i];
	const char *level = x->severity >= 0.25 ? "high" : x->severity >= 0.05 ? "medium" : "low";

	if (!findings_share_advice(all, i))
		fprintf(f, "<li class=\"%s\">", level);
	fputs("<span class=\"stake\">", f);
	if (x->severity > 0)
		fprintf(f, "%s: %.3g %% at stake", x->name, 100 * x->severity);
	else
		fprintf(f, "%s: to know", x->name);
	fputs("</span>\n<h3>", f);
	glossary_text(f, x->sentence);
	fputs(".</h3>\n", f);
	if (x->nevidence) {
		fputs("<dl class=\"evidence\">\n", f);
		for (int e = 0; e < x->nevidence; e++)
			put_evidence(f, &x->evidence[e]);
		fputs("</dl>\n", f);
	}
	if (i + 1 < all->count && findings_share_advice(all, i + 1))
		return;
	if (*x->advice) {
		fputs("<p>", f);
		glossary_text(f, x->advice);
		fputs(".</p>\n", f);
	}
	put_link(f, x->name, drawn);
	fputs("</li>\n", f);
}

void page_findings(FILE *f, const struct report *r)
{
	struct ht_err ignored;
	int drawn = gnuplot_present(&ignored) == 0;

	fputs("<section id=\"findings\">\n<h2>What limits it, and findings</h2>\n", f);
	put_limits(f, r);
	if (r->findings.count) {
		fputs("<ol class=\"findings\">\n", f);
		for (size_t i = 0; i < r->findings.count; i++)
			put_finding(f, &r->findings, i, drawn);
		fputs("</ol>\n", f);
	}
	fputs("</section>\n", f);
}
