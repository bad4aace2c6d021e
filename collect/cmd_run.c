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

/* What the scheduler library has reported, summed over the processes of the application (plugin/starpu/report.h). */
struct run_report {
	int tuned, untuned, plain, strict, done; /* untuned: without what was tuned; done: the counts are there */
	unsigned long matched, restricted, unknown;
	unsigned long planned, submitted; /* tasks, where the config has a plan; of them those that are part of it */
};

/* -1: the file cannot be read. */
static int report_read(const char *path, struct run_report *r)
{
	char *text = file_read(path, REPORT_MAX_BYTES, NULL, NULL), *state = NULL;
	unsigned long matched, restricted, unknown, planned, submitted;

	*r = (struct run_report){0};
	if (!text)
		return -1;
	for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		const char *word = strchr(line, ' ');

		if (!word)
			continue;
		r->tuned += strncmp(word, " tuned ", 7) == 0;
		r->untuned += strncmp(word, " untuned ", 9) == 0;
		r->plain += strncmp(word, " plain ", 7) == 0;
		r->strict += strncmp(word, " strict ", 8) == 0;
		if (sscanf(word, " done matched=%lu restricted=%lu unknown=%lu", &matched, &restricted, &unknown) ==
		    3) {
			r->done++;
			r->matched += matched;
			r->restricted += restricted;
			r->unknown += unknown;
		}
		if (sscanf(word, " done planned=%lu submitted=%lu", &planned, &submitted) == 2) {
			r->planned += planned;
			r->submitted += submitted;
		}
	}
	free(text);
	return 0;
}

/* How much of the config the application used; where it was plain or strict, the library has said why. */
static void report_print(const struct run_report *r, const struct config *c, const struct launch_result *result)
{
	int status = result->status;
	unsigned long known = r->matched + r->restricted, tasks = known + r->unknown;
	char ended[96], *to_do;

	if (r->strict || r->plain)
		return;
	if (!r->tuned && result->left_running)
		fprintf(stderr,
		        "heterotune: run: a process that the application has started still runs: whether it uses the "
		        "config is not known\n");
	else if (!r->tuned && status == LAUNCH_NOT_FOUND) {
		to_do = launch_not_loaded(status);
		fprintf(stderr, "heterotune: run: the config was not used: the application %s%s\n",
		        launch_ended(status, ended), to_do);
		free(to_do);
	} else if (!r->tuned && status)
		fprintf(stderr,
		        "heterotune: run: the config was not used: the application %s and never asked for the scheduler "
		        "library\n",
		        launch_ended(status, ended));
	else if (!r->tuned)
		fprintf(stderr,
		        "heterotune: run: the config was not used: the application never asked for the scheduler library, "
		        "which takes StarPU 1.4 or later\n");
	else if (tasks && !known)
		fprintf(stderr,
		        "heterotune: run: the config was not used: it knows none of the codelets of the application's "
		        "%lu tasks\n",
		        tasks);
	else if (r->done && r->planned < r->submitted)
		fprintf(stderr,
		        "heterotune: run: the application ran under %s, %lu of %lu tasks known; buckets by the order of "
		        "submission are right for the graphs that the config was tuned on, and %lu tasks are of these (a "
		        "config for several sizes: heterotune auto --plan)\n",
		        c->policy, known, tasks, r->planned);
	else if (r->submitted && !r->planned)
		fprintf(stderr,
		        "heterotune: run: the application ran under %s, and the config's plan has none of its %lu tasks: "
		        "they were planned as they were submitted (a config for several sizes: heterotune auto --plan)\n",
		        c->policy, r->submitted);
	else if (r->submitted)
		fprintf(stderr,
		        "heterotune: run: the application ran under %s, %lu of %lu tasks by the config's plan%s\n",
		        c->policy, r->planned, r->submitted,
		        r->planned < r->submitted ? ": the others were planned as they were submitted" : "");
	else if (r->untuned)
		fprintf(stderr, "heterotune: run: the application ran under %s, without what was tuned\n", c->policy);
	else if (!r->done)
		fprintf(stderr, "heterotune: run: the application ran under %s, as the config says\n", c->policy);
	else if (!tasks)
		fprintf(stderr, "heterotune: run: the config was not used: the application submitted no tasks\n");
	else
		fprintf(stderr, "heterotune: run: %lu of %lu tasks known%s\n", known, tasks,
		        r->unknown ? ": the others were looked at last" : "");
}

/* What is added to the environment of the application, and the texts that it points to. */
struct environment {
	struct launch_var vars[8 + STARPU_ENV_MAX_VARS + CONFIG_KNOB_VARS]; /* the first one without a name ends them */
	int n;
	struct config_knob_var knobs[CONFIG_KNOB_VARS];
	char knob_text[CONFIG_KNOB_TEXT];
	struct starpu_env_var starpu_env[STARPU_ENV_MAX_VARS];
	char *restore; /* HETEROTUNE_RESTORE: how those of knobs and starpu_env were before, a line each */
};

static void put(struct environment *e, const char *name, const char *value)
{
	e->vars[e->n++] = (struct launch_var){name, value};
}

/* What holds for the setting alone: e->restore has what it replaces. */
static void put_setting(struct environment *e, const char *name, const char *value)
{
	const char *was = getenv(name);
	char *longer = ht_asprintf("%s%s%s%s\n", e->restore, name, was ? "=" : "", was ? was : "");

	free(e->restore);
	e->restore = longer;
	put(e, name, value);
}

