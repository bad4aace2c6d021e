/* sched/heteroprio/autoheteroprio.c - Heteroprio whose buckets are types, ordered by scores that it learns. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * StarPU 1.4.10 with STARPU_HETEROPRIO_USE_AUTO_CALIBRATION, which is on by default (src/sched_policies/heteroprio.c):
 *
 * - A bucket is a model symbol (or codelet) and what it can run on, numbered as they appear: in the file of earlier
 *   runs, then among the tasks that become ready and their successors. A new one is last in its lists, and not held
 *   back anywhere, until the next ordering.
 * - At the first push and then every `interval` pushes, the lists are ordered by their scores (learning.h).
 * - Every push looks at the graph as far as it is submitted, and then brings the slow factors up to date.
 * - Every execution gives a duration and an architecture. What workers were busy and free counts from the next run on.
 * - A worker's queue of two is ordered by the priorities that the application gave.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/number.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/heuristic.h"
#include "sched/heteroprio/heteroprio.h"
#include "sched/heteroprio/learner.h"
#include "sched/heteroprio/nearby.h"

struct autoheteroprio {
	struct heteroprio *h;
	struct learner learner;
	const struct heuristic *ordering;
	double knobs[HEURISTIC_MAX_KNOBS];
	int frozen;
	int64_t interval, since_ordering;
	arch_mask also;       /* codelets have implementations for these too, though the machine has none of them */
	arch_mask *where;     /* per type of the graph */
	char *save;           /* NULL: nowhere */
	int nbuckets;         /* the types that have theirs */
	unsigned char *stale; /* per bucket: its slow factors are from before its last execution */
	int slot[ARCH_COUNT][CONFIG_MAX_BUCKETS]; /* place of a bucket in a list, as the distances of locality see it */
};

static void autoheteroprio_free(void *state)
{
	struct autoheteroprio *s = state;

	if (!s)
		return;
	heteroprio_free(s->h);
	learner_fini(&s->learner);
	free(s->where);
	free(s->save);
	free(s->stale);
	free(s);
}

/* StarPU maps the nodes anew when a list has grown. */
static void map_nodes(struct autoheteroprio *s)
{
	int length[ARCH_COUNT];

	if (!s->h->nearby)
		return;
	for (int a = 0; a < ARCH_COUNT; a++)
		length[a] = s->h->lists[a].count;
	nearby_map(s->h->nearby, length, s->slot[0]);
}

/* The bucket of a type that is new: last everywhere, and not held back. */
static void append_bucket(struct autoheteroprio *s, int bucket)
{
	struct bucket *b = &s->h->buckets[bucket];

	b->number = bucket;
	b->base = ARCH_CPU;
	b->archs = s->learner.autoheteroprio_data.types[bucket].where;
	for (int a = 0; a < ARCH_COUNT; a++) {
		struct config_list *l = &s->h->lists[a];

		b->slow[a] = a != ARCH_CPU;
		if (!(b->archs >> a & 1))
			continue;
		s->slot[a][bucket] = l->count;
		l->buckets[l->count++] = bucket;
		heteroprio_list_changed(s->h, (enum arch)a);
	}
	s->stale[bucket] = 1;
	heteroprio_bucket_changed(s->h, bucket);
	map_nodes(s);
}

static void append_buckets(struct autoheteroprio *s)
{
	while (s->nbuckets < s->learner.autoheteroprio_data.ntypes)
		append_bucket(s, s->nbuckets++);
}

static void update_slow_factors(struct autoheteroprio *s)
{
	for (int i = 0; i < s->nbuckets; i++) {
		if (!s->stale[i])
			continue;
		s->h->buckets[i].base = learning_slow_factors(&s->learner.autoheteroprio_data, i,
		                                              s->h->buckets[i].slow);
		heteroprio_bucket_changed(s->h, i);
		s->stale[i] = 0;
	}
}

static void order_lists(struct autoheteroprio *s)
{
	for (int a = 0; a < ARCH_COUNT; a++) {
		struct config_list *l = &s->h->lists[a];

		for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
			s->slot[a][b] = b;
		l->count = learning_order(&s->learner.autoheteroprio_data, s->ordering, s->knobs, s->learner.estimate,
		                          !s->frozen, (enum arch)a, l->buckets);
		for (int i = 0; i < l->count; i++)
			s->slot[a][l->buckets[i]] = i;
		heteroprio_list_changed(s->h, (enum arch)a);
	}
}

