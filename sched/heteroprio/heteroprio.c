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
 * Where the graph grows while it is executed, a task finds its bucket when it is pushed (take_growing()), and a push
 * wakes everybody in both variants.
 *
 * Without a config: StarPU's default, the application's priority is the bucket, every architecture looks at 0, 1, ...,
 * 99.
 */
#include "sched/heteroprio/heteroprio.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/config/config_match.h"
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

static int bucket_of(const struct heteroprio *h, uint32_t task)
{
	return h->bucket_of_task ? h->bucket_of_task[task] : h->world.dag->tasks[task].priority;
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

/* StarPU asserts what is an error here: a list of an architecture with a bucket whose tasks it cannot execute. */
static int check_where(const struct heteroprio *h, struct ht_err *err)
{
	const struct dag *d = h->world.dag;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct dag_type *type = &d->types[dag_type_of(d, i)];
		int b = bucket_of(h, i);

		if (b < 0 || b >= CONFIG_MAX_BUCKETS)
			return ht_err_set(err,
			                  "task %u (%s) has priority %d: without a config the priority is the bucket, "
			                  "0 to %d; autoheteroprio is what StarPU makes of it by itself",
			                  (unsigned)i, type->name, b, CONFIG_MAX_BUCKETS - 1);
		if (!h->buckets[b].archs)
			return ht_err_set(err, "the bucket of %s is in the list of no architecture of this machine",
			                  type->name);
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (h->buckets[b].archs >> a & 1 && !(type->where >> a & 1))
				return ht_err_set(err, "the bucket of %s is in the list of %s, where it cannot run%s",
				                  type->name, arch_name((enum arch)a),
				                  h->bucket_of_task ?
				                          "" :
				                          ": without a config (--config) every bucket is in "
				                          "every list; autoheteroprio needs none");
		}
	}
	return 0;
}

static void default_setting(struct heteroprio *h)
{
	for (int b = 0; b < CONFIG_MAX_BUCKETS; b++) {
		h->buckets[b].number = b;
		h->buckets[b].base = ARCH_NONE;
		heteroprio_bucket_changed(h, b);
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (h->nworkers[a])
				h->lists[a].buckets[h->lists[a].count++] = b;
		}
	}
}

int heteroprio_buckets(const struct config *c, const struct dag *d, uint8_t *bucket_of, struct ht_err *err)
{
	struct config_match *m = config_match_create(c);
	int *kind_of = ht_alloc(d->ntypes, sizeof(*kind_of)), rc = 0;
	uint32_t *submitted = ht_alloc((size_t)config_match_nkinds(m), sizeof(*submitted));

	for (uint32_t p = 0; p < d->ntypes; p++)
		kind_of[p] = config_match_kind(m, d->types[p].codelet, d->types[p].model);
	for (uint32_t t = 0; t < d->ntasks && rc == 0; t++) {
		const struct dag_task *task = &d->tasks[t];
		int kind = kind_of[dag_type_of(d, t)], bucket = -1;

		if (kind >= 0) {
			const struct config_task key = {d->classes[task->class_id].footprint, task->priority,
			                                submitted[kind]++};

			bucket = config_match_bucket(m, kind, &key);
		}
		if (bucket < 0)
			rc = ht_err_set(err, "the config has no bucket for %s", d->types[dag_type_of(d, t)].name);
		else
			bucket_of[t] = (uint8_t)bucket;
	}
	free(kind_of);
	free(submitted);
	config_match_free(m);
	return rc;
}

/*
 * Where the run has no duration of a task on an architecture on which the config lets it run, and nothing says that it
 * cannot, its bucket is not looked at there: a short run may not show what a longer one, of which the config is, does.
 */
static void leave_out_unknown(struct heteroprio *h)
{
	const struct dag *d = h->world.dag;
	arch_mask unknown[CONFIG_MAX_BUCKETS] = {0};

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct dag_type *type = &d->types[dag_type_of(d, i)];

		unknown[h->bucket_of_task[i]] |= (type->declared ? type->declared :
		                                                   (arch_mask)((1u << ARCH_COUNT) - 1)) &
		                                 (arch_mask)~type->where;
	}
	for (int b = 0; b < h->world.config->nbuckets; b++)
		if (h->buckets[b].base != ARCH_NONE && unknown[b] >> h->buckets[b].base & 1) {
			h->buckets[b].base = ARCH_NONE; /* nobody is held back in favour of it */
			heteroprio_bucket_changed(h, b);
		}
	for (int a = 0; a < ARCH_COUNT; a++) {
		struct config_list *l = &h->lists[a];
		int n = 0;

		for (int i = 0; i < l->count; i++)
			if (!(unknown[l->buckets[i]] >> a & 1))
				l->buckets[n++] = l->buckets[i];
		l->count = n;
	}
}

