/* analyze/report/report.c - what is known of a run, gathered, and written for people. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/report/report.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/data/data_state.h"
#include "analyze/data/task_metrics.h"
#include "analyze/data/timeline.h"
#include "analyze/report/report_table.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/table.h"
#include "core/base/wrap.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

const struct report_table *const report_tables[] = {
	&report_types,   &report_tasks,  &report_tasks_arch, &report_time_breakdown, &report_worker_time,
	&report_workers, &report_ranks,  &report_messages,   &report_links,          &report_counters,
	&report_energy,  &report_copies, &report_memories,   &report_locality,       NULL,
};

struct records *report_table_records(const struct report_table *t, const struct report *r)
{
	struct records *x = records_create(t->columns);

	t->fill(r, x);
	return x;
}

struct table *report_table_make(const struct report_table *t, const struct report *r)
{
	struct records *x = t->is_shown && !t->is_shown(r) ? NULL : report_table_records(t, r);
	struct table *made = x ? records_table(x) : NULL;

	records_free(x);
	return made;
}

void report_table_csv(const struct report_table *t, const struct report *r, FILE *f)
{
	struct records *x = report_table_records(t, r);

	records_csv(x, f);
	records_free(x);
}

void report_table_json(const struct report_table *t, const struct report *r, const char *key, struct json *j)
{
	struct records *x = report_table_records(t, r);

	records_json(x, key, j);
	records_free(x);
}

static void add_data(struct report *r)
{
	if (!r->data)
		r->data = data_state_best(r->run->trace);
}

static void collect_findings(struct report *r)
{
	const struct run *run = r->run;

	if (r->makespan_ns > 0)
		findings_collect(&r->findings, &(struct finding_input){
						       .trace = run->trace,
						       .dag = run->dag,
						       .machine = run->machine,
						       .models = run->models,
						       .bounds = &r->bounds,
						       .metrics = r->metrics,
						       .times = &r->times,
						       .idle = &r->idle,
						       .copies = &r->copies,
						       .memories = &r->memories,
						       .scheduler = run->scheduler,
						       .manifest = &run->manifest,
						       .overheads = &run->conditions.overheads,
						       .makespan_ns = r->makespan_ns,
					       });
}

int report_init(struct report *r, const struct run *run, struct ht_err *err)
{
	*r = (struct report){.run = run, .makespan_ns = trace_makespan_ns(run->trace, NULL)};
	if (bounds_of(&r->bounds, run->dag, run->machine,
	              run_has_copies(run) ? BOUNDS_WITH_COPIES : BOUNDS_WITHOUT_COPIES, err) != 0 ||
	    metrics_input_from_run(&r->input, run->trace, run->dag, run->machine, err) != 0)
		return -1;
	r->metrics = metrics_compute(run->dag, run->machine, &r->input);
	r->timeline = timeline_create(run->trace, run->dag, err);
	if (!r->timeline)
		return -1;
	task_counters_init(&r->counters, run->trace, &run->manifest);
	worker_times_init(&r->times, r->timeline, run->trace, run->dag);
	assert(!worker_times_check(&r->times));
	time_breakdown_init(&r->time_breakdown, &r->bounds, run->dag, run->machine, run->trace, &r->times);
	idle_init(&r->idle, &r->times, r->timeline, run->trace, run->dag);
	if (r->run->trace->ncopies) {
		add_data(r);
		memories_init(&r->memories, r->run->trace, r->data);
	}
	if (run->trace->nranks > 1)
		messages_init(&r->messages, run->trace, run->dag);
	copies_init(&r->copies, r->run->trace, r->run->machine, r->data);
	collect_findings(r);
	return 0;
}

int report_open(struct report *r, const char *path, struct ht_err *err)
{
	struct run *run = run_open(path, err);
	int rc;

	*r = (struct report){0};
	if (!run)
		return -1;
	rc = report_init(r, run, err);
	r->opened = run;
	return rc == 0 ? 0 : ht_err_wrap(err, "%s", path);
}

int report_add_tasks(struct report *r, struct ht_err *err)
{
	r->tasks = ht_alloc(1, sizeof(*r->tasks));
	return task_metrics_init(r->tasks, r->run->dag, r->run->machine, r->metrics, err);
}

void report_add_locality(struct report *r)
{
	add_data(r);
	bmd_init(&r->bmd, r->timeline, r->run->dag, r->run->machine, r->data, 0);
	r->has_locality = 1;
}

int report_add_all(struct report *r, struct ht_err *err)
{
	r->each_worker = r->each_copy = r->show_counters = 1;
	report_add_locality(r);
	return report_add_tasks(r, err);
}

void report_fini(struct report *r)
{
	if (r->tasks)
		task_metrics_fini(r->tasks);
	free(r->tasks);
	findings_fini(&r->findings);
	bmd_fini(&r->bmd);
	copies_fini(&r->copies);
	memories_fini(&r->memories);
	messages_fini(&r->messages);
	data_state_free(r->data);
	worker_times_fini(&r->times);
	task_counters_fini(&r->counters);
	timeline_free(r->timeline);
	metrics_free(r->metrics);
	metrics_input_fini(&r->input);
	run_free(r->opened);
	*r = (struct report){0};
}

enum { WIDTH = 80 };

static void print_bound(const struct report *r, FILE *f, const char *name, int64_t ns, const char *what)
{
	char text[16], ratio[128];
	int at = fprintf(f, "%-15s %10s", name, time_text(text, ns)), indent = at + 3;

	if (ns > 0) {
		snprintf(ratio, sizeof(ratio), "run: %.2f times that; %s", (double)r->makespan_ns / (double)ns, what);
		fprintf(f, "%*s", indent - at, "");
		wrap_text(f, ratio, indent, indent, WIDTH);
	}
	putc('\n', f);
}

/* A note has line breaks where it is written: those after a sentence stay. */
static void print_note(char *note, FILE *f)
{
	char *line = note;

	putc('\n', f);
	for (char *s = note; *s; s++) {
		if (*s != '\n')
			continue;
		*s = ' ';
		if (s > note && s[-1] == '.') {
			*s = '\0';
			wrap_text(f, line, 0, 0, WIDTH);
			putc('\n', f);
			line = s + 1;
		}
	}
	wrap_text(f, line, 0, 0, WIDTH);
	putc('\n', f);
}

