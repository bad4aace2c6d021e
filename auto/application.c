/* auto/application.c - the program that `auto` is about: where it is, what it is called with, how it is recorded. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/application.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auto/sizes.h"
#include "auto/steps.h"
#include "commands.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/input.h"
#include "core/base/interrupt.h"
#include "core/config/config.h"
#include "core/config/config_words.h"
#include "core/config/plugin_path.h"
#include "core/run/manifest.h"
#include "core/run/run.h"

enum { LEAST_BUFFER_MIB = 8 };

/* Most words before those of the program: of collect, and of what it runs under. */
enum { COLLECT_WORDS = 8, WRAPPER_WORDS = 4 };

/* Whether collect can have the application's priorities recorded, which replays of other schedulers need. */
static int can_show_priorities(void)
{
	const char *own = getenv("STARPU_SCHED_LIB");
	struct ht_err ignored;
	char *library = own && *own ? NULL : plugin_path(&ignored);

	free(library);
	return library != NULL;
}

/* Every {} in the word is the size. free() it. */
static char *with_size(const char *word, const char *size)
{
	char *text = ht_strndup("", 0);

	for (const char *at = word, *next; at; at = next) {
		const char *hole = size ? strstr(at, "{}") : NULL;
		size_t len = hole ? (size_t)(hole - at) : strlen(at);
		char *longer = ht_asprintf("%s%.*s%s", text, (int)len, at, hole ? size : "");

		free(text);
		text = longer;
		next = hole ? hole + 2 : NULL;
	}
	return text;
}

/* The status of the program, or, where a signal came while it ran, that: it may have ended early, and in any way. */
static int status_of(const char *run, int status)
{
	char *path = ht_asprintf("%s/manifest", run);
	struct manifest m = {0};
	int signal;

	if (manifest_load(&m, path, NULL) == 0 && (signal = atoi(manifest_get(&m, "interrupted"))) > 0)
		status = INTERRUPT_STATUS + signal;
	manifest_fini(&m);
	free(path);
	return status;
}

/* `heterotune collect OPTION... -- WRAPPER... CMD...`; options and wrapper end with NULL. */
static int collect(const struct application *a, const char *run, const char *size, const char *const *options,
                   const char *const *wrapper, const char *log, enum steps_log what, struct ht_err *err)
{
	char *path = ht_asprintf("%s/%s", a->dir, run), **argv, **sized;
	char *session = a->session ? ht_asprintf("--session=%lld", (long long)a->session) : NULL;
	const char *said = input_next(a->input);
	int argc = 0, nwords = 0, status;

	if (said)
		fprintf(stderr, "heterotune: auto: %s\n", said);
	while (a->words[nwords])
		nwords++;
	argv = ht_alloc((size_t)nwords + COLLECT_WORDS + WRAPPER_WORDS + 1, sizeof(*argv));
	sized = ht_alloc((size_t)nwords + 1, sizeof(*sized));
	argv[argc++] = "collect";
	argv[argc++] = "-o";
	argv[argc++] = path;
	for (; *options; options++)
		argv[argc++] = (char *)*options;
	if (session)
		argv[argc++] = session;
	argv[argc++] = "--";
	for (; *wrapper; wrapper++)
		argv[argc++] = (char *)*wrapper;
	for (int i = 0; i < nwords; i++)
		argv[argc++] = sized[i] = with_size(a->words[i], size);
	status = status_of(path, steps_command(a->dir, &cmd_collect, log, what, argc, argv, err));
	for (int i = 0; i < nwords; i++)
		free(sized[i]);
	free(sized);
	free(argv);
	free(session);
	free(path);
	return status;
}

/* Whether the run has what only the library makes StarPU record. */
static int is_whole(const struct application *a)
{
	char *path = ht_asprintf("%s/" SIZES_RUN "/manifest", a->dir);
	struct manifest m = {0};
	int yes = manifest_load(&m, path, NULL) == 0 && strcmp(manifest_get(&m, "whole"), "yes") == 0;

	manifest_fini(&m);
	free(path);
	return yes;
}

int application_record(const struct application *a, const char *run, const char *size, const char *log, int again,
                       struct ht_err *err)
{
	const char *options[4] = {NULL}, *const none[] = {NULL};
	int n = 0;

	if (a->calibrate && !again)
		options[n++] = "--calibrate";
	if (can_show_priorities())
		options[n++] = "--priorities";
	if (again && is_whole(a))
		options[n++] = "--whole";
	return collect(a, run, size, options, none, log, again ? STEPS_LOG_ERRORS_TOO : STEPS_LOG_OUTPUT, err);
}

