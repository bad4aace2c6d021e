/* auto/cmd_auto.c - heterotune auto: from a program to a config and a verdict. */
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

#include "auto/measured.h"
#include "auto/verdict.h"
#include "commands.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/options.h"
#include "core/config/config.h"
#include "core/config/plugin_path.h"

enum { MAX_ARGS = 12 };

#define FINALISTS "finalists" /* below DIR */

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

/* Whether collect can have the application's priorities recorded, which replays of other schedulers need. */
static int can_show_priorities(void)
{
	const char *own = getenv("STARPU_SCHED_LIB");
	struct ht_err ignored;
	char *library = own && *own ? NULL : plugin_path(&ignored);

	free(library);
	return library != NULL;
}

/* Records the program, started by the words of `wrapper` (NULL-terminated), as DIR/`name`. */
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

/* The program under finalist i, recorded below DIR/finalists; its makespan, -1 where that failed, which is no error. */
static int64_t measure(const struct automatic *a, const char *self, int i, const char *suffix)
{
	char *config = ht_asprintf("%s/" FINALISTS "/%d.xml", a->dir, i + 1), *name, *log, *path;
	char *const wrapper[] = {(char *)self, "run", config, "--", NULL};
	struct ht_err err = {""};
	int64_t ns = -1;

	name = ht_asprintf(FINALISTS "/%d%s", i + 1, suffix);
	log = ht_asprintf("verify-%d%s.txt", i + 1, suffix);
	path = ht_asprintf("%s/%s", a->dir, name);
	if (collect(a, name, log, wrapper, &err) == 0)
		ns = measured_run_ns(path, &err);
	if (ns < 0)
		fprintf(stderr, "heterotune: auto: %s: the program did not end well under it, see %s/%s\n", config,
		        a->dir, log);
	free(config);
	free(name);
	free(log);
	free(path);
	return ns;
}

/* What was fastest is the config from now on, and its run DIR/verified. */
static int settle(const struct automatic *a, const struct measured *m, const int64_t *again, struct ht_err *err)
{
	char *config = ht_asprintf("%s/config.xml", a->dir), *to = ht_asprintf("%s/" VERDICT_VERIFIED, a->dir), *from;
	int first, second, rc;

	measured_best(m, &first, &second);
	from = ht_asprintf("%s/" FINALISTS "/%d%s", a->dir, first + 1,
	                   again[first] >= 0 && again[first] == m->ns[first] ? ".again" : "");
	dir_remove(to);
	rc = measured_save(m, config, err);
	if (rc == 0 && rename(from, to) != 0)
		rc = ht_err_set(err, "%s: cannot be renamed: %s", from, strerror(errno));
	free(config);
	free(to);
	free(from);
	return rc;
}

/* The program under each finalist, and under the two fastest ones again: one run alone may have been unlucky. */
static int verify(const struct automatic *a, struct ht_err *err)
{
	char *dir = ht_asprintf("%s/" FINALISTS, a->dir), self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct measured m = {.dir = dir};
	int64_t again[TUNE_FINALISTS];
	int best[2], rc = -1;

	if (len <= 0) {
		ht_err_set(err, "/proc/self/exe: cannot be read: %s", strerror(errno));
		goto out;
	}
	self[len] = '\0';
	for (; m.count < TUNE_FINALISTS; m.count++) {
		char *path = ht_asprintf("%s/%d.xml", dir, m.count + 1);
		int there = file_exists(path);

		free(path);
		again[m.count] = -1;
		if (!there)
			break;
		m.ns[m.count] = measure(a, self, m.count, "");
	}
	measured_best(&m, &best[0], &best[1]);
	if (best[0] < 0) {
		ht_err_set(err, "the program ended well under none of the %d finalists", m.count);
		goto out;
	}
	for (int k = 0; k < 2 && best[1] >= 0; k++) {
		again[best[k]] = measure(a, self, best[k], ".again");
		if (again[best[k]] >= 0 && again[best[k]] < m.ns[best[k]])
			m.ns[best[k]] = again[best[k]];
	}
	rc = settle(a, &m, again, err);
out:
	free(dir);
	return rc;
}

struct auto_step {
	const struct command *command;
	const char *log;
	const char *words[MAX_ARGS];
};

static int run_steps(const struct automatic *a, const struct auto_step *steps, size_t n, struct ht_err *err)
{
	for (size_t i = 0; i < n; i++) {
		int status;

		if (steps[i].command == &cmd_plot && !path_has_program("gnuplot")) {
			fprintf(stderr, "heterotune: auto: gnuplot is not here: no plots\n");
			continue;
		}
		status = run_words(a, steps[i].command, steps[i].log, steps[i].words, err);
		if (status != STATUS_DONE)
			return status < 0 ? -1 : status;
	}
	return STATUS_DONE;
}

/* DIR/verdict.txt, which the report has on top and the screen gets at the end. */
static int save_verdict(const struct automatic *a, struct ht_err *err)
{
	char *path = ht_asprintf("%s/" VERDICT_TEXT, a->dir);
	struct outfile o;
	int rc = outfile_open(&o, path, err);

	if (rc == 0) {
		rc = verdict_print(a->dir, o.f, err);
		rc = rc == 0 ? outfile_commit(&o, err) : rc;
		outfile_abort(&o);
	}
	free(path);
	return rc;
}

