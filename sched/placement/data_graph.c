/* sched/placement/data_graph.c - the data of a task graph as a graph: what is written, and read with it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/data_graph.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

static const double MOST = 1e8; /* what all edges, sizes and weights add up to */

static int is_own(uint32_t mode)
{
	return (mode & (ACCESS_SCRATCH | ACCESS_REDUX | ACCESS_MPI_REDUX)) != 0;
}

static uint32_t largest(const struct dag *d, uint32_t task, uint32_t mode)
{
	const struct dag_task *t = &d->tasks[task];
	uint32_t best = DATA_GRAPH_NONE;

	for (uint32_t a = t->first_access; a < t->first_access + t->naccesses; a++) {
		uint32_t h = d->accesses[a].handle;

		if (!(d->accesses[a].mode & mode) || is_own(d->accesses[a].mode))
			continue;
		if (best == DATA_GRAPH_NONE || d->handle_bytes[h] > d->handle_bytes[best])
			best = h;
	}
	return best;
}

uint32_t data_graph_written(const struct dag *d, uint32_t task)
{
	return largest(d, task, ACCESS_W);
}

uint32_t data_graph_read(const struct dag *d, uint32_t task)
{
	return largest(d, task, ACCESS_R);
}

int data_graph_reads(const struct dag *d, uint32_t task, uint32_t handle)
{
	const struct dag_task *t = &d->tasks[task];
	uint32_t mode = 0;

	for (uint32_t a = t->first_access; a < t->first_access + t->naccesses; a++)
		mode |= d->accesses[a].handle == handle ? d->accesses[a].mode : 0;
	return (mode & ACCESS_R) != 0;
}

uint32_t data_graph_first_users(const struct dag *d, struct radix_item *users)
{
	unsigned char *seen = ht_alloc((size_t)d->nhandles + 1, sizeof(*seen));
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct dag_task *t = &d->tasks[dag_in_order(d, i)];
		uint32_t placed_by = data_graph_written(d, dag_in_order(d, i));

		for (uint32_t a = t->first_access; a < t->first_access + t->naccesses; a++) {
			uint32_t h = d->accesses[a].handle;

			if (!seen[h] && h == placed_by && d->accesses[a].mode & ACCESS_R)
				users[n++].value = dag_in_order(d, i);
			seen[h] = 1;
		}
	}
	free(seen);
	return n;
}

/* What no task is placed by, and tasks read that are placed by different data. */
static void number_read(struct data_graph *g, const struct dag *d)
{
	uint32_t *reader = ht_alloc((size_t)d->nhandles + 1, sizeof(*reader)); /* 1 + the vertex of the first */

	for (uint32_t t = 0; t < d->ntasks; t++) {
		uint32_t k = g->of[t];

		for (uint32_t i = 0; i < d->tasks[t].naccesses && k != DATA_GRAPH_NONE; i++) {
			const struct data_access *a = &d->accesses[d->tasks[t].first_access + i];
			uint32_t h = a->handle;

			if (is_own(a->mode) || !(a->mode & ACCESS_R) || g->vertex[h] != DATA_GRAPH_NONE)
				continue;
			if (!reader[h])
				reader[h] = k + 1;
			else if (reader[h] != k + 1)
				g->vertex[h] = g->graph.n++;
		}
	}
	free(reader);
}

static void number_vertices(struct data_graph *g, const struct dag *d)
{
	g->vertex = ht_alloc(d->nhandles, sizeof(*g->vertex));
	g->of = ht_alloc(d->ntasks, sizeof(*g->of));
	for (uint32_t h = 0; h < d->nhandles; h++)
		g->vertex[h] = DATA_GRAPH_NONE;
	for (uint32_t t = 0; t < d->ntasks; t++) {
		uint32_t h = data_graph_written(d, t);

		if (h != DATA_GRAPH_NONE && g->vertex[h] == DATA_GRAPH_NONE)
			g->vertex[h] = g->graph.n++;
		g->of[t] = h == DATA_GRAPH_NONE ? DATA_GRAPH_NONE : g->vertex[h];
	}
	g->graph.nreaders = g->graph.n;
	number_read(g, d);
}

/* Each edge twice, once from each end, as (from, to) and its bytes; returns how many. */
static size_t list_edges(const struct data_graph *g, const struct dag *d, struct radix_item **edges)
{
	size_t n = 0, cap = 0;

	*edges = NULL;
	for (uint32_t t = 0; t < d->ntasks; t++) {
		uint32_t k = g->of[t];

		for (uint32_t i = 0; i < d->tasks[t].naccesses && k != DATA_GRAPH_NONE; i++) {
			const struct data_access *a = &d->accesses[d->tasks[t].first_access + i];
			uint32_t h = g->vertex[a->handle];

			if (is_own(a->mode) || h == DATA_GRAPH_NONE || h == k)
				continue;
			*VEC_PUSH(*edges, n, cap) = (struct radix_item){(uint64_t)h << 32 | k,
			                                                d->handle_bytes[a->handle]};
			*VEC_PUSH(*edges, n, cap) = (struct radix_item){(uint64_t)k << 32 | h,
			                                                d->handle_bytes[a->handle]};
		}
	}
	return n;
}

/* Bytes to a whole number from 1, so that all of them add up to MOST at most. */
static int32_t scaled(double x, double sum)
{
	return 1 + (int32_t)(sum > 0 ? x / sum * MOST : 0);
}

