/* core/metrics/two_sides.c - what has to cross between main memory and the devices, and how fast it can. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/two_sides.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/csr.h"
#include "core/dag/dag.h"
#include "core/machine/bottleneck.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

#define NOBODY TWO_SIDES_NOBODY

/* A search for a path in the graph looks at so many tasks and edges: what is not found is taken not to be ordered. */
enum { SEARCH_TASKS = 256, SEARCH_EDGES = 4096 };

/* A reader of the version that a datum has now; in a list. */
struct reading {
	uint32_t task, edge, next;
};

/* A datum while the tasks are gone through. */
struct datum {
	uint32_t version; /* its version now, into scan.made; NOBODY: its producer is not known */
	uint32_t writer;
	uint32_t readings; /* since, into scan.readings */
	uint32_t task;     /* whose accesses are summed up in `mode`, + 1 */
	uint32_t mode;
	int unordered;
};

struct scan {
	const struct dag *d;
	struct two_sides *x;
	struct datum *data;
	uint32_t *place; /* of the tasks in dag.order */
	uint32_t *seen;  /* the search that has seen the task */
	uint32_t nsearches;
	uint32_t found[SEARCH_TASKS];
	struct reading *readings;
	size_t nreadings, cap_readings;
	struct made {
		uint32_t handle, producer, readings;
	} * made;
	size_t nmade, cap_made;
};

/* Whether a path leads from `p` to `t`: an edge nearly always, else others imply it. */
static int is_before(struct scan *s, uint32_t p, uint32_t t)
{
	const struct dag *d = s->d;
	uint32_t n = 0, edges = 0;

	if (csr_find(d->pred_first, d->pred, t, p) != NOBODY)
		return 1;
	s->found[n++] = t;
	s->nsearches++;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = d->pred_first[s->found[i]]; k < d->pred_first[s->found[i] + 1]; k++) {
			uint32_t q = d->pred[k];

			if (q == p)
				return 1;
			if (++edges == SEARCH_EDGES)
				return 0;
			if (s->place[q] < s->place[p] || s->seen[q] == s->nsearches || n == SEARCH_TASKS)
				continue;
			s->seen[q] = s->nsearches;
			s->found[n++] = q;
		}
	}
	return 0;
}

static void add_reader(struct scan *s, struct datum *a, uint32_t t)
{
	struct reading r = {.task = t, .edge = NOBODY, .next = a->readings};

	if (a->version == NOBODY)
		return;
	if (a->writer != NOBODY) {
		if (!is_before(s, a->writer, t))
			return;
		r.edge = csr_find(s->d->pred_first, s->d->pred, t, a->writer);
	}
	a->readings = (uint32_t)s->nreadings;
	*VEC_PUSH(s->readings, s->nreadings, s->cap_readings) = r;
}

/* The version ends where `next` (NOBODY: nobody) writes: readers stay that are sure to come before. */
static void end_version(struct scan *s, struct datum *a, uint32_t next)
{
	uint32_t kept = NOBODY, following;
	int ordered = a->writer == NOBODY || next == NOBODY;

	for (uint32_t i = a->readings; i != NOBODY; i = following) {
		following = s->readings[i].next;
		if (next != NOBODY && s->readings[i].task != next && !is_before(s, s->readings[i].task, next))
			continue;
		s->readings[i].next = kept;
		kept = i;
		ordered = 1; /* the writer is before the reader, which is before the next writer */
	}
	if (a->version != NOBODY)
		s->made[a->version].readings = kept;
	if (!ordered && !is_before(s, a->writer, next))
		a->unordered = 1;
	a->readings = NOBODY;
}

static void start_version(struct scan *s, struct datum *a, uint32_t producer)
{
	a->writer = producer;
	a->version = (uint32_t)s->nmade;
	*VEC_PUSH(s->made, s->nmade, s->cap_made) =
		(struct made){.handle = (uint32_t)(a - s->data), .producer = producer, .readings = NOBODY};
}

