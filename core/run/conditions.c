/* core/run/conditions.c - the conditions of an execution: what StarPU's threads need, and how devices are driven. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/conditions.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/number.h"
#include "core/dag/dag.h"
#include "core/run/manifest.h"
#include "core/trace/trace.h"

void conditions_init(struct conditions *c)
{
	*c = (struct conditions){0};
	overheads_init(&c->overheads, OVERHEADS_MACHINE);
}

/* "STARPU_CUDA_PIPELINE=2" in the environment; StarPU takes what is too much for the most. */
static void find_pipelines(struct conditions *c, const struct manifest *m)
{
	static const struct {
		enum arch arch;
		const char *variable;
	} variables[] = {{ARCH_CUDA, "STARPU_CUDA_PIPELINE="},
	                 {ARCH_OPENCL, "STARPU_OPENCL_PIPELINE="},
	                 {ARCH_HIP, "STARPU_HIP_PIPELINE="}};

	for (size_t i = 0; i < m->count; i++) {
		const char *text = strcmp(m->entries[i].key, "environment") ? "" : m->entries[i].value;

		for (size_t v = 0; v < sizeof(variables) / sizeof(*variables); v++) {
			size_t len = strlen(variables[v].variable);
			int64_t n;

			if (!strncmp(text, variables[v].variable, len) &&
			    number_parse_int(text + len, 0, INT32_MAX, &n) == 0)
				c->pipeline[variables[v].arch] = (int8_t)(n > PIPELINE_MOST ? PIPELINE_MOST :
				                                          n                 ? n :
				                                                              PIPELINE_NONE);
		}
	}
}

struct execution_times {
	int64_t start_ns, end_ns, pop_ns;
	int32_t worker;
};

static int by_worker_and_start(const void *a, const void *b)
{
	const struct execution_times *x = a, *y = b;

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	return x->start_ns != y->start_ns ? (x->start_ns < y->start_ns ? -1 : 1) : 0;
}

/*
 * A codelet without STARPU_CUDA_ASYNC or STARPU_OPENCL_ASYNC keeps the thread of its device until it has ended: no task
 * is popped before, and no copy begun. A run with several tasks on a device, none of them popped while another ran, had
 * only such codelets, or a pipeline of less than two tasks.
 */
static arch_mask find_one_by_one(const struct trace *t, const struct dag *d)
{
	enum { ENOUGH = 8 };
	struct execution_times *times = ht_alloc(d->ntasks, sizeof(*times));
	uint32_t n = 0, seen[ARCH_COUNT] = {0}, ahead[ARCH_COUNT] = {0};
	arch_mask archs = 0;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *x = &t->tasks[d->tasks[i].trace_task];
		int64_t pop_ns = trace_extra(t, x)->pop_ns;

		if (t->workers[x->worker].arch != ARCH_CPU && pop_ns != TIME_NONE)
			times[n++] = (struct execution_times){.start_ns = x->start_ns,
			                                      .end_ns = x->end_ns,
			                                      .pop_ns = pop_ns,
			                                      .worker = x->worker};
	}
	qsort(times, n, sizeof(*times), by_worker_and_start);
	for (uint32_t i = 1; i < n; i++) {
		enum arch a = t->workers[times[i].worker].arch;

		if (times[i].worker != times[i - 1].worker)
			continue;
		seen[a]++;
		ahead[a] += times[i].pop_ns < times[i - 1].end_ns;
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (seen[a] >= ENOUGH && !ahead[a])
			archs |= (arch_mask)(1u << a);
	}
	free(times);
	return archs;
}

void conditions_of_run(struct conditions *c, const struct trace *t, const struct dag *d, const struct machine *m,
                       const struct manifest *manifest)
{
	arch_mask one_by_one = find_one_by_one(t, d);

	*c = (struct conditions){.simulated = trace_simulated(t)};
	find_pipelines(c, manifest);
	overheads_init(&c->overheads, c->simulated ? OVERHEADS_SIMGRID : OVERHEADS_MACHINE);
	overheads_measure(&c->overheads, t, m, one_by_one);
	overheads_measure_main_memory(&c->overheads, t, m);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (c->pipeline[a] != PIPELINE_NONE && c->pipeline[a] != 1)
			c->synchronous |= one_by_one & (arch_mask)(1u << a);
	}
}

void conditions_complete(struct conditions *c, const struct conditions *other)
{
	c->overheads.submit_ns = c->overheads.submit_ns < 0 ? other->overheads.submit_ns : c->overheads.submit_ns;
	for (int a = 0; a < ARCH_COUNT; a++) {
		arch_mask bit = (arch_mask)(1u << a);

		overheads_complete(&c->overheads, &other->overheads, (enum arch)a);
		if (!(c->synchronous & bit) && other->synchronous & bit) {
			c->synchronous |= bit;
			c->overheads.of[a].queue_ns = other->overheads.of[a].queue_ns;
		}
	}
}
