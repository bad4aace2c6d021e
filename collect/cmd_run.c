/* collect/cmd_run.c - heterotune run: an unchanged application with the setting of a config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/launch.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/options.h"
#include "core/base/path.h"
#include "core/config/config.h"
#include "core/config/plugin_path.h"

enum { REPORT_MAX_BYTES = 1 << 24 };

/* The reports of the scheduler library, summed over the processes of the application (plugin/report.h). */
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

/* One sentence where the application did not use the config; where it was plain, the library has printed why. */
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

/* Adds the config's STARPU_* variables to vars[], after its `used` entries; the rest is zero. */
static void add_startup(struct launch_var *vars, int used, const struct config *c, struct starpu_env_var *starpu_env)
{
	int n = starpu_env_vars(&c->starpu_env, c->workers, starpu_env);

	for (int i = 0; i < n; i++)
		vars[used + i] = (struct launch_var){starpu_env[i].name, starpu_env[i].value};
}

/* A policy of StarPU's own, which takes no setting. */
static int run_plain(const struct config *c, char **argv, int *status, struct ht_err *err)
{
	struct starpu_env_var starpu_env[STARPU_ENV_MAX_VARS];
	struct launch_var vars[2 + STARPU_ENV_MAX_VARS] = {{"STARPU_SCHED", c->policy}};
	const struct launch l = {.argv = argv, .vars = vars};
	struct launch_result result;
	int rc;

	add_startup(vars, 1, c, starpu_env);
	rc = launch_wait(&l, &result, err);
	*status = result.status;
	return rc;
}

static int run_application(const struct config *c, const char *config, const char *library, char **argv, int *status,
                           struct ht_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char report[4096];
	struct starpu_env_var starpu_env[STARPU_ENV_MAX_VARS];
	struct launch_var vars[5 + STARPU_ENV_MAX_VARS] = {
		{"STARPU_SCHED", "heteroprio"},
		{"STARPU_SCHED_LIB", library},
		{"HETEROTUNE_CONFIG", config},
		{"HETEROTUNE_REPORT", report},
	};
	const struct launch l = {.argv = argv, .vars = vars};
	struct launch_result result;
	struct run_report sum;
	int fd, rc;

	snprintf(report, sizeof(report), "%s/heterotune-run.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	fd = mkstemp(report);
	if (fd < 0)
		return ht_err_set(err, "%s: cannot be made: %s", report, strerror(errno));
	close(fd);
	add_startup(vars, 4, c, starpu_env);
	rc = launch_wait(&l, &result, err);
	*status = result.status;
	report_read(report, &sum);
	unlink(report);
	if (rc == 0)
		report_print(&sum);
	return rc;
}

static int run_run(int argc, char **argv)
{
	const struct option_spec specs[] = {{OPTION_END, 0, NULL, NULL, NULL, NULL}};
	const struct option_usage usage = {
		.command = "run",
		.synopsis = "CONFIG -- COMMAND [ARGUMENT...]",
		.summary = "Run a StarPU application, unchanged, with the setting of a config.",
		.epilogue = "The status is the application's own; 125 when heterotune failed, 126 or 127 when\n"
			    "the application could not be started. HETEROTUNE_VERBOSE=1 prints how many tasks\n"
			    "the config knew.\n"
			    "\n  heterotune run tuned.xml -- ./cholesky --size 9600\n",
	};
	char *config = NULL, *library = NULL;
	int n, status = STATUS_FAILED;
	struct config *c = NULL;
	struct ht_err err;

	n = options_parse(argc, argv, specs, &usage, &err);
	if (n == -2)
		return STATUS_DONE;
	if (n >= 0 && n < 2)
		n = ht_err_set(&err, "expected a config and a command: found %s", n ? "one word" : "nothing");
	if (n < 0)
		goto failed;
	c = config_load(argv[0], &err);
	if (c && strcmp(c->policy, "heteroprio") != 0) {
		if (run_plain(c, argv + 1, &status, &err) == 0)
			goto out;
		goto failed;
	}
	library = c ? plugin_path(&err) : NULL;
	if (!library)
		goto failed;
	config = path_absolute(argv[0]);
	if (run_application(c, config, library, argv + 1, &status, &err) == 0)
		goto out;
failed:
	command_error("run", &err);
out:
	config_free(c);
	free(library);
	free(config);
	return status;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "run an application with the setting of a config",
	.run = run_run,
};
