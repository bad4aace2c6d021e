/* tune/cmd_tune.c - heterotune tune: from a run to a config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/interrupt.h"
#include "core/base/number.h"
#include "core/base/options.h"
#include "core/base/progress.h"
#include "core/base/table.h"
#include "core/base/xml.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/dag/other_type.h"
#include "core/machine/machine.h"
#include "core/metrics/heuristic.h"
#include "core/metrics/metrics.h"
#include "core/run/incomplete.h"
#include "core/run/run.h"
#include "replay/scenario.h"
#include "tune/evaluate/journal.h"
#include "tune/evaluate/mpi_processes.h"
#include "tune/tune.h"
#include "tune/tune_report.h"

struct tune_options {
	const char *output, *finalists, *variant;
	struct scenario_options scenario;
	int json, all, heteroprio, frozen;
	const char *budget;
	int64_t jobs, seed, trials; /* trials -1: not given */
	double jitter;
};

static void list_heuristics(void)
{
	struct table *t = table_create("<name|<source|<score, the largest first");

	for (int i = 0; i < PUBLISHED_HEURISTICS; i++) {
		table_cell(t, "%s", published_heuristics[i].name);
		table_cell(t, "%s", published_heuristics[i].source);
		table_cell(t, "%s", published_heuristics[i].equation);
	}
	for (int i = 0; i < STARPU_ORDERINGS; i++) {
		table_cell(t, "starpu-%d", i);
		table_cell(t, "%s", starpu_orderings[i].name);
		table_cell(t, "%s", starpu_orderings[i].equation);
	}
	table_print(t, stdout);
	table_free(t);
}

static int is_stdout(const char *output)
{
	return strcmp(output, "-") == 0;
}

static int check_options(const struct tune_options *o, struct tune_problem *p, struct ht_err *err)
{
	if (!o->output)
		return ht_err_set(err, "say where the config goes: -o FILE");
	if (strcmp(o->variant, "starpu") != 0 && strcmp(o->variant, "paper") != 0)
		return ht_err_set(err, "--policy-variant is starpu or paper, found \"%s\"", o->variant);
	if (scenario_check(&o->scenario, err) != 0 || run_check_output(o->output, "<config", err) != 0 ||
	    run_check_directory(o->finalists, err) != 0 || outfile_check(o->output, err) != 0 ||
	    (o->finalists && dir_check(o->finalists, err) != 0))
		return -1;
	if (!o->trials)
		return ht_err_set(err, "--trials is a number of replays, at least 1, found 0");
	if (is_stdout(o->output) && o->json)
		return ht_err_set(err, "-o - and --json both write to standard output");
	if (o->budget && o->trials > 0)
		return ht_err_set(err, "--budget and --trials exclude each other");
	if (o->budget && number_parse_time(o->budget, &p->budget_s) != 0)
		return ht_err_set(err, "--budget is a time as 30s, 5m or 1h, found \"%s\"", o->budget);
	if (o->jitter > 1)
		return ht_err_set(err, "--jitter is a share from 0 to 1, found %g", o->jitter);
	p->jobs = (int)(o->jobs < 256 ? o->jobs : 256);
	p->trials = o->trials > 0 ? (double)o->trials : 0;
	p->seed = (uint64_t)o->seed;
	p->jitter_cv = o->jitter;
	p->policies = o->frozen ? TUNE_FROZEN : o->heteroprio ? TUNE_HETEROPRIO : TUNE_ANY_POLICY;
	return 0;
}

static void show_progress(void *ctx, const struct evaluator_state *s)
{
	char left[32] = "", best[16] = "-", policy[16] = "-", text[128];

	if (s->best_ns >= 0)
		time_text(best, s->best_ns);
	if (s->policy_ns >= 0)
		time_text(policy, s->policy_ns);
	if (s->share > 0.01) /* before, it is not known */
		snprintf(left, sizeof(left), "%.0f s left, ", s->elapsed_s / s->share - s->elapsed_s);
	snprintf(text, sizeof(text), "%sbest %s (StarPU's %s), %s", left, best, policy, s->doing);
	progress_bar(ctx, s->share, text);
}

