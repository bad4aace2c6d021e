/* auto/cmd_auto.c - heterotune auto: from a program to a config and a verdict. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The other commands do the work, called as a user would call them; what they print goes to files beside the results.
 * The screen gets the steps and one verdict.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auto/application.h"
#include "auto/identity.h"
#include "auto/measure.h"
#include "auto/measured.h"
#include "auto/recordings.h"
#include "auto/sizes.h"
#include "auto/spare_core.h"
#include "auto/steps.h"
#include "auto/verdict.h"
#include "commands.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/input.h"
#include "core/base/interrupt.h"
#include "core/base/number.h"
#include "core/base/options.h"
#include "core/config/config.h"
#include "core/config/config_words.h"
#include "core/config/plugin_path.h"
#include "core/machine/machine.h"
#include "core/run/manifest.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

#define RECORDING   "recording"
#define TUNING_TEXT "tuning.txt"
#define EXPORTS     "exports"
#define PREDICTION  "prediction"
#define PREDICTED   "predicted" /* below DIR: the run that it makes */
#define PLOTS       "plots"
#define REPORT      "report"
#define SIZES_STEP  "sizes"
#define GRAPH       "graph"
#define INTERRUPTED "heterotune: auto: interrupted; the same command goes on where it was\n"

enum { DEFAULT_RUNS = 5, OTHER_STEPS = 6 };

struct automatic {
	struct application application;
	struct input input;
	const char *budget, *sizes_text, *plan_text;
	int verify, fresh;
	int64_t jobs, seed, runs;
	struct identity identity;
	struct sizes sizes;
	struct steps steps;
};

static const char *dir_of(const struct automatic *a)
{
	return a->application.dir;
}

/* What the program printed goes to the user's screen. */
static void show(const struct automatic *a, const char *log)
{
	char *path = ht_asprintf("%s/%s", dir_of(a), log), part[4096];
	FILE *f = fopen(path, "re");
	size_t n;

	while (f && (n = fread(part, 1, sizeof(part), f)) > 0)
		fwrite(part, 1, n, stdout);
	if (f)
		fclose(f);
	free(path);
}

/* A run for a size, or for NULL the only one. The status of the program; -1: the sentence in err. */
static int record(struct automatic *a, const char *run, const char *size, struct ht_err *err)
{
	char *name = size ? ht_asprintf(RECORDING " %s", size) : ht_strndup(RECORDING, strlen(RECORDING));
	char *path = ht_asprintf("%s/%s", dir_of(a), run);
	char *log = size ? ht_asprintf("collect-%s.txt", size) : ht_strndup("collect.txt", strlen("collect.txt"));
	uint64_t session = (uint64_t)a->application.session;
	int status = 0;

	if (steps_is_done(&a->steps, name, session) && file_exists(path)) {
		steps_keep(&a->steps, name, "as before, of the same command, environment and program (--fresh: again)");
		goto out;
	}
	steps_begin(&a->steps, name, 1);
	status = recordings_make(&a->application, run, size, log, err);
	if (status != 0)
		show(a, log);
	else
		status = steps_end(&a->steps, name, session, err);
out:
	free(name);
	free(path);
	free(log);
	return status;
}

/* What is in DIR has to be of this program. */
static int check_identity(struct automatic *a, struct ht_err *err)
{
	const char *other = identity_differs(&a->identity, &a->steps);
	char *run = ht_asprintf("%s/" SIZES_RUN, dir_of(a));
	int there = file_exists(run);

	free(run);
	if (!a->fresh && !other)
		return 0;
	if (!a->fresh && there)
		return ht_err_set(err, "%s: was recorded with another %s: --fresh records again, -o another place",
		                  dir_of(a), *other ? other : "command");
	return identity_save(&a->identity, &a->steps, err);
}

static int record_all(struct automatic *a, struct ht_err *err)
{
	int status = check_identity(a, err);

	for (int i = 0; i < a->sizes.nrecorded && status == 0; i++)
		status = record(a, a->sizes.runs[i], a->sizes.names[i], err);
	return status == 0 ? sizes_link(&a->sizes, dir_of(a), err) : status;
}

