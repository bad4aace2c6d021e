/* compare/cmd_compare.c - heterotune compare: one run under several policies, or several recordings, side by side. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/recordings.h"
#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/csv.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/options.h"
#include "core/base/records.h"
#include "core/base/stats.h"
#include "core/base/table.h"
#include "core/base/wrap.h"
#include "core/config/config.h"
#include "core/config/config_use.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/metrics/reference.h"
#include "core/run/incomplete.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "replay/config_replay.h"
#include "replay/ready_count.h"
#include "replay/recorded.h"
#include "replay/scenario.h"
#include "replay/sim/jitter.h"
#include "replay/sim/simulate.h"
#include "replay/what_if.h"
#include "sched/policy.h"

struct compare_options {
	struct option_list policies;
	const char *config, *timeline;
	struct scenario_options scenario;
	int64_t seed;  /* -1: not given */
	double jitter; /* < 0: none */
	const char *fail_if;
	int csv, json, what_if;
};

/* What was recorded, or a policy; `simulation` NULL: only its makespan is known. */
struct compared {
	const char *name;
	const struct machine *machine;
	struct simulation *simulation;
	int64_t makespan_ns;
};

/* What cannot run. */
struct left_out {
	const char *name;
	struct ht_err why;
};

struct comparison {
	struct run *run;
	struct scenario scenario;
	struct config *config;
	struct config_replay as_config; /* zeroed without a config */
	struct jitter *jitter;
	struct bounds bounds;
	struct compared *rows;
	struct left_out *left_out; /* said once there is an answer: a refusal is one sentence */
	int nrows, nleft_out;
	char note[CONFIG_USE_WHY]; /* what becomes of the config on the machine; "" without one */
	int64_t run_ns, order_ns;  /* of the recorded run; 0: it has no rows */
	int64_t reference_ns;      /* of the row that speed-ups are over */
};

static int check_options(const struct compare_options *o, struct ht_err *err)
{
	if (o->fail_if || o->json)
		return ht_err_set(err, "--%s compares recordings, without --policy and --config",
		                  o->json ? "json" : "fail-if");
	if (o->seed >= 0 && o->jitter < 0)
		return ht_err_set(err, "--seed is for --jitter");
	if (o->jitter > 1)
		return ht_err_set(err, "--jitter is a deviation over the mean from 0 to 1, found %g", o->jitter);
	return run_check_output(o->timeline, "policy,from_ns,", err) == 0 ? scenario_check(&o->scenario, err) : -1;
}

/* "+5%", "5%", "-3%": how much longer the others may take, as a share. */
static int parse_limit(const char *text, double *limit, struct ht_err *err)
{
	size_t len = strlen(text), sign = *text == '+';
	char number[32];

	if (len > sign + 1 && len - sign <= sizeof(number) && text[len - 1] == '%') {
		memcpy(number, text + sign, len - sign - 1);
		number[len - sign - 1] = '\0';
		if (number_parse(number, limit) == 0) {
			*limit /= 100;
			return 0;
		}
	}
	return ht_err_set(err, "--fail-if is how much longer is too long, such as +5%%, found \"%s\"", text);
}

/* What asks for replays is of no use for recordings. */
static int check_recordings(const struct compare_options *o, char **words, struct ht_err *err)
{
	const char *knobs;

	if (!words[1])
		return ht_err_set(err, "say under which policies (--policy NAME ..., as heterotune replay --list shows "
		                       "them) or with which config, or name another RUN");
	if (o->timeline || o->jitter >= 0 || o->seed >= 0 || scenario_asks(&o->scenario))
		return ht_err_set(err, "recordings are compared as they are: only --fail-if, --csv and --json");
	if (o->csv && o->json)
		return ht_err_set(err, "--json and --csv exclude each other");
	for (int i = 1; words[i]; i++)
		if (!file_exists(words[i]) && policy_find(words[i], &knobs, NULL))
			return ht_err_set(err, "%s is a policy, expected a RUN: --policy %s asks for it", words[i],
			                  words[i]);
	return 0;
}

