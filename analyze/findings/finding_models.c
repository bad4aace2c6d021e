/* analyze/findings/finding_models.c - performance models that lack what ran, or that cannot be right. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/findings/finding.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/metrics.h"
#include "core/perfmodel/model.h"
#include "core/run/manifest.h"
#include "core/trace/trace.h"

#define LAUNCH_SHARE   0.05        /* of the run's own mean: such a model timed a launch */
#define ARCH_RATIO     5000.0      /* no device is as much faster than one core of a CPU */
#define FLOPS_CEILING  2e15        /* per second: dense products of short floats on the largest GPU of 2025 */
#define MEMORY_CEILING 2e13        /* bytes per second: twice what that GPU's memory gives */
#define CACHE_BYTES    (256 << 20) /* more than its caches hold */
#define DEVICE_RATIO   10.0        /* between devices of one architecture */
#define MODEL_SPREAD   0.30
#define SURE_SAMPLES   1
#define SURE_RUNS      3 /* one or two executions may all be slow ones */

static const struct model *model_of(const struct finding_input *in, uint32_t type)
{
	const char *symbol = in->dag->types[type].model;

	return *symbol ? model_find(in->models, symbol) : NULL;
}

/* NULL too where StarPU has not measured what the model says. */
static const struct model *measured_model_of(const struct finding_input *in, uint32_t type)
{
	const struct model *m = model_of(in, type);

	return m && !m->is_computed ? m : NULL;
}

/* The row of a class on an architecture with the most samples; NULL: none. */
static const struct model_entry *strongest_row(const struct model *m, const struct dag_class *c, enum arch a)
{
	size_t n;
	const struct model_entry *rows = model_rows(m, a, c->footprint, &n), *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (rows[i].ncores <= 1 && (!found || rows[i].samples > found->samples))
			found = &rows[i];
	return found;
}

/* Classes of models alone are no tasks. */
static const char *tasks_word(const struct finding_input *in, uint64_t n)
{
	if (!in->trace)
		return n == 1 ? "size" : "sizes";
	return n == 1 ? "task" : "tasks";
}

/* Tasks of the type that ran on `a` though its model has no sample of their class there. */
static uint64_t ran_unmodelled(const struct finding_input *in, uint32_t type, enum arch a, const struct model *m)
{
	const struct dag *d = in->dag;
	uint64_t ran = in->metrics->types[type].arch[a].executed, n = 0;

	for (uint32_t i = 0; i < d->nclasses; i++)
		if (d->classes[i].codelet == type && model_mean_us(m, a, d->classes[i].footprint) < 0)
			n += d->classes[i].count;
	return n < ran ? n : ran;
}

/* Schedulers of StarPU 1.4 that never ask what a task takes, each with its variants ("modular-prio-prefetching"). */
static int goes_without_models(const char *scheduler)
{
	static const char *const names[] = {"eager",        "prio",       "random",          "ws",
	                                    "lws",          "peager",     "heteroprio",      "modular-eager",
	                                    "modular-prio", "modular-ws", "modular-prandom", "modular-random"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);

		if (strncmp(scheduler, names[i], n) == 0 && (!scheduler[n] || scheduler[n] == '-'))
			return 1;
	}
	return 0;
}

static const char CALIBRATE[] =
	"The run's own durations stand in for it here, while StarPU's dm* schedulers would calibrate, as they do for data of "
	"each size: 'heterotune collect --calibrate' records when every architecture has its 10 samples";

/* One note, where the run's scheduler asks for none of them. */
static void note_missing(const struct finding_input *in, const struct finding_check *self, struct findings *out,
                         uint64_t tasks)
{
	struct finding *f;

	if (!tasks)
		return;
	f = finding_add(out, self, 0,
	                "No model has a sample for %" PRIu64
	                " %s where they ran, and %s, which goes by none, does not miss it",
	                tasks, tasks_word(in, tasks), in->scheduler);
	finding_advise(f, "%s", CALIBRATE);
	finding_show(f, {"tasks", (double)tasks});
}

enum { NAMED_TYPES = 4 };