/* A run for each size that is not recorded. */
static int make_graphs(struct automatic *a, struct ht_err *err)
{
	int status = STATUS_DONE;

	for (int i = a->sizes.nrecorded; i < a->sizes.count && status == STATUS_DONE; i++) {
		char *name = ht_asprintf(GRAPH " %s", a->sizes.names[i]);
		char *log = ht_asprintf(GRAPH "-%s.txt", a->sizes.names[i]);
		struct step step = {name, 0, {{&cmd_graph, log, {NULL}}}};

		sizes_graph_words(&a->sizes, i, step.commands[0].words);
		status = steps_run(&a->steps, &step, err);
		if (status == STATUS_CANNOT)
			fprintf(stderr,
			        "heterotune: auto: size %s cannot be planned; without --plan the same command goes on\n",
			        a->sizes.names[i]);
		sizes_free_words(step.commands[0].words);
		free(name);
		free(log);
	}
	return status;
}

static int run_tuning(struct automatic *a, struct ht_err *err)
{
	struct step step = {"tuning", 1, {{&cmd_tune, TUNING_TEXT, {NULL}}}};
	const char **words = step.commands[0].words;
	char *owned[SIZES_MAX + 2];
	int n = 0, nowned = 0, status;

	for (int i = 0; i < a->sizes.count; i++)
		words[n++] = owned[nowned++] = ht_asprintf("@%s", a->sizes.runs[i]);
	words[n++] = "-o";
	words[n++] = ">config.xml";
	words[n++] = "--finalists";
	words[n++] = "!" MEASURED_FINALISTS;
	if (a->budget) {
		words[n++] = "--budget";
		words[n++] = a->budget;
	}
	if (a->seed >= 0)
		words[n++] = owned[nowned++] = ht_asprintf("--seed=%lld", (long long)a->seed);
	if (a->jobs)
		words[n++] = owned[nowned++] = ht_asprintf("--jobs=%lld", (long long)a->jobs);
	status = steps_run(&a->steps, &step, err);
	while (nowned)
		free(owned[--nowned]);
	return status;
}

static int run_steps(struct automatic *a, const struct step *steps, size_t n, struct ht_err *err)
{
	for (size_t i = 0; i < n; i++) {
		int status;

		if (strcmp(steps[i].name, PLOTS) == 0 && !path_has_program("gnuplot")) {
			steps_keep(&a->steps, PLOTS, "none, gnuplot is not here");
			continue;
		}
		status = steps_run(&a->steps, &steps[i], err);
		if (status == STATUS_CANNOT && strcmp(steps[i].name, PLOTS) == 0) {
			fputs("heterotune: auto: goes on without plots\n", stderr);
			continue;
		}
		if (status != STATUS_DONE)
			return status;
	}
	return STATUS_DONE;
}

/* DIR/verdict.txt by one of the functions of verdict.h, which the report has on top and the screen gets at the end. */
static int save_verdict(const struct automatic *a, int print(const char *dir, FILE *f, struct ht_err *err),
                        struct ht_err *err)
{
	char *path = ht_asprintf("%s/" VERDICT_TEXT, dir_of(a));
	struct outfile o;
	int rc = outfile_open(&o, path, err);

	if (rc == 0) {
		rc = print(dir_of(a), o.f, err);
		rc = rc == 0 ? outfile_commit(&o, err) : rc;
		outfile_abort(&o);
	}
	free(path);
	return rc;
}

static int has_config(const struct automatic *a)
{
	char *path = ht_asprintf("%s/config.xml", dir_of(a));
	int there = file_exists(path);

	free(path);
	return there;
}

/* What follows from a config. */
struct outcome {
	int is_setting; /* of Heteroprio */
	int needs_library;
	int is_kept;      /* the scheduler of the run as it is: a replay of the run under it shows nothing new */
	int has_verified; /* its last run is there, and that of the program as it is, unless that is the choice */
	int has_ranks;    /* of MPI, of which there is no predicted run */
};