static int compare_recordings(const struct compare_options *o, char **words, struct ht_err *err)
{
	double limit = INFINITY;
	struct ht_err other = {""};
	struct recordings *x;
	int status = -1;

	if (check_recordings(o, words, err) < 0 || (o->fail_if && parse_limit(o->fail_if, &limit, err) < 0))
		return -1;
	x = recordings_open(words, err);
	if (!x)
		return -1;
	if (recordings_check(x, &other) != 0 && o->fail_if) {
		*err = other;
		goto out;
	}
	if (*other.text)
		fprintf(stderr, "heterotune: compare: %s\n", other.text);
	recordings_write(x, o->json ? RECORDINGS_JSON : o->csv ? RECORDINGS_CSV : RECORDINGS_TEXT, stdout);
	status = recordings_change(x) > limit ? STATUS_NO : STATUS_DONE;
out:
	recordings_free(x);
	return status;
}

static int open_all(struct comparison *c, const char *path, const struct compare_options *o, struct ht_err *err)
{
	c->run = run_open(path, err);
	if (!c->run || scenario_open(&c->scenario, c->run, &o->scenario, err) != 0)
		return -1;
	if (!o->config)
		return 0;
	c->config = config_load(o->config, err);
	if (!c->config)
		return -1;
	if (c->scenario.machine == c->run->machine && config_use_on(c->config, c->run->machine, c->note, err) < 0)
		return ht_err_wrap(err, "%s", o->config);
	return 0;
}

static struct compared *add_compared(struct comparison *c, const char *name, int64_t makespan_ns)
{
	struct compared *row = &c->rows[c->nrows++];

	*row = (struct compared){name, c->scenario.machine, NULL, makespan_ns};
	return row;
}

/* The run and its own order, on the machine that it ran on. */
static void add_recorded(struct comparison *c)
{
	if (run_is_generated(c->run) || c->scenario.machine != c->run->machine)
		return;
	c->run_ns = trace_makespan_ns(c->run->trace, NULL);
	add_compared(c, "recorded run", c->run_ns);
	c->order_ns = recorded_simulate(c->run->trace, c->scenario.dag, c->scenario.machine, &c->scenario, NULL);
	if (c->order_ns >= 0)
		add_compared(c, CONFIG_TRIAL_RECORDED_ORDER, c->order_ns);
}

/* What cannot run has no row, but a sentence. */
static void replay_one(struct comparison *c, const char *name, const struct dag *d, const struct machine *m,
                       const struct simulate_options *how)
{
	struct ht_err err = {""};
	struct simulation *s = simulate(d, m, how, &err);

	if (s)
		*add_compared(c, name, s->makespan_ns) = (struct compared){name, m, s, s->makespan_ns};
	else
		c->left_out[c->nleft_out++] = (struct left_out){name, err};
}

/* Policies have the config's buckets where they take them; only its own row has StarPU as the config starts it. */
static int replay_policies(struct comparison *c, const struct compare_options *o, struct ht_err *err)
{
	struct simulate_options how = {.config = c->config, .keep_schedule = o->timeline != NULL, .jitter = c->jitter};

	scenario_set(&c->scenario, &how);
	for (int i = 0; i < o->policies.count; i++) {
		how.policy = policy_find(o->policies.items[i], &how.policy_options, err);
		if (!how.policy)
			return -1;
		replay_one(c, o->policies.items[i], c->scenario.dag, c->scenario.machine, &how);
	}
	return 0;
}

static int replay_config(struct comparison *c, const struct compare_options *o, struct ht_err *err)
{
	struct config_replay *x = &c->as_config;

	if (!c->config)
		return 0;
	if (config_replay_init(x, c->config, c->run, &o->scenario, err) != 0)
		return ht_err_wrap(err, "%s", o->config);
	x->how.keep_schedule = o->timeline != NULL;
	x->how.jitter = c->jitter;
	replay_one(c, "the config", x->dag, x->machine, &x->how);
	return 0;
}

