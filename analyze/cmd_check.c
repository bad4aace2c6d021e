/* analyze/cmd_check.c - heterotune check: what is wrong with a run, worst first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/finding.h"
#include "analyze/report.h"
#include "core/command.h"
#include "core/err.h"
#include "core/json.h"
#include "core/options.h"
#include "core/run.h"

static void list_checks(void)
{
	for (int i = 0; finding_checks[i]; i++)
		printf("%-17s %s\n", finding_checks[i]->name, finding_checks[i]->summary);
}

static void print_json(const struct findings *f)
{
	struct json j = {.f = stdout};

	json_open(&j, NULL, '{');
	findings_json(f, &j);
	json_close(&j, '}');
}

static int answer(const char *path, int json, int csv)
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
	if (json)
		print_json(&report.findings);
	else if (csv)
		findings_csv(&report.findings, stdout);
	else if (report.findings.count)
		findings_text(&report.findings, stdout);
	else
		puts("Nothing found.");
	status = findings_wrong(&report.findings) ? STATUS_NO : STATUS_DONE;
out:
	if (status == STATUS_CANNOT)
		command_error("check", &err);
	report_fini(&report);
	run_free(run);
	return status;
}

static int cmd_check_run(int argc, char **argv)
{
	int json = 0, csv = 0, list = 0;
	const struct option_spec specs[] = {
		{OPTION_FLAG, 0, "json", &json, NULL, "findings as JSON"},
		{OPTION_FLAG, 0, "csv", &csv, NULL, "findings as CSV: a line for each evidence"},
		{OPTION_FLAG, 0, "list", &list, NULL, "list the checks"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "check",
		.synopsis = "RUN [--json | --csv] | --list",
		.summary = "Say what is wrong with a recorded run, worst first, and what to do about it.",
		.epilogue = "  heterotune check run.ht\n",
	};
	struct ht_err err = {""};
	int n = options_parse(argc, argv, specs, &usage, &err);

	if (n == -2)
		return STATUS_DONE;
	if (n == 0 && list) {
		list_checks();
		return STATUS_DONE;
	}
	if (n >= 0 && json && csv)
		n = ht_err_set(&err, "--json and --csv exclude each other");
	if (n >= 0 && n != 1)
		n = ht_err_set(&err, "expected one RUN directory, found %d", n);
	return n < 0 ? command_error("check", &err) : answer(argv[0], json, csv);
}

const struct command cmd_check = {
	.name = "check",
	.summary = "say what is wrong with a run, and what to do",
	.run = cmd_check_run,
};
