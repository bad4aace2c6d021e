/* tune/verdict.c - one screen: what was recorded, what limits it, what was chosen and what it should bring. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/bound.h"
#include "core/config.h"
#include "core/dag.h"
#include "core/err.h"
#include "core/list_text.h"
#include "core/machine.h"
#include "core/metrics.h"
#include "core/outfile.h"
#include "core/run.h"
#include "core/table.h"
#include "core/trace.h"
#include "replay/recorded.h"
#include "replay/simulate.h"
#include "tune/measured.h"
#include "tune/rivals.h"
#include "tune/tune.h"

/* Below this share of the makespan a bound or a wait is not what limits a run. */
static const double DOMINANT = 0.9, NOTABLE = 0.02;

struct verdict {
	const char *dir;
	struct run *run;
	struct config *config;
	struct recorded *recorded;
	struct bounds bounds;
	struct metrics_input executed;
	struct metrics *metrics;
	int64_t makespan_ns;
};

static const struct config_trial *trial_of(const struct config *c, const char *name)
{
	for (int i = 0; i < c->ntrials; i++)
		if (strcmp(c->trials[i].name, name) == 0)
			return &c->trials[i];
	return NULL;
}

static void print_recorded(const struct verdict *v, FILE *f)
{
	char machine[128], span[16];

	fprintf(f, "recorded   %u tasks of %u codelets on %s", v->run->dag->ntasks, v->run->dag->ntypes,
	        machine_summary(v->run->machine, machine, sizeof(machine)));
	if (*v->run->scheduler)
		fprintf(f, " under %s", v->run->scheduler);
	fprintf(f, ": %s", time_text(span, v->makespan_ns));
	if (v->bounds.largest_ns > 0)
		fprintf(f, ", %.2f times the bound", (double)v->makespan_ns / (double)v->bounds.largest_ns);
	putc('\n', f);
}

static void print_waits(const struct verdict *v, FILE *f)
{
	static const char *const what[GAP_COUNT] = {
		"for their submission", "for StarPU to call them ready",
		"in the scheduler",     "for their data and their launch",
		"(times not recorded)",
	};
	const char *separator = "           on the chain of tasks that ends last, tasks waited ";
	char text[16];

	for (int g = 0; g < GAP_COUNT; g++) {
		int64_t sum = 0;

		for (int a = 0; a < ARCH_COUNT; a++)
			sum += v->recorded->critical_gap_ns[g][a];
		if ((double)sum < NOTABLE * (double)v->makespan_ns)
			continue;
		fprintf(f, "%s%s %s", separator, time_text(text, sum), what[g]);
		separator = ",\n           ";
	}
	if (*separator == ',')
		putc('\n', f);
}

static void print_limits(const struct verdict *v, FILE *f)
{
	double area = (double)v->bounds.area_ns / (double)v->makespan_ns;
	double path = (double)v->bounds.critical_path_ns / (double)v->makespan_ns;
	char a[16], p[16];
	const char *sep = "           idle: ";

	time_text(a, v->bounds.area_ns);
	time_text(p, v->bounds.critical_path_ns);
	if (path >= DOMINANT && path >= area)
		fprintf(f, "limited by its critical path: %s, %.0f %% of the run; no order of tasks can be below\n", p,
		        100 * path);
	else if (area >= DOMINANT)
		fprintf(f,
		        "limited by the workers' speed: at full load on the best architectures they need %s, %.0f %% of the run\n",
		        a, 100 * area);
	else
		fprintf(f,
		        "limited by neither bound: full load would take %s (%.0f %% of the run), the critical path %s (%.0f %%)\n",
		        a, 100 * area, p, 100 * path);
	for (int arch = 0; arch < ARCH_COUNT; arch++)
		if (v->metrics->archs & 1u << arch) {
			fprintf(f, "%s%s %.0f %%", sep, arch_name((enum arch)arch), 100 * v->executed.idle[arch]);
			sep = ", ";
		}
	putc('\n', f);
	print_waits(v, f);
}

/* Why: what tells the types apart, in the order of the list of the architecture that is fastest most often. */
static void print_reasons(const struct verdict *v, FILE *f)
{
	const struct metrics *x = v->metrics;

	for (uint32_t p = 0; p < x->ntypes && p < 8; p++) {
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
		fprintf(f, "           %-12s", t->name);
		if (best == worst)
			fprintf(f, " runs on %s only,", arch_name(best));
		else
			fprintf(f, " %4.1f times faster on %s than on %s,", t->arch[worst].cost / t->arch[best].cost,
			        arch_name(best), arch_name(worst));
		fprintf(f, " frees %.2f tasks\n", t->nod);
	}
}

static void print_list(const struct config *c, enum arch a, FILE *f)
{
	int at = fprintf(f, "           %-7s", arch_name(a)), place = 0, lines = 0, len;
	char text[LIST_TEXT];
	const char *separator = "";

	while ((len = list_text(c, a, &place, text)) > 0) {
		at += fprintf(f, "%s", separator);
		if (at + len > 100 && ++lines == 2) { /* the config has all of them */
			fprintf(f, " ... %d buckets", c->lists[a].count);
			break;
		}
		if (at + len > 100)
			at = fprintf(f, "\n                  ") - 1;
		at += fprintf(f, " %s", text);
		separator = " >";
	}
	putc('\n', f);
}