static int replay_all(struct comparison *c, const struct compare_options *o, struct ht_err *err)
{
	if (o->jitter >= 0)
		c->jitter = jitter_create(c->run->dag, &(struct jitter_options){JITTER_GIVEN, o->jitter,
		                                                                o->seed < 0 ? 1 : (uint64_t)o->seed});
	c->rows = ht_alloc((size_t)o->policies.count + 3, sizeof(*c->rows));
	c->left_out = ht_alloc((size_t)o->policies.count + 1, sizeof(*c->left_out));
	add_recorded(c);
	if (replay_policies(c, o, err) != 0 || replay_config(c, o, err) != 0)
		return -1;
	if (c->nleft_out == o->policies.count + (c->config != NULL)) {
		*err = c->left_out[0].why;
		return ht_err_wrap(err, "%s%s", c->nleft_out > 1 ? "none can execute the run: " : "",
		                   c->left_out[0].name);
	}
	c->reference_ns = c->run_ns > 0 ? reference_of(c->order_ns, c->run_ns) : c->rows[0].makespan_ns;
	return bounds_of(&c->bounds, c->scenario.dag, c->scenario.machine, scenario_bounds(&c->scenario), err);
}

/* a / b; what takes no time is as fast as itself. */
static double ratio(int64_t a, int64_t b)
{
	return stats_ratio((double)a, (double)b, NAN);
}

static const struct column columns[] = {
	{"policy", "policy", COLUMN_TEXT, 0},      {"tasks", NULL, COLUMN_COUNT, 0},
	{"makespan_ns", "makespan", COLUMN_NS, 0}, {NULL, "to bound", COLUMN_RATIO, 0},
	{"bound_ns", NULL, COLUMN_NS, 0},          {"speedup", "speed-up", COLUMN_RATIO, COLUMN_CSV_6},
	{"bytes_moved", "moved", COLUMN_BYTES, 0}, {NULL, "idle cpu", COLUMN_SHARE, 0},
	{NULL, "idle devices", COLUMN_SHARE, 0},   {0},
};

static void add_row(struct records *x, const struct comparison *c, const struct compared *row)
{
	const struct simulation *s = row->simulation;
	int cpus = machine_workers_of(row->machine, ARCH_CPU), devices = row->machine->nworkers - cpus;
	double idle = 0;

	for (enum arch a = 0; s && a < ARCH_COUNT; a++)
		idle += a == ARCH_CPU ? 0 : s->idle_ratio[a] * machine_workers_of(row->machine, a);
	records_add(x, V(row->name), V(c->run->dag->ntasks), V(row->makespan_ns),
	            V(ratio(row->makespan_ns, c->bounds.largest_ns)), V(c->bounds.largest_ns),
	            V(ratio(c->reference_ns, row->makespan_ns)), V(s ? s->bytes_moved : -1),
	            V(s && cpus ? s->idle_ratio[ARCH_CPU] : NAN), V(s && devices ? idle / devices : NAN));
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (machine_archs(c->scenario.machine) >> a & 1)
			records_add(x, V(s ? s->idle_ratio[a] : NAN));
}

static void print_notes(const struct comparison *c, const struct compare_options *o)
{
	char text[INCOMPLETE_TEXT];

	if (run_incomplete(c->run, text))
		fprintf(stderr, "heterotune: compare: %s: %s\n", c->run->path, text);
	if (*c->note)
		fprintf(stderr, "heterotune: compare: %s: %s\n", o->config, c->note);
	for (int i = 0; i < c->nleft_out; i++)
		fprintf(stderr, "heterotune: compare: %s: %s\n", c->left_out[i].name, c->left_out[i].why.text);
}

