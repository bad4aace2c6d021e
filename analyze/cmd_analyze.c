/* analyze/cmd_analyze.c - heterotune analyze: what a run did, where, and what would have been possible. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/report.h"
#include "core/command.h"
#include "core/err.h"
#include "core/options.h"
#include "core/run.h"

struct analyze_options {
	int json, csv, workers;
};

static int answer(const char *path, const struct analyze_options *o)
{
	struct report report = {0};
	struct ht_err err = {""};
	struct run *run = run_open(path, &err);
	int status = STATUS_CANNOT;

	if (!run)
		goto out;
	if (report_init(&report, run, &err) != 0) {
		ht_err_wrap(&err, "%s", path);
		goto out;
	}
	report.each_worker = o->workers;
	if (o->json)
		report_json(&report, stdout);
	else if (o->csv && o->workers)
		report_workers_csv(&report, stdout);
	else if (o->csv)
		report_csv(&report, stdout);
	else
		report_text(&report, stdout);
	status = STATUS_DONE;
out:
	if (status != STATUS_DONE)
		command_error("analyze", &err);
	report_fini(&report);
	run_free(run);
	return status;
}

static int cmd_analyze_run(int argc, char **argv)
{
	struct analyze_options o = {0};
	const struct option_spec specs[] = {
		{OPTION_FLAG, 0, "workers", &o.workers, NULL, "show each worker, too; with --csv: only them"},
		{OPTION_FLAG, 0, "json", &o.json, NULL, "results as JSON"},
		{OPTION_FLAG, 0, "csv", &o.csv, NULL, "the table as CSV"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "analyze",
		.synopsis = "RUN [--workers] [--json | --csv]",
		.summary = "Show what a recorded run did: types of tasks, where they ran, where time went, bounds.",
		.epilogue = "  heterotune analyze run.ht\n",
	};
	struct ht_err err = {""};
	int n = options_parse(argc, argv, specs, &usage, &err);

	if (n == -2)
		return STATUS_DONE;
	if (n >= 0 && o.json && o.csv)
		n = ht_err_set(&err, "--json and --csv exclude each other");
	if (n >= 0 && n != 1)
		n = ht_err_set(&err, "expected one RUN directory, found %d", n);
	return n < 0 ? command_error("analyze", &err) : answer(argv[0], &o);
}

const struct command cmd_analyze = {
	.name = "analyze",
	.summary = "show what a run did and what limits it",
	.run = cmd_analyze_run,
};
