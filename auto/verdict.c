/* auto/verdict.c - one screen: what was recorded, what limits it, what was chosen and what it should bring. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/verdict.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "auto/advice.h"
#include "auto/limit_cause.h"
#include "auto/measured.h"
#include "auto/measured_text.h"
#include "auto/recordings.h"
#include "auto/settle.h"
#include "auto/sizes.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/table.h"
#include "core/base/terminal.h"
#include "core/base/wrap.h"
#include "core/config/config.h"
#include "core/config/config_words.h"
#include "core/config/shell.h"
#include "core/config/priority_list_text.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/metrics/metrics.h"
#include "core/metrics/reference.h"
#include "core/metrics/task_size.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "replay/recorded.h"
#include "replay/scenario.h"
#include "replay/sim/simulate.h"
#include "replay/what_if.h"
#include "tune/evaluate/baselines.h"

/* Below this share of the makespan a bound or a wait is not what limits a run. */
static const double DOMINANT = 0.9, NOTABLE = 0.02;

/* What brings less is no advice; replays of more tasks take too long for a verdict. */
static const double WORTH_IT = 0.05;
enum { WHAT_IF_TASKS = 20000, WHAT_IFS = 2 };

struct verdict {
	const char *dir;
	struct run *run;
	struct config *config;
	struct recorded *recorded;
	struct bounds bounds;
	struct metrics_input executed;
	struct metrics *metrics;
	struct task_size task_size;
	struct advice advice;
	struct measured measured;
	int64_t makespan_ns; /* of the recorded run */
};

enum { LABEL = 11, HANG = 2, WIDTH = 80, REASONS = 8, LONG_NAME = 24, SENTENCE = 1024 };

