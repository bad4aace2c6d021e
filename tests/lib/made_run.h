/* tests/lib/made_run.h - a run made by hand, task by task, and what the checks find in it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_MADE_RUN_H
#define TESTS_LIB_MADE_RUN_H

#include "analyze/data/copies.h"
#include "analyze/data/idle.h"
#include "analyze/data/timeline.h"
#include "analyze/data/worker_time.h"
#include "analyze/findings/finding.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/metrics/metrics.h"
#include "core/perfmodel/model.h"
#include "core/run/manifest.h"
#include "core/trace/overheads.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

/* Workers 0 and 1 are CPUs, 2 and 3 GPUs. Type 0 takes 4 ms on the first and 1 ms on the second, type 1 20 and 1 ms. */
enum { MS = 1000000, TASKS = 64, CPU0 = 0, CPU1, GPU0, GPU1, PLAIN = 0, GPUISH = 1 };

struct made {
	struct trace trace;
	struct trace_task tasks[TASKS];
	struct trace_extra extras[TASKS];
	struct trace_worker workers[4];
	struct trace_codelet codelets[2];
	struct trace_handle handles[TASKS];
	struct data_access accesses[TASKS];
	struct trace_copy copies[TASKS];
	struct trace_span spans[TASKS];
	struct dag_builder *builder;
	struct machine *machine;
	struct model_set models;
	struct model model[2];
	struct dag *dag;
	const char *scheduler;
	const struct manifest *manifest;
	struct overheads_all overheads; /* nothing measured */
	struct findings found;
	struct worker_times times;
	struct idle idle;
	struct copies links;
};

static inline void begin(struct made *x)
{
	static const int64_t costs[2][ARCH_COUNT] = {
		COSTS(4 * MS, MS),
		COSTS(20 * MS, MS),
	};

	*x = (struct made){.scheduler = "eager",
	                   .builder = dag_builder_create(),
	                   .machine = machine_parse("cpu:2 cuda:2", NULL)};
	overheads_init(&x->overheads, OVERHEADS_MACHINE);
	for (int w = 0; w < 4; w++)
		x->workers[w] = (struct trace_worker){.arch = w < 2 ? ARCH_CPU : ARCH_CUDA, .id = w, .binding = w};
	dag_builder_type(x->builder, "plain", costs[0]);
	dag_builder_type(x->builder, "gpuish", costs[1]);
	x->trace = (struct trace){.nranks = 1,
	                          .tasks = x->tasks,
	                          .extras = x->extras,
	                          .workers = x->workers,
	                          .nworkers = 4,
	                          .codelets = x->codelets,
	                          .ncodelets = 2,
	                          .handles = x->handles,
	                          .accesses = x->accesses,
	                          .copies = x->copies,
	                          .spans = x->spans};
	x->models = (struct model_set){.models = x->model};
}

/* A task that is ready at ready_ms, taken at pop_ms, and executed from start_ms to end_ms. */
static inline uint32_t task(struct made *x, uint32_t type, int worker, double ready_ms, double pop_ms, double start_ms,
                            double end_ms)
{
	size_t i = x->trace.ntasks++;

	x->tasks[i] = (struct trace_task){
		.job = i + 1,
		.submit_ns = 0,
		.start_ns = llround(start_ms * MS),
		.end_ns = llround(end_ms * MS),
		.codelet = type,
		.worker = worker,
		.parallel = 1,
	};
	x->extras[i] = (struct trace_extra)TRACE_EXTRA_NONE;
	x->extras[i].ready_ns = llround(ready_ms * MS);
	x->extras[i].pop_ns = llround(pop_ms * MS);
	return dag_builder_task(x->builder, type);
}

/* The newest task reads data of its own, whose copy to node 0, that of all workers, takes from start_ms to end_ms. */
static inline void copy(struct made *x, double start_ms, double end_ms)
{
	uint32_t h = (uint32_t)x->trace.nhandles++;

	x->accesses[x->trace.naccesses] = (struct data_access){.handle = h, .mode = ACCESS_R};
	x->copies[x->trace.ncopies++] = (struct trace_copy){.start_ns = llround(start_ms * MS),
	                                                    .handle = h,
	                                                    .end_ns = llround(end_ms * MS),
	                                                    .size_bytes = 8};
	x->tasks[x->trace.ntasks - 1].first_access = (uint32_t)x->trace.naccesses++;
	x->tasks[x->trace.ntasks - 1].naccesses = 1;
}

