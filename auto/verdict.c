/* auto/verdict.c - one screen: what was recorded, what limits it, what was chosen and what it should bring. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/verdict.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "auto/measured.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/table.h"
#include "core/base/wrap.h"
#include "core/config/config.h"
#include "core/config/priority_list_text.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/metrics/metrics.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "replay/recorded.h"
#include "replay/sim/simulate.h"
#include "tune/evaluate/baselines.h"
#include "tune/tune.h"

/* Below this share of the makespan a bound or a wait is not what limits a run. */
static const double DOMINANT = 0.9, NOTABLE = 0.02;

/* By so much less two runs of one program may differ. */
static const double CHANCE = 0.02;

struct verdict {
	const char *dir;
	struct run *run;
	struct config *config;
	struct recorded *recorded;
	struct bounds bounds;
	struct metrics_input executed;
	struct metrics *metrics;
	int64_t makespan_ns, measured_ns; /* of the recorded run, and of the one under the config; 0: none */
};

enum { LABEL = 11, WIDTH = 80, REASONS = 8, LONG_NAME = 24 };

/* A paragraph after its label; "" continues what stands above. */
static void say(FILE *f, const char *label, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void say(FILE *f, const char *label, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(f, "%-*s", LABEL, label);
	wrap_text(f, text, LABEL, LABEL, WIDTH);
	putc('\n', f);
}

/* Adds to a sentence that say() gets; what does not fit is cut. */
struct sentence {
	char text[1024];
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

/* Its name, for "keep ...". */
static const char *recorded_scheduler(const struct verdict *v)
{
	return *v->run->scheduler ? v->run->scheduler : "the scheduler of the recorded run";
}

/* Whether the config is what the run was recorded under already. */
static int changes_nothing(const struct verdict *v)
{
	for (int k = 0; k < STARPU_ENV_COUNT; k++)
		if (v->config->starpu_env.value[k])
			return 0;
	return strcmp(v->config->policy, "heteroprio") != 0 && strcmp(v->config->policy, v->run->scheduler) == 0;
}

enum verdict_gain verdict_gain(int64_t before_ns, int64_t now_ns)
{
	double less = 1 - (double)now_ns / (double)before_ns;

	return less <= 0 ? GAIN_NONE : less < CHANCE ? GAIN_UNCLEAR : GAIN_CLEAR;
}

static void print_gain(const struct verdict *v, const char *how, int64_t before_ns, int64_t now_ns, const char *more,
                       FILE *f)
{
	enum verdict_gain gain = verdict_gain(before_ns, now_ns);
	char now[16], before[16];

	time_text(now, now_ns);
	time_text(before, before_ns);
	if (gain == GAIN_CLEAR)
		say(f, "verdict", "use the config: %s %s instead of %s, %.0f %% less%s", how, now, before,
		    100 * (1 - (double)now_ns / (double)before_ns), more);
	else
		say(f, "verdict", "keep %s: %s %s, and %s under the config%s", recorded_scheduler(v), how, before, now,
		    gain == GAIN_UNCLEAR ? ", which is no clear difference" : "");
}

/* What to do, in a sentence: what was measured outweighs what was predicted. */
static void print_advice(const struct verdict *v, FILE *f)
{
	const struct config_trial *ours = config_trial_find(v->config, v->config->chosen);
	const struct config_trial *own = config_trial_find(v->config, CONFIG_TRIAL_RECORDED_SCHEDULE);

	if (changes_nothing(v)) {
		say(f, "verdict", "keep %s: nothing that was %s is faster", recorded_scheduler(v),
		    v->measured_ns > 0 ? "run" : "tried in replays");
	} else if (v->measured_ns > 0) {
		print_gain(v, "measured", v->makespan_ns, v->measured_ns, "", f);
	} else if (ours && own && ours->makespan_ns > own->makespan_ns) {
		say(f, "verdict", "keep %s: its recorded schedule, replayed, takes less than every trial",
		    recorded_scheduler(v));
	} else if (ours && own) {
		print_gain(v, "predicted", own->makespan_ns, ours->makespan_ns, "; --verify measures that", f);
	}
}

static void print_recorded(const struct verdict *v, FILE *f)
{
	char machine[128], span[16];
	struct sentence s = {.len = 0};

	add(&s, "%u task%s of %u codelet%s on %s", v->run->dag->ntasks, plural(v->run->dag->ntasks),
	    v->run->dag->ntypes, plural(v->run->dag->ntypes),
	    machine_summary(v->run->machine, machine, sizeof(machine)));
	if (*v->run->scheduler)
		add(&s, " under %s", v->run->scheduler);
	add(&s, ": %s", time_text(span, v->makespan_ns));
	if (v->bounds.largest_ns > 0)
		add(&s, ", %.2f times the bound", (double)v->makespan_ns / (double)v->bounds.largest_ns);
	say(f, "recorded", "%s", s.text);
}

static void print_waits(const struct verdict *v, FILE *f)
{
	static const char *const what[GAP_COUNT] = {
		"for their submission", "for StarPU to call them ready",
		"in the scheduler",     "for their data and their launch",
		"(times not recorded)",
	};
	struct sentence s = {.len = 0};
	char text[16];

	for (int g = 0; g < GAP_COUNT; g++) {
		int64_t sum = 0;

		for (int a = 0; a < ARCH_COUNT; a++)
			sum += v->recorded->critical_gap_ns[g][a];
		if ((double)sum >= NOTABLE * (double)v->makespan_ns)
			add(&s, "%s%s %s", s.len ? ", " : "on the chain of tasks that ends last, tasks waited ",
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
	char a[16], p[16];

	time_text(a, v->bounds.area_ns);
	time_text(p, v->bounds.critical_path_ns);
	if (path >= DOMINANT && path >= area)
		say(f, "limited by", "its critical path: %s, %.0f %% of the run; no order of tasks can be below", p,
		    100 * path);
	else if (area >= DOMINANT)
		say(f, "limited by",
		    "the workers' speed: at full load on the best architectures they need %s, %.0f %% of the "
		    "run",
		    a, 100 * area);
	else
		say(f, "limited by",
		    "neither bound: full load would take %s (%.0f %% of the run), the critical path %s "
		    "(%.0f %%)",
		    a, 100 * area, p, 100 * path);
	for (int arch = 0; arch < ARCH_COUNT; arch++)
		if (v->metrics->archs & 1u << arch)
			add(&idle, "%s%s %.0f %%", idle.len ? ", " : "idle: ", arch_name((enum arch)arch),
			    100 * v->executed.idle[arch]);
	say(f, "", "%s", idle.text);
	print_waits(v, f);
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
		add(&s, " frees %.2f tasks", t->nod);
		say(f, "", "%s", s.text);
	}
}

static void print_environment(const struct config *c, FILE *f)
{
	struct sentence s = {.len = 0};
	char text[STARPU_ENV_TEXT];

	for (int k = 0; k < STARPU_ENV_COUNT; k++) {
		if (!c->starpu_env.value[k])
			continue;
		add(&s, "%s%s", s.len ? ", " : "",
		    starpu_env_text(text, (enum starpu_env_knob)k, c->starpu_env.value[k]));
		if (c->starpu_env_gain[k] > 0)
			add(&s, " (%.1f %% less time)", 100 * c->starpu_env_gain[k]);
	}
	if (s.len)
		say(f, "startup", "%s", s.text);
}

static void print_chosen(const struct verdict *v, FILE *f)
{
	const struct config *c = v->config;
	int replayed = 0, measured = 0;

	for (int i = 0; i < c->ntrials; i++)
		replayed += strcmp(c->trials[i].source, "replay") == 0;
	for (int i = 0; i < c->ntrials; i++)
		measured += strcmp(c->trials[i].source, MEASURED) == 0;
	if (measured)
		say(f, "chosen", "%s, the fastest of %d that were run, the best of %d trials replayed", c->chosen,
		    measured, replayed);
	else
		say(f, "chosen", "%s, the best of %d trials replayed", c->chosen, replayed);
	if (strcmp(c->policy, "heteroprio") != 0) {
		say(f, "", "%s; no setting of Heteroprio that was %s is clearly faster",
		    config_policy_kind(c->policy, c->has_rank_priorities), measured ? "run" : "found");
		print_environment(c, f);
		return;
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		int at;

		if (!c->lists[a].count)
			continue;
		at = fprintf(f, "%*s%-7s", LABEL, "", arch_name((enum arch)a));
		priority_list_print(f, c, (enum arch)a, at, at + 1, WIDTH, 2); /* the config has all of it */
		putc('\n', f);
	}
	print_reasons(v, f);
	print_environment(c, f);
}

/* ours: the config's makespan, to compare with; 0: no comparison. */
static void row(struct table *t, const struct verdict *v, const char *what, int64_t ns, int64_t ours)
{
	char text[16];

	table_cell(t, "           %s", what);
	table_cell(t, "%s", time_text(text, ns));
	table_cell(t, "%.2f", (double)ns / (double)v->bounds.largest_ns);
	if (ours > 0)
		table_cell(t, "%+.1f %%", 100 * ((double)ours / (double)ns - 1));
	else
		table_cell(t, "%s", "");
}

static void print_predicted(const struct verdict *v, FILE *f)
{
	const struct config_trial *ours = config_trial_find(v->config, v->config->chosen);
	const struct config_trial *own = config_trial_find(v->config, CONFIG_TRIAL_RECORDED_SCHEDULE);
	static const char *const others[] = {"dmda", "dmdas", BASELINE_AUTO, BASELINE_AUTO_BEST};
	const char *titles = simulate_has_transfers(v->run->dag, v->run->machine) ?
	                             "<predicted  replayed with transfers|makespan|to bound|config against it" :
	                             "<predicted  replayed without transfers|makespan|to bound|config against it";
	struct table *t = table_create(titles);
	int beaten = 0;

	if (!ours) {
		table_free(t);
		return;
	}
	row(t, v, "this config", ours->makespan_ns, 0);
	if (own)
		row(t, v, "the recorded schedule", own->makespan_ns, ours->makespan_ns);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const struct config_trial *other = config_trial_find(v->config, others[i]);

		if (other) {
			row(t, v, other->name, other->makespan_ns, ours->makespan_ns);
			beaten |= other->makespan_ns < ours->makespan_ns;
		}
	}
	row(t, v, "no schedule is below", v->bounds.largest_ns, 0);
	table_print(t, f);
	if (beaten)
		say(f, "",
		    "one replay each, of mean durations; what is chosen has the best median of replays whose "
		    "durations vary (tuning.txt)");
	table_free(t);
}

/* The others that were run, each with its prediction. */
static void print_others(const struct verdict *v, FILE *f)
{
	const struct config *c = v->config;
	struct sentence s = {.len = 0};
	char text[16], predicted[16];

	for (int i = 0; i < c->ntrials; i++) {
		const struct config_trial *t = &c->trials[i], *replayed = config_trial_find(c, t->name);

		if (strcmp(t->source, MEASURED) == 0 && strcmp(t->name, c->chosen) != 0)
			add(&s, "%s%s %s (predicted %s)", s.len ? "; " : "others: ", t->name,
			    time_text(text, t->makespan_ns), time_text(predicted, replayed->makespan_ns));
	}
	if (s.len)
		say(f, "", "%s", s.text);
}

/* What the config brought when the program ran under it: few times, so differences of a few percent say nothing. */
static void print_measured(const struct verdict *v, FILE *f)
{
	const struct config_trial *ours = config_trial_find(v->config, v->config->chosen);
	char text[16], before[16];
	int64_t ns = v->measured_ns;

	if (!ours || ns <= 0)
		return;
	say(f, "measured", "under this config %s: %+.1f %% against the recorded %s, %+.1f %% against the prediction",
	    time_text(text, ns), 100 * ((double)ns / (double)v->makespan_ns - 1), time_text(before, v->makespan_ns),
	    100 * ((double)ns / (double)ours->makespan_ns - 1));
	if (changes_nothing(v))
		say(f, "", "both ran under the same scheduler: so much, at least, is chance");
	if (ns < v->bounds.largest_ns)
		say(f, "", "below the bound, which holds for the recorded durations: tasks took less time in this run");
	print_others(v, f);
}

/* The makespan of DIR/verified into v->measured_ns, which stays 0 where there is none. */
static int load_measured(struct verdict *v, struct ht_err *err)
{
	char *path = ht_asprintf("%s/" VERDICT_VERIFIED, v->dir);

	if (file_exists(path))
		v->measured_ns = measured_run_ns(path, err);
	free(path);
	return v->measured_ns < 0 ? -1 : 0;
}

static void print_files(const struct verdict *v, FILE *f)
{
	static const char *const files[] = {
		"config.xml", "heteroprio.h", "heteroprio.env", "tuning.txt", "plots",
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
	/* to be copied: one line, however long */
	fprintf(f, "%-*sheterotune run %s/config.xml -- %s\n", LABEL, "use it", v->dir,
	        *v->run->command ? v->run->command : "CMD...");
}

int verdict_print(const char *dir, FILE *f, struct ht_err *err)
{
	struct verdict v = {.dir = dir};
	char *run = ht_asprintf("%s/run", dir), *config = ht_asprintf("%s/config.xml", dir);
	int rc = -1;

	v.run = run_open(run, err);
	v.config = v.run ? config_load(config, err) : NULL;
	v.recorded = v.config ? recorded_replay(v.run->trace, v.run->dag, err) : NULL;
	if (!v.recorded || bounds_of(&v.bounds, v.run->dag, v.run->machine, err) != 0 ||
	    metrics_input_from_run(&v.executed, v.run->trace, v.run->dag, v.run->machine, err) != 0)
		goto out;
	v.metrics = metrics_compute(v.run->dag, v.run->machine, &v.executed);
	v.makespan_ns = trace_makespan_ns(v.run->trace, NULL);
	if (load_measured(&v, err) != 0)
		goto out;
	print_advice(&v, f);
	print_recorded(&v, f);
	print_limits(&v, f);
	print_chosen(&v, f);
	print_predicted(&v, f);
	print_measured(&v, f);
	print_files(&v, f);
	rc = 0;
out:
	metrics_free(v.metrics);
	metrics_input_fini(&v.executed);
	recorded_free(v.recorded);
	config_free(v.config);
	run_free(v.run);
	free(run);
	free(config);
	return rc;
}
