/* collect/cmd_env.c - heterotune env: the environment in which programs are built with StarPU, and run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "collect/starpu_place.h"
#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/options.h"
#include "core/config/shell.h"

struct env_options {
	int simgrid;
};

/* A directory in front of what the variable has; where it has it already, it is moved there. */
static void print_path(const char *variable, const char *dir)
{
	const char *was = getenv(variable);
	size_t own = strlen(dir);
	char *value = ht_strndup(dir, own);

	for (const char *at = was && *was ? was : NULL, *end; at; at = *end ? end + 1 : NULL) {
		end = at + strcspn(at, ":");
		if ((size_t)(end - at) != own || strncmp(at, dir, own) != 0) {
			char *longer = ht_asprintf("%s:%.*s", value, (int)(end - at), at);

			free(value);
			value = longer;
		}
	}
	shell_export(stdout, variable, value);
	free(value);
}

/* What is in /usr every shell finds, and in front it would hide compilers and libraries of the user's choice. */
static void print_paths(const struct starpu_place *starpu)
{
	char *bin = ht_asprintf("%s/bin", starpu->prefix);

	if (strcmp(starpu->prefix, "/usr") != 0) {
		print_path("PATH", bin);
		print_path("LD_LIBRARY_PATH", starpu->libdir);
		print_path("PKG_CONFIG_PATH", starpu->pcdir);
	}
	free(bin);
}

static int answer(char **words, void *options, struct ht_err *err)
{
	const struct env_options *o = options;
	struct starpu_place starpu;
	int rc = starpu_place_find(&starpu, o->simgrid ? STARPU_SIMGRID : STARPU_NATIVE, err);

	(void)words;
	if (rc == 0)
		print_paths(&starpu);
	starpu_place_fini(&starpu);
	return rc;
}

static int run(int argc, char **argv)
{
	struct env_options o = {0};
	const struct option_spec specs[] = {
		{OPTION_FLAG, 0, "simgrid", &o.simgrid, NULL, "of the StarPU that simulates machines"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "env",
		.synopsis = "[--simgrid]",
		.summary = "Print what a shell has to export to build and run programs with the StarPU that set-up has "
			   "built or found.",
		.epilogue = "  eval \"$(heterotune env)\"\n"
			    "  cc app.c -o app $(pkg-config --cflags-only-I --libs starpu-1.4)\n",
	};

	return command_run(argc, argv, specs, &usage, &(struct command_answer){"no words", 0, 0, 0, answer}, &o);
}

const struct command cmd_env = {"env", "the environment to build and run programs with StarPU", run};
