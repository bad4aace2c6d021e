/* generate/graph.c - a task graph while it is made: types, tasks in the order of submission, data and accesses. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/trace/access.h"
#include "generate/costs.h"

struct graph *graph_create(struct costs *costs)
{
	struct graph *g = ht_alloc(1, sizeof(*g));

	g->costs = costs;
	return g;
}

void graph_free(struct graph *g)
{
	if (!g)
		return;
	free(g->types);
	free(g->device_cost_us);
	free(g->task_type);
	free(g->access_first);
	free(g->accesses);
	free(g->handle_bytes);
	free(g->handle_home);
	free(g->pred_first);
	free(g->pred);
	free(g->depth);
	free(g->priority);
	free(g);
}

uint32_t graph_type(struct graph *g, const char *name, const double cost_us[ARCH_COUNT])
{
	struct graph_type *t = VEC_PUSH(g->types, g->ntypes, g->captypes);

	assert(strlen(name) < sizeof(t->name));
	memcpy(t->name, name, strlen(name) + 1);
	for (int a = 0; a < ARCH_COUNT; a++)
		t->cost_us[a] = cost_us[a] < 0 ? -1 : cost_us[a];
	if (g->costs)
		t->given = costs_apply(g->costs, t->name, t->cost_us);
	return (uint32_t)(g->ntypes - 1);
}

uint32_t graph_type_pair(struct graph *g, const char *name, double cpu_us, double cuda_us)
{
	double cost_us[ARCH_COUNT];

	for (int a = 0; a < ARCH_COUNT; a++)
		cost_us[a] = -1;
	cost_us[ARCH_CPU] = cpu_us;
	cost_us[ARCH_CUDA] = cuda_us;
	return graph_type(g, name, cost_us);
}

double graph_cost_us(const struct graph *g, size_t type, enum arch a, int devid)
{
	for (uint32_t i = 0; i < g->ndevices; i++) {
		double own = g->device_cost_us[type * g->ndevices + i];

		if (g->devices[i].arch == a && g->devices[i].devid == devid && own >= 0)
			return own;
	}
	return g->types[type].cost_us[a];
}

uint32_t graph_data(struct graph *g, size_t n, double bytes)
{
	uint32_t first = (uint32_t)g->nhandles;

	assert(n < UINT32_MAX - g->nhandles && bytes >= 0 && bytes < 9e18);
	for (size_t i = 0; i < n; i++) {
		*VEC_PUSH(g->handle_bytes, g->nhandles, g->caphandles) = (uint64_t)bytes;
		*VEC_PUSH(g->handle_home, g->nhomes, g->caphomes) = GRAPH_HOME;
	}
	return first;
}

uint32_t graph_task(struct graph *g, uint32_t type)
{
	assert(type < g->ntypes && g->ntasks < GRAPH_MAX_TASKS);
	*VEC_PUSH(g->task_type, g->ntasks, g->captasks) = type;
	*VEC_PUSH(g->access_first, g->nfirst, g->capfirst) = (uint32_t)g->naccesses;
	g->types[type].count++;
	return (uint32_t)(g->ntasks - 1);
}

void graph_use(struct graph *g, uint32_t handle, uint32_t mode)
{
	assert(g->ntasks && handle < g->nhandles && g->naccesses < GRAPH_MAX_ACCESSES);
	*VEC_PUSH(g->accesses, g->naccesses, g->capaccesses) = (struct data_access){handle, mode};
}

void graph_add_task(struct graph *g, uint32_t type, const struct data_access *accesses, size_t n)
{
	graph_task(g, type);
	for (size_t i = 0; i < n; i++)
		graph_use(g, accesses[i].handle, accesses[i].mode);
}

int graph_fits(double ntasks, double naccesses, struct ht_err *err)
{
	if (ntasks < 1)
		return ht_err_set(err, "a graph without a task");
	if (ntasks > GRAPH_MAX_TASKS || naccesses > GRAPH_MAX_ACCESSES)
		return ht_err_set(err, "a graph of %.0f tasks with %.0f accesses to data, expected at most %d with %d",
		                  ntasks, naccesses, GRAPH_MAX_TASKS, GRAPH_MAX_ACCESSES);
	return 0;
}

static void find_homes(struct graph *g)
{
	for (size_t k = 0; k < g->naccesses; k++) {
		int32_t *home = &g->handle_home[g->accesses[k].handle];

		if (*home == GRAPH_HOME)
			*home = g->accesses[k].mode & ACCESS_R ? 0 : -1;
	}
}

void graph_finish(struct graph *g)
{
	find_homes(g);
	/* StarPU's own is a CRC of the interfaces; all that counts is that equal data give equal numbers. */
	for (size_t t = 0; t < g->ntasks; t++) {
		struct graph_type *type = &g->types[g->task_type[t]];

		if (type->footprint)
			continue;
		type->footprint = hash32(HASH32_START, type->name, strlen(type->name));
		for (uint32_t k = g->access_first[t]; k < g->access_first[t + 1]; k++) {
			uint64_t bytes = g->handle_bytes[g->accesses[k].handle];
			unsigned char text[8];

			for (int i = 0; i < 8; i++)
				text[i] = (unsigned char)(bytes >> 8 * i);
			type->footprint = hash32(type->footprint, text, sizeof(text));
		}
		type->footprint |= type->footprint == 0;
	}
	g->depth = ht_alloc(g->ntasks, sizeof(*g->depth));
	for (size_t t = g->ntasks; t-- > 0;) {
		g->depth[t] += graph_waits(g, t) == GRAPH_NO_WAIT;
		for (uint32_t k = g->pred_first[t]; k < g->pred_first[t + 1]; k++)
			if (g->depth[g->pred[k]] < g->depth[t])
				g->depth[g->pred[k]] = g->depth[t];
	}
}

size_t graph_edges(const struct graph *g)
{
	size_t edges = g->npreds;

	for (size_t t = 0; t < g->ntasks; t++)
		for (uint32_t k = g->pred_first[t] + 1; k < g->pred_first[t + 1]; k++)
			edges -= g->pred[k] == g->pred[k - 1];
	return edges;
}

size_t graph_ntasks(const struct graph *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->ntypes; i++)
		n += g->types[i].wait == GRAPH_NO_WAIT ? g->types[i].count : 0;
	return n;
}

size_t graph_ntypes(const struct graph *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->ntypes; i++)
		n += g->types[i].wait == GRAPH_NO_WAIT && g->types[i].count > 0;
	return n;
}

uint32_t graph_critical_tasks(const struct graph *g)
{
	uint32_t longest = 0;

	for (size_t t = 0; t < g->ntasks; t++)
		if (g->depth[t] > longest)
			longest = g->depth[t];
	return longest;
}
