/* sched/placement/placement.c - data has owners, and tasks run where what they write lives. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A task goes to the queue of the device that owns what it writes, unless the CPUs are not much slower, and that device
 * has other work:
 *
 *   cost(t, CPU) < q cost(t, owner)   and
 *   B(CPUs) + C(t, CPUs) + cost(t, CPU) < b B(owner) + C(t, owner) + cost(t, owner) + s (R - rank(t))
 *   B(place)    = sum of cost(t, place) over the tasks in its queue / workers there
 *   C(t, place) = what copies delay t there, if they take long for what t takes (task_copies.h)
 *   R           = the highest upward rank of the tasks in queues, or that of t
 *
 * So CPUs get the tasks that lose least by it, as many as they can do while devices do the others. R - rank(t) is what
 * t may be late by without any path through it being longer than what is left of the longest one: what is not urgent
 * may wait for CPUs. Queues are by decreasing upward rank, by which copies of data are requested as well: for CPUs when
 * a task is ready; a device requests them when it takes the task, while it executes another one, and those of the task
 * that is the first of several in its queue before that, and of the next few, as long as what is before them takes less
 * than LEAD times what copies of all they read take. Copies of what is not needed yet would delay those of what is.
 * Where copies of the first task take long, the first of the next few whose data is there is taken before it.
 *
 * A worker whose queue is empty steals: it looks at the place with the most work waiting, and takes, of its tasks with
 * f cost(t, here) + C(t, here) < B(there) and cost(t, here) <= r cost(t, there), one with the smallest
 * cost(t, here) / cost(t, there), of those the one with the lowest rank; where there is none, it looks at the place
 * with the second most. Nobody steals the task with the highest rank of a queue: while tasks become ready one by one,
 * whoever is awake would take the most urgent of them, which comes first.
 *
 * Data that is there from the start may be copied to its owners before tasks ask for it, by the ranks of the tasks that
 * use it first: the links of devices are idle until panels of a factorisation are done. It happens when tasks are
 * submitted or, where the graph grows, when data gets its owner.
 *
 * A queue is a heap for each group of tasks of about equal costs everywhere, so the theft rule looks at one task a
 * group.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/radix_sort.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/conditions.h"
#include "core/trace/trace.h"
#include "sched/placement/class_groups.h"
#include "sched/placement/known_plan.h"
#include "sched/placement/owners.h"
#include "sched/placement/place_queue.h"
#include "sched/placement/plan.h"
#include "sched/placement/plan_knobs.h"
#include "sched/placement/task_copies.h"
#include "sched/policy.h"

/* Of the data of a graph that is not whole yet, what goes to its owners before tasks ask for it. */
static const double SHARE_OF_GROWING = 0.1;

static const double LEAD = 2;

enum sleep { AWAKE, ASLEEP, WOKEN };

enum { MOST_UNDECIDED = 64 };

struct placement {
	struct policy_world world;
	struct placement_knobs knobs;
	struct plan_knobs of_plans; /* where the graph grows */
	struct placement_base own_base;
	struct placement_plan own_plan;
	const struct placement_base *base;
	const struct placement_order *order;
	const int *owner, *place;   /* of the plan, as in struct placement_plan */
	struct class_groups groups; /* those of the queues */
	struct owners *owners;      /* where the graph grows, in place of `owner` and `order`; else NULL */
	struct task_copies copies;
	struct place_queue *queues; /* per place */
	int *asleep, *woken; /* per place: workers that got no task; of them those that were woken and have not asked */
	unsigned char *sleeps; /* per worker: enum sleep */
	uint64_t puts;
	uint64_t changes;    /* of queues and costs */
	uint64_t *empty_at;  /* per place: after how many of them its workers found no task; 0: they did not */
	unsigned char *used; /* per handle: a task that uses it was submitted; NULL: a plan sends no data ahead */
	int64_t *spare;      /* per place: bytes that may still be sent there ahead; NULL: nothing has been */
	int *ahead; /* where the graph grows, per handle: 1 + the place it was sent to and not yet used at; 0: none */
	size_t cap_ahead;
	/* Where the graph grows: the first tasks that are live and have no plan, while several may fit. */
	uint32_t undecided[MOST_UNDECIDED];
	int nundecided;
};

