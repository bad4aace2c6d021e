/* sched/placement/placement.c - data has owners, and tasks run where what they write lives. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A task goes to the queue of the device that owns what it writes, or to that of the CPUs (destination.c). Queues are
 * by decreasing upward rank, by which copies of data are requested as well: for CPUs when a task is ready; a device
 * requests them when it takes the task, while it executes another one, and those of the task that is the first of
 * several in its queue before that, and of the next few, as long as what is before them takes less than LEAD times
 * what copies of all they read take. Copies of what is not needed yet would delay those of what is. Where copies of
 * the first task take long, the first of the next few whose data is there is taken before it.
 *
 * Where memory is scarce each copy evicts data: of the first few tasks the one that lacks least is taken, and none is
 * asked for before.
 *
 * A worker whose queue is empty steals (theft.c). Data that is there from the start may be copied to its owners before
 * tasks ask for it (sent_ahead.c).
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/conditions.h"
#include "sched/placement/destination.h"
#include "sched/placement/known_plan.h"
#include "sched/placement/owners.h"
#include "sched/placement/placement_state.h"
#include "sched/placement/theft.h"

/* Of the data of a graph that is not whole yet, what goes to its owners before tasks ask for it. */
static const double SHARE_OF_GROWING = 0.1;

static const double LEAD = 2;

/* Of the memory of all devices, the data from which on there is too little: that of evictions outweighs prefetches. */
static const double SCARCE = 1.25;

enum sleep { AWAKE, ASLEEP, WOKEN };

