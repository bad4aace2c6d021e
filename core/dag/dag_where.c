/* core/dag/dag_where.c - architectures that a type's models know and that it can nevertheless not run on. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An application may restrict a codelet to some architectures (starpu_codelet.where) although its models know others.
 * A scheduler that does not look at durations gives tasks to whoever asks. Then a type that can run on an architecture
 * is found there about as often as the types that ran both there and elsewhere. With k of their m tasks that had a
 * chance there, the probability that none of n tasks of one more such type ran there is, over all rates of which k of m
 * is a sample (Beta(k, m - k + 1), from the improper prior 1 / rate): the product of (m - k + i) / (m + i), i = 1 .. n.
 *
 * A task had a chance on an architecture when one of its workers was without a task between the time when this task was
 * ready and the time when it was taken.
 */
#include "core/dag/dag_parts.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag_ready.h"
#include "core/trace/trace.h"

#define IMPROBABLE 1e-3

enum { LOOKED_AT = 100000 }; /* of a larger run every second task, third, ... */

struct span {
	int64_t start_ns, end_ns;
	int32_t worker;
};

struct search {
	const struct dag *d;
	const struct trace *t;
	struct span *spans; /* by worker and start */
	size_t *first;      /* per worker, and one more: its spans; both NULL until they are asked for */
	arch_mask present;  /* what tasks ran on */
	arch_mask *ran;     /* the same, per type */
	uint8_t *recorded;  /* per type: the collector has asked */
};

static int by_worker_and_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void search_init(struct search *s, const struct dag *d, const struct trace *t)
{
	*s = (struct search){.d = d, .t = t};
	s->ran = ht_alloc(d->ntypes, sizeof(*s->ran));
	s->recorded = ht_alloc(d->ntypes, sizeof(*s->recorded));
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *x = &t->tasks[d->tasks[i].trace_task];

		s->present |= (arch_mask)(1u << t->workers[x->worker].arch);
		s->ran[dag_type_of(d, i)] |= (arch_mask)(1u << t->workers[x->worker].arch);
		s->recorded[dag_type_of(d, i)] |= t->codelets[x->codelet].where != 0;
	}
}

static void sort_spans(struct search *s)
{
	s->spans = ht_alloc(s->d->ntasks, sizeof(*s->spans));
	s->first = ht_alloc(s->t->nworkers + 1, sizeof(*s->first));
	for (uint32_t i = 0; i < s->d->ntasks; i++) {
		const struct trace_task *x = &s->t->tasks[s->d->tasks[i].trace_task];

		s->spans[i] = (struct span){x->start_ns, x->end_ns, x->worker};
		s->first[x->worker + 1]++;
	}
	qsort(s->spans, s->d->ntasks, sizeof(*s->spans), by_worker_and_start);
	for (size_t w = 0; w < s->t->nworkers; w++)
		s->first[w + 1] += s->first[w];
}

static void search_fini(struct search *s)
{
	free(s->spans);
	free(s->first);
	free(s->ran);
	free(s->recorded);
}

/* Whether one task kept the worker from `from_ns` to `to_ns`. */
static int is_busy(const struct search *s, size_t w, int64_t from_ns, int64_t to_ns)
{
	size_t low = s->first[w], high = s->first[w + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->spans[middle].start_ns <= from_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low > s->first[w] && s->spans[low - 1].end_ns >= to_ns;
}

static int had_chance(const struct search *s, uint32_t task, enum arch a)
{
	const struct trace_task *x = &s->t->tasks[s->d->tasks[task].trace_task];
	int64_t pop_ns = trace_extra(s->t, x)->pop_ns;
	int64_t from_ns = dag_ready_ns(s->d, s->t, task), to_ns = pop_ns != TIME_NONE ? pop_ns : x->start_ns;

	if (s->t->workers[x->worker].arch == a)
		return 1;
	for (size_t w = 0; w < s->t->nworkers; w++) {
		if (s->t->workers[w].arch == a && !is_busy(s, w, from_ns, to_ns))
			return 1;
	}
	return 0;
}

/* Nothing is concluded (1) without tasks of others that ran there. */
static double probability(uint32_t tasks, uint32_t others, uint32_t others_there)
{
	double p = 1, m = others, k = others_there;

	for (uint32_t i = 1; i <= tasks && p > 0; i++)
		p *= (m - k + i) / (m + i);
	return p;
}

/* The tasks of the type that had a chance on the architecture, and those of the types that ran there and elsewhere. */
static struct dag_absence count(struct search *s, uint32_t type, enum arch a)
{
	struct dag_absence x = {.type = type, .arch = a};

	if (!s->spans)
		sort_spans(s);
	for (uint32_t i = 0; i < s->d->ntasks; i += 1 + s->d->ntasks / LOOKED_AT) {
		arch_mask ran = s->ran[dag_type_of(s->d, i)];
		int both = ran >> a & 1 && ran & ~(1u << a);

		if ((dag_type_of(s->d, i) != type && !both) || !had_chance(s, i, a))
			continue;
		x.tasks += dag_type_of(s->d, i) == type;
		x.others += (uint32_t)both;
		x.others_there += both && s->t->workers[s->t->tasks[s->d->tasks[i].trace_task].worker].arch == a;
	}
	x.probability = probability(x.tasks, x.others, x.others_there);
	return x;
}

static int is_known(const struct dag *d, uint32_t type, enum arch a)
{
	for (uint32_t i = 0; i < d->nclasses; i++) {
		if (d->classes[i].codelet == type && d->classes[i].cost_ns[a] >= 0)
			return 1;
	}
	return 0;
}

static void exclude(struct dag *d, uint32_t type, enum arch a)
{
	d->types[type].where &= (arch_mask) ~(1u << a);
	for (uint32_t i = 0; i < d->nclasses; i++) {
		if (d->classes[i].codelet != type)
			continue;
		d->classes[i].cost_ns[a] = -1;
		d->classes[i].source[a] = COST_NONE;
	}
}

void dag_infer_where(struct dag *d, const struct trace *t)
{
	struct search s;

	search_init(&s, d, t);
	d->absences = arena_alloc(d->arena, d->ntypes * (size_t)ARCH_COUNT, sizeof(*d->absences));
	for (uint32_t p = 0; p < d->ntypes; p++) {
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			struct dag_absence x;

			if (s.recorded[p] || !((s.present & ~s.ran[p]) >> a & 1) || !is_known(d, p, a))
				continue;
			x = count(&s, p, a);
			if (x.probability < IMPROBABLE)
				d->absences[d->nabsences++] = x;
		}
	}
	/* Only now: what is known of one type is not changed by another that was excluded. */
	for (uint32_t i = 0; i < d->nabsences; i++)
		exclude(d, d->absences[i].type, d->absences[i].arch);
	search_fini(&s);
}
