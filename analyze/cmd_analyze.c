/* analyze/cmd_analyze.c - heterotune analyze: what a run did, where, and what would have been possible. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "analyze/data/interval.h"
#include "analyze/data/task_metrics.h"
#include "analyze/data/timeline.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/command.h"
#include "core/base/csv.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/options.h"
#include "core/run/run.h"

struct analyze_options {
	int json, csv, metrics, workers, counters, copies, locality;
	const char *per_task, *per_message, *timeline, *interval;
};

static int write_timeline(const struct report *r, const struct analyze_options *o, struct csv *c, struct ht_err *err)
{
	const char *interval = o->interval ? o->interval : INTERVAL_DEFAULT;
	const struct timeline *tl = r->timeline;
	struct timeline_bins bins;

	if (timeline_bins_init(&bins, tl, interval_parse(interval, tl->span_ns), err) != 0)
		return -1;
	timeline_csv(tl, &bins, c);
	timeline_bins_fini(&bins);
	return 0;
}

enum { TASKS, MESSAGES, TIMELINE, FILES };

static int write_file(int file, const struct report *r, const struct analyze_options *o, struct csv *c,
                      struct ht_err *err)
{
	if (file == TIMELINE)
		return write_timeline(r, o, c, err);
	if (file == MESSAGES && !r->messages.nranks)
		return ht_err_set(err, "--per-message: the run has no messages: it is of one rank");
	if (file == MESSAGES)
		messages_csv(&r->messages, r->run->trace, r->run->dag, c);
	else
		task_metrics_csv(r->tasks, r->run, c);
	return 0;
}

/* All of them or none: each is whole beside its place before the first gets there. */
static int write_files(const struct report *r, const struct analyze_options *o, struct ht_err *err)
{
	const char *const paths[FILES] = {o->per_task, o->per_message, o->timeline};
	struct outfile files[FILES] = {{0}};
	int rc = 0;

	for (int i = 0; i < FILES && rc == 0; i++) {
		if (!paths[i])
			continue;
		rc = outfile_open(&files[i], paths[i], err);
		if (rc == 0)
			rc = write_file(i, r, o, &(struct csv){.f = files[i].f}, err);
		if (rc == 0)
			rc = outfile_flush(&files[i], err);
	}
	for (int i = 0; i < FILES; i++) {
		if (rc == 0 && paths[i])
			rc = outfile_commit(&files[i], err);
		outfile_abort(&files[i]);
	}
	return rc;
}

static int is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

/* What goes to standard output; a file given as "-" takes its place. */
static void write_report(const struct report *r, const struct analyze_options *o)
{
	if (o->json)
		report_json(r, stdout);
	else if (o->csv)
		report_table_csv(o->workers  ? &report_workers :
		                 o->counters ? &report_counters :
		                 o->copies   ? &report_copies :
		                 o->locality ? &report_locality :
		                               &report_types,
		                 r, stdout);
	else if (!is_stdout(o->per_task) && !is_stdout(o->per_message) && !is_stdout(o->timeline))
		report_text(r, stdout);
}

static int check_args(const struct analyze_options *o, struct ht_err *err)
{
	int to_stdout = o->json + o->csv;

	to_stdout += is_stdout(o->per_task) + is_stdout(o->per_message) + is_stdout(o->timeline);
	if (o->csv && o->workers + o->counters + o->copies + o->locality > 1)
		return ht_err_set(err, "--csv writes one table: --workers, --counters, --copies or --locality");
	if (o->json && o->csv)
		return ht_err_set(err, "--json and --csv exclude each other");
	if (to_stdout > 1)
		return ht_err_set(err,
		                  "only one of --json, --csv, --per-task -, --per-message - and --timeline - can go to "
		                  "standard output");
	if (run_check_output(o->per_task, "task,rank,job,", err) != 0 ||
	    run_check_output(o->per_message, "from,to,tag,", err) != 0 ||
	    run_check_output(o->timeline, "from_ns,to_ns,", err) != 0)
		return -1;
	if (o->interval && !o->timeline)
		return ht_err_set(err, "--interval is for --timeline");
	return o->interval ? interval_check(o->interval, err) : 0;
}

static int answer(char **words, void *options, struct ht_err *err)
{
	const struct analyze_options *o = options;
	const char *path = words[0];
	struct report report = {0};
	int status = -1;

	if (check_args(o, err) != 0)
		return -1;
	if (report_open(&report, path, err) != 0)
		goto out;
	if ((o->metrics || o->json || o->csv || o->per_task) && report_add_tasks(&report, err) != 0) {
		ht_err_wrap(err, "%s", path);
		goto out;
	}
	report.each_worker = o->workers;
	report.show_counters = o->counters;
	if (o->counters && !report.counters.nevents) {
		ht_err_set(err, "%s: has no counters: record it with 'heterotune collect --papi'", path);
		goto out;
	}
	report.each_copy = o->copies;
	if (o->locality)
		report_add_locality(&report);
	if (write_files(&report, o, err) != 0)
		goto out;
	write_report(&report, o);
	status = STATUS_DONE;
out:
	report_fini(&report);
	return status;
}

static int cmd_analyze_run(int argc, char **argv)
{
	struct analyze_options o = {0};
	const struct option_spec specs[] = {
		{OPTION_FLAG, 0, "workers", &o.workers, NULL, "show each worker, too; with --csv: only them"},
		{OPTION_FLAG, 0, "counters", &o.counters, NULL, "show PAPI counters by type; with --csv: only them"},
		{OPTION_FLAG, 0, "copies", &o.copies, NULL, "show copies over every link; with --csv: only them"},
		{OPTION_FLAG, 0, "locality", &o.locality, NULL,
	         "show what LAHeteroprio's formulas would have chosen; with --csv: only that"},
		{OPTION_FLAG, 0, "metrics", &o.metrics, NULL, "also what waits for the tasks, ranks, slack, speedups"},
		{OPTION_TEXT, 0, "per-task", &o.per_task, "FILE", "every metric of every task, as CSV"},
		{OPTION_TEXT, 0, "per-message", &o.per_message, "FILE",
	         "every message between ranks and what waited for it, as CSV"},
		{OPTION_TEXT, 0, "timeline", &o.timeline, "FILE", "tasks ready, pushed and popped over time, as CSV"},
		{OPTION_TEXT, 0, "interval", &o.interval, "LENGTH",
	         "of --timeline: 1/100 of the run (default), 5ms, 250us, ..."},
		{OPTION_FLAG, 0, "json", &o.json, NULL, "results as JSON"},
		{OPTION_FLAG, 0, "csv", &o.csv, NULL, "the metrics of the types as CSV"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "analyze",
		.synopsis = "RUN [--metrics] [--workers] [--counters] [--copies] [--locality] [--json | --csv] "
			    "[--per-task FILE] [--per-message FILE] [--timeline FILE]",
		.summary = "Show what a recorded run did: types of tasks, where they ran, where time went, bounds.",
		.epilogue = "  heterotune analyze run.ht\n"
			    "  heterotune analyze run.ht --per-task tasks.csv\n",
	};
	return command_run(argc, argv, specs, &usage, &(struct command_answer){"one RUN directory", 1, 1, 0, answer},
	                   &o);
}

const struct command cmd_analyze = {"analyze", "show what a run did and what limits it", cmd_analyze_run};
