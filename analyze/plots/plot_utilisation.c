/* analyze/plots/plot_utilisation.c - plot: share of the workers of each architecture that execute, over time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/gnuplot.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"
#include "core/trace/trace.h"

enum { WIDTH = 1200, HEIGHT = 600, COLUMNS = 200 };

struct busy {
	const struct trace *trace;
	int64_t ns[COLUMNS][ARCH_COUNT], total[ARCH_COUNT];
	size_t workers[ARCH_COUNT];
};

static void busy_add(void *ctx, const struct timeline_task *task, size_t column, int64_t ns)
{
	struct busy *b = ctx;
	enum arch a = b->trace->workers[task->worker].arch;

	if (a != ARCH_NONE) {
		b->ns[column][a] += ns;
		b->total[a] += ns;
	}
}

/* Lines "FROM SHARE" (ns, percent), one a slice, and one after the last. */
static int write_arch(struct gnuplot *g, const char *name, const struct busy *b, enum arch a, const struct timeline *tl,
                      struct ht_err *err)
{
	FILE *f = gnuplot_data(g, name, err);
	double share = 0;

	if (!f)
		return -1;
	for (size_t c = 0; c < COLUMNS; c++) {
		int64_t from = timeline_slice_ns(tl, c, COLUMNS), to = timeline_slice_ns(tl, c + 1, COLUMNS);

		share = to > from ? 100.0 * (double)b->ns[c][a] / ((double)(to - from) * (double)b->workers[a]) : 0;
		fprintf(f, "%" PRId64 " %.6g\n", from, share);
	}
	fprintf(f, "%" PRId64 " %.6g\n", tl->span_ns, share);
	return 0;
}

static void write_curve(FILE *script, const struct plot_input *in, const struct busy *b, enum arch a,
                        const struct plot_unit *u, const char *file)
{
	double all = (double)in->timeline->span_ns * (double)b->workers[a];
	char text[80];

	snprintf(text, sizeof(text), "%zu %s, mean %.1f %%", b->workers[a], arch_name(a),
	         all > 0 ? 100 * (double)b->total[a] / all : 0);
	fprintf(script,
	        "  '%s' using ($1/%" PRId64 "):2 with steps linewidth 1.8 linecolor rgb '#%06" PRIx32 "' title ", file,
	        u->ns, palette_arch(a));
	gnuplot_text(script, text);
	fputs(", \\\n", script);
}

static int write_curves(const struct plot_input *in, struct gnuplot *g, const struct busy *b, struct ht_err *err)
{
	FILE *script = gnuplot_script(g, WIDTH, HEIGHT);
	struct plot_unit u;

	plot_title(script, in, "Utilisation", "share of the workers of an architecture that execute a task");
	fputs("set ylabel 'busy workers (%)'\nset yrange [0:105]\n", script);
	u = plot_time_axis(script, in);
	fputs("plot \\\n", script);
	for (int a = 0; a < ARCH_COUNT; a++) {
		char name[32];

		if (!b->workers[a])
			continue;
		snprintf(name, sizeof(name), "%s.dat", arch_name((enum arch)a));
		if (write_arch(g, name, b, (enum arch)a, in->timeline, err) != 0)
			return -1;
		write_curve(script, in, b, (enum arch)a, &u, name);
	}
	fputs("  NaN notitle\n", script);
	return 0;
}

static int write_utilisation(const struct plot_input *in, struct gnuplot *g, struct ht_err *err)
{
	const struct trace *t = in->timeline->trace;
	struct busy *b = ht_alloc(1, sizeof(*b));
	int rc;

	b->trace = t;
	for (size_t w = 0; w < t->nworkers; w++)
		if (t->workers[w].arch != ARCH_NONE)
			b->workers[t->workers[w].arch]++;
	timeline_overlaps(in->timeline, COLUMNS, busy_add, b);
	rc = write_curves(in, g, b, err);
	free(b);
	return rc;
}

const struct plot plot_utilisation = {
	.name = "utilisation",
	.summary = "share of the workers of each architecture that execute a task, over time",
	.use = PLOT_CHART,
	.write = write_utilisation,
};