static void print_tables(const struct report *r, FILE *f)
{
	for (int i = 0; report_tables[i]; i++) {
		struct table *t = report_table_make(report_tables[i], r);
		char note[REPORT_NOTE] = "";

		if (!t)
			continue;
		if (i)
			fprintf(f, "\n%s\n", report_tables[i]->title);
		table_print(t, f);
		table_free(t);
		if (report_tables[i]->note)
			report_tables[i]->note(r, note);
		if (*note)
			print_note(note, f);
	}
}

void report_text(const struct report *r, FILE *f)
{
	char machine[128], span[16];

	fprintf(f, "%s: %" PRIu32 " task%s of %" PRIu32 " type%s on %s in %s", r->run->path, r->run->dag->ntasks,
	        plural(r->run->dag->ntasks), r->run->dag->ntypes, plural(r->run->dag->ntypes),
	        machine_summary(r->run->machine, machine, sizeof(machine)), time_text(span, r->makespan_ns));
	if (*r->run->scheduler)
		fprintf(f, " under %s", r->run->scheduler);
	if (*manifest_get(&r->run->manifest, "predicted"))
		fputs(", as predicted", f);
	if (r->bounds.largest_ns > 0)
		fprintf(f, ", %.2f times the %s", (double)r->makespan_ns / (double)r->bounds.largest_ns,
		        bounds_largest_name(&r->bounds));
	fputs("\n\n", f);
	if (r->makespan_ns > 0)
		fprintf(f, "No schedule is more than %.0f %% shorter. ",
		        100 * fmax(0, 1 - (double)r->bounds.largest_ns / (double)r->makespan_ns));
	findings_text(&r->findings, f);
	putc('\n', f);
	fprintf(f, "%-15s", "idle");
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (r->metrics->archs >> a & 1)
			fprintf(f, "  %s %.1f %%", arch_name(a), 100 * r->metrics->idle[a]);
	putc('\n', f);
	print_bound(r, f, "critical path", r->bounds.critical_path_ns, "longest chain at its fastest");
	if (r->bounds.exclusion_ns > r->bounds.critical_path_ns)
		print_bound(r, f, "exclusion bound", r->bounds.exclusion_ns, "tasks that commute do so in turn");
	print_bound(r, f, "area bound", r->bounds.area_ns, "all work shared out perfectly");
	if (r->bounds.bus_ns <= r->bounds.exclusion_ns)
		print_bound(r, f, "mixed bound", r->bounds.mixed_ns, "with time for long chains");
	else
		print_bound(r, f, "bus bound", r->bounds.bus_ns, "with chains and copies");
	report_energy_text(r, f);
	putc('\n', f);
	print_tables(r, f);
}