/* Types that the collector has found to have no model: schedulers that go by models deal them out blindly. */
static void find_without_models(const struct finding_input *in, const struct finding_check *self, struct findings *out,
                                int is_note)
{
	uint64_t tasks = 0;
	uint32_t n = 0;
	char names[NAMED_TYPES * 64 + 32] = "";
	struct finding *f;

	for (uint32_t p = 0; p < in->dag->ntypes; p++) {
		size_t len = strlen(names);

		if (!in->dag->types[p].has_no_model)
			continue;
		tasks += in->dag->types[p].count;
		if (n++ < NAMED_TYPES)
			snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
			         SHORT_NAME(in->dag->types[p].name));
	}
	if (!n)
		return;
	if (n > NAMED_TYPES)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), " and %" PRIu32 " more",
		         n - NAMED_TYPES);
	f = finding_add(
		out, self, is_note ? 0 : 0.1 + 0.2 * (double)tasks / in->dag->ntasks,
		"StarPU has no performance model of %s that it can use: schedulers that go by models deal these %" PRIu64
		" %s out by number, whatever they take on a worker",
		names, tasks, tasks_word(in, tasks));
	finding_advise(
		f,
		"Give their codelets a .model of their own, of type STARPU_HISTORY_BASED (a regression says "
		"nothing before it has several sizes), and calibrate; or run under a config of 'heterotune tune', which has what they took in this run");
	finding_show(f, {"tasks", (double)tasks});
}

void finding_model_missing(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	const int is_note = goes_without_models(in->scheduler);
	uint64_t all = 0;

	find_without_models(in, self, out, is_note);
	for (uint32_t p = 0; in->models->count && p < in->dag->ntypes; p++) {
		const struct model *m = model_of(in, p);

		if (in->dag->types[p].has_no_model)
			continue;
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			uint64_t ran = in->metrics->types[p].arch[a].executed;
			uint64_t n = m && ran ? ran_unmodelled(in, p, a, m) : ran;
			struct finding *f;

			all += n;
			if (!n || is_note)
				continue;
			f = finding_add(out, self, 0.05 + 0.1 * (double)n / in->dag->ntasks,
			                "%s: %s for %s, where %" PRIu64 " %s of it ran",
			                SHORT_NAME(in->dag->types[p].name), m ? "no sample" : "no model", arch_name(a),
			                n, tasks_word(in, n));
			finding_advise(f, "%s", CALIBRATE);
			finding_show(f, {"tasks", (double)n});
		}
	}
	note_missing(in, self, out, is_note ? all : 0);
}

/* What the model is compared with, and the number; `how` is "N times faster than" or the like. */
static void impossible(const struct finding_input *in, const struct finding_check *self, struct findings *out,
                       uint32_t type, enum arch a, double mean_us, const char *how, const char *name, double value)
{
	char mean[16];
	struct finding *f;

	f = finding_add(out, self, 0.9,
	                "The model of %s on %s says %s, %s: this is the launch of the kernel, not the "
	                "kernel",
	                SHORT_NAME(in->dag->types[type].name), arch_name(a), time_text(mean, llround(1e3 * mean_us)),
	                how);
	finding_advise(
		f, "The codelet returns before its kernel has ended: synchronise in it, or set STARPU_CUDA_ASYNC (or "
		   "STARPU_OPENCL_ASYNC) in its flags; then remove the model and calibrate again");
	finding_show(f, {"model_us", mean_us}, {name, value});
}

/* What no device reaches: operations, and data through its memory, per second. */
static int above_ceiling(const struct model *m, const struct dag_class *k, enum arch a, double mean_us, char how[80],
                         double *rate)
{
	const struct model_entry *e = strongest_row(m, k, a);
	char text[16];

	if (e && e->flops > 0 && e->flops / mean_us * 1e6 > FLOPS_CEILING) {
		*rate = e->flops / mean_us * 1e6;
		snprintf(how, 80, "%s PFlop/s, which no device does", scaled_text(text, *rate / 1e15));
		return 1;
	}
	if (e && e->size_bytes > CACHE_BYTES && (double)e->size_bytes / mean_us * 1e6 > MEMORY_CEILING) {
		*rate = (double)e->size_bytes / mean_us * 1e6;
		snprintf(how, 80, "%s of data per second, which no memory gives", bytes_text(text, *rate));
		return 1;
	}
	return 0;
}

/* The executions of a class on an architecture. */
struct executions {
	int64_t shortest_ns;
	uint32_t n;
};

/*
 * Against the shortest of the run itself where the class ran there, and more than once or twice, so that slow
 * executions prove nothing; else against what devices can do at all, and against a core of a CPU. Once for each type
 * and architecture. `ran` is by class; NULL without a run.
 */
