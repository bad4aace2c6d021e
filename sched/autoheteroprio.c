/* sched/autoheteroprio.c - Heteroprio that learns while it runs: types are buckets, and their order follows scores. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * StarPU 1.4.10 with STARPU_HETEROPRIO_USE_AUTO_CALIBRATION, which is on by default (src/sched_policies/heteroprio.c):
 *
 * - A bucket is a model symbol (or codelet) and what it can run on, numbered as they appear: in the file of earlier
 *   runs, then among the tasks that become ready and their successors. A new one is last in its lists, and not held
 *   back anywhere, until the next ordering.
 * - At the first push and then every `interval` pushes, the lists are ordered by their scores (sched/learning.h).
 * - Every push looks at the graph as far as it is submitted, and then brings the slow factors up to date.
 * - Every execution gives a duration and an architecture. What workers were busy and free counts from the next run on.
 * - A worker's queue of two is ordered by the priorities that the application gave.
 *
 * A successor's predecessors are those that StarPU's graph has: tasks that had finished before it was submitted are not
 * in it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/dag.h"
#include "core/err.h"
#include "core/learnt.h"
#include "core/machine.h"
#include "core/number.h"
#include "core/ordering.h"
#include "sched/heteroprio.h"
#include "sched/learning.h"
#include "sched/nearby.h"

enum { UNKNOWN = -1, DEFAULT_INTERVAL = 32 };
enum grouping { BY_MODEL_OR_NAME, BY_NAME };

struct autoheteroprio {
	struct heteroprio *h;
	struct learnt learnt;
	const struct heuristic *ordering;
	double knobs[HEURISTIC_MAX_KNOBS];
	enum learning_estimate estimate;
	enum grouping grouping;
	int frozen;
	int64_t interval, since_ordering;
	arch_mask also;          /* codelets have implementations for these too, though the machine has none of them */
	char *save;              /* NULL: nowhere */
	int *bucket_of_type;     /* of the graph's types; UNKNOWN: none of it has been seen yet */
	unsigned char *stale;    /* per bucket: its slow factors are from before its last execution */
	int64_t *done_ns;        /* per task; -1: not yet */
	uint32_t *npred;         /* per task, as StarPU's graph has them; 0: not looked at yet */
	int64_t *hook_ns;        /* per worker: when its last task started or ended */
	double busy_us[ARCH_COUNT], free_us[ARCH_COUNT];
	int slot[ARCH_COUNT][CONFIG_MAX_BUCKETS]; /* place of a bucket in a list, as the distances of locality see it */
};

