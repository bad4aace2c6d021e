/* tune/cmd_auto.c - heterotune auto: from a program to a config and a verdict. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The other commands do the work, called as a user would call them; what they print goes to files beside the results.
 * The screen gets one verdict.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/command.h"
#include "core/err.h"
#include "core/options.h"
#include "core/outfile.h"
#include "core/path.h"
#include "core/plugin_path.h"
#include "tune/verdict.h"

enum { MAX_ARGS = 8 };

struct automatic {
	const char *dir;
	int calibrate, verify;
	char *const *program;
	int nprogram;
};

/* Runs a command with its standard output in DIR/`log`. Its status, or -1 when the log cannot be written. */
static int step(const struct automatic *a, const struct command *c, const char *log, int argc, char **argv,
                struct ht_err *err)
{
	char *path = ht_asprintf("%s/%s", a->dir, log);
	int saved, fd, status = -1;

	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (saved < 0 || fd < 0 || dup2(fd, STDOUT_FILENO) < 0) {
		ht_err_set(err, "%s: cannot be written: %s", path, strerror(errno));
	} else {
		status = c->run(argc, argv);
		if (fflush(stdout) != 0 && status == 0)
			status = ht_err_set(err, "%s: cannot be written: %s", path, strerror(errno));
		dup2(saved, STDOUT_FILENO);
	}
	if (fd >= 0)
		close(fd);
	if (saved >= 0)
		close(saved);
	free(path);
	return status;
}

/*
 * One command whose words are given; those that begin with '@' are below DIR. A command that fails has printed its own
 * sentence: err is left empty then.
 */
static int run_words(const struct automatic *a, const struct command *c, const char *log, const char *const *words,
                     struct ht_err *err)
{
	char *argv[MAX_ARGS + 2] = {(char *)c->name}, *owned[MAX_ARGS] = {0};
	int argc = 1, status;

	for (; *words; words++, argc++)
		argv[argc] = **words == '@' ? (owned[argc - 1] = ht_asprintf("%s/%s", a->dir, *words + 1)) :
		                              (char *)*words;
	status = step(a, c, log, argc, argv, err);
	for (int i = 0; i < MAX_ARGS; i++)
		free(owned[i]);
	return status;
}

/* Whether collect can have the application's priorities recorded, which the judges of other schedulers need. */
static int can_show_priorities(void)
{
	const char *own = getenv("STARPU_SCHED_LIB");
	struct ht_err ignored;
	char *library = own && *own ? NULL : plugin_path(&ignored);

	free(library);
	return library != NULL;
}

/* Records the program as DIR/`name`, behind the words of `wrapper` (NULL-terminated). */
static int collect(const struct automatic *a, const char *name, const char *log, char *const *wrapper,
                   struct ht_err *err)
{
	char *run = ht_asprintf("%s/%s", a->dir, name);
	char **argv = ht_alloc((size_t)a->nprogram + 16, sizeof(*argv));
	int argc = 0, status;

	argv[argc++] = "collect";
	argv[argc++] = "-o";
	argv[argc++] = run;
	if (a->calibrate && !*wrapper)
		argv[argc++] = "--calibrate";
	if (!*wrapper && can_show_priorities())
		argv[argc++] = "--priorities";
	argv[argc++] = "--";
	for (; *wrapper; wrapper++)
		argv[argc++] = *wrapper;
	for (int i = 0; i < a->nprogram; i++)
		argv[argc++] = a->program[i];
	status = step(a, &cmd_collect, log, argc, argv, err);
	free(run);
	free(argv);
	return status;
}

/* The program once more, under its config: what was predicted gets a measurement beside it. */
static int verify(const struct automatic *a, struct ht_err *err)
{
	char *config = ht_asprintf("%s/config.xml", a->dir), self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *const wrapper[] = {self, "run", config, "--", NULL};
	int status;

	if (len <= 0) {
		free(config);
		return ht_err_set(err, "/proc/self/exe: cannot be read: %s", strerror(errno));
	}
	self[len] = '\0';
	status = collect(a, VERDICT_VERIFIED, "verify.txt", wrapper, err);
	free(config);
	return status;
}

static int have_gnuplot(void)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t len = strcspn(path, ":");
		char *file = ht_asprintf("%.*s/gnuplot", (int)len, path);
		int found = access(file, X_OK) == 0;

		free(file);
		if (found)
			return 1;
		path += len + (path[len] == ':');
	}
	return 0;
}

