/* generate/dependencies.c - what a task waits for, from the data it accesses: StarPU's sequential consistency. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Per piece of data, two groups of accessors: the newest, which is still open for accesses that may go on together
 * with it, and the one before, which all members of the newest wait for. Groups are lists through one array that has
 * an element an access. A task that waits for another for the sake of several pieces of data waits for it so often,
 * as StarPU has it. Time is linear in accesses and dependencies, memory too.
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/stats.h"
#include "core/trace/trace.h"
#include "generate/graph.h"

#define NO_ACCESS UINT32_MAX

enum concurrency { ALONE = 0, READERS, COMMUTERS, REDUCERS };

struct accessors {
	uint32_t newest, before; /* first members, indices of accesses */
	uint32_t user;           /* 1 + the last task that accessed it */
	uint8_t concurrency;     /* of the newest */
};

struct inference {
	struct graph *g;
	struct accessors *data; /* per handle */
	uint32_t *next, *task;  /* per access: the next member of its group, and its task */
	uint32_t *stamp;        /* per task: 1 + the last access that was found to wait for it */
};

/* Accesses of one of these modes run together, with others of the same mode only. */
static enum concurrency concurrency_of(uint32_t mode)
{
	if (mode & ACCESS_W)
		return mode & ACCESS_COMMUTE ? COMMUTERS : ALONE;
	if (mode == ACCESS_R)
		return READERS;
	return mode == ACCESS_REDUX ? REDUCERS : ALONE;
}

/* `again`: the task has accessed this data before, and may wait for the members already. */
static void wait_for(struct inference *in, uint32_t member, uint32_t index, uint32_t task, int again)
{
	struct graph *g = in->g;

	for (; member != NO_ACCESS; member = in->next[member]) {
		uint32_t pred = in->task[member];
		size_t known = again ? g->pred_first[task] : g->npreds;

		if (pred == task || in->stamp[pred] == index + 1)
			continue;
		in->stamp[pred] = index + 1;
		while (known < g->npreds && g->pred[known] != pred)
			known++;
		if (known == g->npreds)
			*VEC_PUSH(g->pred, g->npreds, g->cappreds) = pred;
	}
}

static void add_access(struct inference *in, uint32_t index, uint32_t task)
{
	const struct data_access *access = &in->g->accesses[index];
	struct accessors *data = &in->data[access->handle];
	enum concurrency concurrency = concurrency_of(access->mode);

	if (access->mode & ACCESS_SCRATCH)
		return;
	if (concurrency == ALONE || concurrency != data->concurrency) {
		data->before = data->newest;
		data->newest = NO_ACCESS;
		data->concurrency = (uint8_t)concurrency;
	}
	in->task[index] = task;
	in->next[index] = data->newest;
	data->newest = index;
	wait_for(in, data->before, index, task, data->user == task + 1);
	data->user = task + 1;
}

int graph_infer(struct graph *g, struct ht_err *err)
{
	struct inference in = {.g = g};
	int rc = 0;

	*VEC_PUSH(g->access_first, g->nfirst, g->capfirst) = (uint32_t)g->naccesses;
	g->pred_first = ht_alloc(g->ntasks + 1, sizeof(*g->pred_first));
	in.data = ht_alloc(g->nhandles, sizeof(*in.data));
	in.next = ht_alloc(g->naccesses, sizeof(*in.next));
	in.task = ht_alloc(g->naccesses, sizeof(*in.task));
	in.stamp = ht_alloc(g->ntasks, sizeof(*in.stamp));
	for (size_t h = 0; h < g->nhandles; h++)
		in.data[h].newest = in.data[h].before = NO_ACCESS;
	for (uint32_t t = 0; t < g->ntasks && rc == 0; t++) {
		uint32_t n;

		for (uint32_t k = g->access_first[t]; k < g->access_first[t + 1]; k++)
			add_access(&in, k, t);
		n = (uint32_t)g->npreds - g->pred_first[t];
		if (n > 1)
			stats_sort_u32(g->pred + g->pred_first[t], n);
		g->pred_first[t + 1] = (uint32_t)g->npreds;
		if (g->npreds > DAG_MAX_EDGES)
			rc = ht_err_set(err, "more than %d dependencies between the first %u tasks", DAG_MAX_EDGES,
			                t + 1);
	}
	free(in.data);
	free(in.next);
	free(in.task);
	free(in.stamp);
	return rc;
}