static void print(const struct comparison *c, const struct compare_options *o)
{
	const struct machine *m = c->scenario.machine;
	struct records *x = records_create(columns);
	char text[16], summary[128], key[32], why[REFERENCE_TEXT];

	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		snprintf(key, sizeof(key), "idle_%s", arch_name(a));
		if (machine_archs(m) >> a & 1)
			records_columns(x, (struct column[]){{key, NULL, COLUMN_SHARE, COLUMN_CSV_6}, {0}});
	}
	for (int i = 0; i < c->nrows; i++)
		add_row(x, c, &c->rows[i]);
	if (o->csv) {
		records_csv(x, stdout);
	} else {
		printf("%u task%s on %s; the bound is %s (%s)\n\n", (unsigned)c->run->dag->ntasks,
		       plural(c->run->dag->ntasks), machine_summary(m, summary, sizeof(summary)),
		       time_text(text, c->bounds.largest_ns), bounds_largest_name(&c->bounds));
		records_print(x, stdout);
		if (*reference_text(why, c->order_ns, c->run_ns)) {
			printf("\nSpeed-ups are over the %s:\n",
			       c->reference_ns == c->run_ns ? "recorded run" : "recorded order");
			wrap_text(stdout, why, 0, 0, 79);
			puts(".");
		}
	}
	records_free(x);
}

/* Ready tasks over time: INTERVALS rows a policy. */
static int write_timeline(const struct comparison *c, const struct compare_options *o, struct ht_err *err)
{
	enum { INTERVALS = 200 };
	struct ready_interval x[INTERVALS];
	struct outfile out;
	struct csv csv = {0};

	if (outfile_open(&out, o->timeline, err) < 0)
		return -1;
	csv.f = out.f;
	csv_raw(&csv, "policy,from_ns,to_ns,ready,pushed,popped");
	csv_end(&csv);
	for (int i = 0; i < c->nrows; i++) {
		const struct compared *row = &c->rows[i];

		if (!row->simulation)
			continue;
		ready_count(row->simulation->tasks, c->run->dag->ntasks, row->makespan_ns, INTERVALS, x);
		for (int k = 0; k < INTERVALS; k++) {
			csv_text(&csv, row->name);
			csv_int(&csv, x[k].from_ns);
			csv_int(&csv, x[k].to_ns);
			csv_decimal(&csv, x[k].ready, 3);
			csv_int(&csv, x[k].pushed);
			csv_int(&csv, x[k].popped);
			csv_end(&csv);
		}
	}
	return outfile_commit(&out, err);
}

static const struct column what_if_columns[] = {
	{"what_if", "what if", COLUMN_TEXT, 0},
	{"makespan_ns", "makespan", COLUMN_NS, 0},
	{"change", "change", COLUMN_CHANGE, COLUMN_CSV_6},
	{"error", "+-", COLUMN_SHARE, COLUMN_CSV_6},
	{0},
};

static void print_what_ifs(const struct what_ifs *w, const char *of, int as_csv)
{
	struct records *x = records_create(what_if_columns);

	records_add(x, V(of), V(w->base_ns), V(NAN), V(NAN));
	for (size_t i = 0; i < w->count; i++)
		records_add(x, V((const char *)w->items[i].what), V(w->items[i].makespan_ns), V(-w->items[i].gain),
		            V(w->items[i].error));
	if (as_csv)
		records_csv(x, stdout);
	else
		records_print(x, stdout);
	records_free(x);
}

/* The scheduler of the run, where it is one that can be replayed. */
static const char *own_policy(const struct run *r, struct ht_err *err)
{
	const char *options;

	if (policy_find(r->scheduler, &options, NULL))
		return r->scheduler;
	ht_err_set(err, "--what-if needs a --policy or a --config here: the run's own scheduler is %s",
	           *r->scheduler ? r->scheduler : "not known");
	return NULL;
}