/* Each queue has a heap for each group. */
static void find_group(struct placement *s, uint32_t class_id)
{
	uint32_t n = s->groups.n;

	class_groups_find(&s->groups, &s->base->places, class_id);
	for (int i = 0; n < s->groups.n && i < s->base->places.n; i++)
		place_queue_add_group(&s->queues[i]);
	s->changes++;
}

/* Where the graph grows: what a task of the class takes now. */
static void look_at_class(struct placement *s, uint32_t task)
{
	uint32_t c = s->world.dag->tasks[task].class_id;
	int is_other = places_find_costs(&s->own_base.places, s->world.dag, s->world.machine, c);

	if (is_other || !class_groups_has(&s->groups, c))
		find_group(s, c);
}

static void placement_free(void *state)
{
	struct placement *s = state;

	if (!s)
		return;
	for (int i = 0; i < s->base->places.n; i++)
		place_queue_fini(&s->queues[i]);
	owners_free(s->owners);
	task_copies_fini(&s->copies);
	free(s->queues);
	free(s->asleep);
	free(s->woken);
	free(s->empty_at);
	free(s->sleeps);
	free(s->spare);
	free(s->ahead);
	free(s->used);
	plan_knobs_fini(&s->of_plans);
	class_groups_fini(&s->groups);
	if (s->base == &s->own_base) {
		placement_plan_fini(&s->own_plan);
		placement_base_fini(&s->own_base);
	}
	free(s);
}

/* Half of a memory may be filled ahead. */
static void find_spare(struct placement *s)
{
	const struct places *p = &s->base->places;

	s->spare = ht_alloc((size_t)p->n, sizeof(*s->spare));
	for (int i = 0; i < p->n; i++) {
		int64_t capacity = s->world.machine->nodes[p->place[i].node].capacity_bytes;

		s->spare[i] = capacity ? capacity / 2 : INT64_MAX;
	}
}

/* Of the options, and of the plans of a config. */
static int are_knobs(const struct policy_world *w, const char *options, struct ht_err *err)
{
	struct placement_knobs k;
	int rc = placement_knobs_read(&k, options, err);

	for (int i = 0; w->config && i < w->config->nplans && rc == 0; i++)
		if (w->config->plans[i].knobs)
			rc = placement_knobs_read(&k, w->config->plans[i].knobs, err);
	return rc == 0;
}

/* Where the options are those of a config its plan for this graph is followed, if it has one. */
static void plan_of_graph(struct placement *s, const char *options)
{
	const struct config *c = s->world.config;
	const struct config_plan *known = NULL;

	if (c && strcmp(c->policy, policy_placement.name) == 0 && strcmp(c->knobs, options) == 0)
		known = known_plan_init(&s->own_plan, &s->own_base, c);
	if (!known)
		placement_plan_init(&s->own_plan, &s->own_base, &s->knobs);
	if (known && known->knobs)
		placement_knobs_read(&s->knobs, known->knobs, NULL);
}

/* StarPU is started with the pipeline that a plan of the config needs: other graphs keep to its default. */
static void keep_pipeline(struct placement *s)
{
	const struct config *c = s->world.config;

	if (!s->knobs.ahead && c && c->starpu_env.value[STARPU_ENV_PIPELINE])
		s->knobs.ahead = PIPELINE_DEFAULT - 1;
}

static void *placement_create(const struct policy *self, const struct policy_world *w, const char *options,
                              struct ht_err *err)
{
	const struct placement_plan *plan = w->data;
	struct placement *s;

