/* analyze/page/page.c - a report as one HTML file: verdict, timeline, findings, tables, plots, machine, manifest. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/page.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/page/glossary.h"
#include "analyze/page/html.h"
#include "analyze/page/page.css.h"
#include "analyze/page/page.js.h"
#include "analyze/page/page_config.h"
#include "analyze/page/page_findings.h"
#include "analyze/page/page_parts.h"
#include "analyze/page/page_plots.h"
#include "analyze/page/page_timeline.h"
#include "analyze/page/page_verdict.h"
#include "analyze/page/timeline.js.h"
#include "analyze/page/timeline_read.js.h"
#include "analyze/plots/drawing.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/table.h"
#include "core/base/version.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/run.h"

/* A browser loads nothing, whatever a name in the run would have it do. */
static const char policy[] = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

static void put_head(FILE *f, const struct report *r, const struct drawing *d)
{
	char machine[128], span[16];

	fprintf(f,
	        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	        "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
	        "<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
	        policy);
	html_text(f, d->name);
	fprintf(f, " - heterotune report</title>\n<style>\n%s</style>\n</head>\n<body>\n", page_css);
	fputs("<a class=\"skip\" href=\"#findings\">To the findings</a>\n<header>\n<h1>", f);
	html_text(f, d->name);
	fprintf(f, "</h1>\n<p class=\"about\">%" PRIu32 " task%s of %" PRIu32 " type%s on ", r->run->dag->ntasks,
	        plural(r->run->dag->ntasks), r->run->dag->ntypes, plural(r->run->dag->ntypes));
	html_text(f, machine_summary(r->run->machine, machine, sizeof(machine)));
	fprintf(f, " in %s", time_text(span, r->makespan_ns));
	if (*r->run->scheduler) {
		fputs(" under ", f);
		html_text(f, r->run->scheduler);
	}
	if (*manifest_get(&r->run->manifest, "predicted"))
		fputs(", as predicted", f);
	fputs("</p>\n", f);
}

/* What the run has nothing to show in gets neither a section nor a link. */
static void put_navigation(FILE *f, struct table *const *tables, const struct config *tuned)
{
	fputs("<nav aria-label=\"Sections\"><ul>\n<li><a href=\"#timeline\">Timeline</a></li>\n"
	      "<li><a href=\"#findings\">Findings</a></li>\n",
	      f);
	if (tuned)
		fputs("<li><a href=\"#tuning\">Tuning</a></li>\n", f);
	for (int i = 0; report_tables[i]; i++) {
		if (!tables[i])
			continue;
		fprintf(f, "<li><a href=\"#%s\">", report_tables[i]->name);
		html_text(f, report_tables[i]->title);
		fputs("</a></li>\n", f);
	}
	fputs("<li><a href=\"#plots\">Plots</a></li>\n<li><a href=\"#machine\">Machine</a></li>\n"
	      "<li><a href=\"#recording\">Recording</a></li>\n</ul></nav>\n",
	      f);
}

static void put_tile(FILE *f, const char *what, const char *value, const char *detail)
{
	fputs("<div><dt>", f);
	glossary_text(f, what);
	fprintf(f, "</dt><dd>%s<small>%s</small></dd></div>\n", value, detail);
}

static void put_bound_tile(FILE *f, const struct report *r, const char *what, int64_t ns)
{
	char value[16], detail[64] = "";

	if (ns > 0)
		snprintf(detail, sizeof(detail), "the run: %s times that",
		         value_text(value, (double)r->makespan_ns / (double)ns));
	put_tile(f, what, time_text(value, ns), detail);
}

