/* core/metrics/efficiency.c - INSPIRIT's inspiring efficiency: descendants that can complete within a window. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A walk is breadth-first and corrects what it finds: a task to which a quicker chain turns up later is looked at
 * again. In a window of few tasks that is cheaper than a heap.
 */
#include "core/metrics/efficiency.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/mix.h"
#include "core/base/radix_sort.h"
#include "core/dag/dag.h"

enum {
	RING = 2 * EFFICIENCY_LIMIT, /* a power of 2; holds all tasks of a walk, each at most once */
	MAX_WINDOWS = 128,           /* 2^64 times the first */
};

/* What is known of a task in the walk whose number is `walk`. */
struct mark {
	int64_t end_ns; /* along the quickest chain so far, from the start of the walk's first task */
	uint32_t walk;
	uint32_t waits; /* is in the ring */
};

struct walker {
	const struct dag *d;
	int64_t *class_ns;  /* per class; -1: runs nowhere */
	uint32_t *succ;     /* as d->succ, those of a task by what they take, and last what runs nowhere */
	struct mark *marks; /* per task */
	uint32_t *ring;
	uint32_t walk;
	uint64_t edges; /* of the tasks that were looked at, in all walks */
};

static int64_t class_duration(const struct dag_class *c, arch_mask archs)
{
	const arch_mask gpus = 1 << ARCH_CUDA | 1 << ARCH_HIP | 1 << ARCH_SYCL | 1 << ARCH_OPENCL;
	enum arch a = dag_class_best(c, archs & gpus);

	if (a == ARCH_NONE)
		a = dag_class_best(c, archs);
	if (a == ARCH_NONE)
		return -1;
	return c->cost_ns[a] > 0 ? c->cost_ns[a] : 1;
}

static int64_t duration(const struct walker *w, uint32_t t)
{
	return w->class_ns[w->d->tasks[t].class_id];
}

/* So that a walk looks at no more of them than complete within the window. */
static void sort_successors(struct walker *w)
{
	const struct dag *d = w->d;
	struct radix_item *tasks = ht_alloc((size_t)d->ntasks + 1, sizeof(*tasks));
	uint32_t *next = ht_alloc((size_t)d->ntasks + 1, sizeof(*next));

	for (uint32_t t = 0; t < d->ntasks; t++) {
		tasks[t] = (struct radix_item){duration(w, t) < 0 ? INT64_MAX : (uint64_t)duration(w, t), t};
		next[t] = d->succ_first[t];
	}
	radix_sort(tasks, d->ntasks);
	w->succ = ht_alloc(d->nedges, sizeof(*w->succ));
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = (uint32_t)tasks[i].value;

		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			w->succ[next[d->pred[k]]++] = t;
	}
	free(tasks);
	free(next);
}

static void walker_init(struct walker *w, const struct dag *d, arch_mask archs)
{
	*w = (struct walker){
		.d = d,
		.class_ns = ht_alloc(d->nclasses, sizeof(*w->class_ns)),
		.marks = ht_alloc(d->ntasks, sizeof(*w->marks)),
		.ring = ht_alloc(RING, sizeof(*w->ring)),
	};
	for (uint32_t c = 0; c < d->nclasses; c++)
		w->class_ns[c] = class_duration(&d->classes[c], archs);
	sort_successors(w);
}

static void walker_fini(struct walker *w)
{
	free(w->class_ns);
	free(w->succ);
	free(w->marks);
	free(w->ring);
}

/* How many tasks complete within the window that begins with the start of `from`, which itself does not count. */
static uint32_t walk_from(struct walker *w, uint32_t from, int64_t window_ns)
{
	const struct dag *d = w->d;
	uint32_t head = 0, tail = 0, found = 0, walk = ++w->walk;

	if (duration(w, from) < 0 || duration(w, from) > window_ns)
		return 0;
	w->marks[from] = (struct mark){duration(w, from), walk, 1};
	w->ring[tail++] = from;
	while (head != tail) {
		uint32_t t = w->ring[head++ % RING];
		int64_t end = w->marks[t].end_ns;

		w->marks[t].waits = 0;
		w->edges += dag_nsucc(d, t);
		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
			uint32_t s = w->succ[e];
			struct mark *m = &w->marks[s];
			int64_t ns = duration(w, s);

			if (ns < 0 || end + ns > window_ns)
				break;
			if (m->walk == walk && m->end_ns <= end + ns)
				continue;
			if (m->walk != walk) {
				*m = (struct mark){.walk = walk};
				if (++found == EFFICIENCY_LIMIT)
					return found;
			}
			m->end_ns = end + ns;
			if (!m->waits)
				w->ring[tail++ % RING] = s;
			m->waits = 1;
		}
	}
	return found;
}

/* A task of the sample: what it counts in the window that is tried, and its group. */
struct sampled {
	uint32_t count, layer, type, task;
};

struct sample {
	struct sampled *tasks;
	uint32_t n;
	double pairs; /* of different groups */
};

static int compare_groups(const void *a, const void *b)
{
	const struct sampled *x = a, *y = b;

	if (x->layer != y->layer)
		return x->layer < y->layer ? -1 : 1;
	return (x->type > y->type) - (x->type < y->type);
}

static int compare_values(const void *a, const void *b)
{
	const struct sampled *x = a, *y = b;

	return (x->count > y->count) - (x->count < y->count);
}

static int compare_counts(const void *a, const void *b)
{
	int order = compare_values(a, b);

	return order ? order : compare_groups(a, b);
}

/* Pairs within the runs of equal neighbours. */
static double equal_pairs(const struct sampled *s, uint32_t n, int (*compare)(const void *, const void *))
{
	double pairs = 0;

	for (uint32_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && compare(&s[i], &s[j]) == 0;)
			j++;
		pairs += (double)(j - i) * (double)(j - i - 1) / 2;
	}
	return pairs;
}