static void autoheteroprio_push(void *state, uint32_t task, int releaser)
{
	struct autoheteroprio *s = state;
	int bucket = learner_type(&s->learner, task);

	append_buckets(s);
	if (!s->frozen && s->since_ordering >= s->interval)
		s->since_ordering = 0;
	if (s->since_ordering == 0) {
		order_lists(s);
		update_slow_factors(s);
	}
	s->since_ordering++;
	if (!s->frozen) {
		learner_ready(&s->learner, task);
		append_buckets(s);
		update_slow_factors(s);
	}
	s->h->bucket_of_task[task] = (uint8_t)bucket;
	heteroprio_push(s->h, task, releaser);
}

static uint32_t autoheteroprio_pop(void *state, int worker)
{
	return heteroprio_pop(((struct autoheteroprio *)state)->h, worker);
}

static void autoheteroprio_started(void *state, uint32_t task, int worker)
{
	struct autoheteroprio *s = state;
	const struct policy_world *w = &s->h->world;

	(void)task;
	learner_started(&s->learner, worker, w->machine->workers[worker].arch, w->now(w->ctx));
}

static void autoheteroprio_done(void *state, uint32_t task, int worker)
{
	struct autoheteroprio *s = state;
	const struct policy_world *w = &s->h->world;

	if (!s->frozen)
		s->stale[learner_done(&s->learner, task, worker, w->machine->workers[worker].arch, w->now(w->ctx))] = 1;
}

static int autoheteroprio_finish(void *state, struct ht_err *err)
{
	struct autoheteroprio *s = state;

	if (!s->save)
		return 0;
	learner_finish(&s->learner);
	return autoheteroprio_save(&s->learner.autoheteroprio_data, s->save, NULL, err);
}

struct auto_knobs {
	struct heteroprio_knobs heteroprio; /* first: HETEROPRIO_KNOBS */
	struct knob_text policy, data, save, also;
	int la, freeze, estimation, grouping;
	int64_t interval;
	double parameters[HEURISTIC_MAX_KNOBS];
};

/* What the rows of PARAMETER are depends on the ordering: known_knobs(). */
enum { KNOB_POLICY, KNOB_LA };
static const char parameter[] = "PARAMETER";

static const struct knob knobs[] = {
	[KNOB_POLICY] = TEXT_KNOB(auto_knobs, policy, "policy", "0..27|NAME"),
	[KNOB_LA] = WORD_KNOB(auto_knobs, la, "la", "0|1", 0),
	TEXT_KNOB(auto_knobs, data, "data", "FILE"),
	TEXT_KNOB(auto_knobs, save, "save", "FILE"),
	COUNT_KNOB(auto_knobs, interval, "interval", "32", 32, 1, INT32_MAX),
	WORD_KNOB(auto_knobs, freeze, "freeze", "0|1", 0),
	WORD_KNOB(auto_knobs, estimation, "estimation", "0|1", ESTIMATE_LONG),
	WORD_KNOB(auto_knobs, grouping, "grouping", "0|1", BY_MODEL_OR_NAME),
	TEXT_KNOB(auto_knobs, also, "also", "ARCH+ARCH"),
	TEXT_KNOB(auto_knobs, parameters, parameter, "NUMBER"),
	HETEROPRIO_KNOBS,
	NEARBY_KNOBS(heteroprio_knobs, nearby, "FORMULA"),
	LAST_KNOB,
};

/* The knobs with the hyper-parameters of that ordering in place of PARAMETER, and those of locality only with it. */
static void known_knobs(const struct heuristic *ordering, int la, struct knob *known)
{
	for (const struct knob *k = knobs; k->name; k++) {
		if (!la && k->offset >= offsetof(struct heteroprio_knobs, nearby) &&
		    k->offset < sizeof(struct heteroprio_knobs))
			continue;
		if (k->name != parameter) {
			*known++ = *k;
			continue;
		}
		for (int i = 0; i < HEURISTIC_MAX_KNOBS && ordering->knobs[i].name; i++)
			*known++ = (struct knob){.name = ordering->knobs[i].name,
			                         .type = KNOB_NUMBER,
			                         .values = k->values,
			                         .dflt = ordering->knobs[i].value,
			                         .min = -INFINITY,
			                         .max = INFINITY,
			                         .offset = k->offset + (size_t)i * sizeof(double)};
	}
	*known = (struct knob)LAST_KNOB;
}

/* The text of a knob; free() it. NULL: it is not given. */
static char *text_of(const struct knob_text *text)
{
	return text->at ? ht_strndup(text->at, (size_t)text->len) : NULL;
}

