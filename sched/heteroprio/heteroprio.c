/* sched/heteroprio/heteroprio.c - buckets of tasks, and per architecture an order in which workers look at them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * variant=starpu is StarPU 1.4.10 with priorities set by hand and no locality (src/sched_policies/heteroprio.c):
 *
 * - A bucket is a LIFO. A worker has a queue of up to two tasks, in the order of their StarPU priority (the number of
 *   the bucket, config_starpu_number()), highest first, last in first out among equals.
 * - pop fills the queue up. When less tasks remain for the worker's architecture than the machine has workers, of all
 *   architectures, it takes one into an empty queue and none into any other.
 * - A worker of `a` leaves a bucket alone when (float)tasks / (float)workers(base) < slow_factor(a), base being the
 *   fastest architecture; not tested on the base itself, nor when the base is the CPU, whose number StarPU takes for
 *   "none".
 * - With nothing in its queue it takes the first task of the queue of the next worker of its own architecture.
 * - A push wakes the workers that waiters.h says. Slow factors are not tested, so the worker may refuse the task.
 *
 * variant=paper is the algorithm as published: FIFO buckets, a task to go on with when prefetch=one, the test
 * tasks >= N_base S(b,a) for every a that is not the base, and everybody is woken.
 *
 * Where the graph grows while it is executed, a task finds its bucket when it is pushed (growing_bucket()), and a push
 * wakes everybody in both variants.
 */
#include "sched/heteroprio/heteroprio.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/heteroprio/locality.h"
#include "sched/heteroprio/nearby.h"

void heteroprio_free(void *state)
{
	struct heteroprio *h = state;

	if (!h)
		return;
	waiters_fini(&h->waiters);
	nearby_free(h->nearby);
	free(h->tasks);
	free(h->filled);
	free(h->bucket_of_task);
	free(h->mapping);
	free(h->next);
	free(h->queues);
	free(h);
}

/* Whether a worker of `a` may take a task of a bucket that has `ntasks`. */
static int allowed(const struct heteroprio *h, const struct bucket *b, enum arch a, uint32_t ntasks)
{
	if (b->base == ARCH_NONE || b->base == a)
		return 1;
	if (h->variant == VARIANT_PAPER)
		return ntasks >= h->nworkers[b->base] * b->slow[a];
	if (b->base == ARCH_CPU)
		return 1;
	return (float)ntasks / (float)h->nworkers[b->base] >= (float)b->slow[a];
}

/* The least number of tasks that is allowed(); UINT32_MAX: no number is. */
static uint32_t least_allowed(const struct heteroprio *h, const struct bucket *b, enum arch a)
{
	uint32_t below = 0, at = 1;

	while (at < UINT32_MAX && !allowed(h, b, a, at)) {
		below = at;
		at = at > UINT32_MAX / 2 ? UINT32_MAX : 2 * at;
	}
	while (at - below > 1) {
		uint32_t middle = below + (at - below) / 2;

		if (allowed(h, b, a, middle))
			at = middle;
		else
			below = middle;
	}
	return at;
}

/* After a change of ntasks or least. */
static void update_open(struct heteroprio *h, int bucket)
{
	const struct bucket *b = &h->buckets[bucket];
	uint64_t bit = UINT64_C(1) << (bucket % 64);

	for (int a = 0; a < ARCH_COUNT; a++) {
		uint64_t *open = &h->open[a][bucket / 64];

		*open = b->ntasks >= b->least[a] ? *open | bit : *open & ~bit;
	}
}

void heteroprio_bucket_changed(struct heteroprio *h, int bucket)
{
	struct bucket *b = &h->buckets[bucket];

	for (int a = 0; a < ARCH_COUNT; a++)
		b->least[a] = h->nworkers[a] ? least_allowed(h, b, (enum arch)a) : UINT32_MAX;
	update_open(h, bucket);
}

void heteroprio_list_changed(struct heteroprio *h, enum arch a)
{
	memset(h->slots[a], HETEROPRIO_NO_SLOT, sizeof(h->slots[a]));
	for (int i = 0; i < h->lists[a].count; i++)
		h->slots[a][h->lists[a].buckets[i]] = (uint8_t)i;
}

static arch_mask archs_of(const struct heteroprio *h, uint32_t task)
{
	return dag_class_archs(&h->world.dag->classes[h->world.dag->tasks[task].class_id]);
}

/* The number of the task's bucket. Some worker can run it, so there is one. */
static uint8_t growing_bucket(const struct heteroprio *h, uint32_t task)
{
	const struct dag_task *t = &h->world.dag->tasks[task];
	int bucket = h->world.config ? h->world.bucket(h->world.ctx, task) : t->priority < 0 ? 0 : t->priority;

	if (bucket >= CONFIG_MAX_BUCKETS)
		bucket = CONFIG_MAX_BUCKETS - 1;
	return (uint8_t)config_mapping_number(h->mapping, bucket, archs_of(h, task));
}