static void make_edges(struct partition_graph *p, struct radix_item *edges, size_t n)
{
	double sum = 0;
	uint32_t count = 0;

	radix_sort(edges, n);
	for (size_t i = 0; i < n; i++)
		sum += (double)edges[i].value;
	p->first = ht_alloc((size_t)p->n + 1, sizeof(*p->first));
	p->neighbour = ht_alloc(n + 1, sizeof(*p->neighbour));
	p->edge_weight = ht_alloc(n + 1, sizeof(*p->edge_weight));
	for (size_t i = 0; i < n; count++) {
		uint64_t key = edges[i].key;
		double bytes = 0;

		for (; i < n && edges[i].key == key; i++)
			bytes += (double)edges[i].value;
		p->neighbour[count] = (uint32_t)key;
		p->edge_weight[count] = scaled(bytes, sum);
		p->first[(key >> 32) + 1] = count + 1;
	}
	for (uint32_t v = 0; v < p->n; v++)
		if (p->first[v + 1] < p->first[v])
			p->first[v + 1] = p->first[v];
}

static void make_sizes(struct data_graph *g, const struct dag *d)
{
	double sum = 0;

	g->graph.size = ht_alloc((size_t)g->graph.n + 1, sizeof(*g->graph.size));
	for (uint32_t h = 0; h < d->nhandles; h++)
		sum += g->vertex[h] == DATA_GRAPH_NONE ? 0 : (double)d->handle_bytes[h];
	for (uint32_t h = 0; h < d->nhandles; h++)
		if (g->vertex[h] != DATA_GRAPH_NONE)
			g->graph.size[g->vertex[h]] = scaled((double)d->handle_bytes[h], sum);
}

void data_graph_init(struct data_graph *g, const struct dag *d)
{
	struct radix_item *edges;
	size_t n;

	*g = (struct data_graph){0};
	number_vertices(g, d);
	n = list_edges(g, d, &edges);
	make_edges(&g->graph, edges, n);
	make_sizes(g, d);
	free(edges);
}

void data_graph_fini(struct data_graph *g)
{
	free(g->graph.first);
	free(g->graph.neighbour);
	free(g->graph.edge_weight);
	free(g->graph.weight);
	free(g->graph.size);
	free(g->vertex);
	free(g->of);
}

/* Ranks are not negative, so their bits are ordered as they are: the complement puts the highest first. */
static uint64_t falling(double rank)
{
	union {
		double real;
		uint64_t bits;
	} x = {.real = rank + 0.0};

	return ~x.bits;
}

/* What window i has of the work from `from` to `to`, where windows are of `each`. */
static double overlap(double from, double to, double each, uint32_t i)
{
	double first = fmax(from, i * each), last = fmin(to, (i + 1) * each);

	return last > first ? last - first : 0;
}

/*
 * Tasks order[0] to order[n - 1] have equal ranks and `together` to do, after `done`. Their order
 * is that of their indices, which says nothing: if it is more than a window, each has its share of every window.
 */
static void add_equals(const struct data_graph *g, const double *work, const struct radix_item *order, uint32_t n,
                       double done, double together, double total, uint32_t nwindows, double *sums)
{
	double each = total / nwindows;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t t = (uint32_t)order[k].value, window;
		double *of = &sums[(size_t)g->of[t] * nwindows];

		if (g->of[t] == DATA_GRAPH_NONE || !(work[t] > 0))
			continue;
		if (together > each) {
			for (uint32_t i = 0; i < nwindows; i++)
				of[i] += work[t] / together * overlap(done, done + together, each, i);
			continue;
		}
		window = (uint32_t)((done + work[t] / 2) / total * nwindows);
		of[window < nwindows ? window : nwindows - 1] += work[t];
		done += work[t];
	}
}

int32_t *data_graph_windows(const struct data_graph *g, const struct dag *d, const double *rank, const double *work,
                            uint32_t nwindows)
{
	int32_t *weight = ht_alloc((size_t)g->graph.n * nwindows + 1, sizeof(*weight));
	struct radix_item *order = ht_alloc((size_t)d->ntasks + 1, sizeof(*order));
	double *sums = ht_alloc((size_t)g->graph.n * nwindows + 1, sizeof(*sums)), total = 0, done = 0;

	for (uint32_t t = 0; t < d->ntasks; t++) {
		order[t] = (struct radix_item){falling(rank[t]), t};
		total += g->of[t] == DATA_GRAPH_NONE ? 0 : work[t];
	}
	radix_sort(order, d->ntasks);
	for (uint32_t i = 0, n; i < d->ntasks; i += n) {
		double together = 0;

		for (n = 0; i + n < d->ntasks && order[i + n].key == order[i].key; n++) {
			uint32_t t = (uint32_t)order[i + n].value;

			together += g->of[t] == DATA_GRAPH_NONE || !(work[t] > 0) ? 0 : work[t];
		}
		add_equals(g, work, order + i, n, done, together, total, nwindows, sums);
		done += together;
	}
	for (size_t i = 0; i < (size_t)g->graph.n * nwindows; i++)
		weight[i] = total > 0 ? (int32_t)(sums[i] / total * MOST) : 1;
	free(sums);
	free(order);
	return weight;
}
