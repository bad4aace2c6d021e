/* replay/cmd_replay.c - heterotune replay: a run under another policy, or where its own time went. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/options.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "core/config/config_use.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/metrics/rank.h"
#include "core/run/incomplete.h"
#include "core/run/run.h"
#include "core/run/run_writer.h"
#include "core/trace/trace.h"
#include "replay/cmd_replay_overheads.h"
#include "replay/cmd_replay_ranks.h"
#include "replay/cmd_replay_traffic.h"
#include "replay/recorded.h"
#include "replay/replications.h"
#include "replay/save.h"
#include "replay/scenario.h"
#include "replay/schedule_rec.h"
#include "replay/schedule_text.h"
#include "replay/sim/jitter.h"
#include "replay/sim/simulate.h"
#include "replay/view.h"
#include "sched/knob.h"
#include "sched/placement/known_plan.h"
#include "sched/policy.h"

struct replay_options {
	const char *policy, *config, *text, *schedule, *trace, *format, *jitter, *durations, *save;
	struct scenario_options scenario;
	int64_t repeat, seed, pipeline; /* -1: not given */
	int json, overheads;
};

/* What was replayed, and what came out; one of `simulation` and `recorded` is there. */
struct replay_result {
	struct run *run;
	struct scenario scenario;
	const struct machine *machine; /* the scenario's */
	struct config *config;
	char *config_policy;       /* "dmdas:beta=3" of the config; NULL: no config */
	char note[CONFIG_USE_WHY]; /* what becomes of the config there, said with the answer; "" without one */
	struct dag *ranked;        /* the graph with ranks as priorities, where the config asks for them; else NULL */
	const struct dag *dag;
	const char *policy;
	struct simulation *simulation;
	struct recorded *recorded;
	struct replications draws; /* none without --jitter */
	struct replay_ranks ranks; /* of several */
	struct bounds bounds;
	int64_t makespan_ns;
	const struct execution_task *tasks;
};

/* By the replay; of a run under its own order, the copies between memories it recorded. */
static int64_t bytes_moved(const struct replay_result *r)
{
	const struct trace *t = r->run->trace;
	int64_t sum = 0;

	if (r->simulation)
		return r->simulation->bytes_moved;
	for (size_t i = 0; i < t->ncopies; i++)
		sum += t->copies[i].from != t->copies[i].to ? (int64_t)t->copies[i].size_bytes : 0;
	return sum;
}

/* A line a policy, and below it one a knob. */
static void list_policies(void)
{
	struct table *t = table_create("<policy|<what it does, and its knobs");

	for (int i = 0; policies[i]; i++) {
		table_cell(t, "%s", policies[i]->name);
		table_cell(t, "%s", policies[i]->summary);
		for (const struct knob *k = policies[i]->knobs; k && k->name; k++) {
			table_cell(t, "%s", "");
			table_cell(t, "  %s=%s", k->name, k->values);
		}
	}
	table_cell(t, "recorded");
	table_cell(t, "the run's own order and durations: where its time went");
	table_print(t, stdout);
	table_free(t);
}

/* Options that have an effect only beside another one. */
static int check_pairs(const struct replay_options *o, struct ht_err *err)
{
	if (o->repeat >= 0 && !o->jitter)
		return ht_err_set(err, "--repeat is for --jitter, whose draws it counts");
	if (o->seed >= 0 && !o->jitter)
		return ht_err_set(err, "--seed is for --jitter");
	if (o->format && !o->trace)
		return ht_err_set(err, "--format is for --trace");
	if (o->pipeline >= 0 && o->scenario.transfers && !strcmp(o->scenario.transfers, "off"))
		return ht_err_set(err, "--pipeline is for replays with copies: leave out --transfers off");
	if (!o->repeat || o->repeat > INT_MAX)
		return ht_err_set(err, "--repeat is a number of draws from 1 to %d, found %" PRId64, INT_MAX,
		                  o->repeat);
	return 0;
}