static void say_spent(const struct tune_result *r)
{
	fprintf(stderr, "heterotune: tune: %zu replays in %.1f s, %.0f a second", r->spent.replays, r->spent.elapsed_s,
	        (double)r->spent.replays / (r->spent.elapsed_s + 1e-9));
	if (r->spent.remembered)
		fprintf(stderr, ", and %zu of the journal", r->spent.remembered);
	if (mpi_processes_size() > 1)
		fprintf(stderr, ", by %d processes", mpi_processes_size());
	putc('\n', stderr);
}

/* A run, and what tuning wants to know of it. */
struct opened {
	struct run *run;
	struct scenario scenario;
	struct metrics_input in;
};

/* Found before the search, which takes long. */
static int check_names(const struct dag *d, struct ht_err *err)
{
	for (uint32_t i = 0; i < d->ntypes; i++) {
		const char *names[] = {d->types[i].codelet, d->types[i].model};

		if (!*names[0] && !*names[1])
			return ht_err_set(err,
			                  "there are tasks whose codelets have neither a name nor a model: a config "
			                  "cannot say which they are; give them a .name, or record them with collect "
			                  "and the scheduler library");
		for (int k = 0; k < 2; k++)
			if (!xml_holds(names[k]))
				return ht_err_set(err,
				                  "a config cannot hold the name of the codelet \"%.60s\": expected "
				                  "UTF-8 text",
				                  names[k]);
	}
	return 0;
}

static int open_run(struct opened *o, const char *path, const struct tune_options *how, struct ht_err *err)
{
	if (!xml_holds(path))
		return ht_err_set(err, "%s: a config cannot hold the path of the run: expected UTF-8 text", path);
	o->run = run_open(path, err);
	if (o->run && check_names(o->run->dag, err) != 0)
		return ht_err_wrap(err, "%s", path);
	if (!o->run || scenario_open(&o->scenario, o->run, &how->scenario, err) != 0)
		return -1;
	if (metrics_input_from_run(&o->in, o->run->trace, o->run->dag, o->run->machine, err) != 0)
		return ht_err_wrap(err, "%s", path);
	return 0;
}

/* The run on machines with fewer workers. */
struct fewer {
	char *scale[FEWER_MACHINES]; /* as of --scale */
	struct scenario scenarios[FEWER_MACHINES];
	int n;
};

static int open_fewer(struct fewer *f, struct tune_problem *p, const struct opened *o, const struct tune_options *how,
                      struct ht_err *err)
{
	int counts[ARCH_COUNT], fewer[FEWER_MACHINES][ARCH_COUNT], n;

	if (machine_ranks(p->machine) > 1) /* which keep their workers */
		return 0;
	machine_counts(p->machine, counts);
	n = fewer_workers(counts, fewer);
	while (f->n < n) {
		struct scenario_options scaled = how->scenario;
		char **text = &f->scale[f->n];
		struct scenario *s = &f->scenarios[f->n++];

		*text = ht_strndup("", 0);
		for (int a = 0; a < ARCH_COUNT; a++)
			if (counts[a]) {
				char *longer = ht_asprintf("%s%s%s=%d", *text, **text ? "," : "",
				                           arch_name((enum arch)a), fewer[f->n - 1][a]);

				free(*text);
				*text = longer;
			}
		scaled.scale = *text;
		if (scenario_open(s, o->run, &scaled, err) != 0)
			return -1;
		p->fewer[p->nfewer++] = (struct evaluator_graph){s->dag, s->machine, s};
	}
	return 0;
}

static void fewer_fini(struct fewer *f)
{
	for (int i = 0; i < f->n; i++) {
		scenario_fini(&f->scenarios[i]);
		free(f->scale[i]);
	}
}

static void forget(const char *journal)
{
	if (journal)
		journal_discard(journal);
}

/* DIR/1.xml is what was chosen. */
static int save_finalists(const char *dir, const struct tune_result *r, struct ht_err *err)
{
	int rc = dir_create(dir, err);

	for (int i = 0; i < r->nfinalists && rc == 0; i++) {
		char *path = ht_asprintf("%s/%d.xml", dir, i + 1);

		rc = config_save(r->finalists[i], path, err);
		free(path);
	}
	return rc;
}

static int save(const struct tune_options *o, const struct tune_problem *p, const struct tune_result *r,
                struct ht_err *err)
{
	if (config_save(r->config, o->output, err) != 0 || (o->finalists && save_finalists(o->finalists, r, err) != 0))
		return -1;
	if (r->stopped)
		return 0;
	forget(p->journal); /* of no use any more */
	if (o->json)
		tune_report_json(stdout, p, r);
	else
		tune_report_text(is_stdout(o->output) ? stderr : stdout, p, r, o->all ? TUNE_ROWS_ALL : TUNE_ROWS_BEST);
	return 0;
}

