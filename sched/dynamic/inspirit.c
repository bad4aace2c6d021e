/* sched/dynamic/inspirit.c - INSPIRIT: dmda whose workers choose their next task by what it inspires. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wang et al., "INSPIRIT: Optimizing Heterogeneous Task Scheduling through Adaptive Priority in Task-based Runtime
 * Systems", 2024. A task goes to a worker when it becomes ready, as in dmda (dm.h). Which of a worker's tasks it
 * takes next depends on how the number of ready tasks goes (sched/nready.h): the first one, the one with the highest
 * inspiring ability (ability.h), or the one with the highest inspiring efficiency (efficiency.h) "and
 * locality": of the `locality` most efficient ones that which lacks least at the worker's node. Among equals the one
 * that came first is taken.
 *
 * Defaults: s_inc and s_dec are the number of workers, k_inc what all of them execute in a second, workers / mean
 * duration, where the duration of a task is the mean over workers. ability=direct takes the number of successors.
 *
 * Where the graph grows while it is executed, the values are those of a copy of it, which is made anew when a task is
 * pushed that is newer than it and so are more than 1 / SHARE of what there is room for. Until then such a task has as
 * many descendants as it has successors. The window is chosen again when there is room for twice as many tasks, or they
 * take twice or half as long, by walks from LIVE_SAMPLE tasks that look at LIVE_EDGES edges on average.
 */
#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/ability.h"
#include "core/metrics/efficiency.h"
#include "core/metrics/rank.h"
#include "sched/dynamic/dm.h"
#include "sched/knob.h"
#include "sched/nready.h"
#include "sched/policy.h"
#include "sched/queue/ready.h"
#include "sched/queue/scoreheap.h"

enum {
	LOCALITY_MAX = 64,
	SHARE = 2,
	LIVE_EDGES = 32,
	LIVE_SAMPLE = 512,
	LIVE_EXACT = 4096, /* tasks, above which counting takes longer than an estimate */
	LIVE_LABELS = 64,  /* of the estimate: a standard error of 12.7 % */
	FEW = 64,          /* so few new tasks need no new copy, and a heap of so few may be full of taken ones */
};

struct inspirit_queue {
	/* What was taken from one stays in the other until it comes to the top, or most of it is such tasks. */
	struct scoreheap able, efficient;
	uint32_t nwaiting;
};

struct inspirit {
	struct policy_world world;
	void *dm;
	struct nready nready;
	struct ability ability;
	struct efficiency efficiency;
	double k_inc;      /* tasks/s; < 0: the default */
	int direct;        /* ability is the number of successors */
	int64_t window_ns; /* 0: chosen */
	int64_t live_ns;   /* where the graph grows: the window, chosen for so many tasks of such a length */
	uint32_t live_tasks;
	double live_k_inc;
	int locality;
	struct inspirit_queue *queues; /* per worker */
	int64_t *waiting, pushed;      /* per task: the number of its push, from 1; 0: it is taken */
	struct dag *seen;              /* where the graph grows: what of it the values are of; else NULL */
	uint64_t newest;               /* the last submission in `seen` */
};

static void inspirit_free(void *state)
{
	struct inspirit *s = state;

	if (!s)
		return;
	for (int i = 0; i < s->world.machine->nworkers; i++) {
		scoreheap_fini(&s->queues[i].able);
		scoreheap_fini(&s->queues[i].efficient);
	}
	policy_dmda.free(s->dm);
	ability_fini(&s->ability);
	efficiency_fini(&s->efficiency);
	free(s->queues);
	free(s->waiting);
	dag_free(s->seen);
	free(s);
}

/* Workers over the mean duration: tasks per second. */
static double default_k_inc(const struct dag *d, const struct machine *m)
{
	double *length = rank_class_lengths(d, m), sum = 0, count = 0;

	for (uint32_t c = 0; c < d->nclasses; c++) {
		sum += isnan(length[c]) ? 0 : length[c] * d->classes[c].count;
		count += d->classes[c].count;
	}
	free(length);
	return sum > 0 ? m->nworkers / (sum / count) * 1e9 : 0;
}

struct inspirit_knobs {
	double alpha, beta, s_inc, s_dec, k_inc, window_us, locality;
	int direct;
};