static int derive(const struct automatic *a, struct ht_err *err)
{
	static const struct {
		const struct command *command;
		const char *log;
		const char *words[MAX_ARGS];
	} steps[] = {
		{&cmd_analyze, "analysis.txt", {"@run"}},
		{&cmd_tune, "tuning.txt", {"@run", "-o", "@config.xml"}},
		{&cmd_export, "export.txt", {"@config.xml", "--format", "header", "-o", "@heteroprio.h"}},
		{&cmd_export, "export.txt", {"@config.xml", "--format", "env", "-o", "@heteroprio.env"}},
		{&cmd_plot, "plots.txt", {"@run", "-o", "@plots"}},
		{&cmd_report, "report.txt", {"@run", "--config", "@config.xml", "-o", "@report.html"}},
		{&cmd_replay, "predicted.txt", {"@run", "--config", "@config.xml", "--save", "@predicted"}},
		{&cmd_report, "report.txt", {"@predicted", "-o", "@predicted.html"}},
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int status;

		if (steps[i].command == &cmd_plot && !have_gnuplot()) {
			fprintf(stderr, "heterotune: auto: gnuplot is not here: no plots\n");
			continue;
		}
		status = run_words(a, steps[i].command, steps[i].log, steps[i].words, err);
		if (status != STATUS_DONE)
			return status < 0 ? -1 : status;
	}
	return STATUS_DONE;
}

/* What the program printed is the user's: he gets it when there is no run that it could lie beside. */
static void give_up(const struct automatic *a, int made)
{
	char *path = ht_asprintf("%s/collect.txt", a->dir);
	char *text = file_read(path, 1 << 30, NULL, NULL);

	if (text)
		fputs(text, stdout);
	if (made)
		dir_remove(a->dir);
	free(text);
	free(path);
}

static int automatic(struct automatic *a, struct ht_err *err)
{
	static char *const alone[] = {NULL};
	int status, own, made = !file_exists(a->dir);

	if (dir_create(a->dir, err) != 0)
		return command_error("auto", err), STATUS_FAILED;
	own = collect(a, "run", "collect.txt", alone, err);
	if (own != 0)
		give_up(a, made);
	if (own < 0)
		return command_error("auto", err), STATUS_FAILED;
	if (own != 0)
		return own; /* the program's own status; collect has said what it is about */
	err->text[0] = '\0';
	status = derive(a, err);
	if (status == STATUS_DONE && a->verify)
		status = verify(a, err);
	if (status == STATUS_DONE && verdict_print(a->dir, stdout, err) != 0)
		status = -1;
	if (status != STATUS_DONE) {
		if (err->text[0])
			command_error("auto", err);
		return STATUS_FAILED;
	}
	return STATUS_DONE;
}

static int run(int argc, char **argv)
{
	struct automatic a = {0};
	struct ht_err err;
	char *owned = NULL;
	int n, status;
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &a.dir, "DIR", "where everything goes (default: PROGRAM.tuned)"},
		{OPTION_FLAG, 0, "calibrate", &a.calibrate, NULL,
	         "first run CMD until its performance models have their samples"},
		{OPTION_FLAG, 0, "verify", &a.verify, NULL, "last run CMD once more, under the config, and say what it brought"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		"auto",
		"[-o DIR] [--calibrate] [--verify] -- CMD...",
		"Record CMD, analyse it, tune Heteroprio for it, and say what that brings.",
		"DIR gets run/, config.xml, heteroprio.h, heteroprio.env, plots/ and what the steps print.\n"
		"Exits with CMD's own status where that is not 0; 125 when heterotune failed.\n",
	};

	n = options_parse(argc, argv, specs, &usage, &err);
	if (n == -2)
		return STATUS_DONE;
	if (n == 0)
		ht_err_set(&err, "expected a command to run behind --: see --help");
	if (n <= 0) {
		command_error("auto", &err);
		return STATUS_FAILED;
	}
	a.program = argv;
	a.nprogram = n;
	if (!a.dir)
		a.dir = owned = path_unused(argv[0], ".tuned");
	status = automatic(&a, &err);
	free(owned);
	return status;
}

const struct command cmd_auto = {"auto", "from a program to a config and a verdict: all of the below", run};
