/* core/trace/overheads_copies.c - what copies and memory took the threads of a run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The driver of a device begins a copy and observes its end. A copy that ends late is late for one of two reasons: the
 * driver was busy, which a simulation of the driver shows by itself, or the copy took longer than the bus was measured
 * to take: memory is touched for the first time, or a thread has to be woken that does it, or, where the device is a
 * CPU, that thread waits for a core that the driver itself keeps busy. The second is what is measured here, from copies
 * during which the driver had no synchronous codelet to execute and no other device copied.
 */
#include "core/trace/overheads.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/base/stats.h"
#include "core/machine/chunks.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

static const double MOST_NS = 1e12; /* of a chunk of main memory */

struct vector {
	int64_t *ns;
	size_t n, cap;
};

static void add(struct vector *v, int64_t ns)
{
	*VEC_PUSH(v->ns, v->n, v->cap) = ns;
}

/* When something was under way, as intervals that do not overlap, in order. */
struct busy {
	int64_t *from_ns, *to_ns;
	size_t n, cap_from, cap_to, at;
};

static void busy_add(struct busy *b, int64_t from_ns, int64_t to_ns)
{
	if (b->n && from_ns <= b->to_ns[b->n - 1]) {
		if (to_ns > b->to_ns[b->n - 1])
			b->to_ns[b->n - 1] = to_ns;
		return;
	}
	*VEC_PUSH(b->from_ns, b->n, b->cap_from) = from_ns;
	b->n--;
	*VEC_PUSH(b->to_ns, b->n, b->cap_to) = to_ns;
}

static void busy_free(struct busy *b)
{
	free(b->from_ns);
	free(b->to_ns);
}

/* Between two times, the first of which never falls from one question to the next. */
static int busy_between(struct busy *b, int64_t from_ns, int64_t to_ns)
{
	while (b->at < b->n && b->to_ns[b->at] <= from_ns)
		b->at++;
	return b->at < b->n && b->from_ns[b->at] < to_ns;
}

/* The device of a copy to or from main memory; -1: it is another one. */
static int device_of(const struct machine *m, const struct trace_copy *c, enum overheads_direction *direction)
{
	int from_main, to_main;

	*direction = COPIES_IN;
	if (c->from < 0 || c->to < 0 || c->from >= m->nnodes || c->to >= m->nnodes)
		return -1;
	from_main = m->nodes[c->from].arch == ARCH_CPU;
	to_main = m->nodes[c->to].arch == ARCH_CPU;
	*direction = from_main ? COPIES_IN : COPIES_OUT;
	return from_main == to_main ? -1 : from_main ? c->to : c->from;
}

/* By start, the executions of a node's workers. */
static void find_executions(struct busy *b, const struct trace *t)
{
	struct radix_item *k = ht_alloc(t->ntasks, sizeof(*k));
	size_t n = 0;

	for (size_t i = 0; i < t->ntasks; i++) {
		if (trace_task_counts(&t->tasks[i]))
			k[n++] = (struct radix_item){.key = (uint64_t)(t->tasks[i].start_ns + TIME_LIMIT), .value = i};
	}
	radix_sort(k, n);
	for (size_t i = 0; i < n; i++) {
		const struct trace_task *x = &t->tasks[k[i].value];

		if (x->node >= 0)
			busy_add(&b[x->node], x->start_ns, x->end_ns);
	}
	free(k);
}

/* Where the others than `node` copy. */
static void find_others(struct busy *b, const struct trace *t, const struct machine *m, int node)
{
	enum overheads_direction direction;

	for (size_t i = 0; i < t->ncopies; i++) {
		const struct trace_copy *c = &t->copies[i];
		int device = device_of(m, c, &direction);

		if (device != node && c->end_ns != TIME_NONE)
			busy_add(b, c->start_ns, c->end_ns);
	}
}