/* The config of the first run has to have a bucket for every type of the others. */
static int check_types(const struct opened *runs, char **paths, int n, struct ht_err *err)
{
	for (int i = 1; i < n; i++) {
		const struct dag_type *other = other_type(runs[i].run->dag, runs[0].run->dag);

		if (other)
			return ht_err_set(err,
			                  "%s: has tasks of %s, and %s has none: several runs are of one application",
			                  paths[i], other->name, paths[0]);
	}
	return 0;
}

static void say_incomplete(const struct opened *runs, char **paths, int n)
{
	char text[INCOMPLETE_TEXT];

	for (int i = 0; i < n; i++)
		if (run_incomplete(runs[i].run, text))
			fprintf(stderr, "heterotune: tune: %s: %s\n", paths[i], text);
}

/* Graphs that `graph --sizes` has made are replayed as the first recorded run beside them was. */
static void share_conditions(struct opened *runs, int n)
{
	int recorded = 0;

	while (recorded < n && run_is_generated(runs[recorded].run))
		recorded++;
	for (int i = 0; i < n && recorded < n; i++)
		scenario_share_conditions(&runs[i].scenario, runs[i].run, runs[recorded].run);
}

/* Beside the file that is written, whatever links lead to it; a device or a pipe has no place for one. free() it. */
static char *journal_path(const char *output)
{
	char *target = NULL, *path = NULL;
	struct stat st;

	if (lstat(output, &st) == 0 && S_ISLNK(st.st_mode))
		target = realpath(output, NULL);
	if (!is_stdout(output) && (stat(output, &st) != 0 || S_ISREG(st.st_mode)))
		path = ht_asprintf("%s.journal", target ? target : output);
	free(target);
	return path;
}

/* The exit status of a tune that a signal has ended; NULL: before it had a result. */
static int interrupted(const struct tune_result *r, const struct tune_options *o, int signal)
{
	char makespan[16];

	if (!r)
		fprintf(stderr, "heterotune: tune: nothing has been found so far; the same command goes on\n");
	else if (mpi_processes_rank() == 0)
		fprintf(stderr, "heterotune: tune: best so far, in %s: %s, %s; the same command goes on\n", o->output,
		        r->config->chosen, time_text(makespan, r->makespan_ns));
	return INTERRUPT_STATUS + signal;
}

/* All runs, which have to be of one application, and what the problem says of them. */
static int open_runs(struct opened *runs, char **paths, int n, const struct tune_options *o, struct tune_problem *p,
                     struct ht_err *err)
{
	for (int i = 0; i < n; i++)
		if (open_run(&runs[i], paths[i], o, err) != 0)
			return -1;
	share_conditions(runs, n);
	for (int i = 1; i < n; i++) {
		p->more_paths[p->nmore] = paths[i];
		p->more[p->nmore++] = (struct evaluator_graph){
			runs[i].scenario.dag,
			runs[i].scenario.machine,
			&runs[i].scenario,
		};
	}
	if (check_types(runs, paths, n, err) != 0)
		return -1;
	p->dag = runs[0].scenario.dag;
	p->machine = runs[0].scenario.machine;
	p->scenario = &runs[0].scenario;
	p->scheduler = runs[0].run->scheduler;
	p->is_predicted = run_is_predicted(runs[0].run);
	if (p->machine == runs[0].run->machine && !run_is_generated(runs[0].run))
		p->trace = runs[0].run->trace;
	return 0;
}