static void scan_task(struct scan *s, uint32_t t)
{
	const struct dag_task *task = &s->d->tasks[t];
	const struct data_access *first = &s->d->accesses[task->first_access], *end = first + task->naccesses;

	for (const struct data_access *i = first; i < end; i++) {
		struct datum *a = &s->data[i->handle];

		a->mode = (a->task == t + 1 ? a->mode : 0) | (i->mode & ACCESS_SCRATCH ? 0 : i->mode);
		a->task = t + 1;
	}
	for (const struct data_access *i = first; i < end; i++) {
		struct datum *a = &s->data[i->handle];
		uint32_t mode = a->mode;

		a->mode = 0; /* once, where the task accesses it twice */
		a->unordered |= (mode & (ACCESS_REDUX | ACCESS_MPI_REDUX)) != 0;
		if (mode & ACCESS_R)
			add_reader(s, a, t);
		if (!(mode & ACCESS_W))
			continue;
		end_version(s, a, t);
		start_version(s, a, t);
	}
}

/* Data is in main memory at the start where its home is that, or is not one of the machine's memories. */
static void scan_data(struct scan *s, const struct machine *m)
{
	for (uint32_t h = 0; h < s->d->nhandles; h++) {
		int32_t home = s->d->handle_home[h];
		struct datum *a = &s->data[h];

		*a = (struct datum){.version = NOBODY, .writer = NOBODY, .readings = NOBODY};
		if (home >= 0 && (home >= m->nnodes || m->nodes[home].arch == ARCH_CPU))
			start_version(s, a, NOBODY);
	}
}

static void keep_version(struct scan *s, const struct made *made)
{
	struct two_sides *x = s->x;
	struct version *v = &x->versions[x->nversions];
	uint64_t bytes = s->d->handle_bytes[made->handle];

	*v = (struct version){.producer = made->producer, .first_reader = x->nreaders, .bytes = bytes};
	for (uint32_t i = made->readings; i != NOBODY; i = s->readings[i].next) {
		const struct reading *r = &s->readings[i];
		uint64_t *most = r->edge != NOBODY ? &x->edge_bytes[r->edge] : &x->home_bytes[r->task];

		x->readers[x->nreaders++] = (struct version_reader){.task = r->task, .edge = r->edge};
		if ((r->edge != NOBODY || v->producer == NOBODY) && bytes > *most)
			*most = bytes;
	}
	v->nreaders = x->nreaders - v->first_reader;
	x->nversions += v->nreaders > 0;
}

static void find_versions(struct two_sides *x, const struct dag *d, const struct machine *m)
{
	struct scan s = {.d = d, .x = x};

	s.data = ht_alloc(d->nhandles, sizeof(*s.data));
	s.place = ht_alloc(d->ntasks, sizeof(*s.place));
	s.seen = ht_alloc(d->ntasks, sizeof(*s.seen));
	for (uint32_t i = 0; i < d->ntasks; i++)
		s.place[dag_in_order(d, i)] = i;
	scan_data(&s, m);
	for (uint32_t i = 0; i < d->ntasks; i++)
		scan_task(&s, dag_in_order(d, i));
	for (uint32_t h = 0; h < d->nhandles; h++)
		end_version(&s, &s.data[h], NOBODY);
	x->versions = ht_alloc(s.nmade, sizeof(*x->versions));
	x->readers = ht_alloc(s.nreadings, sizeof(*x->readers));
	x->edge_bytes = ht_alloc(d->nedges, sizeof(*x->edge_bytes));
	x->home_bytes = ht_alloc(d->ntasks, sizeof(*x->home_bytes));
	for (size_t i = 0; i < s.nmade; i++)
		if (!s.data[s.made[i].handle].unordered && d->handle_bytes[s.made[i].handle])
			keep_version(&s, &s.made[i]);
	free(s.data);
	free(s.place);
	free(s.seen);
	free(s.readings);
	free(s.made);
}

static enum side side_of(const struct machine *m, int node)
{
	return m->nodes[node].arch == ARCH_CPU ? SIDE_MAIN : SIDE_DEVICES;
}