	(void)self;
	if (!are_knobs(w, options, err))
		return NULL;
	s = ht_alloc(1, sizeof(*s));
	s->world = *w;
	placement_knobs_read(&s->knobs, options, NULL);
	keep_pipeline(s);
	if (!plan && w->snapshot) {
		placement_base_init_places(&s->own_base, w->dag, w->machine);
		s->owners = owners_create(&s->world, &s->own_base, &s->knobs);
		s->base = &s->own_base;
	} else if (!plan) {
		if (placement_base_init(&s->own_base, w->dag, w->machine, w->copies_take_time, err) != 0) {
			free(s);
			return NULL;
		}
		plan_of_graph(s, options);
		plan = &s->own_plan;
	}
	if (plan) {
		s->base = plan->base;
		s->order = &plan->order;
		s->owner = plan->owner;
		s->place = plan->place;
	}
	if (!s->owners && s->knobs.distribute && w->prefetch_data)
		s->used = ht_alloc((size_t)w->dag->nhandles + 1, sizeof(*s->used));
	task_copies_init(&s->copies, &s->world, s->base);
	s->queues = ht_alloc((size_t)s->base->places.n, sizeof(*s->queues));
	s->asleep = ht_alloc((size_t)s->base->places.n, sizeof(*s->asleep));
	s->woken = ht_alloc((size_t)s->base->places.n, sizeof(*s->woken));
	s->empty_at = ht_alloc((size_t)s->base->places.n, sizeof(*s->empty_at));
	s->sleeps = ht_alloc((size_t)w->machine->nworkers, sizeof(*s->sleeps));
	for (uint32_t c = 0; c < w->dag->nclasses; c++)
		find_group(s, c);
	return s;
}

/* Those of the plan of its graph, or of the policy. */
static const struct placement_knobs *knobs_of(const struct placement *s, uint32_t task)
{
	const struct placement_knobs *planned = plan_knobs_of(&s->of_plans, task);

	return planned ? planned : &s->knobs;
}

/* Where the graph grows: a task is submitted. 1: it has turned out what plan that of it and those before is. */
static int find_knobs(struct placement *s, uint32_t task)
{
	return plan_knobs_added(&s->of_plans, task, s->world.plan_options ? s->world.plan_options(s->world.ctx) : NULL);
}

static int64_t cost_at(const struct placement *s, uint32_t task, int place)
{
	return places_cost(&s->base->places, s->world.dag->tasks[task].class_id, place);
}

/* Work that waits, for each worker of the place. */
static double backlog(const struct placement *s, int place)
{
	return (double)s->queues[place].waiting_ns / s->base->places.place[place].nworkers;
}

/* The device that could run it first, if all began with what waits. PLACES_NONE: none can. */
static int earliest_device(const struct placement *s, uint32_t task)
{
	int best = PLACES_NONE;
	double best_end = INFINITY;

	for (int i = 0; i < s->base->ndevices; i++) {
		int place = s->base->device[i];
		int64_t cost = cost_at(s, task, place);
		double end = backlog(s, place) + (double)cost;

		if (cost >= 0 && end < best_end) {
			best = place;
			best_end = end;
		}
	}
	return best;
}

/* A task that writes nothing goes to the owner of the largest that it reads. */
static int owner_of(struct placement *s, uint32_t task)
{
	uint32_t h = data_graph_written(s->world.dag, task);
	int place;

	if (h == DATA_GRAPH_NONE)
		h = data_graph_read(s->world.dag, task);
	place = h == DATA_GRAPH_NONE ? PLACES_NONE : s->owners ? owners_of(s->owners, h) : s->owner[h];
	if (place != PLACES_NONE && cost_at(s, task, place) >= 0)
		return place;
	place = earliest_device(s, task);
	if (s->owners && h != DATA_GRAPH_NONE)
		owners_set(s->owners, h, place);
	return place;
}

/* By the plan. PLACES_NONE: it says nothing of it. */
static int planned_place(const struct placement *s, uint32_t task)
{
	int worker;

	if (!s->owners)
		return s->place ? s->place[task] : PLACES_NONE;
	worker = s->world.planned_worker ? s->world.planned_worker(s->world.ctx, task) : -1;
	return worker < 0 ? PLACES_NONE : s->base->places.of[worker];
}

static double rank_of(const struct placement *s, uint32_t task)
{
	return s->owners ? s->world.rank_ns(s->world.ctx, task) : s->order->rank[task];
}

