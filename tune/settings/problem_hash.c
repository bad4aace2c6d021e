/* tune/settings/problem_hash.c - a number that tells problems apart: 64-bit FNV-1a (Fowler, Noll, Vo). */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/problem_hash.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/version.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"

uint64_t problem_hash(uint64_t h, const void *data, size_t bytes)
{
	return hash64(h, data, bytes);
}

uint64_t problem_hash_begin(void)
{
	return problem_hash(HASH64_START, HETEROTUNE_VERSION, strlen(HETEROTUNE_VERSION));
}

static uint64_t hash_text(uint64_t h, const char *s)
{
	return problem_hash(h, s, strlen(s) + 1);
}

static uint64_t hash_machine(uint64_t h, const struct machine *m)
{
	h = hash_text(h, m->name);
	for (int i = 0; i < m->nworkers; i++) {
		const int32_t w[3] = {m->workers[i].arch, m->workers[i].node, m->workers[i].devid};

		h = problem_hash(h, w, sizeof(w));
	}
	for (int i = 0; i < m->nlinks; i++) {
		const int64_t l[3] = {m->links[i].from, m->links[i].to, m->links[i].latency_ns};

		h = problem_hash(h, l, sizeof(l));
		h = problem_hash(h, &m->links[i].bytes_per_s, sizeof(m->links[i].bytes_per_s));
	}
	return h;
}

uint64_t problem_hash_graph(uint64_t h, const struct dag *d, const struct machine *m)
{
	h = hash_machine(h, m);
	for (uint32_t i = 0; i < d->ntypes; i++) {
		h = hash_text(h, d->types[i].codelet);
		h = hash_text(h, d->types[i].model);
	}
	for (uint32_t i = 0; i < d->nclasses; i++) {
		h = problem_hash(h, &d->classes[i].footprint, sizeof(d->classes[i].footprint));
		h = problem_hash(h, d->classes[i].cost_ns, sizeof(d->classes[i].cost_ns));
		h = problem_hash(h, d->classes[i].deviation_ns, sizeof(d->classes[i].deviation_ns));
	}
	for (uint32_t i = 0; i < d->ndevices; i++) {
		const int32_t device[2] = {d->devices[i].arch, d->devices[i].devid};

		h = problem_hash(h, device, sizeof(device));
	}
	h = problem_hash(h, d->device_cost_ns, (size_t)d->nclasses * d->ndevices * sizeof(*d->device_cost_ns));
	for (uint32_t t = 0; t < d->ntasks; t++) {
		const int64_t task[4] = {d->tasks[t].class_id, d->tasks[t].priority, d->tasks[t].submit_ns,
		                         d->tasks[t].naccesses};

		h = problem_hash(h, task, sizeof(task));
	}
	h = problem_hash(h, d->succ_first, ((size_t)d->ntasks + 1) * sizeof(*d->succ_first));
	h = problem_hash(h, d->succ, d->nedges * sizeof(*d->succ));
	for (uint32_t i = 0; i < d->naccesses; i++) {
		const uint32_t access[2] = {d->accesses[i].handle, d->accesses[i].mode};

		h = problem_hash(h, access, sizeof(access));
	}
	h = problem_hash(h, d->handle_bytes, d->nhandles * sizeof(*d->handle_bytes));
	return problem_hash(h, d->handle_home, d->nhandles * sizeof(*d->handle_home));
}