static int check_options(const struct replay_options *o, const struct execution_format *form, struct ht_err *err)
{
	if (!o->policy && !o->config)
		return ht_err_set(err, "say which policy: --policy NAME or --config FILE (--list shows the policies)");
	if (scenario_check(&o->scenario, err) < 0 || check_pairs(o, err) < 0)
		return -1;
	if (o->durations && strcmp(o->durations, "run") && strcmp(o->durations, "model"))
		return ht_err_set(err, "--durations is run or model, found \"%s\"", o->durations);
	if (o->save && run_writer_check(o->save, "--save", err) != 0)
		return -1;
	if (run_check_output(o->text, NULL, err) != 0 || run_check_output(o->schedule, "SubmitOrder: ", err) != 0 ||
	    run_check_output(o->trace, form ? form->mark : NULL, err) != 0)
		return -1;
	if (o->pipeline < -1 || o->pipeline > PIPELINE_MOST)
		return ht_err_set(err, "--pipeline is a number of tasks from 0 to %d, found %" PRId64, PIPELINE_MOST,
		                  o->pipeline);
	if (!o->policy || strcmp(o->policy, "recorded"))
		return 0;
	if (o->jitter || o->durations)
		return ht_err_set(err, "--policy recorded is the run as it was: no --jitter and no --durations");
	if (o->config || scenario_asks(&o->scenario) || o->pipeline >= 0)
		return ht_err_set(err, "--policy recorded is the run as it was: no --config, --machine, --scale, "
		                       "--capacity, --transfers, --submission, --conditions or --pipeline");
	return 0;
}

/* On the machine of the run what production would use there; where another one is wanted, the setting. */
static int use_config(struct replay_result *r, const struct replay_options *o, struct ht_err *err)
{
	return o->policy ? config_fits(r->config, r->machine, err) : config_use_on(r->config, r->machine, r->note, err);
}

static int open_all(struct replay_result *r, const char *path, const struct replay_options *o, struct ht_err *err)
{
	enum run_durations from = !o->durations                 ? RUN_DEFAULT :
	                          strcmp(o->durations, "model") ? RUN_MEASURED :
	                                                          RUN_MODELS;

	r->run = run_open_with(path, from, err);
	if (!r->run || scenario_open(&r->scenario, r->run, &o->scenario, err) != 0)
		return -1;
	r->machine = r->scenario.machine;
	if (o->save && r->run->dag->nranks > 1)
		return ht_err_set(
			err, "--save: the run has %d MPI ranks, and a saved one would have no messages between them",
			r->run->dag->nranks);
	if (!o->config)
		return 0;
	r->config = config_load(o->config, err);
	if (!r->config)
		return -1;
	if (r->machine == r->run->machine && use_config(r, o, err) < 0)
		return ht_err_wrap(err, "%s", o->config);
	r->config_policy = ht_asprintf("%s%s%s", r->config->policy, *r->config->knobs ? ":" : "", r->config->knobs);
	return 0;
}

/* "recorded", or a number. */
static int parse_jitter(const char *text, struct jitter_options *j, struct ht_err *err)
{
	char *end;

	if (!strcmp(text, "recorded"))
		return 0;
	j->source = JITTER_GIVEN;
	j->cv = strtod(text, &end);
	if (end == text || *end || !(j->cv >= 0 && j->cv <= 1))
		return ht_err_set(err, "--jitter is recorded, or a deviation over the mean from 0 to 1, found \"%s\"",
		                  text);
	return 0;
}

static int draw(struct replay_result *r, const struct replay_options *o, const struct simulate_options *how,
                struct ht_err *err)
{
	struct jitter_options j = {.source = JITTER_RECORDED, .seed = o->seed < 0 ? 1 : (uint64_t)o->seed};

	if (parse_jitter(o->jitter, &j, err) < 0)
		return -1;
	return replications_make(&r->draws, r->dag, r->machine, how, &j, o->repeat < 0 ? 1 : (int)o->repeat,
	                         &r->simulation, err);
}