/* Over a link, or two by way of main memory. */
static int is_reached(const struct machine *m, int from, int to)
{
	return machine_link_between(m, from, to) ||
	       (machine_link_between(m, from, 0) && machine_link_between(m, 0, to));
}

/* Whether every copy out of the side goes over links. */
static int takes_time(const struct machine *m, enum side from)
{
	for (int i = 0; i < m->nnodes; i++)
		for (int k = 0; k < m->nnodes; k++)
			if (side_of(m, i) == from && side_of(m, k) != from && !is_reached(m, i, k))
				return 0;
	return 1;
}

/* How often a link crosses a bottleneck. */
static int times_crossed(const struct bottleneck_link *l, int bottleneck)
{
	for (int k = 0; k < l->ncrossed; k++)
		if (l->crossed[k].bottleneck == bottleneck)
			return l->crossed[k].times;
	return 0;
}

static int leaves(const struct machine *m, int link, enum side from)
{
	return side_of(m, m->links[link].from) == from && side_of(m, m->links[link].to) != from;
}

/* Over its links together: each has one copy at a time, its latency and then its bytes. */
static void add_links(struct two_sides *x, const struct machine *m, const struct bottlenecks *b, enum side from)
{
	struct passage *p = &x->passages[x->npassages];
	double rate = 0, least = INFINITY;

	x->links[from] = ht_alloc((size_t)m->nlinks, sizeof(*x->links[from]));
	for (int i = 0; takes_time(m, from) && i < m->nlinks; i++) {
		const struct bottleneck_link *l = &b->links[i];

		if (!leaves(m, i, from))
			continue;
		x->links[from][x->nlinks[from]++] = (struct two_sides_link){(double)l->latency_ns, 1 / l->bytes_per_ns};
		rate += l->bytes_per_ns;
		least = fmin(least, (double)l->latency_ns * l->bytes_per_ns);
	}
	if (!x->nlinks[from])
		return;
	p->ns_per_byte[from] = 1 / rate;
	p->each_ns[from] = least / rate;
	x->npassages++;
}

/* A bottleneck that all links out of a side cross, or both sides' links. */
static void add_bottleneck(struct two_sides *x, const struct machine *m, const struct bottlenecks *b, int bottleneck)
{
	struct passage *p = &x->passages[x->npassages];

	for (enum side s = 0; s < SIDES; s++) {
		int least = INT32_MAX;

		for (int i = 0; i < m->nlinks; i++)
			if (leaves(m, i, s)) {
				int times = times_crossed(&b->links[i], bottleneck);

				least = times < least ? times : least;
			}
		if (x->nlinks[s])
			p->ns_per_byte[s] = least / b->bytes_per_ns[bottleneck];
	}
	x->npassages += p->ns_per_byte[SIDE_MAIN] > 0 || p->ns_per_byte[SIDE_DEVICES] > 0;
}

void two_sides_init(struct two_sides *x, const struct dag *d, const struct machine *m)
{
	struct bottlenecks b;

	*x = (struct two_sides){0};
	find_versions(x, d, m);
	bottlenecks_init(&b, m);
	x->passages = ht_alloc((size_t)b.count + SIDES, sizeof(*x->passages));
	for (enum side s = 0; s < SIDES; s++)
		add_links(x, m, &b, s);
	for (int i = 0; i < b.count; i++)
		add_bottleneck(x, m, &b, i);
	bottlenecks_fini(&b);
}

void two_sides_fini(struct two_sides *x)
{
	free(x->versions);
	free(x->readers);
	free(x->edge_bytes);
	free(x->home_bytes);
	free(x->passages);
	for (enum side s = 0; s < SIDES; s++)
		free(x->links[s]);
	*x = (struct two_sides){0};
}

double two_sides_ns(const struct two_sides *x, enum side from, uint64_t bytes)
{
	double least = INFINITY;

	if (!bytes)
		return 0;
	for (int i = 0; i < x->nlinks[from]; i++)
		least = fmin(least, x->links[from][i].latency_ns + (double)bytes * x->links[from][i].ns_per_byte);
	return x->nlinks[from] ? least : 0;
}
