/* plugin/context_machine.c - the workers of a context of StarPU, their memories and links as a machine. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/context_machine.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"
#include "plugin/starpu/starpu_api.h"

/* Takes the blocked workers out of the list, unless all of them are. Returns how many it has then. */
static int leave_out(int *ids, int n, const uint64_t *blocked)
{
	int left = 0;

	for (int i = 0; i < n; i++)
		if (!(blocked[ids[i] / 64] >> ids[i] % 64 & 1))
			ids[left++] = ids[i];
	return left ? left : n;
}

void context_machine(unsigned ctx, const uint64_t *blocked, struct machine *m, int **worker_of, int **index_of)
{
	int *ids = NULL, nworkers = (int)sp.starpu_sched_ctx_get_workers_list(ctx, &ids);
	int nodes = (int)sp.starpu_memory_nodes_get_count();
	unsigned all = sp.starpu_worker_get_count();

	nworkers = leave_out(ids, nworkers, blocked);
	*worker_of = ht_realloc(*worker_of, (size_t)nworkers + 1, sizeof(**worker_of));
	*index_of = ht_realloc(*index_of, all + 1, sizeof(**index_of));
	m->workers = ht_realloc(m->workers, (size_t)nworkers + 1, sizeof(*m->workers));
	m->nodes = ht_realloc(m->nodes, (size_t)nodes + 1, sizeof(*m->nodes));
	m->links = ht_realloc(m->links, (size_t)nodes * (size_t)nodes + 1, sizeof(*m->links));
	m->name = "";
	m->nworkers = nworkers;
	m->nnodes = nodes;
	m->nlinks = 0;
	for (unsigned i = 0; i < all; i++)
		(*index_of)[i] = -1;
	for (int i = 0; i < nodes; i++)
		m->nodes[i] = (struct machine_node){.arch = ARCH_CPU};
	for (int i = 0; i < nworkers; i++) {
		int id = ids[i], arch = (int)sp.starpu_worker_get_type(id), node;

		node = (int)sp.starpu_worker_get_memory_node((unsigned)id);
		(*worker_of)[i] = id;
		(*index_of)[id] = i;
		m->workers[i] = (struct machine_worker){.arch = arch < ARCH_COUNT ? (enum arch)arch : ARCH_FPGA,
		                                        .devid = sp.starpu_worker_get_devid(id),
		                                        .node = node,
		                                        .binding = -1,
		                                        .name = ""};
		if (arch != STARPU_CPU_WORKER) {
			starpu_ssize_t bytes = sp.starpu_memory_get_total((unsigned)node);

			m->nodes[node] = (struct machine_node){.arch = m->workers[i].arch,
			                                       .devid = m->workers[i].devid,
			                                       .capacity_bytes = bytes > 0 ? (int64_t)bytes : 0};
		}
	}
	free(ids);
	for (int from = 0; from < nodes; from++)
		for (int to = 0; to < nodes; to++) {
			double us = sp.starpu_transfer_latency((unsigned)from, (unsigned)to);
			double width = sp.starpu_transfer_bandwidth((unsigned)from, (unsigned)to);

			if (from != to && width > 0 && width < 1e9)
				m->links[m->nlinks++] =
					(struct machine_link){.from = from,
				                              .to = to,
				                              .bytes_per_s = 1e6 * width,
				                              .latency_ns = us > 0 ? (int64_t)(1000 * us) : 0};
		}
}