static void autoheteroprio_free(void *state)
{
	struct autoheteroprio *s = state;

	if (!s)
		return;
	heteroprio_free(s->h);
	free(s->save);
	free(s->bucket_of_type);
	free(s->stale);
	free(s->done_ns);
	free(s->npred);
	free(s->hook_ns);
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
	b->archs = s->learnt.types[bucket].where;
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

static const char *name_of(const struct autoheteroprio *s, const struct dag_type *t)
{
	const char *first = s->grouping == BY_NAME ? t->codelet : t->model;
	const char *second = s->grouping == BY_NAME ? t->model : t->codelet;

	return *first ? first : second;
}

/*
 * A file knows the architectures of a codelet, of which the graph knows only those that the machine has: a type of that
 * name is taken from the file when they agree there.
 */
static int learnt_before(const struct autoheteroprio *s, const char *name, arch_mask where)
{
	arch_mask present = machine_archs(s->h->world.machine);

	for (int i = 0; i < s->learnt.ntypes; i++) {
		const struct learnt_type *t = &s->learnt.types[i];

		if ((t->where & present) == (where & present) && !strncmp(t->name, name, LEARNT_MAX_NAME))
			return i;
	}
	return UNKNOWN;
}

/* The bucket of a task; create() has seen to it that there are not too many. */
static int bucket_of(struct autoheteroprio *s, uint32_t task)
{
	uint32_t type = s->h->world.dag->tasks[task].type;
	int *bucket = &s->bucket_of_type[type];

	if (*bucket == UNKNOWN) {
		const struct dag_type *t = &s->h->world.dag->types[type];
		int ntypes = s->learnt.ntypes;

		*bucket = learnt_before(s, name_of(s, t), t->where);
		if (*bucket == UNKNOWN)
			*bucket = learnt_type_of(&s->learnt, name_of(s, t), t->where | s->also);
		if (s->learnt.ntypes > ntypes)
			append_bucket(s, *bucket);
	}
	return *bucket;
}

static void update_slow_factors(struct autoheteroprio *s)
{
	for (int i = 0; i < s->learnt.ntypes; i++) {
		if (s->stale[i])
			s->h->buckets[i].base = learning_slow_factors(&s->learnt, i, s->h->buckets[i].slow);
		s->stale[i] = 0;
	}
}

static void order_lists(struct autoheteroprio *s)
{
	for (int a = 0; a < ARCH_COUNT; a++) {
		struct config_list *l = &s->h->lists[a];

		for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
			s->slot[a][b] = b;
		l->count = learning_order(&s->learnt, s->ordering, s->knobs, s->estimate, !s->frozen, (enum arch)a,
		                          l->buckets);
		for (int i = 0; i < l->count; i++)
			s->slot[a][l->buckets[i]] = i;
	}
}

/* Predecessors that were there when the task was submitted; at least one, or nobody would ask. */
static uint32_t predecessors(struct autoheteroprio *s, uint32_t task)
{
	const struct dag *d = s->h->world.dag;
	uint32_t n = 0;

	if (s->npred[task])
		return s->npred[task];
	for (uint32_t i = d->pred_first[task]; i < d->pred_first[task + 1]; i++) {
		int64_t done_ns = s->done_ns[d->pred[i]];

		n += done_ns < 0 || done_ns > d->tasks[task].submit_ns;
	}
	return s->npred[task] = n ? n : 1;
}

static void look_at_successors(struct autoheteroprio *s, uint32_t task, struct learning_released *r)
{
	const struct policy_world *w = &s->h->world;
	const struct dag *d = w->dag;
	double unit_us = learning_unit_us(&s->learnt);

	*r = (struct learning_released){ 0 };
	for (uint32_t i = d->succ_first[task]; i < d->succ_first[task + 1]; i++) {
		uint32_t next = d->succ[i], npred;
		const struct learnt_type *t;
		int bucket;

		if (w->is_submitted && !w->is_submitted(w->ctx, next))
			continue;
		npred = predecessors(s, next);
		bucket = bucket_of(s, next);
		t = &s->learnt.types[bucket];
		r->nod += 1 / (double)npred;
		r->best_us += learning_best_us(&s->learnt, bucket);
		for (int a = 0; a < ARCH_COUNT; a++) {
			double share = t->nshares ? t->arch[a].share : 0;

			if (share > 0)
				r->nrt[a] += share *
				             (unit_us > 0 ? learning_time_us(&s->learnt, bucket, (enum arch)a,
				                                             s->estimate) / unit_us : 1) /
				             (double)npred;
		}
	}
}

static void autoheteroprio_push(void *state, uint32_t task, int releaser)
{
	struct autoheteroprio *s = state;
	int bucket = bucket_of(s, task);

	if (!s->frozen && s->since_ordering >= s->interval)
		s->since_ordering = 0;
	if (s->since_ordering == 0) {
		order_lists(s);
		update_slow_factors(s);
	}
	s->since_ordering++;
	if (!s->frozen) {
		struct learning_released r;

		learning_ready(&s->learnt, bucket);
		look_at_successors(s, task, &r);
		learning_releases(&s->learnt, bucket, &r);
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
	int64_t now = w->now(w->ctx);

	(void)task;
	s->free_us[w->machine->workers[worker].arch] += (double)(now - s->hook_ns[worker]) / 1e3;
	s->hook_ns[worker] = now;
}

static void autoheteroprio_done(void *state, uint32_t task, int worker)
{
	struct autoheteroprio *s = state;
	const struct policy_world *w = &s->h->world;
	enum arch a = w->machine->workers[worker].arch;
	int64_t now = w->now(w->ctx), busy_ns = now - s->hook_ns[worker];
	int bucket = bucket_of(s, task);

	s->hook_ns[worker] = now;
	s->done_ns[task] = now;
	if (s->frozen)
		return;
	s->busy_us[a] += (double)busy_ns / 1e3;
	/* A clock may give 0 for a very short task, and a time is divided by: then it is the clock's resolution. */
	learning_executed(&s->learnt, bucket, a, (double)(busy_ns > 0 ? busy_ns : 1) / 1e3);
	s->stale[bucket] = 1;
}

static int autoheteroprio_finish(void *state, struct ht_err *err)
{
	struct autoheteroprio *s = state;

	if (!s->save)
		return 0;
	for (int a = 0; a < ARCH_COUNT; a++)
		learning_worked(&s->learnt, (enum arch)a, s->busy_us[a], s->free_us[a]);
	return learnt_save(&s->learnt, s->save, err);
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
		ht_err_set(err, "policy autoheteroprio: policy is a number from 0 to %d or the name of an ordering, "
		           "found \"%s\"", STARPU_ORDERINGS - 1, text);
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

static int read_where(struct autoheteroprio *s, const char *options, struct ht_err *err)
{
	const char *value;
	int len = policy_knob(options, "also", &value);

	for (int at = 0; at < len;) {
		int word = (int)strcspn(value + at, "+,");
		enum arch a = arch_parse(value + at, word);

		if (a == ARCH_NONE)
			return ht_err_set(err, "policy autoheteroprio: also is one or more architectures, as in "
			                  "opencl+hip, found \"%.*s\"", len, value);
		s->also |= (arch_mask)(1u << a);
		at += word + 1;
	}
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
	s->estimate = (enum learning_estimate)estimate;
	s->grouping = (enum grouping)grouping;
	s->save = knob_text(options, "save");
	if (rc == 0 && s->save && s->frozen)
		return ht_err_set(err, "policy %s: with freeze=1 nothing is learnt that could be saved", me);
	return rc == 0 && read_ordering(s, options, err) == 0 && read_parameters(s, options, err) == 0 ?
	               read_where(s, options, err) : -1;
}

static int load_data(struct autoheteroprio *s, const char *options, struct ht_err *err)
{
	char *path = knob_text(options, "data");
	int rc = path ? learnt_load(&s->learnt, path, err) : 0;

	free(path);
	for (int i = 0; rc == 0 && i < s->learnt.ntypes; i++)
		append_bucket(s, i);
	return rc;
}

/* More types than buckets are an error before the first task, not at it: all are looked up in a copy. */
static int check_types(struct autoheteroprio *s, struct ht_err *err)
{
	const struct dag *d = s->h->world.dag;
	struct learnt *all = ht_alloc(1, sizeof(*all));
	int rc = 0;

	*all = s->learnt;
	for (uint32_t i = 0; rc == 0 && i < d->ntypes; i++) {
		const struct dag_type *t = &d->types[i];

		if (t->count && learnt_before(s, name_of(s, t), t->where) == UNKNOWN &&
		    learnt_type_of(all, name_of(s, t), t->where | s->also) < 0)
			rc = ht_err_set(err, "policy autoheteroprio: more than %d types of tasks, which StarPU does not "
			                "take: %s is one too many", LEARNT_MAX_TYPES, t->name);
	}
	free(all);
	return rc;
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
	s->bucket_of_type = ht_alloc(w->dag->ntypes, sizeof(*s->bucket_of_type));
	for (uint32_t i = 0; i < w->dag->ntypes; i++)
		s->bucket_of_type[i] = UNKNOWN;
	for (int a = 0; a < ARCH_COUNT; a++) {
		for (int b = 0; b < CONFIG_MAX_BUCKETS; b++)
			s->slot[a][b] = b;
	}
	s->stale = ht_alloc(CONFIG_MAX_BUCKETS, sizeof(*s->stale));
	s->done_ns = ht_alloc(w->dag->ntasks, sizeof(*s->done_ns));
	memset(s->done_ns, -1, w->dag->ntasks * sizeof(*s->done_ns));
	s->npred = ht_alloc(w->dag->ntasks, sizeof(*s->npred));
	s->hook_ns = ht_alloc((size_t)w->machine->nworkers, sizeof(*s->hook_ns));
	map_nodes(s);
	if (load_data(s, options, err) == 0 && check_types(s, err) == 0)
		return s;
fail:
	autoheteroprio_free(s);
	return NULL;
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
	.finish = autoheteroprio_finish,
};