/* Whether the config is a setting of Heteroprio; -1: it cannot be read. */
static int is_setting(const struct automatic *a, struct ht_err *err)
{
	char *path = ht_asprintf("%s/config.xml", a->dir);
	struct config *c = config_load(path, err);
	int rc = c ? strcmp(c->policy, "heteroprio") == 0 : -1;

	config_free(c);
	free(path);
	return rc;
}

static int derive(const struct automatic *a, struct ht_err *err)
{
	static const struct auto_step before[] = {
		{&cmd_analyze, "analysis.txt", {"@run"}},
		{&cmd_tune, "tuning.txt", {"@run", "-o", "@config.xml", "--finalists", "@" FINALISTS}},
	};
	static const struct auto_step of_setting[] = {
		{&cmd_export, "export.txt", {"@config.xml", "--format", "header", "-o", "@heteroprio.h"}},
	};
	static const struct auto_step after[] = {
		{&cmd_export, "export.txt", {"@config.xml", "--format", "env", "-o", "@heteroprio.env"}},
		{&cmd_replay, "predicted.txt", {"@run", "--config", "@config.xml", "--save", "@predicted"}},
		{&cmd_plot, "plots.txt", {"@run", "--after", "@predicted", "-o", "@plots"}},
	};
	const struct auto_step report = {
		&cmd_report,
		"report.txt",
		{"@run", "--config", "@config.xml", "--predicted", "@predicted", "--verdict", "@" VERDICT_TEXT, "-o",
	         "@report.html", a->verify ? "--verified" : NULL, "@" VERDICT_VERIFIED},
	};
	int status = run_steps(a, before, sizeof(before) / sizeof(before[0]), err), setting;

	if (status == STATUS_DONE && a->verify)
		status = verify(a, err);
	setting = status == STATUS_DONE ? is_setting(a, err) : 0;
	if (setting < 0)
		return -1;
	if (setting)
		status = run_steps(a, of_setting, sizeof(of_setting) / sizeof(of_setting[0]), err);
	if (status == STATUS_DONE)
		status = run_steps(a, after, sizeof(after) / sizeof(after[0]), err);
	if (status == STATUS_DONE && save_verdict(a, err) != 0)
		status = -1;
	return status == STATUS_DONE ? run_steps(a, &report, 1, err) : status;
}

/* What is in a file of DIR goes to the user's screen. */
static char *text_of(const struct automatic *a, const char *name)
{
	char *path = ht_asprintf("%s/%s", a->dir, name);
	char *text = file_read(path, 1 << 30, NULL, NULL);

	free(path);
	return text ? text : ht_strndup("", 0);
}

static void show_file(const struct automatic *a, const char *name)
{
	char *text = text_of(a, name);

	fputs(text, stdout);
	free(text);
}

static void show_verdict(const struct automatic *a)
{
	char *text = text_of(a, VERDICT_TEXT);

	verdict_show(text, stdout);
	free(text);
}

static int automatic(struct automatic *a, struct ht_err *err)
{
	static char *const alone[] = {NULL};
	int status, own, made = !file_exists(a->dir);

	if (dir_create(a->dir, err) != 0)
		return -1;
	own = collect(a, "run", "collect.txt", alone, err);
	if (own != 0) {
		show_file(a, "collect.txt"); /* what the program printed */
		if (made)
			dir_remove(a->dir);
		return own; /* the program's own status; collect has said what it is about */
	}
	err->text[0] = '\0';
	status = derive(a, err);
	if (status == STATUS_DONE)
		show_verdict(a);
	return status == STATUS_DONE ? status : err->text[0] ? -1 : STATUS_FAILED;
}

static int answer(char **words, void *options, struct ht_err *err)
{
	struct automatic *a = options;
	char *owned = a->dir ? NULL : path_unused(words[0], ".tuned");
	int status;

	for (a->program = words; words[a->nprogram];)
		a->nprogram++;
	a->dir = owned ? owned : a->dir;
	status = automatic(a, err);
	free(owned);
	return status;
}

static int run(int argc, char **argv)
{
	struct automatic a = {0};
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &a.dir, "DIR", "where everything goes (default: PROGRAM.tuned)"},
		{OPTION_FLAG, 0, "calibrate", &a.calibrate, NULL,
	         "first run CMD until its performance models have their samples"},
		{OPTION_FLAG, 0, "verify", &a.verify, NULL,
	         "run CMD under the best candidates too: the fastest becomes the config"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "auto",
		.synopsis = "[-o DIR] [--calibrate] [--verify] -- CMD...",
		.summary = "Record CMD, analyse it, tune Heteroprio for it, and say what that brings.",
		.epilogue = "DIR gets run/, config.xml, heteroprio.env, plots/, report.html and what the\n"
			    "steps print; heteroprio.h, too, of a setting of Heteroprio.\n"
			    "Exits with CMD's own status where that is not 0; 125 when heterotune failed.\n",
	};

	return command_run(argc, argv, specs, &usage,
	                   &(struct command_answer){"a command to run after --", 1, -1, STATUS_FAILED, answer}, &a);
}

const struct command cmd_auto = {"auto", "from a program to a config and a verdict: all of the below", run};