static const struct knob knobs[] = {
	NUMBER_KNOB(inspirit_knobs, alpha, "alpha", "NUMBER", 1, 1e9),
	NUMBER_KNOB(inspirit_knobs, beta, "beta", "NUMBER", 1, 1e9),
	NUMBER_KNOB(inspirit_knobs, s_inc, "s_inc", "TASKS", -1, 1e9),
	NUMBER_KNOB(inspirit_knobs, s_dec, "s_dec", "TASKS", -1, 1e9),
	NUMBER_KNOB(inspirit_knobs, k_inc, "k_inc", "TASKS/S", -1, 1e18),
	WORD_KNOB(inspirit_knobs, direct, "ability", "transitive|direct", 0),
	NUMBER_KNOB(inspirit_knobs, window_us, "window", "US", 0, 1e12),
	NUMBER_KNOB(inspirit_knobs, locality, "locality", "N", 8, LOCALITY_MAX),
	LAST_KNOB,
};

/* What the graph, as it is now, says of its tasks. */
static void look_at_graph(struct inspirit *s)
{
	arch_mask archs = machine_archs(s->world.machine);
	const struct dag *d = s->world.dag;
	double k_inc;

	ability_fini(&s->ability);
	efficiency_fini(&s->efficiency);
	dag_free(s->seen);
	s->seen = NULL;
	if (s->world.snapshot) {
		d = s->seen = s->world.snapshot(s->world.ctx);
		s->newest = s->world.submissions(s->world.ctx);
	}
	if (!s->direct && s->seen && d->ntasks > LIVE_EXACT)
		ability_estimate(&s->ability, d, LIVE_LABELS, 0);
	else if (!s->direct)
		ability_init(&s->ability, d);
	k_inc = default_k_inc(d, s->world.machine);
	if (s->window_ns > 0) {
		efficiency_within(&s->efficiency, d, archs, s->window_ns);
	} else if (!s->seen) {
		efficiency_init(&s->efficiency, d, archs);
	} else if (d->ntasks < 2 * s->live_tasks && k_inc <= 2 * s->live_k_inc && 2 * k_inc >= s->live_k_inc) {
		efficiency_within(&s->efficiency, d, archs, s->live_ns);
	} else {
		efficiency_init_coarse(&s->efficiency, d, archs, LIVE_EDGES, LIVE_SAMPLE);
		s->live_tasks = d->ntasks;
		s->live_k_inc = k_inc;
		s->live_ns = s->efficiency.window_ns;
	}
	s->nready.k_inc = (s->k_inc < 0 ? k_inc : s->k_inc) / 1e9;
}

static void *inspirit_create(const struct policy *self, const struct policy_world *w, const char *options,
                             struct ht_err *err)
{
	struct inspirit_knobs k;
	struct inspirit *s;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	s = ht_alloc(1, sizeof(*s));
	s->world = *w;
	s->nready.s_inc = k.s_inc < 0 ? w->machine->nworkers : k.s_inc;
	s->nready.s_dec = k.s_dec < 0 ? w->machine->nworkers : k.s_dec;
	s->locality = k.locality < 1 ? 1 : (int)k.locality;
	s->direct = k.direct;
	s->window_ns = (int64_t)(k.window_us * 1000);
	s->k_inc = k.k_inc;
	look_at_graph(s);
	s->queues = ht_alloc((size_t)w->machine->nworkers, sizeof(*s->queues));
	s->waiting = ht_alloc(w->dag->ntasks, sizeof(*s->waiting));
	s->dm = dm_open(w, k.alpha, k.beta);
	return s;
}

/* Not one that was taken, whose index may be that of another task since. */
static int is_waiting(const void *state, const struct scoreheap_item *x)
{
	return ((const struct inspirit *)state)->waiting[x->task] == x->number;
}

static void add_times(void *count, uint32_t successor, uint32_t npreds, uint32_t times)
{
	(void)successor;
	(void)npreds;
	*(uint32_t *)count += times;
}

static uint32_t successors_of(struct inspirit *s, uint32_t task)
{
	uint32_t n = 0;

	if (!s->world.successors)
		return dag_nsucc(s->world.dag, task);
	s->world.successors(s->world.ctx, task, add_times, &n);
	return n;
}