static void impossible_type(const struct finding_input *in, const struct finding_check *self, struct findings *out,
                            uint32_t type, enum arch a, struct executions (*ran)[ARCH_COUNT])
{
	const struct model *m = measured_model_of(in, type);

	for (uint32_t c = 0; m && a != ARCH_CPU && c < in->dag->nclasses; c++) {
		const struct dag_class *k = &in->dag->classes[c];
		double mean, own, cpu, rate;
		char how[80], slow[16];

		if (k->codelet != type || (mean = model_mean_us(m, a, k->footprint)) <= 0)
			continue;
		own = ran ? (double)ran[c][a].shortest_ns / 1e3 : 0;
		cpu = model_mean_us(m, ARCH_CPU, k->footprint);
		if (own > 0 && ran[c][a].n >= SURE_RUNS && mean < LAUNCH_SHARE * own) {
			snprintf(how, sizeof(how), "%.0f times faster than the fastest of this run (%s)", own / mean,
			         time_text(slow, llround(1e3 * own)));
			impossible(in, self, out, type, a, mean, how, "run_us", own);
			return;
		}
		if (own <= 0 && above_ceiling(m, k, a, mean, how, &rate)) {
			impossible(in, self, out, type, a, mean, how, "per_second", rate);
			return;
		}
		if (own <= 0 && cpu > ARCH_RATIO * mean) {
			snprintf(how, sizeof(how), "%.0f times faster than a CPU core (%s)", cpu / mean,
			         time_text(slow, llround(1e3 * cpu)));
			impossible(in, self, out, type, a, mean, how, "cpu_us", cpu);
			return;
		}
	}
}

/* Of each class on each architecture. NULL without a run. */
static struct executions (*executions(const struct finding_input *in))[ARCH_COUNT]
{
	struct executions(*ran)[ARCH_COUNT];

	if (!in->trace)
		return NULL;
	ran = ht_alloc(in->dag->nclasses, sizeof(*ran));
	for (uint32_t i = 0; i < in->dag->ntasks; i++) {
		const struct trace_task *t = &in->trace->tasks[in->dag->tasks[i].trace_task];
		struct executions *x = &ran[in->dag->tasks[i].class_id][in->trace->workers[t->worker].arch];
		int64_t here = t->end_ns - t->start_ns;

		if (here > 0 && (!x->n++ || here < x->shortest_ns))
			x->shortest_ns = here;
	}
	return ran;
}

void finding_model_impossible(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	struct executions(*ran)[ARCH_COUNT] = executions(in);

	for (uint32_t p = 0; p < in->dag->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++)
			if (in->metrics->archs >> a & 1)
				impossible_type(in, self, out, p, a, ran);
	free(ran);
}

void finding_model_devices(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	for (uint32_t c = 0; c < in->dag->nclasses; c++) {
		const struct dag_class *k = &in->dag->classes[c];
		const struct model *m = measured_model_of(in, k->codelet);

		for (enum arch a = 0; m && a < ARCH_COUNT; a++) {
			double low = INFINITY, high = 0;
			int slow = 0;
			struct finding *f;

			for (int i = 0; i < in->machine->nworkers; i++) {
				const struct machine_worker *w = &in->machine->workers[i];
				double us = w->arch == a ? model_device_mean_us(m, a, w->devid, k->footprint) : -1;

				if (us <= 0)
					continue;
				low = fmin(low, us);
				if (us > high) {
					high = us;
					slow = w->devid;
				}
			}
			if (high <= DEVICE_RATIO * low)
				continue;
			f = finding_add(out, self, 0.5,
			                "The model of %s (footprint %08" PRIx32 ") says %s device %d is %.0f times as "
			                "slow as another one",
			                SHORT_NAME(in->dag->types[k->codelet].name), k->footprint, arch_name(a), slow,
			                high / low);
			finding_advise(
				f,
				"Devices of one machine rarely differ so: calibrate again, and look whether that device is used "
				"by another program or is of another kind");
			finding_show(f, {"slow_us", high}, {"fast_us", low});
		}
	}
}

/* Only rows that costs rest on: those of classes with no better measurement in the run itself. */
static int rests_on_model(const struct dag_class *c, enum arch a)
{
	return c->source[a] == COST_MODEL;
}