static void print_startup(const struct config *c, FILE *f)
{
	const char *separator = "startup    ";
	char text[STARTUP_TEXT];

	for (int k = 0; k < STARTUP_COUNT; k++) {
		if (!c->startup.value[k])
			continue;
		fprintf(f, "%s%s", separator, startup_text(text, (enum startup_knob)k, c->startup.value[k]));
		if (c->startup_gain[k] > 0)
			fprintf(f, " (%.1f %% less time)", 100 * c->startup_gain[k]);
		separator = ", ";
	}
	if (*separator == ',')
		putc('\n', f);
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
		fprintf(f, "chosen     %s, the fastest of %d that were run, the best of %d trials replayed\n", c->chosen,
		        measured, replayed);
	else
		fprintf(f, "chosen     %s, the best of %d trials replayed\n", c->chosen, replayed);
	if (strcmp(c->policy, "heteroprio") != 0) {
		fprintf(f, "           a policy of StarPU's own, faster than every setting of Heteroprio that was found\n");
		print_startup(c, f);
		return;
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!c->lists[a].count)
			continue;
		print_list(c, (enum arch)a, f);
	}
	print_reasons(v, f);
	print_startup(c, f);
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
	const struct config_trial *ours = trial_of(v->config, v->config->chosen);
	const struct config_trial *own = trial_of(v->config, TRIAL_OWN_SCHEDULE);
	static const char *const others[] = {"dmda", "dmdas", RIVAL_AUTO, RIVAL_AUTO_BEST};
	const char *titles = simulate_has_transfers(v->run->dag, v->run->machine)
	                     ? "<predicted  replayed with transfers|makespan|to bound|config against it"
	                     : "<predicted  replayed without transfers|makespan|to bound|config against it";
	struct table *t = table_create(titles);

	if (!ours) {
		table_free(t);
		return;
	}
	row(t, v, "this config", ours->makespan_ns, 0);
	if (own)
		row(t, v, "the run's own schedule", own->makespan_ns, ours->makespan_ns);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const struct config_trial *other = trial_of(v->config, others[i]);

		if (other)
			row(t, v, other->name, other->makespan_ns, ours->makespan_ns);
	}
	row(t, v, "no schedule is below", v->bounds.largest_ns, 0);
	table_print(t, f);
	if (own && ours->makespan_ns > own->makespan_ns)
		fprintf(f, "           the run's own schedule is better than every trial: keep %s\n",
		        *v->run->scheduler ? v->run->scheduler : "it");
	table_free(t);
}

/* The others that were run, each with its prediction; what was searched by its number, the config has the rest. */
static void print_others(const struct verdict *v, FILE *f)
{
	const struct config *c = v->config;
	const char *separator = "           others: ";
	char text[16], predicted[16];

	for (int i = 0; i < c->ntrials; i++) {
		const struct config_trial *t = &c->trials[i], *said = trial_of(c, t->name);
		int searched;

		if (strcmp(t->source, MEASURED) != 0 || strcmp(t->name, c->chosen) == 0)
			continue;
		searched = strncmp(t->name, TRIAL_SEARCHED, strlen(TRIAL_SEARCHED)) == 0;
		fprintf(f, "%s%.*s %s (predicted %s)", separator, (int)strcspn(t->name, searched ? ":" : ","), t->name,
		        time_text(text, t->makespan_ns), time_text(predicted, said->makespan_ns));
		separator = ", ";
	}
	if (*separator == ',')
		putc('\n', f);
}

/* What the config brought when the program ran under it: few times, so differences of a few percent say nothing. */
static int print_measured(const struct verdict *v, FILE *f, struct ht_err *err)
{
	const struct config_trial *ours = trial_of(v->config, v->config->chosen);
	char *path = ht_asprintf("%s/" VERDICT_VERIFIED, v->dir), text[16], before[16];
	struct trace *t = file_exists(path) ? run_load_trace(path, err) : NULL;
	int rc = t || !file_exists(path) ? 0 : -1;
	int64_t ns = t ? trace_makespan_ns(t, NULL) : 0;

	if (t && ours && ns > 0) {
		fprintf(f, "measured   under this config %s: %+.1f %% against the recorded %s, %+.1f %% against the prediction\n",
		        time_text(text, ns), 100 * ((double)ns / (double)v->makespan_ns - 1),
		        time_text(before, v->makespan_ns), 100 * ((double)ns / (double)ours->makespan_ns - 1));
		if (ns > v->makespan_ns)
			fprintf(f, "           slower than it was: keep %s for this program on this machine\n",
			        *v->run->scheduler ? v->run->scheduler : "the scheduler of the recorded run");
		print_others(v, f);
	}
	trace_free(t);
	free(path);
	return rc;
}

static void print_files(const struct verdict *v, FILE *f)
{
	static const char *const files[] = {
		"report.html", "predicted.html", "config.xml", "heteroprio.h", "heteroprio.env", "tuning.txt", "plots",
	}; /* the analysis is on the report's page */
	const char *separator = ": ";

	fprintf(f, "files      in %s", v->dir);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = ht_asprintf("%s/%s", v->dir, files[i]);

		if (file_exists(path)) {
			fprintf(f, "%s%s", separator, files[i]);
			separator = ", ";
		}
		free(path);
	}
	fprintf(f, "\nuse it     heterotune run %s/config.xml -- %s\n", v->dir,
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
	print_recorded(&v, f);
	print_limits(&v, f);
	print_chosen(&v, f);
	print_predicted(&v, f);
	if (print_measured(&v, f, err) != 0)
		goto out;
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