static inline void end(struct made *x)
{
	if (!x->dag)
		x->dag = dag_builder_finish(x->builder, NULL);
}

static inline void look(struct made *x)
{
	struct timeline *tl;
	struct metrics_input input;
	struct bounds bounds;
	struct metrics *metrics;

	end(x);
	tl = timeline_create(&x->trace, x->dag, NULL);
	CHECK(tl && bounds_of(&bounds, x->dag, x->machine, BOUNDS_WITHOUT_COPIES, NULL) == 0);
	CHECK_INT(metrics_input_from_run(&input, &x->trace, x->dag, x->machine, NULL), 0);
	metrics = metrics_compute(x->dag, x->machine, &input);
	worker_times_init(&x->times, tl, &x->trace, x->dag);
	CHECK(!worker_times_check(&x->times));
	idle_init(&x->idle, &x->times, tl, &x->trace, x->dag);
	copies_init(&x->links, &x->trace, x->machine, NULL);
	findings_collect(&x->found, &(struct finding_input){.trace = &x->trace,
	                                                    .dag = x->dag,
	                                                    .machine = x->machine,
	                                                    .models = &x->models,
	                                                    .bounds = &bounds,
	                                                    .metrics = metrics,
	                                                    .times = &x->times,
	                                                    .idle = &x->idle,
	                                                    .copies = &x->links,
	                                                    .scheduler = x->scheduler,
	                                                    .manifest = x->manifest,
	                                                    .overheads = &x->overheads,
	                                                    .makespan_ns = trace_makespan_ns(&x->trace, NULL)});
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		CHECK_INT(x->idle.arch[a].busy_ns + x->idle.arch[a].fetch_ns + x->idle.arch[a].scheduling_ns +
		                  x->idle.arch[a].starved_ns + x->idle.arch[a].suited_ns +
		                  x->idle.arch[a].faster_elsewhere_ns + x->idle.arch[a].surplus_ns +
		                  x->idle.arch[a].tail_ns,
		          x->idle.arch[a].span_ns);
		CHECK_INT(x->idle.arch[a].suited_ns + x->idle.arch[a].faster_elsewhere_ns + x->idle.arch[a].surplus_ns,
		          x->times.arch[a].ns[WORKER_READY]);
	}
	for (size_t i = 1, worst = 0; i < x->found.count; i++)
		if (!findings_share_advice(&x->found, i)) {
			CHECK(x->found.items[worst].severity >= x->found.items[i].severity);
			worst = i;
		}
	metrics_free(metrics);
	metrics_input_fini(&input);
	timeline_free(tl);
}

static inline void done(struct made *x)
{
	findings_fini(&x->found);
	worker_times_fini(&x->times);
	copies_fini(&x->links);
	dag_free(x->dag);
	machine_free(x->machine);
}

static inline const struct finding *found(const struct made *x, const char *name)
{
	for (size_t i = 0; i < x->found.count; i++)
		if (strcmp(x->found.items[i].name, name) == 0)
			return &x->found.items[i];
	return NULL;
}

static inline double evidence(const struct finding *f, const char *name)
{
	for (int i = 0; f && i < f->nevidence; i++)
		if (strcmp(f->evidence[i].name, name) == 0)
			return f->evidence[i].value;
	return NAN;
}

/* Every worker executes what suits it, one task after the other, for 20 ms. */
static inline void healthy(struct made *x)
{
	for (int i = 0; i < 20; i++) {
		task(x, PLAIN, GPU0, 0, i, i, i + 1);
		task(x, PLAIN, GPU1, 0, i, i, i + 1);
	}
	for (int i = 0; i < 5; i++) {
		task(x, PLAIN, CPU0, 0, 4 * i, 4 * i, 4 * i + 4);
		task(x, PLAIN, CPU1, 0, 4 * i, 4 * i, 4 * i + 4);
	}
}

/* Looks once more, at what has been changed. */
static inline void look_again(struct made *x)
{
	findings_fini(&x->found);
	worker_times_fini(&x->times);
	copies_fini(&x->links);
	look(x);
}

#endif