static int replay(struct replay_result *r, const struct replay_options *o, struct ht_err *err)
{
	struct simulate_options how = {.config = r->config};

	how.keep_schedule = o->text || o->schedule || o->trace || o->save;

	how.pipeline = o->pipeline > 0 ? (int)o->pipeline : o->pipeline ? PIPELINE_OF_RUN : PIPELINE_NONE;
	r->policy = o->policy ? o->policy : r->config_policy;
	r->dag = r->scenario.dag;
	if (!strcmp(r->policy, "recorded")) {
		r->recorded = recorded_replay(r->run->trace, r->run->dag, err);
		if (!r->recorded)
			return -1;
		r->makespan_ns = r->recorded->makespan_ns;
		r->tasks = r->recorded->tasks;
		return 0;
	}
	if (r->config) {
		scenario_set_env(&r->config->starpu_env, &how);
		scenario_start(&r->scenario, &r->config->starpu_env);
		r->machine = r->scenario.machine;
	}
	scenario_set(&r->scenario, &how);
	how.policy = policy_find(r->policy, &how.policy_options, err);
	if (!how.policy)
		return -1;
	if (!o->policy && r->config->has_rank_priorities) {
		r->dag = r->ranked = rank_dag(r->dag, r->machine, known_plan_scope(r->config, r->dag), err);
		if (!r->dag)
			return -1;
	}
	if (!how.keep_schedule && !r->dag->messages) /* what is printed is of the graph and of the simulation */
		trace_drop_tasks(r->run->trace);
	if (o->jitter ? draw(r, o, &how, err) < 0 : !(r->simulation = simulate(r->dag, r->machine, &how, err)))
		return -1;
	r->makespan_ns = r->simulation->makespan_ns;
	r->tasks = r->simulation->tasks;
	return 0;
}

static int write_schedule(const struct replay_result *r, FILE *f, struct ht_err *err)
{
	int nworkers = r->recorded ? (int)r->run->trace->nworkers : r->machine->nworkers;

	return schedule_rec_write(f, r->run->trace, r->run->dag, nworkers, r->tasks, err);
}

static int save(const struct replay_result *r, const struct replay_options *o, const struct run_writer *to,
                struct ht_err *err)
{
	char *how = o->config && o->policy ? ht_asprintf("%s with %s", o->policy, o->config) :
	                                     ht_asprintf("%s", o->config ? o->config : o->policy);
	char *scheduler = ht_strndup(r->policy, strcspn(r->policy, ":"));
	int rc = save_run(to, r->run, r->machine, r->tasks, r->simulation, how, scheduler, err);

	free(how);
	free(scheduler);
	return rc;
}

/* All of them or none: each is whole beside its place before the first gets there. */
static int write_all(const struct replay_result *r, const struct replay_options *o, const struct execution_format *form,
                     struct ht_err *err)
{
	enum { TEXT, SCHEDULE, TRACE, FILES };
	const char *const paths[FILES] = {o->text, o->schedule, o->trace};
	struct outfile files[FILES] = {{0}};
	struct run_writer to = {0};
	int rc = -1;

	if (o->save && (run_writer_begin(&to, o->save, "--save", err) != 0 || save(r, o, &to, err) != 0))
		goto out;
	for (int i = 0; i < FILES; i++)
		if (paths[i] && outfile_open(&files[i], paths[i], err) != 0)
			goto out;
	if (o->schedule && write_schedule(r, files[SCHEDULE].f, err) != 0)
		goto out;
	if (o->text)
		schedule_text_write(files[TEXT].f, r->run->trace, r->run->dag, r->tasks);
	if (o->trace)
		view_write(files[TRACE].f, r->run, r->machine, r->tasks, r->simulation, form);
	for (int i = 0; i < FILES; i++)
		if (paths[i] && outfile_flush(&files[i], err) != 0)
			goto out;
	rc = 0;
out:
	if (o->save)
		rc = run_writer_end(&to, rc, err);
	for (int i = 0; i < FILES; i++) {
		if (rc == 0 && paths[i])
			rc = outfile_commit(&files[i], err);
		outfile_abort(&files[i]);
	}
	return rc;
}

static int has_ranks(const struct replay_result *r)
{
	return r->simulation && r->run->dag->messages;
}