/* Like the plugin, without locality where StarPU's would not work. */
static int takes_locality(const struct policy_world *w, int variant)
{
	return w->config && w->config->locality.enabled &&
	       (variant == VARIANT_PAPER || w->machine->nnodes <= STARPU_LOCALITY_NODES);
}

struct heteroprio *heteroprio_open(const struct policy_world *w, const char *policy, const struct heteroprio_knobs *k,
                                   enum heteroprio_locality locality, struct ht_err *err)
{
	int near = locality == LOCALITY_ALWAYS || (locality == LOCALITY_AS_CONFIG && takes_locality(w, k->variant));
	int prefetch = k->prefetch < 0 ? (k->variant == VARIANT_STARPU) != near : k->prefetch;
	struct heteroprio *h;

	if (k->variant == VARIANT_STARPU && prefetch == near)
		return ht_err_set(err, "policy %s: prefetch=%s is for variant=paper", policy, near ? "one" : "none"),
		       NULL;
	h = ht_alloc(1, sizeof(*h));
	h->world = *w;
	h->variant = (enum heteroprio_variant)k->variant;
	h->queue_size = prefetch ? HETEROPRIO_QUEUE : 1;
	waiters_init(&h->waiters, &h->world, waiters_mode_of(k->drivers, w));
	for (int i = 0; i < w->machine->nworkers; i++)
		h->nworkers[w->machine->workers[i].arch]++;
	h->next = ht_alloc(w->dag->ntasks, sizeof(*h->next));
	h->queues = ht_alloc((size_t)w->machine->nworkers, sizeof(*h->queues));
	h->ngroups = near ? w->machine->nnodes : 1;
	h->filled = ht_alloc((size_t)h->ngroups, sizeof(*h->filled));
	h->tasks = ht_alloc((size_t)(CONFIG_MAX_BUCKETS * h->ngroups), sizeof(*h->tasks));
	for (int i = 0; i < CONFIG_MAX_BUCKETS * h->ngroups; i++)
		h->tasks[i].head = h->tasks[i].tail = POLICY_NO_TASK;
	if (!near)
		return h;
	h->nearby = nearby_create(&h->world, h->variant == VARIANT_STARPU ? LOCALITY_STARPU : LOCALITY_PAPER, policy,
	                          &k->nearby, w->config ? &w->config->locality : NULL, err);
	if (h->nearby)
		return h;
	heteroprio_free(h);
	return NULL;
}

static void count_in_lists(struct heteroprio *h, const struct bucket *b, uint32_t change)
{
	for (int a = 0; b->archs >> a; a++) {
		if (b->archs >> a & 1)
			h->remaining[a] += change;
	}
}

void heteroprio_push(void *state, uint32_t task, int releaser)
{
	struct heteroprio *h = state;
	arch_mask able = archs_of(h, task);
	struct bucket_tasks *l;
	struct bucket *b;
	int number, group;

	if (h->mapping)
		h->bucket_of_task[task] = growing_bucket(h, task);
	number = heteroprio_bucket_of(h, task);
	group = h->nearby ? nearby_put(h->nearby, task, releaser) : 0;
	b = &h->buckets[number];
	l = &h->tasks[number * h->ngroups + group];
	h->next[task] = POLICY_NO_TASK;
	if (l->head == POLICY_NO_TASK) {
		h->filled[group][number / 64] |= UINT64_C(1) << (number % 64);
		l->head = l->tail = task;
	} else if (h->variant == VARIANT_STARPU) {
		h->next[task] = l->head;
		l->head = task;
	} else {
		h->next[l->tail] = task;
		l->tail = task;
	}
	b->ntasks++;
	update_open(h, number);
	count_in_lists(h, b, 1);
	if (h->variant == VARIANT_STARPU && !h->mapping) /* where a worker that refuses keeps another one asleep */
		waiters_notify(&h->waiters, able, b->archs, releaser);
	else
		waiters_notify_all(&h->waiters, b->archs);
}

int32_t heteroprio_priority(void *state, uint32_t task)
{
	const struct heteroprio *h = state;

	return h->task_priority ? h->world.dag->tasks[task].priority : h->buckets[heteroprio_bucket_of(h, task)].number;
}

static void queue_put(struct heteroprio *h, struct queue *q, uint32_t task)
{
	int at = q->ntasks++, priority = heteroprio_priority(h, task);

	if (h->variant == VARIANT_STARPU) {
		for (; at > 0 && heteroprio_priority(h, q->tasks[at - 1]) <= priority; at--)
			q->tasks[at] = q->tasks[at - 1];
	}
	q->tasks[at] = task;
}

