/* tune/cmd_tune.c - heterotune tune: from a run to a config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/command.h"
#include "core/config.h"
#include "core/err.h"
#include "core/metrics.h"
#include "core/options.h"
#include "core/run.h"
#include "core/table.h"
#include "tune/heuristic.h"
#include "tune/tune.h"
#include "tune/tune_report.h"

struct tune_options {
	const char *output, *variant, *transfers;
	int json, all, list;
};

static void list_heuristics(void)
{
	struct table *t = table_create("<name|<source|<score, the largest first");

	for (int i = 0; heuristics[i]; i++) {
		table_cell(t, "%s", heuristics[i]->name);
		table_cell(t, "%s", heuristics[i]->source);
		table_cell(t, "%s", heuristics[i]->equation);
	}
	for (int i = 0; i < STARPU_ORDERINGS; i++) {
		table_cell(t, "starpu-%d", i);
		table_cell(t, "%s", starpu_orderings[i].name);
		table_cell(t, "%s", starpu_orderings[i].equation);
	}
	table_print(t, stdout);
	table_free(t);
}

static int check_options(const struct tune_options *o, struct ht_err *err)
{
	if (!o->output)
		return ht_err_set(err, "say where the config goes: -o FILE");
	if (strcmp(o->variant, "starpu") != 0 && strcmp(o->variant, "paper") != 0)
		return ht_err_set(err, "--policy-variant is starpu or paper, found \"%s\"", o->variant);
	if (strcmp(o->transfers, "on") != 0 && strcmp(o->transfers, "off") != 0)
		return ht_err_set(err, "--transfers is on or off, found \"%s\"", o->transfers);
	return 0;
}

static int answer(const char *path, const struct tune_options *o)
{
	struct tune_problem p = {.run = path};
	struct tune_result *r = NULL;
	struct metrics_input in = {0};
	struct metrics *metrics = NULL;
	struct run *run = NULL;
	struct ht_err err = {""};
	char *options = ht_asprintf("variant=%s", o->variant);
	int status = STATUS_CANNOT;

	if (check_options(o, &err) != 0)
		goto out;
	run = run_open(path, &err);
	if (!run)
		goto out;
	if (metrics_input_from_run(&in, run->trace, run->dag, run->machine, &err) != 0) {
		ht_err_wrap(&err, "%s", path);
		goto out;
	}
	p.dag = run->dag;
	p.machine = run->machine;
	p.trace = run->trace;
	p.policy_options = options;
	p.transfers = strcmp(o->transfers, "on") == 0 && simulate_has_transfers(run->dag, run->machine) ? TRANSFERS_ON
	                                                                                              : TRANSFERS_OFF;
	p.metrics = metrics = metrics_compute(run->dag, run->machine, &in);
	r = tune(&p, &err);
	if (!r) {
		ht_err_wrap(&err, "%s", path);
		goto out;
	}
	if (config_save(r->config, o->output, &err) != 0)
		goto out;
	if (o->json)
		tune_report_json(stdout, &p, r);
	else
		tune_report_text(stdout, &p, r, o->all ? TUNE_ROWS_ALL : TUNE_ROWS_BEST);
	status = STATUS_DONE;
out:
	if (status != STATUS_DONE)
		command_error("tune", &err);
	tune_result_free(r);
	metrics_free(metrics);
	metrics_input_fini(&in);
	run_free(run);
	free(options);
	return status;
}

static int run(int argc, char **argv)
{
	struct tune_options o = {.variant = "starpu", .transfers = "on"};
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &o.output, "FILE", "the config to write"},
		{OPTION_TEXT, 0, "policy-variant", &o.variant, "NAME",
	         "replay Heteroprio as StarPU has it (starpu) or as published (paper)"},
		{OPTION_TEXT, 0, "transfers", &o.transfers, "on|off",
	         "replay copies between memory nodes too (default: on)"},
		{OPTION_FLAG, 0, "all", &o.all, NULL, "show every trial, not the best of each kind"},
		{OPTION_FLAG, 0, "json", &o.json, NULL, "results as JSON"},
		{OPTION_FLAG, 0, "list", &o.list, NULL, "list the heuristics and their scores"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "tune",
		.synopsis = "RUN -o FILE",
		.summary = "Derive Heteroprio's priority lists and slow factors from a recorded run.",
		.epilogue = "  heterotune tune run.ht -o tuned.xml\n",
	};
	struct ht_err err = {""};
	int n = options_parse(argc, argv, specs, &usage, &err);

	if (n == -2)
		return STATUS_DONE;
	if (n >= 0 && o.list) {
		list_heuristics();
		return STATUS_DONE;
	}
	if (n >= 0 && n != 1)
		n = ht_err_set(&err, "expected one RUN directory, found %d", n);
	return n < 0 ? command_error("tune", &err) : answer(argv[0], &o);
}

const struct command cmd_tune = {
	.name = "tune",
	.summary = "derive a config from a run",
	.run = run,
};
