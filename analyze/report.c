/* analyze/report.c - what is known of a run, gathered, and written for people. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/dag.h"
#include "core/machine.h"
#include "core/run.h"
#include "core/table.h"
#include "core/trace.h"

int report_init(struct report *r, const struct run *run, struct ht_err *err)
{
	*r = (struct report){.run = run, .makespan_ns = trace_makespan_ns(run->trace, NULL)};
	if (bounds_of(&r->bounds, run->dag, run->machine, err) != 0 ||
	    metrics_input_from_run(&r->input, run->trace, run->dag, run->machine, err) != 0)
		return -1;
	r->metrics = metrics_compute(run->dag, run->machine, &r->input);
	return findings_of_report(&r->findings, r, err);
}

void report_fini(struct report *r)
{
	findings_fini(&r->findings);
	metrics_free(r->metrics);
	metrics_input_fini(&r->input);
	*r = (struct report){0};
}

static void print_head(const struct report *r, FILE *f)
{
	char machine[128], span[16];

	fprintf(f, "%s: %" PRIu32 " tasks of %" PRIu32 " types on %s in %s", r->run->path, r->run->dag->ntasks,
	        r->run->dag->ntypes, machine_summary(r->run->machine, machine, sizeof(machine)),
	        time_text(span, r->makespan_ns));
	if (*r->run->scheduler)
		fprintf(f, " under %s", r->run->scheduler);
	fputs("\n\n", f);
}

static void print_bound(const struct report *r, FILE *f, const char *name, int64_t ns, const char *what)
{
	char text[16];

	fprintf(f, "%-14s %10s", name, time_text(text, ns));
	if (ns > 0)
		fprintf(f, "   the run took %.2f times that: %s", (double)r->makespan_ns / (double)ns, what);
	putc('\n', f);
}

static void print_limits(const struct report *r, FILE *f)
{
	fprintf(f, "%-14s", "idle");
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (r->metrics->archs >> a & 1)
			fprintf(f, "  %s %.1f %%", arch_name(a), 100 * r->metrics->idle[a]);
	putc('\n', f);
	print_bound(r, f, "critical path", r->bounds.critical_path_ns, "longest chain, every task at its fastest");
	print_bound(r, f, "area bound", r->bounds.area_ns, "all work shared out perfectly");
	putc('\n', f);
}

/* Four significant digits of a number without a unit, or a dash. */
static const char *number(char buf[16], double v)
{
	if (!isfinite(v))
		snprintf(buf, 16, "-");
	else if (fabs(v) >= 100)
		snprintf(buf, 16, fabs(v) >= 1e6 ? "%.2e" : "%.0f", v);
	else
		snprintf(buf, 16, fabs(v) >= 10 ? "%.1f" : "%.2f", v);
	return buf;
}

static void type_cells(struct table *t, const struct metrics_type *p, int first)
{
	char text[16];

	if (!first) {
		for (int i = 0; i < 4; i++)
			table_cell(t, "%s", "");
		return;
	}
	table_cell(t, "%.28s", p->name);
	table_cell(t, "%" PRIu32, p->count);
	table_cell(t, "%s", number(text, p->nod));
	table_cell(t, "%s", number(text, p->urt));
}

static void arch_cells(struct table *t, const struct metrics_arch *x, enum arch a)
{
	char text[16];

	table_cell(t, "%s", arch_name(a));
	if (x->legal)
		table_cell(t, "%.0f %%", 100 * x->share);
	else
		table_cell(t, "-");
	table_cell(t, "%s", time_text(text, x->mean_ns));
	table_cell(t, "%s", time_text(text, x->deviation_ns));
	table_cell(t, "%s", number(text, x->nrt));
	table_cell(t, "%s", number(text, x->diff));
	table_cell(t, "%s", number(text, x->rel_diff));
}

static void print_types(const struct report *r, FILE *f)
{
	struct table *t = table_create("<type|count|NOD|URT|<arch|share|mean|deviation|NRT|diff|rel_diff");
	char unit[16];
	int asks = 0;

	for (uint32_t p = 0; p < r->metrics->ntypes; p++) {
		const struct metrics_type *type = &r->metrics->types[p];
		int first = 1;

		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			if (!(r->metrics->archs >> a & 1))
				continue;
			type_cells(t, type, first);
			arch_cells(t, &type->arch[a], a);
			asks |= type->arch[a].legal && !type->arch[a].executed;
			first = 0;
		}
	}
	table_print(t, f);
	table_free(t);
	fprintf(f, "\nURT, NRT and diff are multiples of %s, what a task takes on average where it is fastest.\n",
	        time_text(unit, llround(r->metrics->unit_ns)));
	if (asks)
		fputs("A mean without a deviation is the performance model's: the type did not run there.\n", f);
}

void report_text(const struct report *r, FILE *f)
{
	print_head(r, f);
	findings_text(&r->findings, f);
	if (r->findings.count)
		putc('\n', f);
	print_limits(r, f);
	print_types(r, f);
}