/* Under the one policy that is named, as the config has it, or else under the run's own. */
static int compare_what_ifs(const struct compare_options *o, char **words, struct ht_err *err)
{
	const char *policy = o->policies.count == 1 ? o->policies.items[0] : NULL;
	struct comparison c = {0};
	struct what_ifs w = {0};
	int rc = -1;

	if (o->policies.count > 1 || (policy && o->config) || words[1])
		return ht_err_set(err, "--what-if is for one RUN, under one --policy or with one --config");
	if (o->timeline || o->jitter >= 0 || o->seed >= 0 || o->fail_if || o->json || scenario_asks(&o->scenario))
		return ht_err_set(err, "--what-if has scenarios of its own: only --policy or --config, and --csv");
	if (open_all(&c, words[0], o, err) == 0 && (policy || c.config || (policy = own_policy(c.run, err))) &&
	    what_ifs_make(&w, c.run, c.config, policy, err) == 0) {
		print_notes(&c, o);
		print_what_ifs(&w, policy ? policy : "the config", o->csv);
		rc = 0;
	}
	what_ifs_fini(&w);
	config_free(c.config);
	scenario_fini(&c.scenario);
	run_free(c.run);
	return rc;
}

static int answer(char **words, void *options, struct ht_err *err)
{
	const struct compare_options *o = options;
	struct comparison c = {0};
	int rc = -1;

	if (o->what_if)
		return compare_what_ifs(o, words, err);

	if (!o->policies.count && !o->config)
		return compare_recordings(o, words, err);
	if (words[1])
		return ht_err_set(err, "--policy and --config are for one RUN, found %s after it", words[1]);
	if (check_options(o, err) == 0 && open_all(&c, words[0], o, err) == 0)
		rc = replay_all(&c, o, err);
	if (rc == 0 && o->timeline)
		rc = write_timeline(&c, o, err);
	if (rc == 0) {
		print_notes(&c, o);
		print(&c, o);
		rc = c.nleft_out ? STATUS_NO : STATUS_DONE;
	}
	for (int i = 0; i < c.nrows; i++)
		simulation_free(c.rows[i].simulation);
	free(c.rows);
	free(c.left_out);
	config_replay_fini(&c.as_config);
	jitter_free(c.jitter);
	config_free(c.config);
	scenario_fini(&c.scenario);
	run_free(c.run);
	return rc;
}

static int cmd_compare_run(int argc, char **argv)
{
	struct compare_options o = {.scenario.submission = "recorded", .seed = -1, .jitter = -1};
	const struct option_spec specs[] = {
		{OPTION_TEXTS, 'p', "policy", &o.policies, "NAME[:KNOBS]",
	         "policies of heterotune replay --list, one or more"},
		{OPTION_TEXT, 'c', "config", &o.config, "FILE",
	         "also as a config has it; policies that take buckets get its buckets"},
		SCENARIO_OPTIONS(o.scenario),
		{OPTION_REAL, 0, "jitter", &o.jitter, "SHARE",
	         "durations differ from task to task: deviation over mean, such as 0.1"},
		{OPTION_INT, 0, "seed", &o.seed, "N", "of --jitter (default: 1)"},
		{OPTION_TEXT, 0, "timeline", &o.timeline, "FILE", "write the number of ready tasks over time, as CSV"},
		{OPTION_TEXT, 0, "fail-if", &o.fail_if, "+SHARE%",
	         "of recordings: end with status 1 where one takes that much longer than the first, such as +5%"},
		{OPTION_FLAG, 0, "what-if", &o.what_if, NULL,
	         "under one policy or config: what other workers, copies, starts and kernels would bring"},
		{OPTION_FLAG, 0, "csv", &o.csv, NULL, "as CSV"},
		{OPTION_FLAG, 0, "json", &o.json, NULL, "of recordings: as JSON"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "compare",
		.synopsis = "RUN [--policy NAME[:KNOBS] ...] [--config FILE] | RUN RUN...",
		.summary = "Predict what a run takes under several policies, or show how recordings differ.",
		.epilogue = "  heterotune compare run.ht --policy dmda dmdas inspirit\n"
			    "  heterotune compare run.ht --policy dmda --what-if\n"
			    "  heterotune compare yesterday.ht today.ht --fail-if +5%\n",
	};
	return command_run(argc, argv, specs, &usage,
	                   &(struct command_answer){"a RUN directory, or several", 1, -1, 0, answer}, &o);
}

const struct command cmd_compare = {"compare", "a run under several policies, or recordings, side by side",
                                    cmd_compare_run};