/* How much higher the highest rank of what waits is. */
static double slack(const struct placement *s, uint32_t task)
{
	double own = rank_of(s, task), highest = own;

	for (int i = 0; i < s->base->places.n; i++) {
		const struct minmaxheap_item *first = place_queue_highest(&s->queues[i]);

		if (first)
			highest = fmax(highest, rank_of(s, first->task));
	}
	return highest - own;
}

/* Whether the CPUs take it from the device `owner`; where nothing waits, or with what waits now. */
static int cpus_take(const struct placement *s, uint32_t task, int owner, int waits)
{
	const struct placement_knobs *k = knobs_of(s, task);
	int cpus = s->base->places.cpus;
	double here = cpus == PLACES_NONE ? -1 : (double)cost_at(s, task, cpus);
	double there = (double)cost_at(s, task, owner);

	if (here < 0 || here >= k->q * there)
		return 0;
	if (!waits)
		return here < there;
	here += backlog(s, cpus) + task_copies_delay_ns(&s->copies, task, cpus);
	there += k->b * backlog(s, owner) + task_copies_delay_ns(&s->copies, task, owner);
	return here < there || (k->s > 0 && here < there + k->s * slack(s, task));
}

static int place_of(struct placement *s, uint32_t task, int waits)
{
	int place = planned_place(s, task);

	if (place != PLACES_NONE && cost_at(s, task, place) >= 0)
		return place;
	place = owner_of(s, task);
	return place == PLACES_NONE || cpus_take(s, task, place, waits) ? s->base->places.cpus : place;
}

/* 1: the task is in front. */
static int put(struct placement *s, int place, uint32_t task)
{
	double score = s->owners ? rank_of(s, task) : s->order->priority[task];

	s->changes++;
	return place_queue_put(&s->queues[place], class_groups_of(&s->groups, s->world.dag->tasks[task].class_id),
	                       (struct minmaxheap_item){score, s->puts++, task}, cost_at(s, task, place));
}

static uint32_t taken(struct placement *s, int place, uint32_t task)
{
	s->changes++;
	place_queue_taken(&s->queues[place], cost_at(s, task, place));
	return task;
}

/* The group whose lowest task a worker of `thief` steals from a queue; NULL: none. */
static struct minmaxheap *worth_stealing(const struct placement *s, int thief, int from)
{
	const struct place_queue *q = &s->queues[from];
	const struct minmaxheap_item *highest = place_queue_highest(q);
	double waiting = backlog(s, from), best_ratio = INFINITY;
	struct minmaxheap *best = NULL;

	for (uint32_t g = 0; g < s->groups.n; g++) {
		struct minmaxheap *h = &q->groups[g];
		const struct minmaxheap_item *lowest = h->count ? minmaxheap_lowest(h) : NULL;
		const struct placement_knobs *k;
		int64_t here, there;
		double ratio;

		if (!lowest || lowest->number == highest->number)
			continue;
		k = knobs_of(s, lowest->task);
		here = cost_at(s, lowest->task, thief);
		there = cost_at(s, lowest->task, from);
		ratio = there > 0 ? (double)here / (double)there : 1;
		if (here < 0 || ratio > k->r || k->f * (double)here >= waiting)
			continue;
		if (ratio > best_ratio || (ratio == best_ratio && !minmaxheap_before(minmaxheap_lowest(best), lowest)))
			continue;
		if (k->f * (double)here + task_copies_delay_ns(&s->copies, lowest->task, thief) >= waiting)
			continue;
		best = h;
		best_ratio = ratio;
	}
	return best;
}

/* The place after `last` in the order of falling backlogs, the first of equals; PLACES_NONE: no other has a task. */
static int next_victim(const struct placement *s, int thief, int last)
{
	int best = PLACES_NONE;

	for (int i = 0; i < s->base->places.n; i++) {
		if (i == thief || i == last || !s->queues[i].count)
			continue;
		if (last != PLACES_NONE &&
		    (backlog(s, i) > backlog(s, last) || (backlog(s, i) == backlog(s, last) && i < last)))
			continue;
		if (best == PLACES_NONE || backlog(s, i) > backlog(s, best))
			best = i;
	}
	return best;
}

