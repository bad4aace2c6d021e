/* export/cmd_export.c - heterotune export: a config in a form that production reads. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "core/command.h"
#include "core/config.h"
#include "core/err.h"
#include "core/options.h"
#include "export/export.h"

const struct export_format *const export_formats[] = {&format_header, &format_env, &format_xml, NULL};

static void list_formats(void)
{
	for (int i = 0; export_formats[i]; i++)
		printf("%-8s %s\n", export_formats[i]->name, export_formats[i]->summary);
}

static const struct export_format *find_format(const char *name, struct ht_err *err)
{
	char names[128] = "";
	size_t n = 0;

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

static int export_run(int argc, char **argv)
{
	const char *name = NULL, *out = "-";
	int list = 0;
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'f', "format", &name, "NAME", "one of those of --list"},
		{OPTION_TEXT, 'o', "output", &out, "FILE", "where to write; - is standard output, the default"},
		{OPTION_FLAG, 0, "list", &list, NULL, "the formats there are"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "export",
		.synopsis = "CONFIG --format NAME [--output FILE]",
		.summary = "Writes a config in a form that production reads.",
		.epilogue = "  heterotune export tuned.xml --format header -o heterotune.h\n"
		            "  heterotune export tuned.xml --format env > tuned.sh\n",
	};
	struct export_source source = {0};
	const struct export_format *format;
	struct config *c = NULL;
	struct ht_err err;
	int n, rc = -1;

	n = options_parse(argc, argv, specs, &usage, &err);
	if (n == -2)
		return STATUS_DONE;
	if (n < 0)
		return command_error("export", &err);
	if (list) {
		list_formats();
		return STATUS_DONE;
	}
	if (n != 1 || !name) {
		ht_err_set(&err, "expected one config and --format NAME: found %d words%s", n,
		           name ? "" : " and no format");
		return command_error("export", &err);
	}
	format = find_format(name, &err);
	if (!format)
		return command_error("export", &err);
	c = config_load(argv[0], &err);
	source = (struct export_source){.config = c, .path = argv[0]};
	if (c)
		rc = format->write(&source, out, &err);
	config_free(c);
	return rc == 0 ? STATUS_DONE : command_error("export", &err);
}

const struct command cmd_export = {
	.name = "export",
	.summary = "write a config in a form that production reads",
	.run = export_run,
};