/* A paragraph after its label, "" for another one. Its lines hang, so that it ends where they do. */
static void say(FILE *f, const char *label, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void say(FILE *f, const char *label, const char *fmt, ...)
{
	char text[SENTENCE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(f, "%-*s", LABEL, label);
	wrap_text(f, text, LABEL, LABEL + HANG, WIDTH);
	putc('\n', f);
}

/* Adds to a sentence that say() gets; what does not fit is cut. */
struct sentence {
	char text[SENTENCE];
	size_t len;
};

static void add(struct sentence *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct sentence *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(s->text + s->len, sizeof(s->text) - s->len, fmt, ap);
	va_end(ap);
	s->len += n < 0 ? 0 : (size_t)n;
	if (s->len >= sizeof(s->text))
		s->len = sizeof(s->text) - 1;
}

/* When replays of the run submit its last task; 0: other things decide. */
static int64_t submitted_ns(const struct verdict *v)
{
	const struct scenario_options plain = {.submission = "recorded"};
	struct ht_err why = {""};
	struct scenario scenario;
	int64_t ns = scenario_open(&scenario, v->run, &plain, &why) == 0 ?
	                     scenario_submitted_ns(&scenario, v->run->dag) :
	                     0;

	scenario_fini(&scenario);
	return ns;
}

static void advise(struct verdict *v)
{
	const struct measured_case *runs = v->measured.cases, *chosen = measured_choice(&v->measured);
	const struct measured_case *fastest = v->measured.fastest >= 0 ? &runs[v->measured.fastest] : NULL;
	const struct advice_input in = {
		.config = v->config,
		.scheduler = v->run->scheduler,
		.run_ns = chosen && runs->n ? runs->median_ns : v->makespan_ns,
		.bound_ns = v->bounds.largest_ns,
		.measured_ns = chosen ? chosen->median_ns : 0,
		.fastest_ns = fastest ? fastest->median_ns : 0,
		.fastest_runs = fastest ? fastest->n : 0,
		.too_short_ns = measured_too_short(&v->measured),
		.task_size = &v->task_size,
		.is_native = !trace_simulated(v->run->trace),
		.submitted_ns = submitted_ns(v),
		.sizes = sizes_factor(v->config),
	};

	advice_make(&v->advice, &in);
}

/* Whether it is to use the config. */
static int is_use(const struct verdict *v)
{
	return v->advice.kind == ADVICE_VARIABLES || v->advice.kind == ADVICE_LIBRARY;
}

static void print_advice(const struct verdict *v, FILE *f)
{
	const double sizes = sizes_factor(v->config);
	char warning[MEASURED_SENTENCE], span[16], change[16];

	if (*v->advice.cause)
		say(f, "verdict", "%s", v->advice.cause);
	say(f, *v->advice.cause ? "" : "verdict", "%s%s", *v->advice.cause ? "as they are, " : "", v->advice.text);
	if (v->advice.plain)
		say(f, "", "STARPU_SCHED=%s alone: replays say %s, %.0f %% less", v->advice.plain->name,
		    time_text(span, v->advice.plain->makespan_ns),
		    100 * (1 - (double)v->advice.plain->makespan_ns / (double)v->advice.before_ns));
	if (sizes > 0 && is_use(v))
		say(f, "", "over all sizes %s (below)", change_text(change, sizes - 1));
	if (*measured_warning(&v->measured, warning))
		say(f, "", "%s", warning);
}

static void print_recorded(const struct verdict *v, FILE *f)
{
	char machine[128], span[16], most[16];
	double others = manifest_others(&v->run->manifest);
	struct sentence s = {.len = 0};
	int64_t least_ns, most_ns;
	int n = recordings_range(v->dir, SIZES_RUN, &least_ns, &most_ns);

	add(&s, "%u task%s of %u codelet%s on %s", v->run->dag->ntasks, plural(v->run->dag->ntasks),
	    v->run->dag->ntypes, plural(v->run->dag->ntypes),
	    machine_summary(v->run->machine, machine, sizeof(machine)));
	if (*v->run->scheduler)
		add(&s, " under %s", v->run->scheduler);
	add(&s, ": %s", time_text(span, v->makespan_ns));
	if (v->bounds.largest_ns > 0)
		add(&s, ", %.2f times the least that any schedule takes",
		    (double)v->makespan_ns / (double)v->bounds.largest_ns);
	say(f, "recorded", "%s", s.text);
	if (n)
		say(f, "", "the median of %d recordings, %s to %s", n, time_text(span, least_ns),
		    time_text(most, most_ns));
	if (others > 0)
		say(f, "", "other programs used %.0f %% of the cores: record again when they have ended (--fresh)",
		    100 * others);
}

static void print_waits(const struct verdict *v, FILE *f)
{
	static const char *const what[GAP_COUNT] = {
		"to be submitted",
		"for StarPU to see that they were ready",
		"for a worker to take them",
		"for their data and to be started",
		"(for what was not recorded)",
	};
	struct sentence s = {.len = 0};
	char text[16];

	for (int g = 0; g < GAP_COUNT; g++) {
		int64_t sum = 0;

		for (int a = 0; a < ARCH_COUNT; a++)
			sum += v->recorded->critical_gap_ns[g][a];
		if ((double)sum >= NOTABLE * (double)v->makespan_ns)
			add(&s, "%s%s %s", s.len ? ", " : "the chain of tasks that ended last waited ",
			    time_text(text, sum), what[g]);
	}
	if (s.len)
		say(f, "", "%s", s.text);
}

static void print_limits(const struct verdict *v, FILE *f)
{
	double area = (double)v->bounds.area_ns / (double)v->makespan_ns;
	double path = (double)v->bounds.critical_path_ns / (double)v->makespan_ns;
	struct sentence idle = {.len = 0};
	char a[16], p[16], cause[LIMIT_CAUSE_TEXT];

	time_text(a, v->bounds.area_ns);
	time_text(p, v->bounds.critical_path_ns);
	if (path >= DOMINANT && path >= area)
		say(f, "limited by",
		    "its longest chain of tasks that wait for each other: %s, %.0f %% of the run; no order of tasks "
		    "takes less",
		    p, 100 * path);
	else if (area >= DOMINANT)
		say(f, "limited by",
		    "its workers' speed: with all work shared perfectly they need %s, %.0f %% of the run", a,
		    100 * area);
	else
		say(f, "limited by",
		    "neither its workers' speed nor its dependencies: all work shared perfectly would take %s (%.0f "
		    "%% of the run), the longest chain of tasks %s (%.0f %%)",
		    a, 100 * area, p, 100 * path);
	if (path < DOMINANT && area < DOMINANT && *limit_cause(cause, v->run, &v->bounds))
		say(f, "", "what adds most to that: %s", cause);
	for (int arch = 0; arch < ARCH_COUNT; arch++)
		if (v->metrics->archs & 1u << arch)
			add(&idle, "%s%s %.0f %%", idle.len ? ", " : "idle: ", arch_name((enum arch)arch),
			    100 * v->executed.idle[arch]);
	say(f, "", "%s", idle.text);
	print_waits(v, f);
}

/* To be copied: one line, however long. */
static void print_what_if_command(const struct verdict *v, FILE *f, int of_config)
{
	char *dir = shell_word(v->dir), *heterotune = shell_heterotune();

	fprintf(f, "%*s%s compare %s/run --what-if", LABEL, "", heterotune, dir);
	if (of_config)
		fprintf(f, " --config %s/config.xml", dir);
	putc('\n', f);
	free(heterotune);
	free(dir);
}

/* What replays say that other things than a scheduler would bring: the most of it. */
static void print_what_ifs(const struct verdict *v, FILE *f)
{
	const struct config alone = {.policy = v->run->scheduler};
	const int is_known = config_is_policy(alone.policy) && config_effort(&alone, NULL) == CONFIG_EFFORT_SCHED;
	const int of_config = is_use(v) || !is_known;
	struct sentence s = {.len = 0};
	struct what_ifs w;

	if (v->run->dag->ntasks > WHAT_IF_TASKS)
		return;
	if (what_ifs_make(&w, v->run, v->config, of_config ? NULL : alone.policy, NULL) == 0)
		for (size_t i = 0; i < w.count && i < WHAT_IFS; i++)
			if (what_if_is_gain(&w.items[i], WORTH_IT))
				add(&s, "%s%s: %.0f %% less", s.len ? "; " : "", w.items[i].what,
				    100 * w.items[i].gain);
	what_ifs_fini(&w);
	if (!s.len)
		return;
	say(f, "what if", "%s; more of these:", s.text);
	print_what_if_command(v, f, of_config);
}

/* Why: what distinguishes the types, in the order of the list of the architecture that is fastest most often. */
static void print_reasons(const struct verdict *v, FILE *f)
{
	const struct metrics *x = v->metrics;
	int width = 0;

	for (uint32_t p = 0; p < x->ntypes && p < REASONS; p++)
		width = (int)strlen(x->types[p].name) > width ? (int)strlen(x->types[p].name) : width;
	for (uint32_t p = 0; p < x->ntypes && p < REASONS; p++) {
		struct sentence s = {.len = 0};

		const struct metrics_type *t = &x->types[p];
		enum arch best = ARCH_NONE, worst = ARCH_NONE;

		for (int a = 0; a < ARCH_COUNT; a++)
			if (t->arch[a].legal) {
				if (best == ARCH_NONE || t->arch[a].cost < t->arch[best].cost)
					best = (enum arch)a;
				if (worst == ARCH_NONE || t->arch[a].cost >= t->arch[worst].cost)
					worst = (enum arch)a;
			}
		if (best == ARCH_NONE)
			continue;
		add(&s, "%-*s", width < LONG_NAME ? width : LONG_NAME, t->name);
		if (best == worst)
			add(&s, " runs on %s only,", arch_name(best));
		else
			add(&s, " %4.1f times faster on %s than on %s,", t->arch[worst].cost / t->arch[best].cost,
			    arch_name(best), arch_name(worst));
		add(&s, " makes %.2f tasks ready", t->nod);
		say(f, "", "%s", s.text);
	}
}

/* What each variable of StarPU's start brings. */
static void print_startup(const struct config *c, FILE *f)
{
	struct starpu_env_var vars[STARPU_ENV_MAX_VARS];
	struct sentence s = {.len = 0};

	for (int k = 0; k < STARPU_ENV_COUNT; k++) {
		struct starpu_env one = {{0}};
		int n;

		one.value[k] = c->starpu_env.value[k];
		n = starpu_env_vars(&one, c->workers, vars);
		for (int i = 0; i < n; i++)
			add(&s, "%s%s=%s", s.len ? ", " : "", vars[i].name, vars[i].value);
		if (n && c->starpu_env_gain[k] > 0)
			add(&s, " (%.1f %% less time)", 100 * c->starpu_env_gain[k]);
	}
	if (s.len)
		say(f, "startup", "%s", s.text);
}

static void print_lists(const struct config *c, FILE *f)
{
	int has_levels = 0;

	for (int b = 0; b < c->nbuckets; b++)
		for (int i = 0; i < c->buckets[b].nmembers; i++)
			has_levels |= c->buckets[b].members[i].limits != 0;
	say(f, "", "workers take from the first of these buckets that has a task for them%s:",
	    has_levels ? "; 1 is the most urgent part of a codelet" : "");
	for (int a = 0; a < ARCH_COUNT; a++) {
		int at;

		if (!c->lists[a].count)
			continue;
		at = fprintf(f, "%*s%-7s", LABEL, "", arch_name((enum arch)a));
		priority_list_print(f, c, (enum arch)a, at, at + 1, WIDTH, 2); /* the config has all of it */
		putc('\n', f);
	}
}

/* Of what was replayed. */
static int count_measured(const struct config *c)
{
	int n = 0;

	for (int i = 0; i < c->ntrials; i++) {
		const struct config_trial *first = config_trial_find(c, c->trials[i].name);

		n += strcmp(c->trials[i].source, MEASURED) == 0 && strcmp(first->source, "replay") == 0;
	}
	return n;
}

static void print_chosen(const struct verdict *v, FILE *f)
{
	const struct config *c = v->config;
	struct config setting = *c; /* the best one of Heteroprio's, where the policy is another one */
	int measured = count_measured(c), candidates = config_candidates(c);
	int keeps = config_effort(c, v->run->scheduler) == CONFIG_EFFORT_NONE;
	struct sentence s = {.len = 0};
	char words[CONFIG_WORDS];

	add(&s, "%d candidate%s in replays", candidates, plural((uint64_t)candidates));
	if (measured)
		add(&s, ", %d of them in runs", measured);
	say(f, "tried", "%s: the simplest of the fastest is %s%s", s.text, keeps ? c->policy : config_words(c, words),
	    keeps ? " as it is" : "");
	if (strcmp(c->policy, "heteroprio") == 0) {
		print_lists(c, f);
		print_reasons(v, f);
	} else {
		setting.policy = "heteroprio";
		setting.starpu_env = (struct starpu_env){{0}};
		say(f, "", "%s, its best setting, is not clearly faster", config_words(&setting, words));
	}
	print_startup(c, f);
}

/* before_ns: of the run as it is, which has no change. */
static void row(struct table *t, const struct verdict *v, const char *what, int64_t ns, int64_t before_ns)
{
	char text[16];

	table_cell(t, "           %s", what);
	table_cell(t, "%s", time_text(text, ns));
	table_cell(t, "%.2f", (double)ns / (double)v->bounds.largest_ns);
	if (ns == before_ns || before_ns <= 0)
		table_cell(t, "%s", "");
	else
		table_cell(t, "%s", change_text(text, (double)ns / (double)before_ns - 1));
}

/* Why the recorded order has no row. */
static void print_missing(const struct verdict *v, FILE *f)
{
	const struct scenario_options plain = {.submission = "recorded"};
	struct ht_err why = {"the config is of another run"};
	struct scenario scenario;

	if (scenario_open(&scenario, v->run, &plain, &why) == 0)
		recorded_simulate(v->run->trace, v->run->dag, v->run->machine, &scenario, &why);
	scenario_fini(&scenario);
	say(f, "", "the recorded order cannot be replayed: %s", why.text);
}

/* Rows of schedulers to compare with, the chosen one left out. Whether one of them takes less. */
static int add_others(struct table *t, const struct verdict *v, int64_t ours, int64_t before_ns)
{
	static const struct {
		const char *trial, *words;
	} others[] = {
		{"dmda", "STARPU_SCHED=dmda"},
		{"dmdas", "STARPU_SCHED=dmdas"},
		{BASELINE_AUTO, "heteroprio, its first run"},
		{BASELINE_AUTO_BEST, "heteroprio, its best ordering"},
	};
	char recorded[64];
	int beaten = 0;

	snprintf(recorded, sizeof(recorded), "STARPU_SCHED=%.48s", v->run->scheduler);
	for (size_t i = 0; i <= sizeof(others) / sizeof(others[0]); i++) {
		const char *name = i ? others[i - 1].trial : v->run->scheduler;
		const struct config_trial *other = config_trial_find(v->config, name);

		if (!other || strcmp(name, v->config->chosen) == 0 || (i && strcmp(name, v->run->scheduler) == 0))
			continue;
		row(t, v, i ? others[i - 1].words : recorded, other->makespan_ns, before_ns);
		beaten |= other->makespan_ns < ours;
	}
	return beaten;
}

static void print_predicted(const struct verdict *v, FILE *f)
{
	const struct config_trial *ours = config_trial_find(v->config, v->config->chosen);
	const struct config_trial *own = config_trial_find(v->config, CONFIG_TRIAL_RECORDED_ORDER);
	const struct config_trial *before = v->advice.before;
	/* The run's own scheduler, replayed, is no gain over the recorded order. */
	const int keeps = config_effort(v->config, v->run->scheduler) == CONFIG_EFFORT_NONE;
	char titles[128], again[80], why[REFERENCE_TEXT];
	int64_t before_ns;
	struct table *t;
	int beaten;

	if (!ours)
		return;
	if (keeps && before && ours->makespan_ns < before->makespan_ns)
		before = ours;
	before_ns = before ? before->makespan_ns : v->makespan_ns;
	snprintf(titles, sizeof(titles), "<predicted  replays %s transfers|makespan|to bound|change",
	         simulate_has_transfers(v->run->dag, v->run->machine) ? "with" : "without");
	snprintf(again, sizeof(again), "STARPU_SCHED=%.48s, as it is", v->run->scheduler);
	t = table_create(titles);
	row(t, v, "the recorded run", v->makespan_ns, before_ns);
	if (own)
		row(t, v, CONFIG_TRIAL_RECORDED_ORDER, own->makespan_ns, before_ns);
	row(t, v, keeps ? again : "the config", ours->makespan_ns, before_ns);
	/* Where the best of them have run, that is the comparison. */
	beaten = measured_choice(&v->measured) ? 0 : add_others(t, v, ours->makespan_ns, before_ns);
	if (measured_choice(&v->measured) && before && before != own && before != ours)
		row(t, v, again, before_ns, before_ns);
	row(t, v, "the bound, which no schedule is below", v->bounds.largest_ns, before_ns);
	table_print(t, f);
	table_free(t);
	if (before && before != own && before != ours)
		snprintf(again, sizeof(again), "STARPU_SCHED=%.48s", before->name);
	say(f, "", "change: against %s; below 0 is faster",
	    !before       ? "the recorded run" :
	    before == own ? "the " CONFIG_TRIAL_RECORDED_ORDER :
	                    again);
	if (own && *reference_text(why, own->makespan_ns, v->makespan_ns))
		say(f, "", "%s", why);
	if (beaten)
		say(f, "",
		    "one replay each, of mean durations; what is chosen was compared in replays whose durations vary "
		    "(tuning.txt)");
	if (!own)
		print_missing(v, f);
}

static void print_measured(const struct verdict *v, FILE *f)
{
	const struct measured_case *c = measured_choice(&v->measured);

	measured_print(&v->measured, f);
	if (c && c->config && c->median_ns < v->bounds.largest_ns && !v->measured.simulated)
		say(f, "", "less than the bound: tasks took longer when they were recorded");
}

static void print_files(const struct verdict *v, FILE *f)
{
	static const char *const files[] = {
		"config.xml", "config.env", "heteroprio.h", "tuning.txt", "plots",
	}; /* the analysis is on the report's page */
	struct sentence s = {.len = 0};

	add(&s, "in %s: report.html", v->dir);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = ht_asprintf("%s/%s", v->dir, files[i]);

		if (file_exists(path))
			add(&s, ", %s", files[i]);
		free(path);
	}
	say(f, "files", "%s", s.text);
}

/* Where the scheduler is to stay as it is. */
static void print_next(const struct verdict *v, FILE *f, const char *heterotune)
{
	const int may_measure = v->advice.kind == ADVICE_KEEP && !measured_choice(&v->measured);
	char *path = ht_asprintf("%s/run", v->dir), *run = shell_word(path);

	say(f, "next", "run the program as it is; %sthis lists what else limits it:",
	    may_measure ? "--verify runs it under the best candidates, too; " : "");
	fprintf(f, "%*s%s check %s\n", LABEL, "", heterotune, run);
	free(path);
	free(run);
}

/* To be copied: one line, however long, as the command of print_next() is. */
static void print_use(const struct verdict *v, FILE *f)
{
	const char *command = *v->run->command ? v->run->command : "CMD...";
	char variables[CONFIG_WORDS], *path = ht_asprintf("%s/config.xml", v->dir), *config = shell_word(path);
	char *heterotune = shell_heterotune();

	if (v->advice.kind == ADVICE_VARIABLES)
		fprintf(f, "%-*s%s %s\n", LABEL, "use it", config_variables(v->config, variables), command);
	else if (v->advice.kind == ADVICE_LIBRARY)
		fprintf(f, "%-*s%s run %s -- %s\n", LABEL, "use it", heterotune, config, command);
	else
		print_next(v, f, heterotune);
	free(path);
	free(config);
	free(heterotune);
}

/* Where the config has a plan for the run, and for no other size. */
static void print_other_sizes(const struct verdict *v, FILE *f)
{
	const int is_planned = v->config->nplans > 0 || strcmp(v->config->policy, "placement") == 0;

	if (v->advice.kind == ADVICE_LIBRARY && is_planned && sizes_factor(v->config) <= 0)
		say(f, "sizes",
		    "the config is planned for this one; for others, too: auto --sizes, and --plan where "
		    "they take long");
}

void verdict_show(const char *text, FILE *f)
{
	while (*text) {
		size_t len = strcspn(text, "\n"), label = *text == ' ' ? 0 : len < LABEL ? len : LABEL;

		if (label)
			terminal_write(f, TERMINAL_BOLD, text, label);
		fwrite(text + label, 1, len - label, f);
		putc('\n', f);
		text += len + (text[len] == '\n');
	}
}

/* All but the config. */
static int open_run(struct verdict *v, struct ht_err *err)
{
	char *run = ht_asprintf("%s/run", v->dir);
	struct task_size typical;
	int rc = -1;

	v->run = run_open(run, err);
	v->recorded = v->run ? recorded_replay(v->run->trace, v->run->dag, err) : NULL;
	if (!v->recorded ||
	    bounds_of(&v->bounds, v->run->dag, v->run->machine,
	              run_has_copies(v->run) ? BOUNDS_WITH_COPIES : BOUNDS_WITHOUT_COPIES, err) != 0 ||
	    metrics_input_from_run(&v->executed, v->run->trace, v->run->dag, v->run->machine, err) != 0)
		goto out;
	v->metrics = metrics_compute(v->run->dag, v->run->machine, &v->executed);
	v->makespan_ns = trace_makespan_ns(v->run->trace, NULL);
	task_size_of(&typical, v->run->trace, v->run->dag, &v->run->conditions.overheads);
	v->task_size = recorded_task_size(v->recorded, &typical);
	rc = 0;
out:
	free(run);
	return rc;
}

static void close_all(struct verdict *v)
{
	measured_free(&v->measured);
	metrics_free(v->metrics);
	metrics_input_fini(&v->executed);
	recorded_free(v->recorded);
	config_free(v->config);
	run_free(v->run);
}

/* With what to do. */
static int open_all(struct verdict *v, struct ht_err *err)
{
	char *config = ht_asprintf("%s/config.xml", v->dir);
	int rc = open_run(v, err);

	if (rc == 0 && (!(v->config = config_load(config, err)) || measured_open(&v->measured, v->dir, err) != 0))
		rc = -1;
	if (rc == 0)
		advise(v);
	free(config);
	return rc;
}

int verdict_settle(const char *dir, struct ht_err *err)
{
	struct verdict v = {.dir = dir};
	int rc = open_all(&v, err);

	if (rc == 0 && !is_use(&v) && config_is_policy(v.run->scheduler) &&
	    config_effort(v.config, v.run->scheduler) != CONFIG_EFFORT_NONE) {
		settle_plain(v.config, v.run->scheduler);
		rc = settle(dir, v.config, "the verdict", err) == 0 ? VERDICT_CHANGED : -1;
	}
	close_all(&v);
	return rc;
}

int verdict_print(const char *dir, FILE *f, struct ht_err *err)
{
	struct verdict v = {.dir = dir};
	int rc = open_all(&v, err);

	if (rc != 0)
		goto out;
	print_advice(&v, f);
	print_recorded(&v, f);
	print_limits(&v, f);
	print_what_ifs(&v, f);
	print_chosen(&v, f);
	print_predicted(&v, f);
	if (sizes_factor(v.config) > 0)
		sizes_print(v.config, f);
	print_measured(&v, f);
	print_files(&v, f);
	print_use(&v, f);
	print_other_sizes(&v, f);
out:
	close_all(&v);
	return rc;
}

int verdict_print_nameless(const char *dir, FILE *f, struct ht_err *err)
{
	struct verdict v = {.dir = dir};
	size_t n;
	int rc = open_run(&v, err);

	if (rc == 0) {
		n = trace_nameless(v.run->trace);
		say(f, "verdict",
		    "give every codelet a .name: %zu task%s of codelets that have neither a name nor a model, so that "
		    "no config can say which they are, and the program does not ask for the scheduler library, which "
		    "would name them",
		    n, n == 1 ? " is" : "s are");
		print_recorded(&v, f);
		print_limits(&v, f);
		print_files(&v, f);
	}
	close_all(&v);
	return rc;
}