/* The next task of a worker there, and what it is taken from: a place, and its group, NULL: the highest of its own. */
struct found {
	const struct minmaxheap_item *item; /* NULL: none */
	int from;
	const struct minmaxheap *group;
};

static struct found find_task(struct placement *s, int place)
{
	struct found f = {.from = place};

	if (s->empty_at[place] == s->changes)
		return f;
	f.item = place_queue_highest(&s->queues[place]);
	for (int i = PLACES_NONE; !f.item && (i = next_victim(s, place, i)) != PLACES_NONE;) {
		f.group = worth_stealing(s, place, i);
		f.item = f.group ? minmaxheap_lowest(f.group) : NULL;
		f.from = i;
	}
	if (!f.item)
		s->empty_at[place] = s->changes;
	return f;
}

/* A worker of the place that got no task, if there is one. */
static void wake_one(struct placement *s, int place)
{
	int w = s->base->places.place[place].worker;

	if (!s->asleep[place])
		return;
	while (s->base->places.of[w] != place || s->sleeps[w] != ASLEEP)
		w++;
	s->sleeps[w] = WOKEN;
	s->asleep[place]--;
	s->woken[place]++;
	s->world.wake(s->world.ctx, w);
}

/* Microseconds of rank are enough to order copies by. */
static int32_t placement_priority(void *state, uint32_t task)
{
	struct placement *s = state;
	double rank;

	if (!s->owners)
		return s->order->priority[task];
	rank = rank_of(s, task) / 1000;
	return rank < INT32_MAX ? (int32_t)rank : INT32_MAX;
}

static void remember_ahead(struct placement *s, uint32_t handle, int place)
{
	VEC_FIT(s->ahead, s->cap_ahead, handle);
	s->ahead[handle] = place + 1;
}

/*
 * The datum by which the task is placed goes to its owner, if that has spare bytes. What waits now says nothing of
 * then.
 */
static void send_ahead(struct placement *s, uint32_t task)
{
	uint32_t h = data_graph_written(s->world.dag, task);
	uint64_t bytes = s->world.dag->handle_bytes[h];
	int place;

	if (s->owners)
		look_at_class(s, task);
	place = place_of(s, task, 0);
	if (!s->spare)
		find_spare(s);
	if (place == s->base->places.cpus || (uint64_t)s->spare[place] < bytes)
		return;
	s->spare[place] -= (int64_t)bytes;
	if (s->owners)
		remember_ahead(s, h, place);
	s->world.prefetch_data(s->world.ctx, h, s->base->places.place[place].worker, placement_priority(s, task));
}

/*
 * A share of the data of the graph `d`, the most urgent first. A task that waits for nobody has its data, or has asked
 * for it.
 */
static void distribute(struct placement *s, const struct dag *d, double share)
{
	struct radix_item *users = ht_alloc((size_t)d->ntasks + 1, sizeof(*users));
	uint32_t n = data_graph_first_users(d, users);

	for (uint32_t i = 0; i < n; i++) {
		int32_t priority = placement_priority(s, (uint32_t)users[i].value);

		users[i].key = (uint64_t)(INT32_MAX - (int64_t)priority) << 32 | (uint32_t)users[i].value;
	}
	radix_sort(users, n);
	for (uint32_t i = 0; i < share * n; i++)
		if (dag_npred(d, (uint32_t)users[i].value))
			send_ahead(s, (uint32_t)users[i].value);
	free(users);
}

static void ask(struct placement *s, uint32_t task, int place)
{
	s->world.prefetch(s->world.ctx, task, s->base->places.place[place].worker);
}

/* The data of a task is not asked for when it becomes ready, but when a worker takes it, or it is one of the next. */
static int is_asked_later(const struct placement *s, uint32_t task, int place)
{
	const struct policy_world *w = &s->world;

	return knobs_of(s, task)->prefetch != PLACEMENT_PREFETCH_ALL && w->takes_ahead &&
	       w->takes_ahead(w->ctx, task, s->base->places.place[place].worker);
}

/* Whether the tasks in front are executed before the data of the next one would be there. */
static int comes_soon(const struct placement *s, uint32_t next, int place)
{
	const struct place_queue *q = &s->queues[place];

	return !q->nfront || (double)q->front_ns < LEAD * task_copies_all_ns(&s->copies, next, place);
}