static int64_t sum_archs(const int64_t ns[ARCH_COUNT])
{
	int64_t sum = 0;

	for (int a = 0; a < ARCH_COUNT; a++)
		sum += ns[a];
	return sum;
}

/* Of the recorded replay: what its workers were busy, by architecture. */
static void idle_ratios(const struct replay_result *r, double idle[ARCH_COUNT])
{
	int64_t busy[ARCH_COUNT] = {0};

	for (int a = 0; a < ARCH_COUNT; a++)
		idle[a] = r->simulation ? r->simulation->idle_ratio[a] : 0;
	if (!r->recorded)
		return;
	for (uint32_t i = 0; i < r->run->dag->ntasks; i++)
		busy[r->run->trace->workers[r->tasks[i].worker].arch] += r->tasks[i].end_ns - r->tasks[i].start_ns;
	for (int a = 0; a < ARCH_COUNT; a++) {
		double total = (double)machine_workers_of(r->machine, (enum arch)a) * (double)r->makespan_ns;

		idle[a] = total > 0 ? 1 - (double)busy[a] / total : 0;
	}
}

static void json_gaps(struct json *j, const struct recorded *rec, arch_mask archs)
{
	json_open(j, "gaps", '[');
	for (int g = 0; g < GAP_COUNT; g++) {
		json_open(j, NULL, '{');
		json_str(j, "cause", recorded_gap_names[g]);
		json_int(j, "without_ns", rec->without_ns[g]);
		json_open(j, "total_ns", '{');
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (archs >> a & 1)
				json_int(j, arch_name((enum arch)a), rec->gap_ns[g][a]);
		}
		json_close(j, '}');
		json_open(j, "critical_ns", '{');
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (archs >> a & 1)
				json_int(j, arch_name((enum arch)a), rec->critical_gap_ns[g][a]);
		}
		json_close(j, '}');
		json_close(j, '}');
	}
	json_close(j, ']');
	json_int(j, "run_makespan_ns", rec->run_makespan_ns);
	json_int(j, "bare_ns", rec->bare_ns);
	json_int(j, "critical_execution_ns", rec->critical_execution_ns);
	json_int(j, "overlap_ns", rec->overlap_ns);
}

static void print_json(const struct replay_result *r, const double idle[ARCH_COUNT])
{
	struct json j = {.f = stdout};
	arch_mask archs = machine_archs(r->machine);

	json_open(&j, NULL, '{');
	json_str(&j, "policy", r->policy);
	json_int(&j, "tasks", r->run->dag->ntasks);
	json_int(&j, "makespan_ns", r->makespan_ns);
	json_int(&j, "bound_ns", r->bounds.largest_ns);
	json_int(&j, "bytes_moved", bytes_moved(r));
	if (r->scenario.window.most) {
		json_open(&j, "window", '{');
		json_int(&j, "most", r->scenario.window.most);
		json_int(&j, "least", r->scenario.window.least);
		json_close(&j, '}');
	}
	if (r->draws.count) {
		json_open(&j, "draws", '{');
		json_int(&j, "count", r->draws.count);
		json_int(&j, "p10_ns", r->draws.p10_ns);
		json_int(&j, "median_ns", r->draws.median_ns);
		json_int(&j, "p90_ns", r->draws.p90_ns);
		json_close(&j, '}');
	}
	json_open(&j, "bounds", '{');
	json_int(&j, "critical_path_ns", r->bounds.critical_path_ns);
	json_int(&j, "area_ns", r->bounds.area_ns);
	json_close(&j, '}');
	json_open(&j, "idle", '{');
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (archs >> a & 1)
			json_num(&j, arch_name((enum arch)a), idle[a]);
	}
	json_close(&j, '}');
	if (r->recorded)
		json_gaps(&j, r->recorded, archs);
	if (has_ranks(r))
		replay_ranks_json(&j, &r->ranks, r->run, r->machine, r->simulation);
	if (r->simulation && r->simulation->links)
		traffic_json(&j, r->machine, r->simulation);
	overheads_json(&j, &r->scenario.conditions->overheads, archs);
	json_close(&j, '}');
}