static void put_tiles(FILE *f, const struct report *r)
{
	char value[32], what[32], detail[32];

	fputs("<dl class=\"tiles\">\n", f);
	put_tile(f, "Makespan", time_text(value, r->makespan_ns), "first start to last end");
	put_bound_tile(f, r, "Critical path", r->bounds.critical_path_ns);
	put_bound_tile(f, r, "Area bound", r->bounds.area_ns);
	put_bound_tile(f, r, "Mixed bound", r->bounds.mixed_ns);
	if (r->bounds.exclusion_ns > r->bounds.critical_path_ns)
		put_bound_tile(f, r, "Exclusion bound", r->bounds.exclusion_ns);
	if (r->bounds.bus_ns >= 0)
		put_bound_tile(f, r, "Bus bound", r->bounds.bus_ns);
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		int workers = machine_workers_of(r->run->machine, a);

		if (!(r->metrics->archs >> a & 1))
			continue;
		snprintf(what, sizeof(what), "Idle, %s", arch_name(a));
		snprintf(value, sizeof(value), "%.1f %%", 100 * r->metrics->idle[a]);
		snprintf(detail, sizeof(detail), "of %d worker%s", workers, workers == 1 ? "" : "s");
		put_tile(f, what, value, detail);
	}
	fputs("</dl>\n", f);
}

/* What report_energy_text() writes as a line of columns, as a sentence. */
static void put_energy(FILE *f, const struct report *r)
{
	char *line = NULL, *s;
	size_t size;
	FILE *memory = open_memstream(&line, &size);

	if (!memory)
		return;
	report_energy_text(r, memory);
	fclose(memory);
	line[strcspn(line, "\n")] = '\0';
	s = line + strcspn(line, " ");
	s += strspn(s, " ");
	if (*s) {
		fputs("<p class=\"about\">Energy: ", f);
		html_text(f, s);
		fputs(".</p>\n", f);
	}
	free(line);
}

/* Lines of a note are broken for a terminal; one that ends a sentence ends a paragraph. */
static void put_note(FILE *f, const char *note)
{
	char line[REPORT_NOTE];

	while (*note) {
		size_t n = 0;

		for (; note[n] && n < sizeof(line) - 1 && !(note[n] == '\n' && n > 0 && note[n - 1] == '.'); n++)
			line[n] = note[n] == '\n' ? ' ' : note[n];
		line[n] = '\0';
		fputs("<p class=\"note\">", f);
		glossary_text(f, line);
		fputs("</p>\n", f);
		note += n;
		note += strspn(note, "\n");
	}
}

static void put_table(FILE *f, const struct report *r, const struct report_table *spec, const struct table *t,
                      const struct palette *palette)
{
	char note[REPORT_NOTE] = "", id[64];

	fprintf(f, "<section id=\"%s\">\n<h2>", spec->name);
	html_text(f, spec->title);
	fputs("</h2>\n", f);
	snprintf(id, sizeof(id), "%s-table", spec->name);
	html_table(f, t, id, spec->summary, palette);
	if (spec->note)
		spec->note(r, note);
	put_note(f, note);
	fputs("</section>\n", f);
}

enum { MAX_TABLES = 64 };

void page_write(FILE *f, const struct page *p)
{
	const struct report *r = p->report;
	const struct drawing *d = p->runs[0].drawing;
	struct table *tables[MAX_TABLES];
	int n = 0;

	for (; report_tables[n]; n++) {
		assert(n < MAX_TABLES);
		tables[n] = report_table_make(report_tables[n], r);
	}
	put_head(f, r, d);
	page_verdict(f, p);
	put_tiles(f, r);
	put_energy(f, r);
	put_navigation(f, tables, p->tuned);
	fputs("</header>\n<main>\n", f);
	page_timeline(f, p->runs, p->nruns, &r->bounds, &d->palette);
	page_findings(f, r);
	if (p->tuned)
		page_config(f, p->tuned);
	for (int i = 0; i < n; i++) {
		if (tables[i])
			put_table(f, r, report_tables[i], tables[i], &d->palette);
		table_free(tables[i]);
	}
	page_plots(f, d);
	page_machine(f, r->run->machine);
	page_recording(f, r->run);
	fprintf(f,
	        "</main>\n<footer>\n<p>Made by heterotune %s. What the numbers mean: heterotune-metrics(7).</p>\n"
	        "</footer>\n<script>\n%s%s%s</script>\n</body>\n</html>\n",
	        HETEROTUNE_VERSION, page_js, timeline_read_js, timeline_js);
}