/* How the config wants StarPU to be started. */
static void put_starpu_env(struct environment *e, const struct config *c)
{
	int n = starpu_env_vars(&c->starpu_env, c->workers, e->starpu_env);

	for (int i = 0; i < n; i++)
		put_setting(e, e->starpu_env[i].name, e->starpu_env[i].value);
}

/*
 * A file for the library's report, absolute, since the application may go to another directory; "": there is no place
 * for one, and the application runs without. free() it.
 */
static char *report_create(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = path_absolute(tmp && *tmp ? tmp : "/tmp"), *path = ht_asprintf("%s/heterotune-run.XXXXXX", dir);
	int fd = mkstemp(path);

	if (fd < 0) {
		fprintf(stderr, "heterotune: run: %s: cannot be made: %s: what becomes of the config is not reported\n",
		        path, strerror(errno));
		*path = '\0';
	} else {
		close(fd);
	}
	free(dir);
	return path;
}

struct run_options {
	int strict;
};

struct run_problem {
	const struct config *config;
	const char *path;    /* of the config */
	const char *library; /* NULL: there is none, and StarPU gets the config's scheduler by its name alone */
	int strict;
};

/* What StarPU's own schedulers are given; the scheduler library takes it from the config itself. */
static void put_knobs(struct environment *e, const struct config *c)
{
	int n;

	if (config_needs_library(c) && !c->has_rank_priorities)
		return;
	n = config_knob_vars(c->knobs, e->knobs, e->knob_text);
	for (int i = 0; i < n; i++)
		put_setting(e, e->knobs[i].name, e->knobs[i].value);
}

static void put_library(struct environment *e, const struct run_problem *p, const char *report)
{
	const char *before = getenv("STARPU_SCHED"), *noted = getenv("HETEROTUNE_FALLBACK");

	if (before && strcmp(before, "heterotune") == 0 && noted) /* that of an exported environment */
		before = noted;
	put(e, "STARPU_SCHED_LIB", p->library);
	put(e, "HETEROTUNE_CONFIG", p->path);
	put(e, "HETEROTUNE_FALLBACK", before ? before : "");
	put(e, "HETEROTUNE_REPORT", report);
	put(e, "HETEROTUNE_STRICT", p->strict ? "1" : "0");
	put(e, "HETEROTUNE_RESTORE", e->restore);
}

static void say_replaced(const struct config *c)
{
	const char *before = getenv("STARPU_SCHED");

	if (before && *before && strcmp(before, "heterotune") != 0 &&
	    (config_needs_library(c) || strcmp(before, c->policy) != 0))
		fprintf(stderr, "heterotune: run: STARPU_SCHED=%s is not used: the config has %s%s\n", before,
		        strcmp(c->policy, "heteroprio") == 0 ? "a setting of " : "", c->policy);
}

/* Whether the application is known to have used the config; path: "" where it could not report. */
static int finish_report(const struct run_problem *p, const char *path, const struct launch_result *result)
{
	struct run_report report;

	if (!*path)
		return 0;
	if (report_read(path, &report) != 0) {
		fprintf(stderr, "heterotune: run: %s: has vanished: whether the config was used is not known\n", path);
		return 0;
	}
	report_print(&report, p->config, result);
	return report.tuned;
}

static int run_application(const struct run_problem *p, char **argv, int *status, struct ht_err *err)
{
	char *path = p->library ? report_create() : ht_strndup("", 0);
	struct environment env = {.restore = ht_strndup("", 0)};
	const struct launch l = {.argv = argv, .vars = env.vars};
	struct launch_result result;
	int rc;

	say_replaced(p->config);
	put(&env, "STARPU_SCHED", config_needs_library(p->config) ? "heterotune" : p->config->policy);
	put_knobs(&env, p->config);
	put_starpu_env(&env, p->config);
	if (p->library)
		put_library(&env, p, path);
	rc = launch_wait(&l, &result, err);
	*status = result.status;
	if (rc == 0 && !finish_report(p, path, &result) && p->strict && *status == 0)
		*status = STATUS_FAILED;
	if (*path)
		unlink(path);
	free(path);
	free(env.restore);
	return rc;
}

static int answer(char **words, void *options, struct ht_err *err)
{
	const struct run_options *o = options;
	struct config *c = config_load(words[0], err);
	char *library = c ? plugin_path(err) : NULL, *path = path_absolute(words[0]);
	struct run_problem p = {c, path, library, o->strict};
	int status = STATUS_FAILED, rc = -1;

	if (library || (c && !config_needs_library(c) && !o->strict))
		rc = run_application(&p, words + 1, &status, err);
	if (rc != 0)
		command_error("run", err);
	config_free(c);
	free(library);
	free(path);
	return status;
}

static int run_run(int argc, char **argv)
{
	struct run_options o = {0};
	const struct option_spec specs[] = {
		{OPTION_FLAG, 0, "strict", &o.strict, NULL,
	         "end with status 125 instead of running without the config's setting"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "run",
		.synopsis = "CONFIG [--strict] -- COMMAND [ARGUMENT...]",
		.summary = "Run a StarPU application, unchanged, with the setting of a config.",
		.epilogue = "The status is the application's own; 125 when heterotune failed, 126 or 127 when\n"
			    "the application could not be started. HETEROTUNE_VERBOSE=1 says how many tasks\n"
			    "went to their bucket.\n"
			    "\n  heterotune run tuned.xml -- ./cholesky --size 9600\n",
	};

	return command_run(argc, argv, specs, &usage,
	                   &(struct command_answer){"a CONFIG and a command", 2, -1, STATUS_FAILED, answer}, &o);
}

const struct command cmd_run = {"run", "run an application with the setting of a config", run_run};
