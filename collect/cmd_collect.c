/* collect/cmd_collect.c - heterotune collect: record an application once. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/collect.h"
#include "collect/launch.h"
#include "collect/sampling.h"
#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/options.h"
#include "core/base/table.h"
#include "core/machine/machine.h"
#include "core/perfmodel/model.h"
#include "core/run/manifest.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

enum { NAMED_MODELS = 5 }; /* of those that are missing */

static void print_progress(const char *line)
{
	fprintf(stderr, "heterotune: collect: %s\n", line);
}

static void report_defects(const struct trace_defects *d)
{
	if (d->flushes)
		fprintf(stderr,
		        "heterotune: collect: FxT flushed its buffer to disk %llu times, and threads waited for that: what "
		        "they executed then does not count for durations; a larger --buffer has less of it\n",
		        (unsigned long long)d->flushes);
	if (d->truncated_bytes || d->unfinished)
		fprintf(stderr,
		        "heterotune: collect: the end of the trace is missing: %llu tasks were not seen to end\n",
		        (unsigned long long)d->unfinished);
	if (d->missing_ranks)
		fprintf(stderr, "heterotune: collect: %llu MPI rank%s of the program %s not in the recording\n",
		        (unsigned long long)d->missing_ranks, plural(d->missing_ranks),
		        d->missing_ranks == 1 ? "is" : "are");
	if (d->profiling_gaps)
		fprintf(stderr,
		        "heterotune: collect: the program stopped and restarted its recording %llu times: what ran between "
		        "is not in the run\n",
		        (unsigned long long)d->profiling_gaps);
}

static void report_nameless(const struct trace *t)
{
	size_t n = trace_nameless(t);

	if (n)
		fprintf(stderr,
		        "heterotune: collect: the codelets of %zu task%s have neither a name nor a model: they count as "
		        "one; give them a .name\n",
		        n, plural(n));
}

/* Names of types; n counts them all. */
struct named {
	char *text;
	int n;
};

/* A sentence stays one line, and leaves the terminal as it is. */
static void add_name(struct named *x, const char *name)
{
	if (x->n++ < NAMED_MODELS)
		ht_append(&x->text, "%s%s", *x->text ? ", " : "", name);
	for (char *s = x->text; *s; s++)
		if (iscntrl((unsigned char)*s))
			*s = '?';
}

static void say_models(const struct named *x, const char *what, const char *advice)
{
	char more[32] = "";

	if (!x->n)
		return;
	if (x->n > NAMED_MODELS)
		snprintf(more, sizeof(more), " and %d more", x->n - NAMED_MODELS);
	fprintf(stderr,
	        "heterotune: collect: %s of %s%s: dmda and others that go by models do not know what these take%s\n",
	        what, x->text, more, advice);
}

#define UNLESS ", unless a model is a function of the program, which is recorded where STARPU_SCHED is set"

/*
 * Types that no model has a sample of: schedulers that go by models do not know what their tasks take. Where a model is
 * a function of the program (STARPU_PER_ARCH and others) it has no samples, and StarPU writes no file for it, not even
 * when it calibrates (1.4.10, src/core/perfmodel/perfmodel_history.c): the scheduler library then notes what it says.
 * What has no samples after it has calibrated has no model, or such a one.
 */
static int report_models(const struct trace *t, const char *path, int calibrated, struct ht_err *err)
{
	struct named without = {ht_strndup("", 0), 0}, unsampled = {ht_strndup("", 0), 0};
	const char *scheduler = getenv("STARPU_SCHED");
	int is_scheduled = scheduler && *scheduler;
	char *host = machine_host(), *advice = ht_strndup("", 0);
	struct model_set *models = run_load_models(path, host, err);

	for (size_t i = 0; i < t->ncodelets && models; i++) {
		const struct trace_codelet *c = &t->codelets[i];

		if (c->executed && !(c->model && model_find(models, trace_text(t, c->model))))
			add_name(c->model && !c->has_no_model && !calibrated ? &unsampled : &without,
			         trace_text(t, c->label));
	}
	ht_append(&advice, "; their codelets need a .model (a regression: samples of several sizes)%s",
	          is_scheduled ? "" : UNLESS);
	say_models(&without, "no performance model", advice);
	say_models(&unsampled, "no samples for the performance models",
	           is_scheduled ? "; --calibrate takes samples" : UNLESS "; --calibrate takes samples");
	free(advice);
	free(host);
	free(without.text);
	free(unsampled.text);
	model_set_free(models);
	return models ? 0 : -1;
}

