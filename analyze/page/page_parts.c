/* analyze/page/page_parts.c - sections of the page of a report that describe what was recorded. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/page_parts.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/page/html.h"
#include "core/base/table.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

/* What a manifest may put on the page: a command line is long, an environment may be huge. */
enum { MAX_ENTRIES = 200, MAX_VALUE = 2000 };

enum { MATRIX_NODES = 12 };

static void cell_node(struct table *t, const struct machine *m, int node)
{
	char name[32];

	table_cell(t, "%s", machine_node_name(m, node, name));
}

/* "20 cpu", of the workers whose memory node it is. */
static void cell_workers(struct table *t, const struct machine *m, int node)
{
	char text[256] = "";
	size_t used = 0;

	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		int n = 0;

		for (int w = 0; w < m->nworkers; w++)
			n += m->workers[w].node == node && m->workers[w].arch == a;
		if (n && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%d %s", used ? " + " : "", n,
			                         arch_name(a));
	}
	table_cell(t, "%s", *text ? text : "none");
}

static void put_nodes(FILE *f, const struct machine *m)
{
	struct table *t = table_create("<memory|<workers|capacity");
	char text[16];

	for (int n = 0; n < m->nnodes; n++) {
		cell_node(t, m, n);
		cell_workers(t, m, n);
		if (m->nodes[n].capacity_bytes > 0)
			table_cell(t, "%s", bytes_text(text, (double)m->nodes[n].capacity_bytes));
		else
			table_cell(t, "-");
	}
	html_table(f, t, "machine-nodes", "Memory nodes and the workers that compute in them.", NULL);
	table_free(t);
}

/* Few nodes: a square of bandwidths, from the row to the column. */
static struct table *link_square(const struct machine *m)
{
	struct table *t = table_create("<from / to");
	char text[32];

	for (int n = 0; n < m->nnodes; n++)
		table_column(t, machine_node_name(m, n, text), 0);
	for (int from = 0; from < m->nnodes; from++) {
		cell_node(t, m, from);
		for (int to = 0; to < m->nnodes; to++) {
			const struct machine_link *l = from == to ? NULL : machine_link_between(m, from, to);

			if (l)
				table_cell(t, "%s/s", bytes_text(text, l->bytes_per_s));
			else
				table_cell(t, "-");
		}
	}
	return t;
}

static struct table *link_list(const struct machine *m)
{
	struct table *t = table_create("<from|<to|bandwidth");
	char text[16];

	for (int i = 0; i < m->nlinks; i++) {
		cell_node(t, m, m->links[i].from);
		cell_node(t, m, m->links[i].to);
		table_cell(t, "%s/s", bytes_text(text, m->links[i].bytes_per_s));
	}
	return t;
}

static void put_links(FILE *f, const struct machine *m)
{
	int64_t low = INT64_MAX, high = 0;
	struct table *t;
	char a[16], b[16];

	if (m->nlinks == 0) {
		fputs("<p class=\"note\">Nothing is known of the links between memory nodes.</p>\n", f);
		return;
	}
	t = m->nnodes <= MATRIX_NODES ? link_square(m) : link_list(m);
	html_table(f, t, "machine-links", "Bandwidth between memory nodes.", NULL);
	table_free(t);
	for (int i = 0; i < m->nlinks; i++) {
		low = m->links[i].latency_ns < low ? m->links[i].latency_ns : low;
		high = m->links[i].latency_ns > high ? m->links[i].latency_ns : high;
	}
	fprintf(f, "<p class=\"note\">Latency: %s", time_text(a, low));
	if (high > low)
		fprintf(f, " to %s", time_text(b, high));
	fputs(".</p>\n", f);
}

void page_machine(FILE *f, const struct machine *m)
{
	fputs("<section id=\"machine\">\n<h2>Machine</h2>\n", f);
	if (*m->name) {
		fputs("<p>Host: ", f);
		html_text(f, m->name);
		fputs("</p>\n", f);
	}
	put_nodes(f, m);
	put_links(f, m);
	fputs("</section>\n", f);
}

static void put_entry(FILE *f, const char *key, const char *value)
{
	char text[MAX_VALUE + 1];

	fputs("<tr class=\"first\"><th scope=\"row\">", f);
	snprintf(text, sizeof(text), "%s", key);
	html_text(f, text);
	fputs("</th><td class=\"t\">", f);
	snprintf(text, sizeof(text), "%s", value);
	html_text(f, text);
	fputs(strlen(value) > MAX_VALUE ? " ...</td></tr>\n" : "</td></tr>\n", f);
}

static void put_count(FILE *f, const char *what, uint64_t n)
{
	char text[24];

	if (!n)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, n);
	put_entry(f, what, text);
}

void page_recording(FILE *f, const struct run *r)
{
	const struct trace_defects *d = &r->trace->defects;
	const struct manifest *m = &r->manifest;

	fputs("<section id=\"recording\">\n<h2>Recording</h2>\n<figure class=\"table\">\n"
	      "<figcaption id=\"recording-table\">The manifest of the run, and what was counted in its trace."
	      "</figcaption>\n<div class=\"scroll wrap\" role=\"region\" tabindex=\"0\" "
	      "aria-labelledby=\"recording-table\">\n<table aria-labelledby=\"recording-table\">\n<thead><tr><th scope=\"col\" class=\"t\">what</th><th scope=\"col\" class=\"t\">value</th></tr></thead>\n"
	      "<tbody>\n",
	      f);
	for (size_t i = 0; i < m->count && i < MAX_ENTRIES; i++)
		put_entry(f, m->entries[i].key, m->entries[i].value);
	put_entry(f, "trace", r->trace->source == TRACE_FXT ? "FxT" : "tasks.rec");
	put_count(f, "tasks", r->trace->ntasks);
	put_count(f, "copies", r->trace->ncopies);
	put_count(f, "flushes of the trace buffer", d->flushes);
	put_count(f, "unfinished tasks", d->unfinished);
	put_count(f, "ends without a start", d->unmatched);
	put_count(f, "events out of order", d->unordered);
	put_count(f, "gaps in the profiling", d->profiling_gaps);
	put_count(f, "bytes after the last whole event", d->truncated_bytes);
	put_count(f, "workers of unknown architecture", d->unknown_workers);
	put_count(f, "MPI ranks that are missing", d->missing_ranks);
	put_count(f, "accesses to unknown data", d->orphan_accesses);
	fputs("</tbody>\n</table>\n</div>\n</figure>\n</section>\n", f);
}