/* Whether the machine of the run, where that is recorded, has several MPI ranks. */
static int has_ranks(const struct automatic *a)
{
	char *path = ht_asprintf("%s/" SIZES_RUN "/machine.xml", dir_of(a));
	struct machine *m = file_exists(path) ? machine_load(path, NULL) : NULL;
	int several = m && machine_ranks(m) > 1;

	machine_free(m);
	free(path);
	return several;
}

static int find_outcome(const struct automatic *a, struct outcome *o, struct ht_err *err)
{
	char *path = ht_asprintf("%s/config.xml", dir_of(a)),
	     *run = ht_asprintf("%s/" SIZES_RUN "/manifest", dir_of(a));
	char *verified = ht_asprintf("%s/" MEASURED_VERIFIED, dir_of(a));
	char *as_it_is = ht_asprintf("%s/" MEASURED_AS_IT_IS, dir_of(a));
	struct manifest manifest = {0};
	struct config *c = config_load(path, err);
	int rc = c ? manifest_load(&manifest, run, err) : -1;

	if (rc == 0) {
		*o = (struct outcome){
			.is_setting = strcmp(c->policy, "heteroprio") == 0,
			.needs_library = config_needs_library(c),
			.is_kept = config_effort(c, manifest_get(&manifest, "scheduler")) == CONFIG_EFFORT_NONE,
		};
		o->has_ranks = has_ranks(a);
		o->has_verified = file_exists(verified) && (o->is_kept || file_exists(as_it_is));
	}
	manifest_fini(&manifest);
	config_free(c);
	free(path);
	free(run);
	free(verified);
	free(as_it_is);
	return rc;
}

/* Whether tuning was refused because there are codelets that a config cannot name. */
static int is_nameless(const struct automatic *a)
{
	char *path = ht_asprintf("%s/" SIZES_RUN, dir_of(a));
	struct trace *t = run_load_trace(path, NULL);
	int nameless = t && trace_nameless(t) > 0;

	trace_free(t);
	free(path);
	return nameless;
}

/* What there is to say of a run without a config. */
static int derive_nameless(struct automatic *a, struct ht_err *err)
{
	static const struct step plots = {PLOTS, 0, {{&cmd_plot, "plots.txt", {"@run", "-o", ">plots"}}}};
	static const struct step report = {
		REPORT,
		0,
		{{&cmd_report, "report.txt", {"@run", "--verdict", "@" VERDICT_TEXT, "-o", ">report.html"}}}};
	char *empty = ht_asprintf("%s/" TUNING_TEXT, dir_of(a));
	int status;

	unlink(empty);
	free(empty);
	a->steps.count = a->steps.number + 2;
	status = run_steps(a, &plots, 1, err);
	if (status == STATUS_DONE)
		status = save_verdict(a, verdict_print_nameless, err);
	return status == STATUS_DONE ? run_steps(a, &report, 1, err) : status;
}

/* What is left of another config goes. */
static void forget(const struct automatic *a, const char *name)
{
	char *path = ht_asprintf("%s/%s", dir_of(a), name);

	dir_remove(path);
	free(path);
}

/* Whether the config can be used here; if not, the verdict stands, for a heterotune that has the library. */
static int has_library(const struct outcome *o)
{
	struct ht_err why = {""};
	char *library = o->needs_library ? plugin_path(&why) : NULL;

	if (*why.text)
		fprintf(stderr,
		        "heterotune: auto: the config needs the scheduler library, so there is no config.env: %s\n",
		        why.text);
	free(library);
	return !*why.text;
}