/* The topological layers of all tasks. Returns how long the graph is: the longest chain, in the durations of walks. */
static int64_t layers_of(const struct walker *w, uint32_t *layers)
{
	const struct dag *d = w->d;
	int64_t *ends = ht_alloc(d->ntasks, sizeof(*ends)), length = 0;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t t = dag_in_order(d, i);

		ends[t] += duration(w, t) > 0 ? duration(w, t) : 0;
		length = ends[t] > length ? ends[t] : length;
		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++) {
			uint32_t s = d->succ[e];

			layers[s] = layers[s] > layers[t] ? layers[s] : layers[t] + 1;
			ends[s] = ends[s] > ends[t] ? ends[s] : ends[t];
		}
	}
	free(ends);
	return length;
}

/* Of so many tasks at most, sorted by group. Returns the length of the graph. */
static int64_t draw_sample(struct sample *s, const struct walker *w, uint32_t most)
{
	const struct dag *d = w->d;
	uint32_t *layers = ht_alloc(d->ntasks, sizeof(*layers));
	int64_t length = layers_of(w, layers);
	double n;

	s->n = d->ntasks < most ? d->ntasks : most;
	s->tasks = ht_alloc(s->n, sizeof(*s->tasks));
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t from = (uint64_t)d->ntasks * i / s->n, to = (uint64_t)d->ntasks * (i + 1) / s->n;
		uint32_t t = dag_in_order(d, from + mix64((i + 1) * MIX_GAMMA) % (to - from));

		s->tasks[i] = (struct sampled){.task = t, .layer = layers[t], .type = dag_type_of(d, t)};
	}
	free(layers);
	n = s->n;
	qsort(s->tasks, s->n, sizeof(*s->tasks), compare_groups);
	s->pairs = n * (n - 1) / 2 - equal_pairs(s->tasks, s->n, compare_groups);
	return length;
}

/* apart(T): of the pairs of different groups those whose counts differ. -1: more than `edges` were to be looked at. */
static double try_window(struct sample *s, struct walker *w, int64_t window_ns, double edges)
{
	double same;

	w->edges = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		s->tasks[i].count = walk_from(w, s->tasks[i].task, window_ns);
		if ((double)w->edges > edges)
			return -1;
	}
	qsort(s->tasks, s->n, sizeof(*s->tasks), compare_counts);
	same = equal_pairs(s->tasks, s->n, compare_values) - equal_pairs(s->tasks, s->n, compare_counts);
	return s->pairs > 0 ? 1 - same / s->pairs : 0;
}

/* The least window in which anything completes; -1: nothing ever does. */
static int64_t first_window(const struct walker *w)
{
	const struct dag *d = w->d;
	int64_t least = -1;

	for (uint32_t t = 0; t < d->ntasks; t++) {
		int64_t ns = duration(w, t);

		for (uint32_t e = d->succ_first[t]; ns >= 0 && e < d->succ_first[t + 1]; e++) {
			int64_t after = duration(w, d->succ[e]);

			if (after >= 0 && (least < 0 || ns + after < least))
				least = ns + after;
		}
	}
	return least;
}

static void count_all(struct efficiency *e, struct walker *w)
{
	for (uint32_t t = 0; t < e->ntasks; t++) {
		e->counts[t] = walk_from(w, t, e->window_ns);
		e->limited += e->counts[t] == EFFICIENCY_LIMIT;
	}
}

/* Sets the window, apart and apart_best. */
static void choose_window(struct efficiency *e, struct walker *w, double edges, uint32_t sample)
{
	double apart[MAX_WINDOWS];
	int64_t windows[MAX_WINDOWS], length, first = first_window(w);
	struct sample s;
	int n = 0, chosen = 0;

	if (first < 0)
		return;
	length = draw_sample(&s, w, sample);
	while (n < MAX_WINDOWS && (n == 0 || windows[n - 1] < length)) {
		windows[n] = llround((double)first * pow(2, n / 2.0));
		apart[n] = try_window(&s, w, windows[n], n ? edges * s.n : INFINITY);
		if (apart[n] < 0)
			break;
		e->apart_best = fmax(e->apart_best, apart[n++]);
	}
	while (apart[chosen] < EFFICIENCY_ENOUGH * e->apart_best)
		chosen++;
	e->window_ns = windows[chosen];
	e->apart = apart[chosen];
	free(s.tasks);
}

void efficiency_init_coarse(struct efficiency *e, const struct dag *d, arch_mask archs, double edges, uint32_t sample)
{
	struct walker w;

	*e = (struct efficiency){.ntasks = d->ntasks, .counts = ht_alloc(d->ntasks, sizeof(*e->counts))};
	walker_init(&w, d, archs);
	choose_window(e, &w, edges, sample);
	count_all(e, &w);
	walker_fini(&w);
}

void efficiency_init(struct efficiency *e, const struct dag *d, arch_mask archs)
{
	efficiency_init_coarse(e, d, archs, EFFICIENCY_EDGES + EFFICIENCY_EXTRA / (double)d->ntasks, EFFICIENCY_SAMPLE);
}

void efficiency_within(struct efficiency *e, const struct dag *d, arch_mask archs, int64_t window_ns)
{
	struct walker w;

	*e = (struct efficiency){
		.ntasks = d->ntasks,
		.counts = ht_alloc(d->ntasks, sizeof(*e->counts)),
		.window_ns = window_ns,
		.apart = NAN,
		.apart_best = NAN,
	};
	walker_init(&w, d, archs);
	count_all(e, &w);
	walker_fini(&w);
}

void efficiency_fini(struct efficiency *e)
{
	free(e->counts);
	*e = (struct efficiency){0};
}