/* Asks for the data of what a device executes next. */
static void ask_next(struct placement *s, int place)
{
	struct place_queue *q = &s->queues[place];
	const struct minmaxheap_item *next;

	while (s->world.prefetch && q->count > 1 && (next = place_queue_next(q)) &&
	       knobs_of(s, next->task)->prefetch == PLACEMENT_PREFETCH_NEXT && is_asked_later(s, next->task, place) &&
	       comes_soon(s, next->task, place)) {
		ask(s, next->task, place);
		place_queue_advance(q, cost_at(s, next->task, place));
	}
}

/* Into the queue of its place. */
static void queue_up(struct placement *s, uint32_t task, int place, int is_there)
{
	int in_front = put(s, place, task);

	if (s->world.prefetch && (in_front || (!is_there && !is_asked_later(s, task, place))))
		ask(s, task, place);
	ask_next(s, place);
}

/* To the queue of its place, which was `before` so far. */
static void give(struct placement *s, uint32_t task, int before)
{
	int place = place_of(s, task, 1);

	queue_up(s, task, place, place == before);
	if (place != before)
		wake_one(s, place);
}

/* Where the graph grows: all that waits has the ranks and goes to the owners of now. */
static void put_again(struct placement *s)
{
	struct waiting {
		uint32_t task;
		int place;
	} *all = NULL;
	size_t n = 0, cap = 0;

	for (int i = 0; i < s->base->places.n; i++)
		while (s->queues[i].count)
			*VEC_PUSH(all, n, cap) = (struct waiting){taken(s, i, place_queue_take_highest(&s->queues[i])),
			                                          i};
	for (size_t k = 0; k < n; k++)
		give(s, all[k].task, all[k].place);
	free(all);
}

/*
 * Where the graph grows: it is cut if it is time to. Until it is whole ranks show what is needed first, and not in what
 * order all else is; copies that are asked for too early delay those that turn out to be urgent.
 */
static void catch_up(struct placement *s, int is_whole)
{
	struct dag *cut = owners_plan(s->owners, is_whole);

	if (cut)
		put_again(s);
	if (cut && s->knobs.distribute && s->world.prefetch_data)
		distribute(s, cut, is_whole ? 1 : SHARE_OF_GROWING);
	dag_free(cut);
}

static void placement_push(void *state, uint32_t task, int releaser)
{
	struct placement *s = state;
	int place;

	(void)releaser;
	if (s->owners) {
		look_at_class(s, task);
		catch_up(s, 0);
	}
	place = place_of(s, task, 1);
	queue_up(s, task, place, 0);
	wake_one(s, place);
	for (int i = 0; i < s->base->places.n; i++)
		if (i != place && s->asleep[i] && worth_stealing(s, i, place))
			wake_one(s, i);
}

static void placement_whole(void *state)
{
	struct placement *s = state;

	if (s->owners)
		catch_up(s, 1);
}

/* Whether the worker has as many tasks that it has not begun as it may have. */
static int is_full(const struct placement *s, int worker, uint32_t task)
{
	int64_t planned = knobs_of(s, task)->ahead, most = planned ? planned : s->knobs.ahead;

	return most && s->world.ahead && s->world.ahead(s->world.ctx, worker) >= most;
}

/* What place_queue_take_fitting() asks. */
struct fitting {
	const struct placement *s;
	int place;
};

static int fits(void *ctx, uint32_t task)
{
	const struct fitting *f = ctx;

	return task_copies_are_done(&f->s->copies, task, f->place);
}

/* Of the place the highest task; if its copies are long, the first of the next few that waits for none. */
static uint32_t take_own(struct placement *s, int place, uint32_t highest)
{
	struct fitting f = {s, place};

	if (!task_copies_are_long(&s->copies, highest))
		return place_queue_take_highest(&s->queues[place]);
	return place_queue_take_fitting(&s->queues[place], fits, &f);
}