static int take_setting(struct heteroprio *h, struct ht_err *err)
{
	const struct config *c = h->world.config;
	const struct dag *d = h->world.dag;
	const char *broken = config_check(c);

	if (broken)
		return ht_err_set(err, "the config cannot be used: %s", broken);
	h->bucket_of_task = ht_alloc(d->ntasks, sizeof(*h->bucket_of_task));
	if (heteroprio_buckets(c, d, h->bucket_of_task, err) != 0)
		return -1;
	for (int b = 0; b < c->nbuckets; b++) {
		h->buckets[b].number = config_starpu_number(c, b);
		h->buckets[b].base = c->buckets[b].fastest;
		memcpy(h->buckets[b].slow, c->buckets[b].slow_factor, sizeof(h->buckets[b].slow));
		heteroprio_bucket_changed(h, b);
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (h->nworkers[a])
			h->lists[a] = c->lists[a];
	}
	leave_out_unknown(h);
	return 0;
}

/*
 * Of a graph that grows, whose tasks and what they can run on are not known before: a task that some architecture with
 * its bucket in its list cannot run is in a spare one.
 */
static int take_growing(struct heteroprio *h, struct ht_err *err)
{
	const struct config *c = h->world.config;
	const char *broken = c ? config_check(c) : NULL;

	if (broken)
		return ht_err_set(err, "the config cannot be used: %s", broken);
	h->mapping = ht_alloc(1, sizeof(*h->mapping));
	if (config_mapping_make(h->mapping, c, machine_archs(h->world.machine), err) != 0)
		return -1;
	h->bucket_of_task = ht_alloc(h->world.dag->ntasks, sizeof(*h->bucket_of_task));
	for (int b = 0; b < CONFIG_MAX_BUCKETS; b++) {
		h->buckets[b].number = b;
		h->buckets[b].base = ARCH_NONE;
	}
	for (int b = 0; c && b < c->nbuckets; b++) {
		struct bucket *to = &h->buckets[h->mapping->number[b]];

		to->base = c->buckets[b].fastest;
		memcpy(to->slow, c->buckets[b].slow_factor, sizeof(to->slow));
	}
	for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
		heteroprio_bucket_changed(h, b);
	memcpy(h->lists, h->mapping->lists, sizeof(h->lists));
	return 0;
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

/*
 * Where StarPU sees a bucket in an architecture's list, for the distances of locality: by the numbers of the buckets.
 * The plugin sets lists on top of identity slots, which stay for what is not listed.
 */
static void map_nearby(struct heteroprio *h)
{
	int(*slot)[CONFIG_MAX_BUCKETS] = ht_alloc(ARCH_COUNT, sizeof(*slot));
	int length[ARCH_COUNT];

	for (int a = 0; a < ARCH_COUNT; a++) {
		for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
			slot[a][b] = h->variant == VARIANT_STARPU ? b : -1;
		length[a] = h->lists[a].count;
		for (int i = 0; i < length[a]; i++)
			slot[a][h->buckets[h->lists[a].buckets[i]].number] = i;
	}
	nearby_map(h->nearby, length, slot[0]);
	free(slot);
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

static void *heteroprio_create(const struct policy *self, const struct policy_world *w, const char *options,
                               struct ht_err *err)
{
	struct heteroprio_knobs k = {0};
	struct heteroprio *h;

	if (knobs_read(self->name, self->knobs, options, &k, err) != 0)
		return NULL;
	h = heteroprio_open(w, self->name, &k, (enum heteroprio_locality)self->variant, err);
	if (!h)
		return NULL;
	if (w->bucket) {
		if (take_growing(h, err) != 0)
			goto fail;
	} else if (!w->config)
		default_setting(h);
	else if (take_setting(h, err) != 0)
		goto fail;
	for (int a = 0; a < ARCH_COUNT; a++) {
		heteroprio_list_changed(h, (enum arch)a);
		for (int i = 0; i < h->lists[a].count; i++)
			h->buckets[h->lists[a].buckets[i]].archs |= (arch_mask)(1u << a);
	}
	if (!h->mapping && check_where(h, err) != 0)
		goto fail;
	if (h->nearby)
		map_nearby(h);
	return h;
fail:
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
	number = bucket_of(h, task);
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

	return h->task_priority ? h->world.dag->tasks[task].priority : h->buckets[bucket_of(h, task)].number;
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
			nearby_taken(h->nearby, task, h->world.machine->workers[worker].node);
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

/* A pop() by a device's worker or a polling one is seen by waiters.h, and so are all after waiters_notify_all(). */
static int heteroprio_is_empty(void *state, int worker)
{
	const struct heteroprio *h = state;
	enum arch a = h->world.machine->workers[worker].arch;

	if (a != ARCH_CPU || h->variant != VARIANT_STARPU || h->waiters.mode != WAITERS_BLOCKING)
		return 0;
	return !h->queued[a] && !(h->open[a][0] | h->open[a][1]);
}

/* The place of a bucket makes a difference if it can come to have the tasks from which on workers of `a` take one. */
static uint64_t hash_place(const struct heteroprio *h, const uint32_t *count, uint64_t hash, enum arch a, int bucket,
                           uint32_t group)
{
	const uint32_t place[] = {(uint32_t)bucket, group};

	return h->buckets[bucket].least[a] <= count[bucket] ? hash64(hash, place, sizeof(place)) : hash;
}

static uint64_t hash_order(const struct heteroprio *h, const uint32_t *count, uint64_t hash, enum arch a, int node)
{
	const struct config_list *list = &h->lists[a];
	const struct locality_access *order;
	int places;

	if (!h->nearby) {
		for (int i = 0; i < list->count; i++)
			hash = hash_place(h, count, hash, a, list->buckets[i], 0);
		return hash;
	}
	order = nearby_order(h->nearby, node, &places);
	for (int i = 0; i < places; i++)
		if (order[i].slot < (uint32_t)list->count)
			hash = hash_place(h, count, hash, a, list->buckets[order[i].slot], order[i].node);
	return hash;
}

static uint64_t hash_bucket(const struct bucket *b, uint32_t count, uint64_t hash)
{
	hash = hash64(hash, &b->number, sizeof(b->number));
	hash = hash64(hash, &b->archs, sizeof(b->archs));
	for (int a = 0; a < ARCH_COUNT; a++) {
		uint32_t least = b->least[a] <= count ? b->least[a] : UINT32_MAX;

		hash = hash64(hash, &least, sizeof(least));
	}
	return hash;
}

static uint64_t heteroprio_signature(const void *state)
{
	const struct heteroprio *h = state;
	const struct machine *m = h->world.machine;
	uint32_t count[CONFIG_MAX_BUCKETS] = {0};
	int formula = h->nearby ? nearby_formula(h->nearby) : -1;
	uint64_t hash = hash64(HASH64_START, &formula, sizeof(formula));

	for (uint32_t t = 0; t < h->world.dag->ntasks; t++) {
		uint8_t bucket = (uint8_t)bucket_of(h, t);

		count[bucket]++;
		hash = hash64(hash, &bucket, sizeof(bucket));
	}
	for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
		if (count[b])
			hash = hash_bucket(&h->buckets[b], count[b], hash);
	for (int w = 0; w < m->nworkers; w++)
		if (!w || m->workers[w].arch != m->workers[w - 1].arch || m->workers[w].node != m->workers[w - 1].node)
			hash = hash_order(h, count, hash, m->workers[w].arch, m->workers[w].node);
	return hash;
}

static const struct knob knobs[] = {HETEROPRIO_KNOBS, LAST_KNOB};

const struct policy policy_heteroprio = {
	.name = "heteroprio",
	.summary = "buckets and a list of them per architecture (StarPU 1.4.10, or as published)",
	.knobs = knobs,
	.variant = LOCALITY_AS_CONFIG,
	.create = heteroprio_create,
	.free = heteroprio_free,
	.signature = heteroprio_signature,
	.push = heteroprio_push,
	.pop = heteroprio_pop,
	.is_empty = heteroprio_is_empty,
	.priority = heteroprio_priority,
};

static const struct knob locality_knobs[] = {
	HETEROPRIO_KNOBS,
	NEARBY_KNOBS(heteroprio_knobs, nearby, "AUTO|LaRU|MC|LS_SDH|LS_SDH2|LS_SDHB|LC_SMWB"),
	LAST_KNOB,
};

const struct policy policy_laheteroprio = {
	.name = "laheteroprio",
	.summary = "heteroprio with its buckets split by memory node (StarPU 1.4.10, or as published)",
	.knobs = locality_knobs,
	.variant = LOCALITY_ALWAYS,
	.create = heteroprio_create,
	.free = heteroprio_free,
	.signature = heteroprio_signature,
	.push = heteroprio_push,
	.pop = heteroprio_pop,
	.is_empty = heteroprio_is_empty,
	.priority = heteroprio_priority,
};