static int find_ordering(struct autoheteroprio *s, const struct knob_text *policy, struct ht_err *err)
{
	char *text = text_of(policy);
	int64_t number = text ? -1 : STARPU_DEFAULT_ORDERING;

	if (text && number_parse_int(text, 0, STARPU_ORDERINGS - 1, &number) != 0) {
		for (int i = 0; i < STARPU_ORDERINGS; i++) {
			if (!strcmp(text, starpu_orderings[i].name))
				number = i;
		}
	}
	if (number < 0)
		ht_err_set(err,
		           "policy autoheteroprio: policy is a number from 0 to %d or the name of an ordering, "
		           "found \"%s\"",
		           STARPU_ORDERINGS - 1, text);
	else
		s->ordering = &starpu_orderings[number];
	free(text);
	return number < 0 ? -1 : 0;
}

/* `policy` and `la` decide which other knobs there are. */
static int read_knobs(struct autoheteroprio *s, const char *options, struct auto_knobs *k, struct ht_err *err)
{
	static const char me[] = "autoheteroprio";
	struct knob known[sizeof(knobs) / sizeof(*knobs) + HEURISTIC_MAX_KNOBS];

	if (knob_read(me, &knobs[KNOB_POLICY], options, k, err) != 0 ||
	    knob_read(me, &knobs[KNOB_LA], options, k, err) != 0 || find_ordering(s, &k->policy, err) != 0)
		return -1;
	known_knobs(s->ordering, k->la, known);
	if (knobs_read(me, known, options, k, err) != 0)
		return -1;
	s->interval = k->interval;
	s->frozen = k->freeze;
	s->learner.estimate = (enum learning_estimate)k->estimation;
	s->learner.grouping = (enum learner_grouping)k->grouping;
	s->save = text_of(&k->save);
	memcpy(s->knobs, k->parameters, sizeof(s->knobs));
	if (s->save && s->frozen)
		return ht_err_set(err, "policy %s: with freeze=1 nothing is learned that could be saved", me);
	if (k->also.at && arch_parse_set(k->also.at, k->also.len, &s->also) != 0)
		return ht_err_set(err, "policy %s: also is one or more architectures, as in opencl+hip, found \"%.*s\"",
		                  me, k->also.len, k->also.at);
	return 0;
}

/* What is learned before the first task, and from then on. */
static int open_learner(struct autoheteroprio *s, const struct policy_world *w, const struct knob_text *data,
                        struct ht_err *err)
{
	struct learner_view view = {.dag = w->dag,
	                            .present = machine_archs(w->machine),
	                            .nworkers = w->machine->nworkers,
	                            .is_submitted = w->is_submitted,
	                            .ctx = w->ctx};
	char *path = text_of(data);
	int rc = path ? autoheteroprio_load(&s->learner.autoheteroprio_data, path, err) : 0;

	free(path);
	if (rc < 0)
		return -1;
	s->where = ht_alloc(w->dag->ntypes, sizeof(*s->where));
	for (uint32_t i = 0; i < w->dag->ntypes; i++)
		s->where[i] = w->dag->types[i].where | s->also;
	view.where = s->where;
	if (learner_init(&s->learner, &view, err) < 0)
		return ht_err_wrap(err, "policy autoheteroprio");
	append_buckets(s);
	return 0;
}

static void *autoheteroprio_create(const struct policy *self, const struct policy_world *w, const char *options,
                                   struct ht_err *err)
{
	struct autoheteroprio *s = ht_alloc(1, sizeof(*s));
	struct policy_world world = *w;
	struct auto_knobs k = {0};

	world.config = NULL; /* it makes its own */
	if (read_knobs(s, options, &k, err) != 0)
		goto fail;
	s->h = heteroprio_open(&world, self->name, &k.heteroprio, k.la ? LOCALITY_ALWAYS : LOCALITY_NEVER, err);
	if (!s->h)
		goto fail;
	s->h->task_priority = 1;
	s->h->bucket_of_task = ht_alloc(w->dag->ntasks, sizeof(*s->h->bucket_of_task));
	for (int a = 0; a < ARCH_COUNT; a++) {
		for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
			s->slot[a][b] = b;
	}
	s->stale = ht_alloc(CONFIG_MAX_BUCKETS, sizeof(*s->stale));
	map_nodes(s);
	if (open_learner(s, w, &k.data, err) == 0)
		return s;
fail:
	autoheteroprio_free(s);
	return NULL;
}

static int32_t autoheteroprio_priority(void *state, uint32_t task)
{
	return heteroprio_priority(((struct autoheteroprio *)state)->h, task);
}

const struct policy policy_autoheteroprio = {
	.name = "autoheteroprio",
	.summary = "heteroprio that orders its buckets by what it learns of them (StarPU 1.4.10)",
	.knobs = knobs,
	.create = autoheteroprio_create,
	.free = autoheteroprio_free,
	.push = autoheteroprio_push,
	.pop = autoheteroprio_pop,
	.started = autoheteroprio_started,
	.done = autoheteroprio_done,
	.priority = autoheteroprio_priority,
	.finish = autoheteroprio_finish,
};