static uint32_t placement_pop(void *state, int worker)
{
	struct placement *s = state;
	int place = s->base->places.of[worker];
	const struct found f = find_task(s, place);
	struct place_queue *q = &s->queues[f.from];
	uint32_t task;

	s->asleep[place] += !f.item - (s->sleeps[worker] == ASLEEP);
	s->woken[place] -= s->sleeps[worker] == WOKEN;
	s->sleeps[worker] = f.item ? AWAKE : ASLEEP;
	if (!f.item)
		return POLICY_NO_TASK;
	if (is_full(s, worker, f.item->task)) {
		wake_one(s, place); /* that other worker may have room */
		return POLICY_NO_TASK;
	}
	if (f.group)
		return taken(s, f.from, place_queue_take_lowest(q, (uint32_t)(f.group - q->groups)));
	task = taken(s, place, take_own(s, place, f.item->task));
	ask_next(s, place);
	return task;
}

/* A worker that was woken is to be taken for asleep again. */
static int placement_is_empty(void *state, int worker)
{
	struct placement *s = state;
	int place = s->base->places.of[worker];

	return !s->woken[place] && !find_task(s, place).item;
}

/* By a plan the datum of a task goes ahead when the first task that uses it is submitted. */
static void added_to_plan(struct placement *s, uint32_t task)
{
	const struct dag *d = s->world.dag;
	const struct dag_task *t = &d->tasks[task];
	uint32_t h = data_graph_written(d, task);

	if (!s->used)
		return;
	if (h != DATA_GRAPH_NONE && !s->used[h] && data_graph_reads(d, task, h))
		send_ahead(s, task);
	for (uint32_t a = t->first_access; a < t->first_access + t->naccesses; a++)
		s->used[d->accesses[a].handle] = 1;
}

/* Where the graph grows: the datum that the task is placed by has got its owner by a plan. */
static void send_by_plan(struct placement *s, uint32_t task)
{
	if (!knobs_of(s, task)->distribute || !s->world.prefetch_data ||
	    !data_graph_reads(s->world.dag, task, data_graph_written(s->world.dag, task)))
		return;
	send_ahead(s, task);
}

/* Where the graph grows: the tasks so far, which several plans fitted, are of the plan of the one that is submitted. */
static void decide(struct placement *s)
{
	owners_plan_changed(s->owners);
	for (int i = 0; i < s->nundecided; i++) {
		uint32_t h = data_graph_written(s->world.dag, s->undecided[i]);

		find_knobs(s, s->undecided[i]);
		if (h != DATA_GRAPH_NONE && owners_of(s->owners, h) != PLACES_NONE)
			send_by_plan(s, s->undecided[i]);
	}
	s->nundecided = 0;
}

static void placement_added(void *state, uint32_t task)
{
	struct placement *s = state;

	if (!s->owners) {
		added_to_plan(s, task);
		return;
	}
	if (find_knobs(s, task))
		decide(s);
	if (owners_added(s->owners, task))
		send_by_plan(s, task);
	else if (!s->of_plans.last && s->world.config && s->world.config->nplans && s->nundecided < MOST_UNDECIDED)
		s->undecided[s->nundecided++] = task;
}

static void placement_done(void *state, uint32_t task, int worker)
{
	struct placement *s = state;
	uint32_t h = s->cap_ahead ? data_graph_written(s->world.dag, task) : DATA_GRAPH_NONE;

	(void)worker;
	if (s->owners)
		owners_done(s->owners);
	for (int i = 0; i < s->nundecided; i++)
		if (s->undecided[i] == task)
			s->undecided[i--] = s->undecided[--s->nundecided];
	if (h >= s->cap_ahead || !s->ahead[h])
		return;
	s->spare[s->ahead[h] - 1] += (int64_t)s->world.dag->handle_bytes[h];
	s->ahead[h] = 0;
}

const struct policy policy_placement = {
	.name = "placement",
	.summary = "data has owners, found by cutting the graph; tasks run there by rank",
	.knobs = placement_knob_table,
	.create = placement_create,
	.free = placement_free,
	.added = placement_added,
	.whole = placement_whole,
	.push = placement_push,
	.pop = placement_pop,
	.is_empty = placement_is_empty,
	.done = placement_done,
	.priority = placement_priority,
};