void finding_model_samples(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	for (uint32_t p = 0; p < in->dag->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			const struct model *m = measured_model_of(in, p);
			struct finding *f;
			uint64_t n = 0;

			for (uint32_t c = 0; m && c < in->dag->nclasses; c++) {
				const struct dag_class *k = &in->dag->classes[c];
				const struct model_entry *e = NULL;

				if (k->codelet == p && rests_on_model(k, a))
					e = strongest_row(m, k, a);

				n += e && e->samples <= SURE_SAMPLES ? k->count : 0;
			}
			if (!n)
				continue;
			f = finding_add(out, self, 0.05 + 0.2 * (double)n / in->dag->ntasks,
			                "What %" PRIu64 " %s of %s would take on %s rests "
			                "on a model row of a single measurement",
			                n, tasks_word(in, n), SHORT_NAME(in->dag->types[p].name), arch_name(a));
			finding_advise(
				f,
				"A first execution loads the kernel and is slow: calibrate (STARPU_CALIBRATE=1) until there are "
				"10 samples");
			finding_show(f, {"tasks", (double)n});
		}
}

void finding_model_deviation(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	for (uint32_t p = 0; p < in->dag->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			const struct model *m = measured_model_of(in, p);
			double worst = 0;
			struct finding *f;
			uint64_t n = 0;

			for (uint32_t c = 0; m && c < in->dag->nclasses; c++) {
				const struct dag_class *k = &in->dag->classes[c];
				double mean, spread;

				if (k->codelet != p || !rests_on_model(k, a))
					continue;
				mean = model_mean_us(m, a, k->footprint);
				if (mean <= 0)
					continue;
				spread = model_deviation_us(m, a, k->footprint) / mean;
				n += spread > MODEL_SPREAD ? k->count : 0;
				worst = fmax(worst, spread);
			}
			if (!n)
				continue;
			f = finding_add(out, self, 0.05 + 0.1 * (double)n / in->dag->ntasks,
			                "What %" PRIu64 " %s of %s would take on %s rests "
			                "on a model with a standard deviation of %.0f %%",
			                n, tasks_word(in, n), SHORT_NAME(in->dag->types[p].name), arch_name(a),
			                100 * worst);
			finding_advise(
				f,
				"Calibrate again on a quiet machine (STARPU_CALIBRATE=2 starts anew); predictions that place the type "
				"there are uncertain");
			finding_show(f, {"tasks", (double)n}, {"deviation_share", worst});
		}
}

/* Architectures that a type's model knows and that it is taken not to run on. */
void finding_where(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	for (uint32_t i = 0; i < in->dag->nabsences; i++) {
		const struct dag_absence *x = &in->dag->absences[i];
		const char *name = SHORT_NAME(in->dag->types[x->type].name), *arch = arch_name(x->arch);
		struct finding *f;

		f = finding_add(out, self, 0,
		                "%s is taken not to run on %s, which its model knows: none of %" PRIu32
		                " tasks that were ready while a %s worker was free ran there, and %" PRIu32
		                " of %" PRIu32 " of other types did",
		                name, arch, x->tasks, arch, x->others_there, x->others);
		finding_advise(
			f, "If it can run there, write a line of its whole name, a tab and all its architectures into "
			   "where.tsv of the run");
		finding_show(f, {"tasks", x->tasks}, {"others", x->others}, {"others_there", x->others_there},
		             {"probability", x->probability});
	}
}

/* Architectures that a type can run on and on which nothing says what it takes: replays leave its tasks to others. */
void finding_where_unknown(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	for (uint32_t i = 0; i < in->dag->ntypes; i++) {
		const struct dag_type *type = &in->dag->types[i];
		arch_mask unknown = type->declared & machine_archs(in->machine) & (arch_mask)~type->where;

		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			struct finding *f;

			if (!(unknown >> a & 1))
				continue;
			f = finding_add(out, self, 0,
			                "%s can run on %s, and neither the run nor a model says what its %" PRIu32
			                " %s would take there: replays leave %s to other workers",
			                SHORT_NAME(type->name), arch_name(a), type->count, tasks_word(in, type->count),
			                type->count == 1 ? "it" : "them");
			finding_advise(
				f,
				"'heterotune collect --calibrate' takes samples if the model has any; a recording under "
				"STARPU_SCHED=eager shows tasks on all workers");
			finding_show(f, {"tasks", type->count});
		}
	}
}