/* Whether the values are of a graph that has this task. */
static int is_seen(struct inspirit *s, uint32_t task)
{
	uint64_t number;

	if (!s->seen)
		return 1;
	number = s->world.submission(s->world.ctx, task);
	if (number > s->newest && number - s->newest > s->seen->ntasks / SHARE && number - s->newest > FEW)
		look_at_graph(s);
	return number <= s->newest;
}

static void inspirit_push(void *state, uint32_t task, int releaser)
{
	struct inspirit *s = state;
	int worker = dm_give(s->dm, task), seen = is_seen(s, task);
	uint32_t nsucc = s->direct || !seen ? successors_of(s, task) : 0;
	struct inspirit_queue *q = &s->queues[worker];

	(void)releaser;
	nready_push(&s->nready, (double)s->world.now(s->world.ctx));
	s->waiting[task] = q->able.put = q->efficient.put = ++s->pushed;
	scoreheap_put(&q->able, s->direct ? nsucc : seen ? s->ability.transitive[task] : 1.0 + nsucc, task);
	scoreheap_put(&q->efficient, seen ? s->efficiency.counts[task] : nsucc, task);
	q->nwaiting++;
	if (q->able.count > FEW + 2 * (size_t)q->nwaiting)
		scoreheap_filter(&q->able, is_waiting, s);
	if (q->efficient.count > FEW + 2 * (size_t)q->nwaiting)
		scoreheap_filter(&q->efficient, is_waiting, s);
	s->world.wake(s->world.ctx, worker);
}

static uint32_t take_able(const struct inspirit *s, struct scoreheap *h)
{
	while (!is_waiting(s, &h->items[0]))
		scoreheap_take(h);
	return scoreheap_take(h);
}

/* Of the most efficient tasks the one that lacks least; the others go back. There is a task. */
static uint32_t take_efficient(struct inspirit *s, struct scoreheap *h, int worker)
{
	struct policy_missing least = {0}, missing;
	struct scoreheap_item seen[LOCALITY_MAX];
	int n = 0, best = 0;

	while (n < s->locality && h->count) {
		struct scoreheap_item top = h->items[0];

		scoreheap_take(h);
		if (!is_waiting(s, &top))
			continue;
		seen[n++] = top;
		if (!s->world.missing)
			break;
		s->world.missing(s->world.ctx, top.task, worker, &missing);
		if (n == 1 || ready_lacks_less(&missing, &least)) {
			least = missing;
			best = n - 1;
		}
		if (!missing.invalid_bytes && !missing.unallocated_bytes)
			break;
	}
	for (int i = 0; i < n; i++) {
		if (i != best)
			scoreheap_return(h, seen[i]);
	}
	return seen[best].task;
}

static uint32_t inspirit_pop(void *state, int worker)
{
	struct inspirit *s = state;
	struct inspirit_queue *q = &s->queues[worker];
	uint32_t task = dm_first(s->dm, worker);
	enum nready_mode mode;

	if (task == POLICY_NO_TASK)
		return task;
	mode = nready_pop(&s->nready, (double)s->world.now(s->world.ctx));
	if (mode == NREADY_ABILITY)
		task = take_able(s, &q->able);
	else if (mode == NREADY_EFFICIENCY)
		task = take_efficient(s, &q->efficient, worker);
	s->waiting[task] = 0;
	q->nwaiting--;
	dm_take(s->dm, task, worker);
	return task;
}

static void inspirit_started(void *state, uint32_t task, int worker)
{
	policy_dmda.started(((struct inspirit *)state)->dm, task, worker);
}

static void inspirit_done(void *state, uint32_t task, int worker)
{
	policy_dmda.done(((struct inspirit *)state)->dm, task, worker);
}

const struct policy policy_inspirit = {
	.name = "inspirit",
	.summary = "dmda, each worker's next task by what it inspires (INSPIRIT)",
	.knobs = knobs,
	.create = inspirit_create,
	.free = inspirit_free,
	.push = inspirit_push,
	.pop = inspirit_pop,
	.started = inspirit_started,
	.done = inspirit_done,
	.priority = policy_no_priority,
};