/* What its bytes take; -1: there is no link. */
static int64_t expected_ns(const struct machine *m, const struct trace_copy *c)
{
	const struct machine_link *l = machine_link_between(m, c->from, c->to);

	return l ? (int64_t)((double)c->size_bytes / l->bytes_per_s * 1e9) : -1;
}

/* Copies of one device, by start: how much longer each took, after the one before it. */
static void find_delays(struct vector v[COPIES_DIRECTIONS], const struct trace *t, const struct machine *m, int node,
                        struct busy *executing)
{
	struct busy others = {0};
	int64_t ended_ns = INT64_MIN;

	find_others(&others, t, m, node);
	for (size_t i = 0; i < t->ncopies; i++) {
		const struct trace_copy *c = &t->copies[i];
		enum overheads_direction direction;
		int64_t expected = expected_ns(m, c), from_ns = c->start_ns;

		if (device_of(m, c, &direction) != node || c->end_ns == TIME_NONE || expected < 0)
			continue;
		if (ended_ns > from_ns)
			from_ns = ended_ns;
		if (c->end_ns > ended_ns)
			ended_ns = c->end_ns;
		if (c->end_ns < from_ns || busy_between(&others, c->start_ns, c->end_ns) ||
		    (executing && busy_between(executing, c->start_ns, c->end_ns)))
			continue;
		add(&v[direction], c->end_ns - from_ns > expected ? c->end_ns - from_ns - expected : 0);
	}
	busy_free(&others);
}

/* The values of `v` are sorted. */
static void slice(struct overheads_delays *d, const struct vector *v)
{
	for (size_t i = 0; i < DELAY_SLICES; i++) {
		size_t first = i * v->n / DELAY_SLICES, last = (i + 1) * v->n / DELAY_SLICES;
		double sum = 0;

		last = last > first ? last : first + 1;
		for (size_t k = first; k < last; k++)
			sum += (double)v->ns[k];
		d->ns[i] = (int64_t)(sum / (double)(last - first));
	}
	d->samples = (uint32_t)v->n;
}

/* Where a direction has few samples, one of which may be long, either has those of both. */
static void pool_few(struct vector v[COPIES_DIRECTIONS])
{
	const size_t nin = v[COPIES_IN].n, nout = v[COPIES_OUT].n;

	if (nin >= DELAY_SLICES && nout >= DELAY_SLICES)
		return;
	for (size_t i = 0; i < nin; i++)
		add(&v[COPIES_OUT], v[COPIES_IN].ns[i]);
	for (size_t i = 0; i < nout; i++)
		add(&v[COPIES_IN], v[COPIES_OUT].ns[i]);
}

static void measure_delays(struct overheads_all *o, const struct trace *t, const struct machine *m,
                           arch_mask synchronous)
{
	struct vector v[ARCH_COUNT][COPIES_DIRECTIONS] = {{{0}}};
	struct busy executions[MACHINE_MAX_NODES] = {{0}};

	find_executions(executions, t);
	for (int node = 0; node < m->nnodes; node++) {
		enum arch a = m->nodes[node].arch;

		if (a != ARCH_CPU)
			find_delays(v[a], t, m, node, synchronous >> a & 1 ? &executions[node] : NULL);
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		pool_few(v[a]);
		for (int d = 0; d < COPIES_DIRECTIONS; d++) {
			if (v[a][d].n >= OVERHEADS_ENOUGH) {
				stats_sort_i64(v[a][d].ns, v[a][d].n);
				slice(&o->of[a].delays[d], &v[a][d]);
			}
			free(v[a][d].ns);
		}
	}
	for (int node = 0; node < MACHINE_MAX_NODES; node++)
		busy_free(&executions[node]);
}

static void settle(struct overheads_all *o, enum arch a, enum overheads_kind kind, struct vector *v, int64_t *ns)
{
	if (v->n >= OVERHEADS_ENOUGH) {
		*ns = stats_mean(v->ns, v->n);
		o->samples[a][kind] = (uint32_t)v->n;
	}
	free(v->ns);
}