static int answer(char **paths, void *command, struct ht_err *err)
{
	const struct tune_options *o = command;
	struct progress progress;
	struct interrupt interrupt;
	struct tune_problem p = {.run = paths[0],
	                         .progress = show_progress,
	                         .ctx = &progress,
	                         .is_stopped = interrupt_pending};
	struct opened runs[TUNE_MAX_RUNS] = {0};
	struct fewer fewer = {.n = 0};
	struct tune_result *r = NULL;
	struct metrics *metrics = NULL;
	char *options = ht_asprintf("variant=%s", o->variant), *journal = NULL;
	int npaths = 0, signal, status = -1;

	progress_init(&progress, stderr);
	while (paths[npaths])
		npaths++;
	if (check_options(o, &p, err) != 0)
		goto out;
	if (open_runs(runs, paths, npaths, o, &p, err) != 0 || open_fewer(&fewer, &p, &runs[0], o, err) != 0)
		goto out;
	p.policy_options = options;
	p.metrics = metrics = metrics_compute(p.dag, p.machine, &runs[0].in);
	p.journal = journal = journal_path(o->output);
	mpi_processes_begin();
	if (mpi_processes_rank() == 0)
		say_incomplete(runs, paths, npaths);
	interrupt_begin(&interrupt);
	r = tune(&p, err);
	signal = interrupt_end(&interrupt);
	progress_clear(&progress);
	if (!r) {
		if (!signal)
			forget(journal); /* what failed would fail again */
		ht_err_wrap(err, "%s", paths[0]);
		status = signal ? interrupted(NULL, o, signal) : -1;
		goto out;
	}
	if (mpi_processes_rank() == 0) {
		if (save(o, &p, r, err) != 0)
			goto out;
		say_spent(r);
	}
	mpi_processes_end();
	status = r->stopped ? interrupted(r, o, signal) : STATUS_DONE;
out:
	tune_result_free(r);
	metrics_free(metrics);
	fewer_fini(&fewer);
	for (int i = 0; i < npaths; i++) {
		metrics_input_fini(&runs[i].in);
		scenario_fini(&runs[i].scenario);
		run_free(runs[i].run);
	}
	free(options);
	free(journal);
	return status;
}

static int run(int argc, char **argv)
{
	struct tune_options o = {.variant = "starpu",
	                         .scenario.submission = "recorded",
	                         .jobs = sysconf(_SC_NPROCESSORS_ONLN),
	                         .seed = 1,
	                         .trials = -1};
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &o.output, "FILE", "the config to write"},
		{OPTION_TEXT, 0, "finalists", &o.finalists, "DIR",
	         "also write the other candidates worth measuring: DIR/1.xml is the config, then 2.xml and so on"},
		{OPTION_TEXT, 0, "budget", &o.budget, "TIME", "take TIME: 30s, 5m, 1h"},
		{OPTION_INT, 0, "trials", &o.trials, "N",
	         "search with about N replays for buckets and 2.4 N for placement; fixed candidates take up to 3000 more "
	         "(default: by the number of tasks, about a minute)"},
		{OPTION_COUNT, 'j', "jobs", &o.jobs, "N",
	         "replay on N threads (default: all cores); the result is the same"},
		{OPTION_INT, 0, "seed", &o.seed, "N", "of the search and the jitter (default: 1)"},
		{OPTION_REAL, 0, "jitter", &o.jitter, "SHARE",
	         "vary durations by SHARE in the final round (default: as recorded, at least 0.02)"},
		{OPTION_FLAG, 0, "heteroprio", &o.heteroprio, NULL,
	         "a setting of Heteroprio, also where another policy of StarPU is faster"},
		{OPTION_FLAG, 0, "frozen", &o.frozen, NULL,
	         "a setting of Heteroprio that AutoHeteroprio can be given without the plugin: export --format frozen"},
		{OPTION_TEXT, 0, "policy-variant", &o.variant, "NAME",
	         "replay Heteroprio as StarPU has it (starpu) or as published (paper)"},
		SCENARIO_OPTIONS(o.scenario),
		{OPTION_FLAG, 0, "all", &o.all, NULL, "show every trial, not only the best of each kind"},
		{OPTION_FLAG, 0, "json", &o.json, NULL, "results as JSON"},
		{OPTION_LIST, 0, "list", NULL, NULL, "list the heuristics and their scores"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "tune",
		.synopsis = "RUN... -o FILE",
		.summary =
			"Choose for a recorded run among StarPU's schedulers with knobs, ranks as priorities, placement of "
			"data, and settings of Heteroprio.",
		.epilogue = "  heterotune tune run.ht -o tuned.xml\n",
		.list = list_heuristics,
	};
	return command_run(argc, argv, specs, &usage,
	                   &(struct command_answer){"one RUN directory, or several of one application", 1,
	                                            TUNE_MAX_RUNS, 0, answer},
	                   &o);
}

const struct command cmd_tune = {"tune", "choose a scheduler and its settings for a run, as a config", run};