static void print_gaps(const struct recorded *rec)
{
	struct table *t = table_create("<gaps by cause|total|on the critical chain|makespan without");
	char a[16], b[16], c[16];

	for (int g = 0; g < GAP_COUNT; g++) {
		table_cell(t, "%s", recorded_gap_names[g]);
		table_cell(t, "%s", time_text(a, sum_archs(rec->gap_ns[g])));
		table_cell(t, "%s", time_text(b, sum_archs(rec->critical_gap_ns[g])));
		table_cell(t, "%s", time_text(c, rec->without_ns[g]));
	}
	table_cell(t, "all of them");
	table_cell(t, "-");
	table_cell(t, "-");
	table_cell(t, "%s", time_text(a, rec->bare_ns));
	putchar('\n');
	table_print(t, stdout);
	table_free(t);
	printf("\nthe run took %s; its critical chain executes %s in %u task%s\n", time_text(a, rec->run_makespan_ns),
	       time_text(b, rec->critical_execution_ns), (unsigned)rec->critical_tasks, plural(rec->critical_tasks));
}

static void print_draws(const struct replications *x)
{
	char p10[16], p90[16];

	if (x->count > 1)
		printf("of %d draws   median, 80 %% from %s to %s\n", x->count, time_text(p10, x->p10_ns),
		       time_text(p90, x->p90_ns));
}

static void print_text(const struct replay_result *r, const double idle[ARCH_COUNT])
{
	char text[16], summary[128];

	printf("policy        %s%s\n", r->policy,
	       r->recorded ? ": the run's own order and durations" :
	       r->ranked   ? ", with upward ranks as priorities" :
	                     "");
	printf("machine       %s\n", machine_summary(r->machine, summary, sizeof(summary)));
	printf("tasks         %u\n", (unsigned)r->run->dag->ntasks);
	if (r->scenario.window.most)
		printf("submission    waits at %u uncompleted tasks until %u\n", (unsigned)r->scenario.window.most,
		       (unsigned)r->scenario.window.least);
	printf("makespan      %s", time_text(text, r->makespan_ns));
	if (r->bounds.largest_ns > 0)
		printf(", %.3f times the bound", (double)r->makespan_ns / (double)r->bounds.largest_ns);
	putchar('\n');
	print_draws(&r->draws);
	printf("bound         %s (%s%s)\n", time_text(text, r->bounds.largest_ns), bounds_largest_name(&r->bounds),
	       r->draws.count ? ", of mean durations" : "");
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (machine_workers_of(r->machine, (enum arch)a))
			printf("idle %-8s %.1f %%\n", arch_name((enum arch)a), 100 * idle[a]);
	}
	printf("bytes moved   %s\n", bytes_text(text, (double)bytes_moved(r)));
	if (r->recorded)
		print_gaps(r->recorded);
	if (has_ranks(r))
		replay_ranks_print(&r->ranks, r->run, r->machine, r->simulation);
	if (r->simulation && r->simulation->links)
		traffic_print(r->machine, r->simulation);
}

/* A run that is as it was, and was made without copies, is not held against them. */
static enum bounds_copies bounds_copies_of(const struct replay_result *r)
{
	return r->simulation || run_has_copies(r->run) ? scenario_bounds(&r->scenario) : BOUNDS_WITHOUT_COPIES;
}

