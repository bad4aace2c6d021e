/* analyze/findings/finding_placement.c - tasks that ran where they are slow while a faster worker was idle. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/data/idle.h"
#include "analyze/data/worker_time.h"
#include "analyze/findings/finding.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/metrics/metrics.h"
#include "core/trace/trace.h"

#define SLOWER     2.0  /* as slow as that, at least, is the wrong place */
#define TASK_SHARE 0.05 /* of the tasks of a type */
#define LOST_SHARE 0.02 /* of the time that all workers were busy */

struct misplaced {
	uint64_t count;
	int64_t lost_ns;
	enum arch from, to; /* of the latest: a type has one fast architecture nearly always */
};

/* Idle time of each worker, and how much of it is given away already. */
struct market {
	const struct worker_times *times;
	size_t *at;        /* per worker: its first segment that may still be used */
	int64_t *taken_ns; /* per worker: until then its gaps are used up */
	int64_t offset_ns; /* of the timeline in the times of the trace */
};

/*
 * Gives the free time of a worker of `a` to a task that starts at start_ns, takes cost_ns there and would end before
 * end_ns. The starts of successive calls must not decrease. Returns 1 when there was one; each idle time is used once.
 */
static int claim(struct market *m, const struct trace *t, enum arch a, int64_t start_ns, int64_t cost_ns,
                 int64_t end_ns)
{
	for (uint32_t w = 0; w < t->nworkers; w++) {
		size_t *i = &m->at[w], stop = m->times->first[w + 1];
		struct worker_segment s;
		int64_t from;

		if (t->workers[w].arch != a)
			continue;
		while (*i < stop && worker_segment(m->times, w, *i).end_ns <= start_ns)
			++*i;
		if (*i == stop || !worker_segment_is_gap(m->times, *i))
			continue;
		s = worker_segment(m->times, w, *i);
		from = m->taken_ns[w] > start_ns ? m->taken_ns[w] : start_ns;
		if (s.start_ns <= start_ns && from + cost_ns <= s.end_ns && from + cost_ns < end_ns) {
			m->taken_ns[w] = from + cost_ns;
			return 1;
		}
	}
	return 0;
}

struct started {
	int64_t start_ns;
	uint32_t task;
};

static int by_start(const void *a, const void *b)
{
	const struct started *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

/* Whether it ran on workers more than twice as slow as the best of the machine. */
static int is_slow_there(const struct finding_input *in, uint32_t task)
{
	const struct dag_task *node = &in->dag->tasks[task];
	const struct trace_task *t = &in->trace->tasks[node->trace_task];
	const struct dag_class *c = &in->dag->classes[node->class_id];
	enum arch here = in->trace->workers[t->worker].arch, best = dag_class_best(c, in->metrics->archs);

	return best != ARCH_NONE && best != here && c->cost_ns[here] >= 0 &&
	       (double)c->cost_ns[here] >= SLOWER * (double)c->cost_ns[best] &&
	       (double)(t->end_ns - t->start_ns) >= SLOWER * (double)c->cost_ns[best];
}

/* Of a task that is_slow_there(). */
static void check_task(const struct finding_input *in, struct market *m, uint32_t task, struct misplaced *types)
{
	const struct dag_task *node = &in->dag->tasks[task];
	const struct trace_task *t = &in->trace->tasks[node->trace_task];
	const struct dag_class *c = &in->dag->classes[node->class_id];
	enum arch here = in->trace->workers[t->worker].arch, best = dag_class_best(c, in->metrics->archs);
	struct misplaced *p = &types[c->codelet];

	if (!claim(m, in->trace, best, t->start_ns - m->offset_ns, c->cost_ns[best], t->end_ns - m->offset_ns))
		return;
	p->count++;
	p->lost_ns += t->end_ns - t->start_ns - c->cost_ns[best];
	p->from = here;
	p->to = best;
}

static struct misplaced *find_misplaced(const struct finding_input *in)
{
	const struct trace *t = in->trace;
	struct misplaced *types = ht_alloc(in->dag->ntypes, sizeof(*types));
	struct started *order = NULL;
	size_t norder = 0, cap = 0;
	struct market m = {.times = in->times,
	                   .at = ht_alloc(t->nworkers, sizeof(size_t)),
	                   .taken_ns = ht_alloc(t->nworkers, sizeof(int64_t)),
	                   .offset_ns = in->idle->origin_ns};

	for (size_t w = 0; w < t->nworkers; w++) {
		m.at[w] = in->times->first[w];
		m.taken_ns[w] = INT64_MIN;
	}
	for (uint32_t i = 0; i < in->dag->ntasks; i++) {
		if (is_slow_there(in, i))
			*VEC_PUSH(order, norder,
			          cap) = (struct started){t->tasks[in->dag->tasks[i].trace_task].start_ns, i};
	}
	if (norder)
		qsort(order, norder, sizeof(*order), by_start);
	for (size_t i = 0; i < norder; i++)
		check_task(in, &m, order[i].task, types);
	free(order);
	free(m.at);
	free(m.taken_ns);
	return types;
}

void finding_architecture(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	struct misplaced *types;
	double busy = 0;

	if (in->idle->parallel)
		return;
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		busy += (double)in->idle->arch[a].busy_ns;
	types = find_misplaced(in);
	for (uint32_t p = 0; p < in->dag->ntypes; p++) {
		const struct misplaced *x = &types[p];
		double share = (double)x->count / in->dag->types[p].count;
		struct finding *f;
		char lost[16];

		if (!x->count || share < TASK_SHARE || (double)x->lost_ns < LOST_SHARE * busy)
			continue;
		f = finding_add(
			out, self, (double)x->lost_ns / busy,
			"%" PRIu64 " of %" PRIu32 " %s (%.0f %%) ran on %s while a %s "
			"worker, more than twice as fast, was idle long enough to run them: %s of worker time lost",
			x->count, in->dag->types[p].count, SHORT_NAME(in->dag->types[p].name), 100 * share,
			arch_name(x->from), arch_name(x->to), time_text(lost, x->lost_ns));
		finding_advise(
			f,
			"Copies of data not counted, they belong on %s: 'heterotune tune' finds the slow factor and the "
			"order that leave them there",
			arch_name(x->to));
		finding_show(f, {"tasks", (double)x->count}, {"type_share", share}, {"lost_ns", (double)x->lost_ns},
		             {"busy_share", (double)x->lost_ns / busy});
	}
	free(types);
}
