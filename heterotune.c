/* heterotune.c - main: the table of commands. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "core/base/nearest.h"
#include "core/base/version.h"

static const struct command *const commands[] = {
	&cmd_auto, &cmd_collect, &cmd_import, &cmd_graph,   &cmd_analyze, &cmd_check, &cmd_plot, &cmd_report,
	&cmd_tune, &cmd_control, &cmd_replay, &cmd_compare, &cmd_export,  &cmd_run,   &cmd_env,  &cmd_doctor,
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const struct command *find(const char *name)
{
	struct nearest near = {.word = name, .len = strlen(name)};
	char meant[NEAREST_TEXT];

	for (int i = 0; i < COMMANDS; i++) {
		if (strcmp(name, commands[i]->name) == 0)
			return commands[i];
		nearest_try(&near, commands[i]->name);
	}
	fprintf(stderr, "heterotune: unknown command %s: see heterotune --help%s\n", name,
	        nearest_text(&near, "", meant));
	return NULL;
}

static void help(void)
{
	fputs("usage: heterotune COMMAND [options]\n\n"
	      "Makes StarPU applications faster: records one run, replays it under many\n"
	      "schedulers and settings, and says what to use in production.\n\n"
	      "Start with\n"
	      "    heterotune doctor                          what this machine lacks\n"
	      "    heterotune auto --verify -- your-program   all of it, and a verdict\n"
	      "    heterotune run CONFIG -- your-program      production, with its config\n\n"
	      "Commands\n",
	      stdout);
	for (int i = 0; i < COMMANDS; i++)
		printf("  %-8s  %s\n", commands[i]->name, commands[i]->summary);
	puts("\n'heterotune COMMAND --help' and 'man heterotune-COMMAND' say more;\n"
	     "-V, --version say which heterotune it is.");
}

/* A result that did not arrive, on a full disk, is no success. A command that failed has said why. */
static int finish(int status)
{
	if ((fflush(stdout) == 0 && !ferror(stdout)) || status == STATUS_CANNOT)
		return status;
	fprintf(stderr, "heterotune: standard output: cannot be written: %s\n", errno ? strerror(errno) : "an error");
	return status == STATUS_DONE || status == STATUS_NO ? STATUS_CANNOT : status;
}

/*
 * What a large array took goes back to the system when it is freed. glibc raises its limit of what does to 32 MiB as
 * the program frees such arrays, and then keeps what lies below others.
 */
static void limit_heap(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

int main(int argc, char **argv)
{
	const struct command *command;

	limit_heap();

	if (argc == 3 && strcmp(argv[1], "help") == 0 && argv[2][0] != '-') {
		char *words[] = {argv[2], "--help", NULL};

		command = find(argv[2]);
		return command ? finish(command->run(2, words)) : STATUS_CANNOT;
	}
	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		help();
		return finish(STATUS_DONE);
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("heterotune %s\n", HETEROTUNE_VERSION);
		return finish(STATUS_DONE);
	}
	command = find(argv[1]);
	return command ? finish(command->run(argc - 1, argv + 1)) : STATUS_CANNOT;
}
