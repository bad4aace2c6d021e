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
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/number.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/ordering.h"
#include "sched/heteroprio/heteroprio.h"
#include "sched/heteroprio/learner.h"
#include "sched/heteroprio/nearby.h"

enum { DEFAULT_INTERVAL = 32 };

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

/* The bucket of a type that has just been learnt of: last everywhere, and not held back. */
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
	}
	s->stale[bucket] = 1;
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
		if (s->stale[i])
			s->h->buckets[i].base = learning_slow_factors(&s->learner.autoheteroprio_data, i,
			                                              s->h->buckets[i].slow);
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

/* The text of a knob; free() it. NULL: it is not given. */
static char *knob_text(const char *options, const char *name)
{
	const char *value;
	int len = policy_knob(options, name, &value);

	return len < 0 ? NULL : ht_strndup(value, (size_t)len);
}

static int read_ordering(struct autoheteroprio *s, const char *options, struct ht_err *err)
{
	char *text = knob_text(options, "policy");
	int64_t number = text ? -1 : STARPU_DEFAULT_ORDERING;

	if (text && number_parse_int(text, 0, STARPU_ORDERINGS - 1, &number) < 0) {
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

/* The hyper-parameters of the ordering, by their names. */
static int read_parameters(struct autoheteroprio *s, const char *options, struct ht_err *err)
{
	for (int i = 0; i < HEURISTIC_MAX_KNOBS; i++) {
		const struct heuristic_knob *k = &s->ordering->knobs[i];
		char *text = k->name ? knob_text(options, k->name) : NULL;
		int bad;

		s->knobs[i] = k->value;
		bad = text && number_parse(text, &s->knobs[i]) < 0;
		if (bad)
			ht_err_set(err, "policy autoheteroprio: %s is a number, found \"%s\"", k->name, text);
		free(text);
		if (bad)
			return -1;
	}
	return 0;
}

static int read_also(struct autoheteroprio *s, const char *options, struct ht_err *err)
{
	const char *value;
	int len = policy_knob(options, "also", &value);

	if (len >= 0 && arch_parse_set(value, len, &s->also) < 0)
		return ht_err_set(err,
		                  "policy autoheteroprio: also is one or more architectures, as in opencl+hip, "
		                  "found \"%.*s\"",
		                  len, value);
	return 0;
}

static int read_knobs(struct autoheteroprio *s, const char *options, struct ht_err *err)
{
	static const char me[] = "autoheteroprio";
	char *interval = knob_text(options, "interval");
	int estimate = heteroprio_choice(me, options, "estimation", "0", "1", ESTIMATE_LONG, err);
	int grouping = heteroprio_choice(me, options, "grouping", "0", "1", BY_MODEL_OR_NAME, err);
	int rc = 0;

	s->interval = DEFAULT_INTERVAL;
	s->frozen = heteroprio_choice(me, options, "freeze", "0", "1", 0, err);
	if (estimate < 0 || grouping < 0 || s->frozen < 0)
		rc = -1;
	else if (interval && number_parse_int(interval, 1, INT32_MAX, &s->interval) < 0)
		rc = ht_err_set(err, "policy %s: interval is a number of tasks, found \"%s\"", me, interval);
	free(interval);
	s->learner.estimate = (enum learning_estimate)estimate;
	s->learner.grouping = (enum learner_grouping)grouping;
	s->save = knob_text(options, "save");
	if (rc == 0 && s->save && s->frozen)
		return ht_err_set(err, "policy %s: with freeze=1 nothing is learnt that could be saved", me);
	return rc == 0 && read_ordering(s, options, err) == 0 && read_parameters(s, options, err) == 0 ?
	               read_also(s, options, err) :
	               -1;
}

/* What is learnt before the first task, and from then on. */
static int open_learner(struct autoheteroprio *s, const struct policy_world *w, const char *options, struct ht_err *err)
{
	struct learner_view view = {.dag = w->dag,
	                            .present = machine_archs(w->machine),
	                            .nworkers = w->machine->nworkers,
	                            .is_submitted = w->is_submitted,
	                            .ctx = w->ctx};
	char *path = knob_text(options, "data");
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

/* Those of locality only with it, and the hyper-parameters of the ordering that was chosen. */
static int check_knobs(const struct autoheteroprio *s, const char *options, int la, struct ht_err *err)
{
	static const char own[] = "policy|la|data|save|interval|freeze|estimation|grouping|also|" HETEROPRIO_KNOBS;
	char known[1024];
	int n = snprintf(known, sizeof(known), "%s%s", own, la ? "|" NEARBY_KNOBS : "");

	for (int i = 0; i < HEURISTIC_MAX_KNOBS && s->ordering->knobs[i].name; i++)
		n += snprintf(known + n, sizeof(known) - (size_t)n, "|%s", s->ordering->knobs[i].name);
	return policy_knobs_check("autoheteroprio", options, known, err);
}

static void *autoheteroprio_create(const struct policy_world *w, const char *options, struct ht_err *err)
{
	struct autoheteroprio *s = ht_alloc(1, sizeof(*s));
	struct policy_world world = *w;
	int la = heteroprio_choice("autoheteroprio", options, "la", "0", "1", 0, err);

	world.config = NULL; /* it makes its own */
	if (la < 0 || read_knobs(s, options, err) < 0 || check_knobs(s, options, la, err) < 0)
		goto fail;
	s->h = heteroprio_open(&world, "autoheteroprio", options, la ? LOCALITY_ALWAYS : LOCALITY_NEVER, err);
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
	if (open_learner(s, w, options, err) == 0)
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
	.knobs = "policy=0..27|NAME\nla=0|1\ndata=FILE\nsave=FILE\ninterval=32\nfreeze=0|1\nestimation=0|1\n"
		 "grouping=0|1\nalso=ARCH+ARCH\nPARAMETER=NUMBER\nvariant=starpu|paper\ndrivers=polling|blocking\n"
		 "prefetch=none|one\npush=FORMULA\nstep_ARCH=N\nsubgroup_ARCH=N",
	.create = autoheteroprio_create,
	.free = autoheteroprio_free,
	.push = autoheteroprio_push,
	.pop = autoheteroprio_pop,
	.started = autoheteroprio_started,
	.done = autoheteroprio_done,
	.priority = autoheteroprio_priority,
	.finish = autoheteroprio_finish,
};
