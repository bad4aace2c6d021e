/* core/machine/machine_rank.c - the ranks of a machine: their nodes and names, and each as a machine. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"

int machine_ranks(const struct machine *m)
{
	return m->nnodes ? m->nodes[m->nnodes - 1].rank + 1 : 1;
}

void machine_rank_counts(const struct machine *m, int rank, int counts[ARCH_COUNT])
{
	machine_counts(m, counts);
	for (int i = 0; machine_ranks(m) > 1 && i < m->nworkers; i++)
		counts[m->workers[i].arch] -= m->nodes[m->workers[i].node].rank != rank;
}

int machine_rank_node(const struct machine *m, int rank, int node)
{
	int first = 0;

	while (first < m->nnodes && m->nodes[first].rank < rank)
		first++;
	return node >= 0 && node < m->nnodes - first && m->nodes[first + node].rank == rank ? first + node : -1;
}

const char *machine_rank_node_name(const struct machine *m, int rank, int node, char buf[32])
{
	int at = machine_rank_node(m, rank, node), memories = 0;

	for (int i = 0; i < m->nnodes; i++)
		memories += m->nodes[i].rank == rank && m->nodes[i].arch == ARCH_CPU;
	if (at < 0)
		snprintf(buf, 32, "node %d", node);
	else if (m->nodes[at].arch != ARCH_CPU)
		snprintf(buf, 32, "%s %d", arch_name(m->nodes[at].arch), m->nodes[at].devid);
	else if (memories > 1)
		snprintf(buf, 32, "main memory %d", node);
	else
		snprintf(buf, 32, "main memory");
	return buf;
}

const char *machine_node_name(const struct machine *m, int node, char buf[32])
{
	int rank = node >= 0 && node < m->nnodes ? m->nodes[node].rank : 0;
	char name[32];

	machine_rank_node_name(m, rank, node - machine_rank_node(m, rank, 0), name);
	if (machine_ranks(m) > 1)
		snprintf(buf, 32, "%d: %.20s", rank, name);
	else
		snprintf(buf, 32, "%s", name);
	return buf;
}

static void copy_links(struct machine *made, const struct machine *m, int first)
{
	made->links = arena_alloc(made->arena, (size_t)m->nlinks, sizeof(*made->links));
	for (int i = 0; i < m->nlinks; i++) {
		struct machine_link l = m->links[i];

		l.from -= first;
		l.to -= first;
		if (l.from >= 0 && l.from < made->nnodes && l.to >= 0 && l.to < made->nnodes)
			made->links[made->nlinks++] = l;
	}
	made->nsegments = m->nsegments;
	made->segments = arena_alloc(made->arena, (size_t)m->nsegments, sizeof(*made->segments));
	for (int i = 0; i < m->nsegments; i++) {
		const char *name = m->segments[i].name;

		made->segments[i] = m->segments[i];
		made->segments[i].name = arena_strndup(made->arena, name, strlen(name));
	}
	made->ncrossings = m->ncrossings;
	made->crossings = arena_alloc(made->arena, (size_t)m->ncrossings, sizeof(*made->crossings));
	for (int i = 0; i < m->ncrossings; i++)
		made->crossings[i] = m->crossings[i];
}

/* The part with the nodes from `first` to before `end`. */
static struct machine *part(const struct machine *m, int first, int end)
{
	struct machine *made = ht_alloc(1, sizeof(*made));

	made->arena = arena_create();
	made->name = arena_strndup(made->arena, m->name, strlen(m->name));
	made->nnodes = end - first;
	made->nodes = arena_alloc(made->arena, (size_t)made->nnodes, sizeof(*made->nodes));
	for (int i = first; i < end; i++) {
		made->nodes[i - first] = m->nodes[i];
		made->nodes[i - first].rank -= m->nodes[first].rank;
	}
	made->workers = arena_alloc(made->arena, (size_t)m->nworkers, sizeof(*made->workers));
	for (int i = 0; i < m->nworkers; i++) {
		struct machine_worker w = m->workers[i];

		if (w.node < first || w.node >= end)
			continue;
		w.node -= first;
		w.name = arena_strndup(made->arena, w.name, strlen(w.name));
		made->workers[made->nworkers++] = w;
	}
	copy_links(made, m, first);
	return made;
}

struct machine *machine_of_rank(const struct machine *m, int rank)
{
	int first = 0, end;

	while (first + 1 < m->nnodes && m->nodes[first].rank < rank)
		first++;
	for (end = first; end < m->nnodes && m->nodes[end].rank == rank;)
		end++;
	return part(m, first, end);
}

struct machine *machine_copy(const struct machine *m)
{
	struct machine *made = part(m, 0, m->nnodes);

	made->network = m->network;
	return made;
}
