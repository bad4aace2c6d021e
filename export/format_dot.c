/* export/format_dot.c - the task graph of a run for Graphviz, types in the colours of the plots. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/utf8.h"
#include "core/dag/dag.h"
#include "core/execution/execution.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "export/export.h"

enum { MAX_TASKS = 5000 }; /* dot lays out some thousand nodes in a minute; more cannot be read */

/* A quoted string of the DOT language: a backslash would begin an escape of a label, an & an entity of HTML. */
static void put_text(FILE *f, const char *s)
{
	putc('"', f);
	for (int len; *s; s += len ? len : 1) {
		len = utf8_length(s);
		if (!len || (unsigned char)*s < 0x20 || *s == 0x7f)
			putc('?', f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (*s == '&')
			fputs("&amp;", f);
		else
			fwrite(s, 1, (size_t)len, f);
	}
	putc('"', f);
}

static void put_task(FILE *f, const struct run *r, const struct execution *e, uint32_t t)
{
	const struct dag *d = r->dag;
	uint32_t rgb = e->palette.groups[e->palette.group_of[dag_type_of(d, t)]].rgb;

	fprintf(f, "\tt%" PRIu32 " [label=", t);
	put_text(f, e->types[dag_type_of(d, t)]);
	fprintf(f, ", tooltip=\"job %" PRIu64 "\", fillcolor=\"#%06" PRIx32 "\", fontcolor=%s];\n",
	        (uint64_t)r->trace->tasks[d->tasks[t].trace_task].job, rgb,
	        299 * (rgb >> 16) + 587 * (rgb >> 8 & 255) + 114 * (rgb & 255) < 128000 ? "white" : "black");
}

static int write_dot(const struct export_source *s, const char *out, struct ht_err *err)
{
	const struct dag *d = s->run->dag;
	uint32_t n = s->limit && s->limit < d->ntasks ? (uint32_t)s->limit : d->ntasks;
	struct execution *e;
	struct outfile o;

	if (!s->limit && d->ntasks > MAX_TASKS)
		return ht_err_set(err,
		                  "the graph has %" PRIu32 " tasks, more than the %d that can be drawn and read: "
		                  "--limit N writes the first N",
		                  d->ntasks, MAX_TASKS);
	if (outfile_open(&o, out, err) != 0)
		return -1;
	e = execution_of_run(s->run);
	fputs("digraph ", o.f);
	put_text(o.f, e->name);
	fputs(" {\n", o.f);
	if (n < d->ntasks)
		fprintf(o.f, "\tlabel=\"the first %" PRIu32 " of %" PRIu32 " tasks, in the order of submission\";\n", n,
		        d->ntasks);
	for (uint32_t i = 0; i < e->ntypes; i++) {
		uint32_t rgb = e->palette.groups[e->palette.group_of[i]].rgb;

		fprintf(o.f, "\t// type %" PRIu32 ": ", i);
		for (const char *p = e->types[i]; *p; p++)
			putc((unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p, o.f);
		fprintf(o.f, ", #%06" PRIx32 "\n", rgb);
	}
	fputs("\tnode [shape=box, style=filled, penwidth=0, fontname=\"sans-serif\"];\n\tedge [color=\"#808080\"];\n",
	      o.f);
	for (uint32_t t = 0; t < n; t++)
		put_task(o.f, s->run, e, t);
	for (uint32_t t = 0; t < n; t++)
		for (uint32_t k = d->succ_first[t]; k < d->succ_first[t + 1]; k++)
			if (d->succ[k] < n)
				fprintf(o.f, "\tt%" PRIu32 " -> t%" PRIu32 ";\n", t, d->succ[k]);
	fputs("}\n", o.f);
	execution_free(e);
	return outfile_commit(&o, err);
}

const struct export_format format_dot = {
	.name = "dot",
	.mark = "digraph ",
	.summary = "the task graph of a run for Graphviz, in the colours of the plots",
	.from = EXPORT_RUN,
	.takes_limit = 1,
	.write = write_dot,
};
