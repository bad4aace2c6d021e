/* replay/memory/residency.c - at which memory nodes each datum is valid and has memory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/memory/residency.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/chunks.h"
#include "core/machine/machine.h"
#include "core/trace/overheads.h"

static const double MOST_NS = 1e12; /* of an allocation */

static uint64_t bit(int node)
{
	return UINT64_C(1) << node;
}

uint64_t residency_task_bytes(const struct residency *r, uint32_t task, const uint64_t *bytes)
{
	const struct dag_task *t = &r->d->tasks[task];
	uint64_t sum = 0;

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++)
		sum = capacity_sum(sum, bytes[r->d->accesses[i].handle]);
	return sum;
}

/* The chunk_bytes of all data that tasks access: a whole that they access by parts is not on devices. */
static uint64_t accessed_bytes(const struct residency *r, int *uncut)
{
	const struct dag *d = r->d;
	unsigned char *seen = ht_alloc(d->nhandles, sizeof(*seen));
	uint64_t sum = 0;

	for (uint32_t i = 0; i < d->naccesses; i++)
		seen[d->accesses[i].handle] = 1;
	for (uint32_t i = 0; i < d->nhandles; i++) {
		if (!seen[i])
			continue;
		sum = capacity_sum(sum, r->chunk_bytes[i]);
		*uncut |= !chunks_cut(d->handle_bytes[i]);
	}
	free(seen);
	return sum;
}

/* Of whole chunks where all data is cut from chunks; of exact bytes where the largest task does not fit otherwise. */
static struct capacity *capacity_of_device(const struct residency *r, uint64_t bytes, int uncut)
{
	uint64_t limit = uncut ? bytes : bytes / CHUNK_BYTES * CHUNK_BYTES;

	for (uint32_t t = 0; t < r->d->ntasks; t++) {
		if (residency_task_bytes(r, t, r->chunk_bytes) > limit)
			return capacity_create(bytes, r->d->handle_bytes, r->d->nhandles);
	}
	return capacity_create(limit, r->chunk_bytes, r->d->nhandles);
}

static void free_capacities(struct residency *r)
{
	for (int i = 0; r->capacity && i < r->m->nnodes; i++)
		capacity_free(r->capacity[i]);
	free(r->capacity);
	free(r->chunk_bytes);
	r->capacity = NULL;
	r->chunk_bytes = NULL;
}

/* Main memory takes everything, as in StarPU without a disk, and so does a device into which all data fits. */
static void create_capacities(struct residency *r)
{
	const struct machine *m = r->m;
	int limited = 0, uncut = 0;
	uint64_t all;

	r->chunk_bytes = ht_alloc(r->d->nhandles, sizeof(*r->chunk_bytes));
	for (uint32_t i = 0; i < r->d->nhandles; i++)
		r->chunk_bytes[i] = chunks_bytes(r->d->handle_bytes[i]);
	all = accessed_bytes(r, &uncut);
	r->capacity = ht_alloc((size_t)m->nnodes, sizeof(*r->capacity));
	for (int i = 0; i < m->nnodes; i++) {
		int64_t bytes = m->nodes[i].capacity_bytes;

		if (m->nodes[i].arch == ARCH_CPU || bytes <= 0 || (uint64_t)bytes >= all)
			continue;
		r->capacity[i] = capacity_of_device(r, (uint64_t)bytes, uncut);
		limited = 1;
	}
	if (!limited)
		free_capacities(r);
}

static void notify(const struct residency *r, uint32_t datum, uint64_t nodes)
{
	if (r->moved && nodes)
		r->moved(r->moved_ctx, datum, nodes);
}

/* The capacity of a node that has the only valid copy, all of `valid`, learns whether it still has. */
static void set_sole(struct residency *r, uint32_t datum, uint64_t valid, int sole)
{
	struct capacity *c = valid && !(valid & (valid - 1)) ? residency_capacity(r, __builtin_ctzll(valid)) : NULL;

	if (c)
		capacity_set_sole(c, datum, sole);
}

static void set_valid(struct residency *r, uint32_t datum, uint64_t valid)
{
	if (r->capacity && r->data[datum].valid != valid) {
		set_sole(r, datum, r->data[datum].valid, 0);
		set_sole(r, datum, valid, 1);
	}
	r->data[datum].valid = valid;
}

void residency_set(struct residency *r, uint32_t datum, uint64_t valid, uint64_t pending)
{
	uint64_t changed = (r->data[datum].valid ^ valid) | (r->data[datum].pending ^ pending);

	set_valid(r, datum, valid);
	r->data[datum].pending = pending;
	notify(r, datum, changed);
}