/* What the config brings, as files; a header is for a setting of Heteroprio alone. */
static int export_config(struct automatic *a, const struct outcome *o, struct ht_err *err)
{
	static const struct step_command env = {&cmd_export,
	                                        "export.txt",
	                                        {"@config.xml", "--format", "env", "-o", ">config.env"}},
					 header = {&cmd_export,
	                                           "export.txt",
	                                           {"@config.xml", "--format", "header", "-o", ">heteroprio.h"}};
	struct step step = {EXPORTS, 0, {{NULL, NULL, {NULL}}}};
	int n = 0;

	if (has_library(o))
		step.commands[n++] = env;
	else
		forget(a, "config.env");
	if (o->is_setting)
		step.commands[n++] = header;
	else
		forget(a, "heteroprio.h");
	if (n)
		return run_steps(a, &step, 1, err);
	steps_keep(&a->steps, EXPORTS, "none, the scheduler library is not here");
	return STATUS_DONE;
}

/* The config is what the verdict says of it, also of all sizes. */
static int settle_config(struct automatic *a, struct ht_err *err)
{
	char *path = ht_asprintf("%s/config.xml", dir_of(a));
	int sizes = a->sizes.names[0] != NULL, rc = 0;

	if (sizes && steps_is_done(&a->steps, SIZES_STEP, steps_fingerprint(path))) {
		steps_keep(&a->steps, SIZES_STEP, "as before");
		goto out;
	}
	if (sizes) {
		steps_begin(&a->steps, SIZES_STEP, 0);
		rc = sizes_predict(&a->sizes, dir_of(a), err);
	}
	if (rc == 0)
		rc = verdict_settle(dir_of(a), err);
	if (rc == VERDICT_CHANGED)
		rc = sizes ? sizes_predict(&a->sizes, dir_of(a), err) : 0;
	if (rc == 0 && sizes)
		rc = steps_end(&a->steps, SIZES_STEP, steps_fingerprint(path), err);
out:
	free(path);
	return rc;
}

static int has_prediction(const struct outcome *o)
{
	return !o->is_kept && !o->has_ranks;
}

static int has_before_after(const struct outcome *o)
{
	return has_prediction(o) || (!o->is_kept && o->has_verified);
}

/* The run as the config would have it, unless that is as it is, or has several ranks. */
static int predict(struct automatic *a, const struct outcome *o, struct ht_err *err)
{
	static const struct step step = {
		PREDICTION,
		0,
		{{&cmd_replay, "predicted.txt", {"@run", "--config", "@config.xml", "--save", "!" PREDICTED}}},
	};

	if (has_prediction(o))
		return run_steps(a, &step, 1, err);
	forget(a, PREDICTED);
	if (!has_before_after(o))
		forget(a, PLOTS "/before-after.png");
	steps_keep(&a->steps, PREDICTION,
	           o->is_kept ? "none, the scheduler stays" : "none, the run has several MPI ranks");
	return STATUS_DONE;
}

/* Before and after are two measured runs, as it is and under the config, or a recording and a prediction. */
static int draw(struct automatic *a, const struct outcome *o, struct ht_err *err)
{
	const char *before = o->has_verified ? "@" MEASURED_AS_IT_IS : "@run";
	const char *after = o->has_verified ? "@" MEASURED_VERIFIED : "@" PREDICTED;
	struct step step = {PLOTS, 0, {{&cmd_plot, "plots.txt", {"@run", "-o", ">" PLOTS}}}};

	if (has_before_after(o))
		step.commands[1] = (struct step_command){
			&cmd_plot,
			"before-after.txt",
			{before, "--after", after, "--only", "before-after", "-o", ">" PLOTS},
		};
	return run_steps(a, &step, 1, err);
}

static int report(struct automatic *a, const struct outcome *o, struct ht_err *err)
{
	struct step step = {
		REPORT,
		0,
		{{&cmd_report,
	          "report.txt",
	          {"@run", "--config", "@config.xml", "--verdict", "@" VERDICT_TEXT, "-o", ">report.html"}}},
	};
	const char **words = step.commands[0].words;
	int n = 7;

	if (has_prediction(o)) {
		words[n++] = "--predicted";
		words[n++] = "@" PREDICTED;
	}
	if (o->has_verified) {
		words[n++] = "--verified";
		words[n++] = "@" MEASURED_VERIFIED;
	}
	return run_steps(a, &step, 1, err);
}

