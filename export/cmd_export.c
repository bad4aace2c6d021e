/* export/cmd_export.c - heterotune export: a config or a run for production, a run for viewers. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/options.h"
#include "core/config/config.h"
#include "core/run/run.h"
#include "export/export.h"

const struct export_format *const export_formats[] = {
	&format_header, &format_env,  &format_xml, &format_frozen, &format_autoheteroprio,
	&format_chrome, &format_paje, &format_dot, &format_starvz, NULL,
};

static void list_formats(void)
{
	for (int i = 0; export_formats[i]; i++)
		printf("%-14s %-6s  %s\n", export_formats[i]->name,
		       export_formats[i]->from == EXPORT_RUN ? "RUN" : "CONFIG", export_formats[i]->summary);
}

static const struct export_format *find_format(const char *name, struct ht_err *err)
{
	char names[128] = "";
	size_t n = 0;

	if (strcmp(name, "perfetto") == 0) /* what shows it */
		name = "chrome";
	for (int i = 0; export_formats[i]; i++) {
		if (strcmp(export_formats[i]->name, name) == 0)
			return export_formats[i];
		if (n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "",
			                      export_formats[i]->name);
	}
	ht_err_set(err, "--format is %s, expected one of: %s", name, names);
	return NULL;
}

/* Opens what the format is of, writes, closes. */
static int export_one(const struct export_format *format, struct export_source source, const char *out,
                      struct ht_err *err)
{
	const char *path = source.path;
	struct config *config = format->from == EXPORT_CONFIG ? config_load(path, err) : NULL;
	struct run *run = format->from == EXPORT_RUN ? run_open(path, err) : NULL;
	int rc = -1;

	source.config = config;
	source.run = run;
	if (config || run)
		rc = format->write(&source, out, err);
	else
		ht_err_wrap(err, "--format %s is of a %s", format->name, format->from == EXPORT_RUN ? "RUN" : "CONFIG");
	config_free(config);
	run_free(run);
	return rc;
}

struct export_command {
	const char *name, *out, *also;
	int64_t limit; /* -1: not given */
	struct export_source source;
};

static int check_pairs(const struct export_command *c, const struct export_format *format, struct ht_err *err)
{
	if (c->limit >= 0 && !format->takes_limit)
		return ht_err_set(err, "--limit is for --format dot");
	if (c->also && !format->takes_also)
		return ht_err_set(err, "--also is for --format frozen or autoheteroprio");
	return 0;
}

static int answer(char **words, void *options, struct ht_err *err)
{
	struct export_command *c = options;
	const struct export_format *format;

	if (!c->name)
		return ht_err_set(err, "--format is missing: see --list");
	if (c->also && arch_parse_set(c->also, (int)strlen(c->also), &c->source.also) != 0)
		return ht_err_set(err, "--also is one or more architectures, as in opencl+hip, found \"%s\"", c->also);
	if (c->limit == 0)
		return ht_err_set(err, "--limit is a number of tasks, at least 1, found 0");
	c->source.limit = c->limit < 0 ? 0 : c->limit;
	c->source.path = words[0];
	format = find_format(c->name, err);
	if (!format || check_pairs(c, format, err) != 0)
		return -1;
	if ((format->mark ? run_check_output(c->out, format->mark, err) : run_check_directory(c->out, err)) != 0)
		return -1;
	return export_one(format, c->source, c->out, err);
}

static int export_run(int argc, char **argv)
{
	struct export_command c = {.out = "-", .limit = -1};
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'f', "format", &c.name, "NAME", "one of those of --list"},
		{OPTION_TEXT, 'o', "output", &c.out, "FILE",
	         "where to write (starvz: a directory); - is standard output, the default"},
		{OPTION_INT, 0, "limit", &c.limit, "N", "of dot: the first N tasks"},
		{OPTION_TEXT, 0, "also", &c.also, "ARCHS",
	         "of frozen, autoheteroprio: codelets have versions for these too, as in opencl+hip"},
		{OPTION_LIST, 0, "list", NULL, NULL, "the formats there are"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "export",
		.synopsis = "CONFIG|RUN --format NAME [--output FILE]",
		.summary = "Write a config, or what a run taught, for production; or a run for viewers of traces.",
		.epilogue = "  heterotune export tuned.xml --format header -o heterotune.h\n"
			    "  heterotune export tuned.xml --format env > tuned.sh\n"
			    "  heterotune export run.ht --format autoheteroprio -o app.data\n"
			    "  heterotune export run.ht --format chrome -o run.json\n",
		.list = list_formats,
	};

	return command_run(argc, argv, specs, &usage, &(struct command_answer){"one CONFIG or RUN", 1, 1, 0, answer},
	                   &c);
}

const struct command cmd_export = {"export", "write a config or a run for production, a run for viewers", export_run};
