/* analyze/cmd_report.c - heterotune report: all that is known of a run, on one page. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/page.h"
#include "analyze/plots/drawing.h"
#include "analyze/report/report.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/options.h"
#include "core/config/config.h"
#include "core/run/run.h"

static int answer(const char *path, const char *config, const char *out)
{
	struct report report = {0};
	struct drawing drawing = {0};
	struct outfile o = {0};
	struct ht_err err = {""};
	struct run *run = run_open(path, &err);
	struct config *tuned = NULL;
	int rc = -1;

	if (!run)
		goto out;
	if (report_init(&report, run, &err) != 0 || report_add_all(&report, &err) != 0) {
		ht_err_wrap(&err, "%s", path);
		goto out;
	}
	tuned = config ? config_load(config, &err) : NULL;
	if (config && !tuned)
		goto out;
	if (drawing_init(&drawing, run, &err) != 0 || outfile_open(&o, out, &err) != 0)
		goto out;
	page_write(o.f, &report, tuned, &drawing);
	rc = outfile_commit(&o, &err);
out:
	outfile_abort(&o);
	drawing_fini(&drawing);
	report_fini(&report);
	config_free(tuned);
	run_free(run);
	return rc == 0 ? STATUS_DONE : command_error("report", &err);
}

static int cmd_report_run(int argc, char **argv)
{
	const char *out = NULL, *config = NULL;
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &out, "FILE", "the page to write; - is standard output"},
		{OPTION_TEXT, 'c', "config", &config, "FILE", "show what was tuned for the run, too"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "report",
		.synopsis = "RUN [--config FILE] -o FILE",
		.summary =
			"Write all that is known of a run into one HTML file: findings, tables, plots, machine, config.",
		.epilogue = "  heterotune report run.ht --config tuned.xml -o report.html\n",
	};
	struct ht_err err = {""};
	int n = options_parse(argc, argv, specs, &usage, &err);

	if (n == -2)
		return STATUS_DONE;
	if (n >= 0 && n != 1)
		n = ht_err_set(&err, "expected one RUN directory, found %d", n);
	if (n >= 0 && !out)
		n = ht_err_set(&err, "--output is missing: where to put the page (- is standard output)");
	return n < 0 ? command_error("report", &err) : answer(argv[0], config, out);
}

const struct command cmd_report = {
	.name = "report",
	.summary = "write findings, tables and plots into one HTML file",
	.run = cmd_report_run,
};