static void placement_free(void *state)
{
	struct placement *s = state;

	if (!s)
		return;
	for (int i = 0; i < s->base->places.n; i++)
		place_queue_fini(&s->queues[i]);
	owners_free(s->owners);
	task_copies_fini(&s->copies);
	coming_fini(&s->coming);
	work_left_fini(&s->left);
	free(s->queues);
	free(s->asleep);
	free(s->woken);
	free(s->empty_at);
	free(s->sleeps);
	free(s->queued_ns);
	sent_ahead_fini(&s->sent);
	plan_knobs_fini(&s->of_plans);
	class_groups_fini(&s->groups);
	if (s->base == &s->own_base) {
		placement_plan_fini(&s->own_plan);
		placement_base_fini(&s->own_base);
	}
	free(s);
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
	s->is_planned = known != NULL;
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

/* device_bytes stays 0 where copies take no time, or the memory of a device is not known. */
static void find_bytes(struct placement *s)
{
	const struct machine *m = s->world.machine;
	double bytes = 0;

	if (!s->world.copies_take_time)
		return;
	for (int i = 0; i < s->base->ndevices; i++) {
		int64_t capacity = m->nodes[s->base->places.place[s->base->device[i]].node].capacity_bytes;

		if (!capacity)
			return;
		bytes += (double)capacity;
	}
	s->device_bytes = bytes;
	for (uint32_t h = 0; !s->world.data_bytes && h < s->world.dag->nhandles; h++)
		s->data_bytes += s->world.dag->handle_bytes[h];
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
	if (!plan && w->part) {
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
	s->is_planned |= w->data != NULL;
	if (plan) {
		s->base = plan->base;
		s->order = &plan->order;
		s->owner = plan->owner;
		s->place = plan->place;
		s->fills_bus = plan->fills_bus && !s->is_planned;
	}
	if (!s->owners && s->knobs.distribute && w->prefetch_data)
		s->sent.used = ht_alloc((size_t)w->dag->nhandles + 1, sizeof(*s->sent.used));
	task_copies_init(&s->copies, &s->world, s->base);
	find_bytes(s);
	s->queues = ht_alloc((size_t)s->base->places.n, sizeof(*s->queues));
	s->asleep = ht_alloc((size_t)s->base->places.n, sizeof(*s->asleep));
	s->woken = ht_alloc((size_t)s->base->places.n, sizeof(*s->woken));
	s->empty_at = ht_alloc((size_t)s->base->places.n, sizeof(*s->empty_at));
	s->sleeps = ht_alloc((size_t)w->machine->nworkers, sizeof(*s->sleeps));
	for (uint32_t c = 0; c < w->dag->nclasses; c++)
		placement_add_class(s, c);
	return s;
}

/* Where the graph grows: a task is submitted. 1: it has turned out what plan that of it and those before is. */
static int find_knobs(struct placement *s, uint32_t task)
{
	return plan_knobs_added(&s->of_plans, task, s->world.plan_options ? s->world.plan_options(s->world.ctx) : NULL);
}

static int32_t placement_priority(void *state, uint32_t task)
{
	return placement_priority_of(state, task);
}

/* 1: the task is in front. */
static int put(struct placement *s, int place, uint32_t task)
{
	s->changes++;
	VEC_FIT(s->queued_ns, s->cap_queued, task);
	s->queued_ns[task] = placement_cost(s, task, place);
	coming_add(s, task, place);
	return place_queue_put(&s->queues[place], class_groups_of(&s->groups, s->world.dag->tasks[task].class_id),
	                       (struct minmaxheap_item){placement_score(s, task), s->puts++, task}, s->queued_ns[task]);
}

static uint32_t taken(struct placement *s, int place, uint32_t task)
{
	s->changes++;
	place_queue_taken(&s->queues[place], s->queued_ns[task]);
	return task;
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
	for (int i = PLACES_NONE; !f.item && (i = theft_next_victim(s, place, i)) != PLACES_NONE;) {
		f.group = theft_group(s, place, i);
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

static void ask(struct placement *s, uint32_t task, int place)
{
	s->world.prefetch(s->world.ctx, task, s->base->places.place[place].worker);
}

/*
 * Whether the devices together are too small for the data of the tasks that there are: what is copied early then
 * evicts what is needed before.
 */
static int memory_is_scarce(const struct placement *s)
{
	uint64_t bytes = s->world.data_bytes ? s->world.data_bytes(s->world.ctx) : s->data_bytes;

	return s->device_bytes > 0 && (double)bytes > SCARCE * s->device_bytes;
}

/* The data of a task is not asked for when it becomes ready, but when a worker takes it, or it is one of the next. */
static int is_asked_later(const struct placement *s, uint32_t task, int place)
{
	const struct policy_world *w = &s->world;

	return placement_knobs_of(s, task)->prefetch != PLACEMENT_PREFETCH_ALL && w->takes_ahead &&
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

	if (memory_is_scarce(s))
		return;
	while (s->world.prefetch && q->count > 1 && (next = place_queue_next(q)) &&
	       placement_knobs_of(s, next->task)->prefetch == PLACEMENT_PREFETCH_NEXT &&
	       is_asked_later(s, next->task, place) && comes_soon(s, next->task, place)) {
		ask(s, next->task, place);
		place_queue_advance(q, placement_cost(s, next->task, place));
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
	int place = destination_of(s, task, 1);

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

	for (int i = 0; i < s->base->places.n; i++) {
		while (s->queues[i].count) {
			uint32_t task = taken(s, i, place_queue_take_highest(&s->queues[i]));

			coming_remove(s, task);
			*VEC_PUSH(all, n, cap) = (struct waiting){task, i};
		}
	}
	for (size_t k = 0; k < n; k++)
		give(s, all[k].task, all[k].place);
	free(all);
}

/*
 * Where the graph grows: it is cut if it is time to, and there are several devices to share it. Until it is whole ranks
 * show what is needed first, and not in what order all else is; copies that are asked for too early delay those that
 * turn out to be urgent.
 */
static void catch_up(struct placement *s, int is_whole)
{
	int is_distributed = s->knobs.distribute && s->world.prefetch_data;
	struct dag *cut = NULL;
	const uint32_t *task;

	if (!owners_are_due(s->owners, is_whole))
		return;
	if (s->base->ndevices > 1 || is_distributed)
		cut = owners_cut(s->owners, &task, &s->fills_bus);
	put_again(s);
	if (is_distributed)
		sent_ahead_distribute(s, cut, task, is_whole ? 1 : SHARE_OF_GROWING);
	dag_free(cut);
}

static void placement_push(void *state, uint32_t task, int releaser)
{
	struct placement *s = state;
	int place;

	(void)releaser;
	if (s->owners) {
		placement_look_at_class(s, task);
		catch_up(s, 0);
	}
	place = destination_of(s, task, 1);
	queue_up(s, task, place, 0);
	wake_one(s, place);
	for (int i = 0; i < s->base->places.n; i++)
		if (i != place && s->asleep[i] && theft_group(s, i, place))
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
	int64_t planned = placement_knobs_of(s, task)->ahead, most = planned ? planned : s->knobs.ahead;

	return most && s->world.ahead && s->world.ahead(s->world.ctx, worker) >= most;
}

/* What place_queue_take_least() asks. */
struct lacking {
	const struct task_copies *copies;
	int place;
};

static uint64_t waits(void *ctx, uint32_t task)
{
	const struct lacking *l = ctx;

	return task_copies_lacking(l->copies, task, l->place, 0) != 0;
}

static uint64_t bytes_to_ask_for(void *ctx, uint32_t task)
{
	const struct lacking *l = ctx;

	return task_copies_lacking(l->copies, task, l->place, 1);
}

/*
 * Of the place the highest task. Of it and the next few the one that lacks least on a device where memory is scarce,
 * or else, if its copies are long, the first that waits for none.
 */
static uint32_t take_own(struct placement *s, int place, uint32_t highest)
{
	struct lacking l = {&s->copies, place};

	if (place != s->base->places.cpus && memory_is_scarce(s))
		return place_queue_take_least(&s->queues[place], bytes_to_ask_for, &l);
	if (task_copies_are_long(&s->copies, highest))
		return place_queue_take_least(&s->queues[place], waits, &l);
	return place_queue_take_highest(&s->queues[place]);
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
	if (f.group) {
		task = taken(s, f.from, place_queue_take_lowest(q, (uint32_t)(f.group - q->groups)));
		coming_add(s, task, place);
		return task;
	}
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

/* Where the graph grows: the tasks so far, which several plans fitted, are of the plan of the one that is submitted. */
static void decide(struct placement *s)
{
	owners_plan_changed(s->owners);
	for (int i = 0; i < s->nundecided; i++) {
		uint32_t h = data_graph_written(s->world.dag, s->undecided[i]);

		find_knobs(s, s->undecided[i]);
		if (h != DATA_GRAPH_NONE && owners_of(s->owners, h) != PLACES_NONE)
			sent_ahead_planned(s, s->undecided[i]);
	}
	s->nundecided = 0;
}

static void placement_added(void *state, uint32_t task)
{
	struct placement *s = state;

	if (s->owners && !class_groups_has(&s->groups, s->world.dag->tasks[task].class_id))
		placement_look_at_class(s, task);
	work_left_add(s, task);
	if (!s->owners) {
		sent_ahead_added(s, task);
		return;
	}
	if (find_knobs(s, task))
		decide(s);
	if (owners_added(s->owners, task))
		sent_ahead_planned(s, task);
	else if (!s->of_plans.last && s->world.config && s->world.config->nplans &&
	         s->nundecided < PLACEMENT_MOST_UNDECIDED)
		s->undecided[s->nundecided++] = task;
}

/* Where its copies kept others of its place from stealing, one of them looks again. */
static void placement_started(void *state, uint32_t task, int worker)
{
	struct placement *s = state;

	if (coming_remove(s, task))
		wake_one(s, s->base->places.of[worker]);
}

static void placement_done(void *state, uint32_t task, int worker)
{
	struct placement *s = state;

	(void)worker;
	coming_remove(s, task);
	work_left_remove(s, task);
	if (s->owners)
		owners_done(s->owners);
	for (int i = 0; i < s->nundecided; i++)
		if (s->undecided[i] == task)
			s->undecided[i--] = s->undecided[--s->nundecided];
	sent_ahead_done(s, task);
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
	.started = placement_started,
	.done = placement_done,
	.priority = placement_priority,
};