static int answer(char **words, void *options, struct ht_err *err)
{
	const struct replay_options *o = options;
	struct replay_result r = {0};
	double idle[ARCH_COUNT];
	char incomplete[INCOMPLETE_TEXT];
	const struct execution_format *form = o->trace ? view_find(o->format ? o->format : "chrome", err) : NULL;
	int status = -1;

	if (words[1])
		return ht_err_set(err, "found %s after the RUN: expected --policy NAME or --config FILE", words[1]);
	if ((o->trace && !form) || check_options(o, form, err) < 0 || open_all(&r, words[0], o, err) < 0 ||
	    replay(&r, o, err) < 0 || bounds_of(&r.bounds, r.dag, r.machine, bounds_copies_of(&r), err) < 0 ||
	    write_all(&r, o, form, err) < 0)
		goto out;
	if (run_incomplete(r.run, incomplete))
		fprintf(stderr, "heterotune: replay: %s: %s\n", words[0], incomplete);
	if (*r.note)
		fprintf(stderr, "heterotune: replay: %s: %s\n", o->config, r.note);
	idle_ratios(&r, idle);
	if (has_ranks(&r))
		replay_ranks_find(&r.ranks, r.run, &r.scenario);
	if (o->json)
		print_json(&r, idle);
	else
		print_text(&r, idle);
	if (!o->json && o->overheads)
		overheads_print(&r.scenario.conditions->overheads, machine_archs(r.machine));
	status = STATUS_DONE;
out:
	simulation_free(r.simulation);
	replications_fini(&r.draws);
	recorded_free(r.recorded);
	config_free(r.config);
	dag_free(r.ranked);
	free(r.config_policy);
	scenario_fini(&r.scenario);
	run_free(r.run);
	return status;
}

static int cmd_replay_run(int argc, char **argv)
{
	struct replay_options o = {.scenario.submission = "recorded", .repeat = -1, .seed = -1, .pipeline = -1};
	const struct option_spec specs[] = {
		{OPTION_ONCE, 'p', "policy", &o.policy, "NAME[:KNOBS]",
	         "a policy of --list, or recorded: the run as it was"},
		{OPTION_TEXT, 'c', "config", &o.config, "FILE", "the setting of a config"},
		SCENARIO_OPTIONS(o.scenario),
		{OPTION_TEXT, 0, "conditions", &o.scenario.conditions, "RUN",
	         "another run on the machine: what threads and copies take that this one hardly shows"},
		{OPTION_INT, 0, "pipeline", &o.pipeline, "N",
	         "tasks that a device's worker has at a time, as STARPU_CUDA_PIPELINE; 0: waits for each (default: the run's)"},
		{OPTION_TEXT, 0, "durations", &o.durations, "run|model",
	         "the mean of what the run measured, or of its models (default: of a simulated run)"},
		{OPTION_TEXT, 0, "jitter", &o.jitter, "recorded|SHARE",
	         "durations differ from task to task as in the run, or by a deviation over the mean such as 0.1"},
		{OPTION_INT, 0, "repeat", &o.repeat, "N",
	         "so many draws of --jitter: the median, and an interval (default: 1)"},
		{OPTION_INT, 0, "seed", &o.seed, "N", "of the first draw of --jitter (default: 1)"},
		{OPTION_TEXT, 0, "text", &o.text, "FILE", "write the schedule: job name worker start_ns end_ns"},
		{OPTION_TEXT, 0, "schedule", &o.schedule, "FILE",
	         "write the schedule for starpu_replay: sched.rec, each task's worker and place in its order"},
		{OPTION_TEXT, 0, "trace", &o.trace, "FILE", "write the schedule for a viewer"},
		{OPTION_TEXT, 0, "format", &o.format, "NAME", "of --trace: chrome (Perfetto; default) or paje"},
		{OPTION_TEXT, 0, "save", &o.save, "RUN",
	         "write the schedule as a run: for analyze, check, plot, report, ..."},
		{OPTION_FLAG, 0, "overheads", &o.overheads, NULL,
	         "print what threads are taken to need for their own work"},
		{OPTION_FLAG, 0, "json", &o.json, NULL, "results as JSON"},
		{OPTION_LIST, 0, "list", NULL, NULL, "list the policies and their knobs"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "replay",
		.synopsis = "RUN --policy NAME[:KNOBS] | --config FILE",
		.summary = "Predict what a recorded run takes under a policy, or show where its own time went.",
		.epilogue = "  heterotune replay run.ht --policy heteroprio --config tuned.xml\n"
			    "  heterotune replay run.ht --policy dmdas --scale cuda=8\n"
			    "  heterotune replay run.ht --policy recorded\n",
		.list = list_policies,
	};
	return command_run(argc, argv, specs, &usage, &(struct command_answer){"one RUN directory", 1, -1, 0, answer},
	                   &o);
}

const struct command cmd_replay = {"replay", "predict a run under another policy or setting", cmd_replay_run};