static void report_sessions(const struct collect_result *r)
{
	if (r->sessions.count > 1)
		fprintf(stderr,
		        "heterotune: collect: the program has started StarPU %d times: the run is that of start %d; "
		        "--session N takes another, the longest is taken without it\n",
		        r->sessions.count, r->sessions.taken);
	if (r->lost_tasks)
		fprintf(stderr,
		        "heterotune: collect: the program has started StarPU before, with %lu tasks: StarPU has written "
		        "over their trace\n",
		        r->lost_tasks);
	if (r->others >= MANIFEST_OTHERS_LEAST)
		fprintf(stderr,
		        "heterotune: collect: other programs used %.0f %% of the cores while it ran, so tasks took longer than alone\n",
		        100 * r->others);
	if (r->left_running)
		fputs("heterotune: collect: a process that the program has started still runs, and is not recorded: if it uses "
		      "StarPU the program has to wait for it\n",
		      stderr);
	if (r->lost_programs)
		fputs("heterotune: collect: several processes used StarPU, and the trace of one was written over by the "
		      "next one that ended: record the one that you want alone\n",
		      stderr);
}

static int report(const char *path, const struct collect_options *o, const struct collect_result *result,
                  struct ht_err *err)
{
	struct trace *t = run_load_trace(path, err);
	char span[16], wall[16], ended[96];

	if (!t)
		return -1;
	report_defects(&t->defects);
	report_nameless(t);
	if (report_models(t, path, o->calibrate, err) != 0) {
		trace_free(t);
		return -1;
	}
	if (o->papi && !t->ncounters)
		fprintf(stderr,
		        "heterotune: collect: no counter was recorded: the program's StarPU was built without PAPI\n");
	report_sessions(result);
	if (result->status)
		fprintf(stderr, "heterotune: collect: the program %s\n", launch_ended(result->status, ended));
	else if (result->signal)
		fprintf(stderr,
		        "heterotune: collect: signal %d (%s) came while the program ran: it may have ended early\n",
		        result->signal, strsignal(result->signal));
	printf("%s: %zu task%s of %zu codelet%s on %zu worker%s, %s from first start to last end (%s %s)\n", path,
	       trace_executed(t), plural(trace_executed(t)), t->ncodelets, plural(t->ncodelets), t->nworkers,
	       plural(t->nworkers), time_text(span, trace_makespan_ns(t, NULL)),
	       trace_simulated(t) ? "simulated in" : "the whole program:", time_text(wall, result->wall_ns));
	trace_free(t);
	return 0;
}

struct collect_command {
	struct collect_options o;
	int no_retry;
	int64_t session;
};

static int answer(char **words, void *options, struct ht_err *err)
{
	struct collect_command *c = options;
	struct collect_result result;
	char *name = c->o.run ? NULL : path_unused(words[0], ".ht");

	c->o.argv = words;
	c->o.retry = !c->no_retry;
	c->o.session = (int)(c->session < 1000 ? c->session : 1000);
	c->o.run = name ? name : c->o.run;
	if (collect_run(&c->o, &result, err) != 0 || report(c->o.run, &c->o, &result, err) != 0) {
		command_error("collect", err);
		/* Recording failed though the program did well: that must not look like success. */
		if (result.status == 0)
			result.status = STATUS_FAILED;
	}
	free(name);
	return result.status;
}

static int run(int argc, char **argv)
{
	struct collect_command c = {.o.progress = print_progress};
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &c.o.run, "RUN",
	         "directory to make (default: PROGRAM.ht); never overwritten"},
		{OPTION_FLAG, 0, "calibrate", &c.o.calibrate, NULL,
	         "first run CMD until its performance models have their samples"},
		{OPTION_FLAG, 0, "priorities", &c.o.priorities, NULL,
	         "record the priorities of tasks also under schedulers that take none (dmda, eager, ...)"},
		{OPTION_COUNT, 0, "session", &c.session, "N",
	         "if CMD starts StarPU several times, take start N (default: the longest)"},
		{OPTION_TEXT, 0, "papi", &c.o.papi, "EVENTS", "PAPI events to count per task, separated by commas"},
		{OPTION_COUNT, 0, "buffer", &c.o.buffer_mib, "MIB",
	         "FxT's buffer (default: 128), and again with more where that is too small"},
		{OPTION_COUNT, 0, "limit", &c.o.limit_s, "S", "end CMD after S seconds, which counts as a failure"},
		{OPTION_FLAG, 0, "whole", &c.o.whole, NULL,
	         "record all tasks of a program that turns StarPU's recording off, or on for a part of it"},
		{OPTION_FLAG, 0, "no-library", &c.o.no_library, NULL,
	         "do not load the scheduler library, which gives names to codelets that have none"},
		{OPTION_FLAG, 0, "no-retry", &c.no_retry, NULL,
	         "never run CMD a second time, for a larger buffer, for names or for tasks"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "collect",
		.synopsis = "[-o RUN] [--calibrate] [--priorities] [--papi EVENTS] -- CMD...",
		.summary =
			"Run CMD under StarPU's FxT tracing and gather trace, performance models and machine into RUN.",
		.epilogue = "Exits with CMD's own status; 125 when heterotune failed, 126 or 127 when CMD\n"
			    "could not be started.\n",
	};

	return command_run(argc, argv, specs, &usage,
	                   &(struct command_answer){"a command to run after --", 1, -1, STATUS_FAILED, answer}, &c);
}

const struct command cmd_collect = {"collect", "record an application once, into a run directory", run};