/* All that follows from a config. */
static int derive_from_config(struct automatic *a, struct ht_err *err)
{
	struct outcome o = {0};
	int status = settle_config(a, err);

	if (status == STATUS_DONE)
		status = find_outcome(a, &o, err);
	if (status == STATUS_DONE)
		status = export_config(a, &o, err);
	if (status == STATUS_DONE)
		status = predict(a, &o, err);
	if (status == STATUS_DONE)
		status = draw(a, &o, err);
	if (status == STATUS_DONE)
		status = save_verdict(a, verdict_print, err);
	return status == STATUS_DONE ? report(a, &o, err) : status;
}

static int derive(struct automatic *a, struct ht_err *err)
{
	static const struct step analysis = {"analysis", 0, {{&cmd_analyze, "analysis.txt", {"@run"}}}};
	int status = run_steps(a, &analysis, 1, err), interrupted;

	if (status == STATUS_DONE)
		status = make_graphs(a, err);
	if (status == STATUS_DONE)
		status = run_tuning(a, err);
	if (a->steps.fresh)
		measured_forget(dir_of(a));
	if (status == STATUS_CANNOT && is_nameless(a))
		return derive_nameless(a, err);
	interrupted = interrupt_is_status(status) && has_config(a) ? status : 0;
	if (interrupted)
		status = STATUS_DONE;
	if (a->verify && interrupted)
		steps_keep(&a->steps, MEASURE_STEP, "left out, the search has not ended");
	else if (a->verify && status == STATUS_DONE && input_is_for_one(&a->input))
		steps_keep(
			&a->steps, MEASURE_STEP,
			"left out, standard input is a pipe, which serves one run alone: each run reads a file, < FILE, "
			"anew");
	else if (a->verify && status == STATUS_DONE)
		status = spare_core(dir_of(a), err) == 0 ?
		                 measure(&a->application, &a->steps, a->sizes.names[0], (int)a->runs, err) :
		                 -1;
	if (status == STATUS_DONE)
		status = derive_from_config(a, err);
	return status == STATUS_DONE ? interrupted : status;
}

/* The status of the steps as that of the command, and what to do next. */
static int conclude(const struct automatic *a, int status, const struct ht_err *err)
{
	char *text = application_text(&a->application, VERDICT_TEXT);

	if (status == STATUS_DONE || (interrupt_is_status(status) && has_config(a)))
		verdict_show(text, stdout);
	free(text);
	fflush(stdout);
	if (interrupt_is_status(status))
		fputs(INTERRUPTED, stderr);
	else if (status != STATUS_DONE)
		return err->text[0] ? -1 : STATUS_FAILED;
	return status;
}

static volatile sig_atomic_t screen; /* standard error, while that of a step goes to a file: for a handler */

/* Where nothing else asks for a signal that ends this command. */
static void end_with_a_word(int signal)
{
	ssize_t written = write(screen, "\n" INTERRUPTED, sizeof("\n" INTERRUPTED) - 1);

	(void)written;
	raise(signal);
}

