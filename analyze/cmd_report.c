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

struct report_options {
	const char *out, *config;
};

static int answer(char **words, void *options, struct ht_err *err)
{
	const struct report_options *how = options;
	struct report report = {0};
	struct drawing drawing = {0};
	struct outfile o = {0};
	struct config *tuned = NULL;
	int rc = -1;

	if (!how->out)
		return ht_err_set(err, "--output is missing: where to put the page (- is standard output)");
	if (report_open(&report, words[0], err) != 0)
		goto out;
	if (report_add_all(&report, err) != 0) {
		ht_err_wrap(err, "%s", words[0]);
		goto out;
	}
	tuned = how->config ? config_load(how->config, err) : NULL;
	if (how->config && !tuned)
		goto out;
	if (drawing_init(&drawing, report.run, err) != 0 || outfile_open(&o, how->out, err) != 0)
		goto out;
	page_write(o.f, &report, tuned, &drawing);
	rc = outfile_commit(&o, err);
out:
	outfile_abort(&o);
	drawing_fini(&drawing);
	report_fini(&report);
	config_free(tuned);
	return rc;
}

static int cmd_report_run(int argc, char **argv)
{
	struct report_options o = {0};
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &o.out, "FILE", "the page to write; - is standard output"},
		{OPTION_TEXT, 'c', "config", &o.config, "FILE", "show what was tuned for the run, too"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "report",
		.synopsis = "RUN [--config FILE] -o FILE",
		.summary =
			"Write all that is known of a run into one HTML file: findings, tables, plots, machine, config.",
		.epilogue = "  heterotune report run.ht --config tuned.xml -o report.html\n",
	};
	return command_run(argc, argv, specs, &usage, &(struct command_answer){"one RUN directory", 1, 1, 0, answer},
	                   &o);
}

const struct command cmd_report = {
	.name = "report",
	.summary = "write findings, tables and plots into one HTML file",
	.run = cmd_report_run,
};