static void measure_begins(struct overheads_all *o, const struct trace *t, const struct machine *m)
{
	struct vector v[ARCH_COUNT] = {{0}};

	for (size_t i = 0; i < t->ncopies; i++) {
		enum overheads_direction direction;
		int device = device_of(m, &t->copies[i], &direction);

		if (device >= 0 && t->copies[i].begin_ns)
			add(&v[m->nodes[device].arch], t->copies[i].begin_ns);
	}
	for (int a = 0; a < ARCH_COUNT; a++)
		settle(o, (enum arch)a, OVERHEAD_COPY, &v[a], &o->of[a].copy_ns);
}

/*
 * Memory of CUDA devices is taken in chunks (StarPU 1.4.10, src/datawizard/malloc.c,
 * _starpu_malloc_should_suballoc), so that most data costs nothing and the constant stays; that of other devices is
 * taken datum by datum.
 */
static void measure_allocations(struct overheads_all *o, const struct trace *t, const struct machine *m)
{
	struct vector v[ARCH_COUNT] = {{0}};

	for (size_t i = 0; i < t->nmemory; i++) {
		int node = t->memory[i].node;

		if (t->memory[i].kind == MEMORY_ALLOCATED && t->memory[i].took_ns && node >= 0 && node < m->nnodes &&
		    m->nodes[node].arch != ARCH_CPU && m->nodes[node].arch != ARCH_CUDA)
			add(&v[m->nodes[node].arch], t->memory[i].took_ns);
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		settle(o, (enum arch)a, OVERHEAD_ALLOCATE, &v[a], &o->of[a].allocate_ns);
		o->of[a].allocates_each |= o->samples[a][OVERHEAD_ALLOCATE] != 0;
	}
}

void overheads_measure_main_memory(struct overheads_all *o, const struct trace *t, const struct machine *m)
{
	struct chunks chunks = {0};
	int64_t until_ns = INT64_MIN, ns = 0;
	uint64_t bytes = 0;
	uint32_t calls = 0;
	int32_t rank = -1;

	if (!(machine_archs(m) & (1 << ARCH_CUDA | 1 << ARCH_HIP)))
		return;
	for (size_t i = 0; i < t->nmemory; i++) {
		const struct trace_memory *x = &t->memory[i];
		const struct trace_handle *h = &t->handles[x->handle];
		int64_t from_ns = x->ns - x->took_ns;

		if (x->node != 0 || x->again || (x->kind != MEMORY_ALLOCATED && x->kind != MEMORY_FREED))
			continue;
		if (h->rank != rank) {
			rank = h->rank;
			chunks = (struct chunks){0};
			until_ns = INT64_MIN;
		}
		if (x->kind == MEMORY_FREED) {
			chunks_release(&chunks, h->size_bytes);
			continue;
		}
		chunks.allocates = 0;
		chunks_allocate(&chunks, h->size_bytes, CHUNKS_USED);
		bytes += chunks.allocates;
		calls += chunks.allocates != 0;
		ns += x->ns > until_ns ? x->ns - (from_ns > until_ns ? from_ns : until_ns) : 0;
		until_ns = x->ns > until_ns ? x->ns : until_ns;
	}
	if (!ns || !bytes)
		return;
	o->of[ARCH_CPU].allocate_ns = (int64_t)fmin((double)ns / (double)bytes * (double)CHUNK_BYTES, MOST_NS);
	o->samples[ARCH_CPU][OVERHEAD_ALLOCATE] = calls;
}

void overheads_measure_copies(struct overheads_all *o, const struct trace *t, const struct machine *m,
                              arch_mask synchronous)
{
	if (m->nnodes > MACHINE_MAX_NODES)
		return;
	measure_begins(o, t, m);
	measure_allocations(o, t, m);
	measure_delays(o, t, m, synchronous);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (synchronous >> a & 1)
			o->of[a].queue_ns = 0; /* it is within what the task takes */
	}
}