static void take_memory(struct residency *r, uint32_t datum, int node)
{
	struct residency_use *use = &r->use[node];

	r->data[datum].allocated |= bit(node);
	use->bytes += r->d->handle_bytes[datum];
	use->peak_bytes = use->bytes > use->peak_bytes ? use->bytes : use->peak_bytes;
	if (residency_capacity(r, node))
		capacity_add(residency_capacity(r, node), datum);
}

void residency_allocate(struct residency *r, uint32_t datum, int node)
{
	take_memory(r, datum, node);
	notify(r, datum, bit(node));
	if (r->overheads)
		chunks_allocate(&r->chunks[node], r->d->handle_bytes[datum],
		                r->overheads->of[r->m->nodes[node].arch].allocates_each ? CHUNKS_NONE : CHUNKS_USED);
}

/* Takes a lock for so long, from `now` or when it is free; 0: waits until it is free. */
static int64_t take_lock(int64_t *until_ns, int64_t now, int64_t ns)
{
	int64_t free_ns = *until_ns > now ? *until_ns : now;

	if (ns)
		*until_ns = free_ns + ns;
	return free_ns + ns - now;
}

/*
 * StarPU takes a lock to allocate a chunk (1.4.10, src/drivers/cuda/driver_cuda.c:1182), so that only one device
 * does so at a time. Main memory is pinned byte by byte, and whoever wants a piece of a chunk waits until it is there
 * (src/datawizard/malloc.c:935).
 */
int64_t residency_allocation_ns(struct residency *r, int node, int64_t now)
{
	enum arch a = r->m->nodes[node].arch;
	const struct overheads *o = &r->overheads->of[a];
	uint64_t bytes = r->chunks[node].allocates;

	r->chunks[node].allocates = 0;
	if (a == ARCH_CPU)
		return take_lock(&r->main_ns, now,
		                 (int64_t)fmin((double)bytes / (double)CHUNK_BYTES * (double)o->allocate_ns, MOST_NS));
	if (!bytes || o->allocates_each)
		return bytes ? o->allocate_ns : 0;
	return take_lock(&r->allocator_ns, now, o->allocate_ns);
}

void residency_free_datum(struct residency *r, uint32_t datum, int node)
{
	r->data[datum].allocated &= ~bit(node);
	set_valid(r, datum, r->data[datum].valid & ~bit(node));
	notify(r, datum, bit(node));
	r->use[node].bytes -= r->d->handle_bytes[datum];
	chunks_release(&r->chunks[node], r->d->handle_bytes[datum]);
}

/* As StarPU does it, which spares what is in use, and the program's own memory (1.4.10, _starpu_data_invalidate). */
void residency_drop(struct residency *r, uint32_t datum)
{
	uint64_t pending = r->data[datum].pending, dropped = r->data[datum].allocated & ~pending;

	if (r->d->handle_home[datum] >= 0 && r->d->handle_home[datum] < r->m->nnodes)
		dropped &= ~bit(r->d->handle_home[datum]);
	residency_set(r, datum, 0, pending);
	for (int node = 0; node < r->m->nnodes; node++) {
		if (!(dropped & bit(node)))
			continue;
		if (residency_capacity(r, node) && capacity_writing(r->capacity[node]) == datum)
			continue;
		if (residency_capacity(r, node))
			capacity_remove(r->capacity[node], datum);
		residency_free_datum(r, datum, node);
	}
}

void residency_evict(struct residency *r, uint32_t datum, int node)
{
	capacity_remove(r->capacity[node], datum);
	residency_free_datum(r, datum, node);
	r->use[node].evictions++;
}

void residency_reuse(struct residency *r, int node)
{
	r->chunks[node].reuses = 1;
}

struct residency *residency_create(const struct dag *d, const struct machine *m, const struct overheads_all *o)
{
	struct residency *r = ht_alloc(1, sizeof(*r));

	r->d = d;
	r->m = m;
	r->overheads = o;
	r->data = ht_alloc(d->nhandles, sizeof(*r->data));
	r->use = ht_alloc((size_t)m->nnodes, sizeof(*r->use));
	r->chunks = ht_alloc((size_t)m->nnodes, sizeof(*r->chunks));
	if (o)
		create_capacities(r);
	for (uint32_t i = 0; i < d->nhandles; i++) {
		int home = d->handle_home[i];

		if (home < 0)
			continue;
		if (home >= m->nnodes ||
		    (residency_capacity(r, home) && !capacity_fits(residency_capacity(r, home), i)))
			home = 0;
		set_valid(r, i, bit(home));
		take_memory(r, i, home);
	}
	return r;
}

void residency_free(struct residency *r)
{
	if (!r)
		return;
	free_capacities(r);
	free(r->data);
	free(r->use);
	free(r->chunks);
	free(r);
}

void residency_watch(struct residency *r, residency_moved *moved, void *ctx)
{
	r->moved = moved;
	r->moved_ctx = ctx;
}
