/* analyze/cmd_check.c - heterotune check: what is wrong with a run, worst first. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "analyze/findings/finding.h"
#include "analyze/report/report.h"
#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/options.h"
#include "core/perfmodel/model.h"

static void list_checks(void)
{
	for (const struct finding_check *c = finding_checks; c->name; c++)
		printf("%-17s %s\n", c->name, c->summary);
}

struct check_options {
	int json, csv;
	const char *models, *hosts;
};

static int write_findings(const struct findings *f, const struct check_options *o)
{
	struct json j = {.f = stdout};

	if (o->json) {
		json_open(&j, NULL, '{');
		findings_json(f, &j);
		json_close(&j, '}');
	} else if (o->csv) {
		findings_csv(f, stdout);
	} else if (f->count) {
		findings_text(f, stdout);
	} else {
		puts("Nothing found.");
	}
	return findings_wrong(f) ? STATUS_NO : STATUS_DONE;
}

static int check_run(const char *path, const struct check_options *o, struct ht_err *err)
{
	struct report report = {0};
	int status = report_open(&report, path, err) == 0 ? write_findings(&report.findings, o) : -1;

	report_fini(&report);
	return status;
}

/* "HOST" or "HOST,OTHER"; NULL: the only one there is. */
static int check_models(const struct check_options *o, struct ht_err *err)
{
	const char *comma = o->hosts ? strchr(o->hosts, ',') : NULL;
	char *host = o->hosts ? ht_strndup(o->hosts, comma ? (size_t)(comma - o->hosts) : strlen(o->hosts)) : NULL;
	struct model_set *models = model_set_create(), *other = comma ? model_set_create() : NULL;
	struct findings found = {0};
	int status = -1;

	if (model_set_add_dir(models, o->models, host, err) != 0 ||
	    (other && model_set_add_dir(other, o->models, comma + 1, err) != 0))
		goto out;
	if (!models->count || (other && !other->count)) {
		ht_err_set(err, "%s: no performance model of %s", o->models,
		           models->count ? comma + 1 :
		           host          ? host :
		                           "any host");
		goto out;
	}
	findings_of_models(&found, models, other);
	status = write_findings(&found, o);
out:
	findings_fini(&found);
	model_set_free(models);
	model_set_free(other);
	free(host);
	return status;
}

static int check_args(const struct check_options *o, const char *run, struct ht_err *err)
{
	if (o->json && o->csv)
		return ht_err_set(err, "--json and --csv exclude each other");
	if (o->hosts && !o->models)
		return ht_err_set(err, "--host is one of --models");
	if (o->hosts && (!*o->hosts || *o->hosts == ',' || o->hosts[strlen(o->hosts) - 1] == ','))
		return ht_err_set(err, "--host: expected HOST or HOST,OTHER, found \"%s\"", o->hosts);
	if (o->models && run)
		return ht_err_set(err, "--models takes no RUN directory, found %s", run);
	if (!o->models && !run)
		return ht_err_set(err, "expected one RUN directory, found 0: see --help");
	return 0;
}

static int answer(char **words, void *options, struct ht_err *err)
{
	const struct check_options *o = options;

	if (check_args(o, words[0], err) != 0)
		return -1;
	return o->models ? check_models(o, err) : check_run(words[0], o, err);
}

static int cmd_check_run(int argc, char **argv)
{
	struct check_options o = {0};
	const struct option_spec specs[] = {
		{OPTION_TEXT, 0, "models", &o.models, "DIR", "check the performance models of DIR instead of a run"},
		{OPTION_TEXT, 0, "host", &o.hosts, "HOST[,OTHER]", "those of HOST, and how they differ from OTHER's"},
		{OPTION_FLAG, 0, "json", &o.json, NULL, "findings as JSON"},
		{OPTION_FLAG, 0, "csv", &o.csv, NULL, "findings as CSV"},
		{OPTION_LIST, 0, "list", NULL, NULL, "list the checks"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "check",
		.synopsis = "RUN [--json | --csv] | --models DIR [--host HOST[,OTHER]] | --list",
		.summary = "Say what is wrong with a recorded run, worst first, and what to do about it.",
		.epilogue = "  heterotune check run.ht\n"
			    "  heterotune check --models ~/.starpu/sampling --host sirocco\n",
		.list = list_checks,
	};
	return command_run(argc, argv, specs, &usage, &(struct command_answer){"one RUN directory", 0, 1, 0, answer},
	                   &o);
}

const struct command cmd_check = {"check", "say what is wrong with a run, and what to do", cmd_check_run};