static void expect_interrupts(void)
{
	screen = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO);
	for (size_t i = 0; i < INTERRUPT_SIGNALS; i++) {
		struct sigaction before, action = {.sa_handler = end_with_a_word, .sa_flags = (int)SA_RESETHAND};

		if (sigaction(interrupt_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(interrupt_signals[i], &action, NULL);
	}
}

/* A search that was interrupted has a verdict, too, where it has found something. */
static int automatic(struct automatic *a, struct ht_err *err)
{
	int made = !file_exists(dir_of(a)), status;

	if (dir_create(dir_of(a), err) != 0 ||
	    steps_take(&a->steps, dir_of(a), a->sizes.count + OTHER_STEPS + a->verify + (a->sizes.names[0] != NULL),
	               err) != 0)
		return -1;
	expect_interrupts();
	status = record_all(a, err);
	if (status == 0) {
		err->text[0] = '\0';
		status = conclude(a, derive(a, err), err);
	} else if (made) {
		dir_remove(dir_of(a)); /* the status is the program's own; collect has said what it is about */
	}
	steps_free(&a->steps);
	return status;
}

static int answer(char **words, void *options, struct ht_err *err)
{
	struct automatic *a = options;
	char *owned = NULL;
	double seconds;
	int status;

	if (a->runs >= 0 && !a->verify)
		return ht_err_set(err, "--runs is for --verify");
	a->runs = a->runs < 0 ? DEFAULT_RUNS : a->runs;
	if (a->budget && number_parse_time(a->budget, &seconds) != 0)
		return ht_err_set(err, "--budget is a time as 30s, 5m or 1h, found \"%s\"", a->budget);
	if (a->runs < 1 || a->runs > MEASURED_RUNS)
		return ht_err_set(err, "--runs is a number from 1 to %d, found %lld", MEASURED_RUNS,
		                  (long long)a->runs);
	if (sizes_parse(&a->sizes, a->sizes_text, a->plan_text, words, err) != 0) {
		sizes_free(&a->sizes);
		return -1;
	}
	a->application.words = words;
	a->application.input = &a->input;
	input_init(&a->input);
	identity_of(&a->identity, words);
	if (!a->application.dir)
		a->application.dir = owned = identity_dir(&a->identity, words[0], a->fresh);
	status = automatic(a, err);
	sizes_free(&a->sizes);
	free(owned);
	return status;
}

static int run(int argc, char **argv)
{
	struct automatic a = {.runs = -1, .seed = -1};
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &a.application.dir, "DIR",
	         "directory for all files (default: PROGRAM.tuned); earlier results of the same command are reused"},
		{OPTION_FLAG, 0, "fresh", &a.fresh, NULL, "record and tune anew"},
		{OPTION_FLAG, 0, "calibrate", &a.application.calibrate, NULL,
	         "first run CMD until its performance models have their samples"},
		{OPTION_TEXT, 0, "sizes", &a.sizes_text, "SIZES",
	         "'9600 19200': record CMD once for each size, which replaces {} in its arguments, and tune for all"},
		{OPTION_TEXT, 0, "plan", &a.plan_text, "SIZES",
	         "with --sizes: plan for these sizes, too, without running them: their graphs are derived from the recorded ones"},
		{OPTION_COUNT, 0, "session", &a.application.session, "N",
	         "if CMD starts StarPU several times, take start N (default: the longest)"},
		{OPTION_TEXT, 0, "budget", &a.budget, "TIME", "tune for TIME: 30s, 5m, 1h (default: about a minute)"},
		{OPTION_COUNT, 'j', "jobs", &a.jobs, "N",
	         "replay on N threads (default: all cores); the result is the same"},
		{OPTION_INT, 0, "seed", &a.seed, "N", "of the search and of varied durations (default: 1)"},
		{OPTION_FLAG, 0, "verify", &a.verify, NULL,
	         "run CMD as it is and under the best candidates in turns; the fastest becomes the config"},
		{OPTION_INT, 0, "runs", &a.runs, "N",
	         "with --verify: run each N times, and more often if that does not decide (default: 5)"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "auto",
		.synopsis = "[-o DIR] [--budget TIME] [--verify] -- CMD...",
		.summary = "Record CMD, analyse it, choose how StarPU is to schedule it, and say what that brings.",
		.epilogue = "DIR gets run/, config.xml, config.env, plots/, report.html and the output of the\n"
			    "steps, and for a setting of Heteroprio also heteroprio.h. Ctrl-C while it tunes\n"
			    "gives a verdict on the best so far; the same command continues the search.\n"
			    "Exits with CMD's own status if that is not 0; 125 if heterotune failed.\n",
	};

	return command_run(argc, argv, specs, &usage,
	                   &(struct command_answer){"a command to run after --", 1, -1, STATUS_FAILED, answer}, &a);
}

const struct command cmd_auto = {"auto", "from a program to a config and a verdict: all of the below", run};