enum { VARIABLES = CONFIG_KNOB_VARS + STARPU_ENV_MAX_VARS };

/* What a command is run under, as the verdict prints it: words before its own, NULL at their end, or variables. */
struct wrapper {
	const char *words[WRAPPER_WORDS + 1];
	char self[PATH_MAX], text[CONFIG_WORDS];
	struct {
		char *name, *value; /* value: NULL: not set */
	} variables[VARIABLES];
	int n;
};

/* `heterotune run CONFIG --`, or where a config needs no library its variables: as it is used, so it is measured. */
static int make_wrapper(struct wrapper *w, const char *path, struct ht_err *err)
{
	struct config *c = config_load(path, err);
	ssize_t len = readlink("/proc/self/exe", w->self, sizeof(w->self) - 1);
	char *rest = NULL;
	int n = 0;

	if (!c)
		return -1;
	if (len <= 0) {
		config_free(c);
		return ht_err_set(err, "/proc/self/exe: cannot be read: %s", strerror(errno));
	}
	w->self[len] = '\0';
	if (config_needs_library(c)) {
		char *library = plugin_path(err);

		if (!library) {
			config_free(c);
			return -1;
		}
		free(library);
		w->words[n++] = w->self;
		w->words[n++] = "run";
		w->words[n++] = path;
		w->words[n++] = "--";
	} else {
		for (char *v = strtok_r(config_variables(c, w->text), " ", &rest); v && w->n < VARIABLES;
		     v = strtok_r(NULL, " ", &rest)) {
			char *value = strchr(v, '=');

			*value = '\0';
			w->variables[w->n].name = v;
			w->variables[w->n++].value = ht_strndup(value + 1, strlen(value + 1));
		}
	}
	w->words[n] = NULL;
	config_free(c);
	return 0;
}

/* The variables become those of this process, which are recorded with a run; once more: what they were. */
static void exchange_variables(struct wrapper *w)
{
	for (int i = 0; i < w->n; i++) {
		const char *now = getenv(w->variables[i].name);
		char *before = now ? ht_strndup(now, strlen(now)) : NULL;

		if (w->variables[i].value)
			setenv(w->variables[i].name, w->variables[i].value, 1);
		else
			unsetenv(w->variables[i].name);
		free(w->variables[i].value);
		w->variables[i].value = before;
	}
}

/*
 * FxT touches all of its buffer at the start, so many runs of a small program are faster with a small one. Room for
 * twice the recorded trace, and for workers that wait: another scheduler has other events. free() it.
 */
static char *buffer_option(const struct application *a)
{
	char *run = ht_asprintf("%s/" SIZES_RUN, a->dir);
	char *option = ht_asprintf("--buffer=%lld", (long long)((2 * run_trace_bytes(run) >> 20) + LEAST_BUFFER_MIB));

	free(run);
	return option;
}

int application_time(const struct application *a, const char *run, const char *size, const char *config,
                     const char *log, int64_t limit_s, struct ht_err *err)
{
	char *path = ht_asprintf("%s/%s", a->dir, run), *of = config ? ht_asprintf("%s/%s", a->dir, config) : NULL;
	char *buffer = buffer_option(a), *sessions = ht_asprintf("%s/" SIZES_RUN "/sessions", a->dir);
	char *limit = limit_s ? ht_asprintf("--limit=%lld", (long long)limit_s) : NULL;
	const char *options[4] = {buffer};
	struct wrapper wrapper = {.n = 0};
	int n = 1, status = of ? make_wrapper(&wrapper, of, err) : 0;

	if (limit)
		options[n++] = limit;
	if (is_whole(a))
		options[n++] = "--whole";
	else if (!file_exists(sessions))
		options[n++] = "--no-library";
	if (status == 0) {
		dir_remove(path);
		exchange_variables(&wrapper);
		status = collect(a, run, size, options, wrapper.words, log, STEPS_LOG_ERRORS_TOO, err);
		exchange_variables(&wrapper);
	}
	for (int i = 0; i < wrapper.n; i++)
		free(wrapper.variables[i].value);
	free(sessions);
	free(buffer);
	free(limit);
	free(path);
	free(of);
	return status;
}

char *application_text(const struct application *a, const char *name)
{
	char *path = ht_asprintf("%s/%s", a->dir, name);
	char *text = file_read(path, 1 << 30, NULL, NULL);

	free(path);
	return text ? text : ht_strndup("", 0);
}
