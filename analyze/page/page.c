/* analyze/page/page.c - a report as one HTML file: findings, tables, plots, machine, manifest. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/page.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/page/html.h"
#include "analyze/page/page_config.h"
#include "analyze/page/page_parts.h"
#include "analyze/plots/drawing.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/table.h"
#include "core/base/version.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

/* What all SVG drawings of a page may have before base64; a drawing that does not fit into the rest is a PNG. */
enum { SVG_BYTES = 3 << 20 };

static void put_head(FILE *f, const struct report *r, const struct drawing *d)
{
	char machine[128], span[16];

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
	      f);
	html_text(f, d->name);
	fputs(" - heterotune report</title>\n<style>\n", f);
	fputs(page_style, f);
	fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#findings\">To the findings</a>\n"
	      "<header>\n<h1>",
	      f);
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
	fputs("<nav aria-label=\"Sections\"><ul>\n<li><a href=\"#findings\">Findings</a></li>\n", f);
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
	fprintf(f, "<div><dt>%s</dt><dd>%s<small>%s</small></dd></div>\n", what, value, detail);
}

static void put_bound_tile(FILE *f, const struct report *r, const char *what, int64_t ns)
{
	char value[16], detail[64] = "";

	if (ns > 0)
		snprintf(detail, sizeof(detail), "the run: %.3g times that", (double)r->makespan_ns / (double)ns);
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

static void put_verdict(FILE *f, const struct report *r)
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

static void put_finding(FILE *f, const struct finding *x)
{
	const char *level = x->severity >= 0.25 ? "high" : x->severity >= 0.05 ? "medium" : "low";

	fprintf(f, "<li class=\"%s\"><span class=\"stake\">", level);
	if (x->severity > 0)
		fprintf(f, "%s: %.3g %% at stake", x->name, 100 * x->severity);
	else
		fprintf(f, "%s: to know", x->name);
	fputs("</span>\n<h3>", f);
	html_text(f, x->sentence);
	fputs(".</h3>\n", f);
	if (*x->advice) {
		fputs("<p>", f);
		html_text(f, x->advice);
		fputs(".</p>\n", f);
	}
	if (x->nevidence) {
		fputs("<dl class=\"evidence\">\n", f);
		for (int i = 0; i < x->nevidence; i++)
			put_evidence(f, &x->evidence[i]);
		fputs("</dl>\n", f);
	}
	fputs("</li>\n", f);
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
		html_text(f, line);
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

/* NULL with the sentence on failure. */
static char *draw(const struct plot *p, const struct plot_input *in, enum gnuplot_term term, size_t *len,
                  struct ht_err *err)
{
	struct gnuplot *g = gnuplot_create(term, err);
	char *picture = NULL;

	if (g && p->write(in, g, err) == 0)
		picture = gnuplot_draw(g, len, err);
	gnuplot_free(g);
	return picture;
}

static void put_base64(FILE *f, const unsigned char *s, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		uint32_t v = (uint32_t)s[i] << 16 | (i + 1 < len ? (uint32_t)s[i + 1] << 8 : 0) |
		             (i + 2 < len ? s[i + 2] : 0);

		putc(digits[v >> 18], f);
		putc(digits[v >> 12 & 63], f);
		putc(i + 1 < len ? digits[v >> 6 & 63] : '=', f);
		putc(i + 2 < len ? digits[v & 63] : '=', f);
	}
}

/*
 * As an image in a data: URL, in which a browser runs no script and loads nothing, whatever gnuplot drew. Takes what an
 * SVG drawing needs from svg_left.
 */
static int put_picture(FILE *f, const struct plot *p, const struct plot_input *in, const char *label, size_t *svg_left,
                       struct ht_err *err)
{
	const char *type = "svg+xml";
	size_t len = 0;
	char *picture = draw(p, in, TERM_SVG, &len, err);

	if (picture && len <= *svg_left) {
		*svg_left -= len;
	} else if (picture) {
		free(picture);
		picture = draw(p, in, TERM_PNG, &len, err);
		type = "png";
	}
	if (!picture)
		return -1;
	fprintf(f, "<img aria-labelledby=\"%s\" alt=\"\" src=\"data:image/%s;base64,", label, type);
	put_base64(f, (const unsigned char *)picture, len);
	fputs("\">\n", f);
	free(picture);
	return 0;
}

static void put_plot(FILE *f, const struct plot *p, const struct drawing *d, size_t *svg_left)
{
	struct ht_err err = {""};
	char label[80], *drawn = NULL;
	size_t size;
	FILE *memory = open_memstream(&drawn, &size);
	int rc;

	snprintf(label, sizeof(label), "%s-caption", p->name);
	rc = memory ? put_picture(memory, p, &d->input, label, svg_left, &err) : ht_err_set(&err, "out of memory");
	if (memory)
		fclose(memory);
	fputs("<figure class=\"plot\">\n", f);
	if (rc == 0) {
		fprintf(f, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s\">\n", label);
		fputs(drawn, f);
		fputs("</div>\n", f);
	}
	fprintf(f, "<figcaption id=\"%s\"><strong>%s</strong>: ", label, p->name);
	html_text(f, p->summary);
	if (rc != 0) {
		fputs(". Not drawn: ", f);
		html_text(f, err.text);
	}
	fputs("</figcaption>\n</figure>\n", f);
	free(drawn);
}

static void put_plots(FILE *f, const struct drawing *d)
{
	struct ht_err err = {""};
	size_t svg_left = SVG_BYTES;

	fputs("<section id=\"plots\">\n<h2>Plots</h2>\n", f);
	if (gnuplot_present(&err) == 0) {
		for (int i = 0; plots[i]; i++)
			put_plot(f, plots[i], d, &svg_left);
	} else {
		fputs("<p class=\"note\">Without plots: ", f);
		html_text(f, err.text);
		fputs(".</p>\n", f);
	}
	fputs("</section>\n", f);
}

enum { MAX_TABLES = 64 };

void page_write(FILE *f, const struct report *r, const struct config *tuned, const struct drawing *d)
{
	struct table *tables[MAX_TABLES];
	int n = 0;

	for (; report_tables[n]; n++) {
		assert(n < MAX_TABLES);
		tables[n] = report_table_make(report_tables[n], r);
	}
	put_head(f, r, d);
	put_tiles(f, r);
	put_energy(f, r);
	put_navigation(f, tables, tuned);
	fputs("</header>\n<main>\n", f);
	fputs("<section id=\"findings\">\n<h2>Verdict and findings</h2>\n", f);
	put_verdict(f, r);
	if (r->findings.count) {
		fputs("<ol class=\"findings\">\n", f);
		for (size_t i = 0; i < r->findings.count; i++)
			put_finding(f, &r->findings.items[i]);
		fputs("</ol>\n", f);
	}
	fputs("</section>\n", f);
	if (tuned)
		page_config(f, tuned);
	for (int i = 0; i < n; i++) {
		if (tables[i])
			put_table(f, r, report_tables[i], tables[i], &d->palette);
		table_free(tables[i]);
	}
	put_plots(f, d);
	page_machine(f, r->run->machine);
	page_recording(f, r->run);
	fprintf(f,
	        "</main>\n<footer>\n<p>Made by heterotune %s. What the numbers mean: heterotune-metrics(7).</p>\n"
	        "</footer>\n</body>\n</html>\n",
	        HETEROTUNE_VERSION);
}
