/* collect/cmd_run.c - heterotune run: an unchanged application with the setting of a config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/launch.h"
#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/options.h"
#include "core/config/config.h"
#include "core/config/plugin_path.h"

enum { REPORT_MAX_BYTES = 1 << 24 };

/* What the scheduler library has reported, summed over the processes of the application (plugin/report.h). */
struct run_report {
	int tuned, plain;
	unsigned long matched, restricted, unknown;
};

static void report_read(const char *path, struct run_report *r)
{
	char *text = file_read(path, REPORT_MAX_BYTES, NULL, NULL), *state = NULL;
	unsigned long matched, restricted, unknown;

	*r = (struct run_report){0};
	for (char *line = text ? strtok_r(text, "\n", &state) : NULL; line; line = strtok_r(NULL, "\n", &state)) {
		const char *word = strchr(line, ' ');

		if (!word)
			continue;
		r->tuned += strncmp(word, " tuned ", 7) == 0;
		r->plain += strncmp(word, " plain ", 7) == 0;
		if (sscanf(word, " done matched=%lu restricted=%lu unknown=%lu", &matched, &restricted, &unknown) ==
		    3) {
			r->matched += matched;
			r->restricted += restricted;
			r->unknown += unknown;
		}
	}
	free(text);
}

/* One sentence where the application did not use the config; where it was plain, the library has said why. */
static void report_print(const struct run_report *r)
{
	unsigned long tasks = r->matched + r->restricted + r->unknown;

	if (!r->tuned && !r->plain)
		fprintf(stderr,
		        "heterotune: run: the config was not used: the application never asked for the scheduler library, "
		        "which takes StarPU 1.4 or later\n");
	else if (r->tuned && tasks && !r->matched && !r->restricted)
		fprintf(stderr,
		        "heterotune: run: the config was not used: it knows none of the codelets of the application's "
		        "%lu tasks\n",
		        tasks);
}

/* What is added to the environment of the application, and the texts that it points to. */
struct environment {
	struct launch_var vars[8 + STARPU_ENV_MAX_VARS + CONFIG_KNOB_VARS]; /* the first one without a name ends them */
	int n;
	struct starpu_env_var starpu_env[STARPU_ENV_MAX_VARS];
	char *restore; /* HETEROTUNE_RESTORE: how those of starpu_env were before, a line each */
};

static void put(struct environment *e, const char *name, const char *value)
{
	e->vars[e->n++] = (struct launch_var){name, value};
}

/* How the config wants StarPU to be started, and what that replaces. Free e->restore. */
static void put_starpu_env(struct environment *e, const struct config *c)
{
	int n = starpu_env_vars(&c->starpu_env, c->workers, e->starpu_env);

	e->restore = ht_strndup("", 0);
	for (int i = 0; i < n; i++) {
		const char *name = e->starpu_env[i].name, *was = getenv(name);
		char *longer = ht_asprintf("%s%s%s%s\n", e->restore, name, was ? "=" : "", was ? was : "");

		free(e->restore);
		e->restore = longer;
		put(e, name, e->starpu_env[i].value);
	}
}

/* A policy of StarPU's own. */
static int run_plain(const struct config *c, char **argv, int *status, struct ht_err *err)
{
	struct config_knob_var knobs[CONFIG_KNOB_VARS];
	char text[CONFIG_KNOB_TEXT];
	int n = config_knob_vars(c->knobs, knobs, text);
	struct environment env = {.n = 0};
	const struct launch l = {.argv = argv, .vars = env.vars};
	struct launch_result result;
	int rc;

	put(&env, "STARPU_SCHED", c->policy);
	for (int i = 0; i < n; i++)
		put(&env, knobs[i].name, knobs[i].value);
	put_starpu_env(&env, c);
	rc = launch_wait(&l, &result, err);
	*status = result.status;
	free(env.restore);
	return rc;
}

/* A file for the library's report, in `path`; where there is no place for one the application runs without. */
static int report_create(char *path, size_t size)
{
	const char *tmp = getenv("TMPDIR");
	int fd;

	snprintf(path, size, "%s/heterotune-run.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	if (fd < 0) {
		fprintf(stderr, "heterotune: run: %s: cannot be made: %s: what becomes of the config is not reported\n",
		        path, strerror(errno));
		return -1;
	}
	close(fd);
	return 0;
}

static int run_application(const struct config *c, const char *config, const char *library, char **argv, int *status,
                           struct ht_err *err)
{
	const char *before = getenv("STARPU_SCHED");
	struct config_knob_var knobs[CONFIG_KNOB_VARS];
	char text[CONFIG_KNOB_TEXT];
	int n = c->has_rank_priorities ? config_knob_vars(c->knobs, knobs, text) : 0;
	char path[4096];
	struct environment env = {.n = 0};
	const struct launch l = {.argv = argv, .vars = env.vars};
	struct launch_result result;
	struct run_report report;
	int reports = report_create(path, sizeof(path)) == 0, rc;

	put(&env, "STARPU_SCHED", "heterotune");
	for (int i = 0; i < n; i++)
		put(&env, knobs[i].name, knobs[i].value);
	put(&env, "STARPU_SCHED_LIB", library);
	put(&env, "HETEROTUNE_CONFIG", config);
	put(&env, "HETEROTUNE_FALLBACK", before ? before : "");
	put(&env, "HETEROTUNE_REPORT", reports ? path : "");
	put_starpu_env(&env, c);
	put(&env, "HETEROTUNE_RESTORE", env.restore);
	rc = launch_wait(&l, &result, err);
	*status = result.status;
	if (reports) {
		report_read(path, &report);
		unlink(path);
		if (rc == 0)
			report_print(&report);
	}
	free(env.restore);
	return rc;
}

static int answer(char **words, void *options, struct ht_err *err)
{
	char *config = NULL, *library = NULL;
	struct config *c = config_load(words[0], err);
	int status = STATUS_FAILED, rc = -1;

	(void)options;
	if (c && !config_needs_library(c)) {
		rc = run_plain(c, words + 1, &status, err);
	} else if (c && (library = plugin_path(err))) {
		config = path_absolute(words[0]);
		rc = run_application(c, config, library, words + 1, &status, err);
	}
	if (rc != 0)
		command_error("run", err);
	config_free(c);
	free(library);
	free(config);
	return status;
}

static int run_run(int argc, char **argv)
{
	const struct option_spec specs[] = {{OPTION_END, 0, NULL, NULL, NULL, NULL}};
	const struct option_usage usage = {
		.command = "run",
		.synopsis = "CONFIG -- COMMAND [ARGUMENT...]",
		.summary = "Run a StarPU application, unchanged, with the setting of a config.",
		.epilogue = "The status is the application's own; 125 when heterotune failed, 126 or 127 when\n"
			    "the application could not be started. HETEROTUNE_VERBOSE=1 says how many tasks\n"
			    "the config knew.\n"
			    "\n  heterotune run tuned.xml -- ./cholesky --size 9600\n",
	};

	return command_run(argc, argv, specs, &usage,
	                   &(struct command_answer){"a CONFIG and a command", 2, -1, STATUS_FAILED, answer}, NULL);
}

const struct command cmd_run = {
	.name = "run",
	.summary = "run an application with the setting of a config",
	.run = run_run,
};