/* How many tasks a worker of `a` may add to its queue now. */
static int capacity_left(const struct heteroprio *h, const struct queue *q, enum arch a)
{
	int n = h->queue_size - q->ntasks;

	if (h->variant == VARIANT_STARPU && h->remaining[a] < (uint32_t)h->world.machine->nworkers)
		return q->ntasks == 0;
	return h->remaining[a] < (uint32_t)n ? (int)h->remaining[a] : n;
}

static int is_set(const uint64_t bits[2], int bucket)
{
	return bits[bucket / 64] >> (bucket % 64) & 1;
}

/* Takes of one list of tasks while it may, n at most: how many it has put into the queue. */
static int take_from(struct heteroprio *h, struct queue *q, int worker, int bucket, int group, int n)
{
	enum arch a = h->world.machine->workers[worker].arch;
	struct bucket *b = &h->buckets[bucket];
	struct bucket_tasks *l = &h->tasks[bucket * h->ngroups + group];
	int added = 0;

	/* A task that this very worker cannot execute ends the look into its bucket, as in StarPU. */
	while (added < n && l->head != POLICY_NO_TASK && is_set(h->open[a], bucket) && archs_of(h, l->head) >> a & 1) {
		uint32_t task = l->head;

		l->head = h->next[task];
		if (l->head == POLICY_NO_TASK)
			h->filled[group][bucket / 64] &= ~(UINT64_C(1) << (bucket % 64));
		b->ntasks--;
		update_open(h, bucket);
		count_in_lists(h, b, (uint32_t)-1);
		if (h->nearby)
			nearby_taken(h->nearby, task);
		queue_put(h, q, task);
		h->queued[a]++;
		added++;
	}
	return added;
}

/* Tasks of a bucket, and where a worker looks at them; place INT_MAX: there are none. */
struct found {
	int bucket, group, place;
};

/* The first of the tasks that the worker may take at which it looks after `place`. */
static struct found find_next(const struct heteroprio *h, const struct machine_worker *w, int place)
{
	int nslots = CONFIG_MAX_BUCKETS;
	const uint16_t *places = h->nearby ? nearby_places(h->nearby, w->node, &nslots) : NULL;
	struct found found = {.place = INT_MAX};

	for (int word = 0; word < 2; word++) {
		for (uint64_t bits = h->open[w->arch][word]; bits; bits &= bits - 1) {
			int bucket = word * 64 + __builtin_ctzll(bits), slot = h->slots[w->arch][bucket];

			for (int group = 0; slot < nslots && group < h->ngroups; group++) {
				int at = places ? places[slot * h->ngroups + group] : slot;

				if (at > place && at < found.place && is_set(h->filled[group], bucket))
					found = (struct found){bucket, group, at};
			}
		}
	}
	return found;
}

/* Fills the queue of the worker from the buckets: the number of tasks added. */
static int fill_queue(struct heteroprio *h, struct queue *q, int worker)
{
	const struct machine_worker *w = &h->world.machine->workers[worker];
	int n = capacity_left(h, q, w->arch), added = 0;
	struct found found = {.place = -1};

	while (added < n && (found = find_next(h, w, found.place)).place != INT_MAX)
		added += take_from(h, q, worker, found.bucket, found.group, n - added);
	return added;
}

/* The queue with a task to steal: that of the next worker of the architecture, round the machine; NULL: none. */
static struct queue *victim(struct heteroprio *h, int worker, enum arch a)
{
	int n = h->world.machine->nworkers;

	for (int i = 1; i < n; i++) {
		int other = (worker + i) % n;

		if (h->world.machine->workers[other].arch == a && h->queues[other].ntasks)
			return &h->queues[other];
	}
	return NULL;
}

uint32_t heteroprio_pop(void *state, int worker)
{
	struct heteroprio *h = state;
	enum arch a = h->world.machine->workers[worker].arch;
	struct queue *q = &h->queues[worker], *own = q;
	uint32_t task;
	int added = 0;

	waiters_pop(&h->waiters, worker);
	if (!h->remaining[a] && !h->queued[a]) {
		waiters_found_empty(&h->waiters, worker);
		return POLICY_NO_TASK;
	}
	if (h->remaining[a])
		added = fill_queue(h, q, worker);
	if (!q->ntasks && h->queued[a])
		q = victim(h, worker, a);
	if (!q || !q->ntasks) {
		waiters_searched(&h->waiters, worker);
		return POLICY_NO_TASK;
	}
	waiters_took(&h->waiters, worker);
	h->queued[a]--;
	task = q->tasks[0];
	q->tasks[0] = q->tasks[1];
	q->ntasks--;
	/* As many as it has added, from the front, and none when nothing is left in the buckets. */
	for (int i = 0; h->world.prefetch && h->remaining[a] && i < added && i < own->ntasks; i++)
		h->world.prefetch(h->world.ctx, own->tasks[i], worker);
	return task;
}
