/* generate/resize.c - a recorded task graph at another size. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/resize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/intern.h"
#include "core/base/stats.h"
#include "core/dag/dag.h"
#include "core/run/run.h"
#include "generate/data_places.h"
#include "generate/graph.h"
#include "generate/nest.h"
#include "generate/submission.h"

enum { KEY_SIZE = 4096 };

/* What is large enough for loops of loops to be seen, and their first iteration to be known for one. */
#define LARGE  "10 tiles in one direction are enough for Cholesky, 7 for LU and QR"
#define LARGER "record a larger size (" LARGE "), or a second one"

/* The places of other data are guesses from their order. */
#define COORDINATES "call starpu_data_set_coordinates() for the data that has none"

enum { MOST_UNROLLED = 12 }; /* iterations at the end of a loop whose own loops are too short to be seen */

struct key_access {
	uint32_t mode, ncoordinates, array;
	uint64_t bytes;
	int32_t home;
};

static const char *const wait_names[] = {
	[GRAPH_WAIT_FOR_DATA] = "starpu_data_acquire",
	[GRAPH_WAIT_FOR_ALL] = "starpu_task_wait_for_all",
};

/* What the tasks of one key have in common. */
struct key {
	uint32_t type; /* of the graph */
	uint32_t first, naccesses;
};

struct resizing {
	const struct data_arrays *arrays;
	enum data_shape shape; /* of data without coordinates */
	struct arena *arena;
	struct intern *texts; /* of keys: a key is the id of its text */
	struct nest_shapes *shapes;
	struct key *keys; /* by id */
	size_t nkeys, cap_keys;
	struct key_access *accesses;
	size_t naccesses, cap_accesses;
	struct idmap types; /* hash of codelet, footprint and where -> type of the graph */
	struct graph *g;
	struct idmap data;       /* hash of array and place -> handle of the graph */
	struct idmap used, last; /* of data that count, by hash of size and home: how many, and the largest number */
	int agree;               /* the runs have the same loops */
	const struct run *run;
};

static const char *model_of(const struct dag_type *t)
{
	return t->model && *t->model ? t->model : t->name;
}

/* What a task of the class takes, on each architecture and each device. */
static void set_costs(const struct resizing *r, uint32_t type, uint32_t class_id)
{
	const struct dag *d = r->run->dag;
	const struct dag_class *c = &d->classes[class_id];
	struct graph *g = r->g;

	for (int a = 0; a < ARCH_COUNT; a++)
		if (c->cost_ns[a] >= 0)
			g->types[type].cost_us[a] = (double)c->cost_ns[a] / 1e3;
	for (uint32_t i = 0; i < g->ndevices; i++) {
		int device = dag_device(d, g->devices[i].arch, g->devices[i].devid);
		int64_t own = device < 0 ? -1 : d->device_cost_ns[class_id * (size_t)d->ndevices + (size_t)device];

		if (own >= 0)
			g->device_cost_us[type * (size_t)g->ndevices + i] = (double)own / 1e3;
	}
}

/* The type of the graph that stands for a class of the run. -1 with the sentence: its name is too long. */
static int type_of(struct resizing *r, uint32_t class_id, uint32_t *type, struct ht_err *err)
{
	const struct dag_class *c = &r->run->dag->classes[class_id];
	const struct dag_type *t = &r->run->dag->types[c->codelet];
	const uint32_t numbers[] = {c->footprint, c->where};
	uint64_t hash = hash64(hash64(HASH64_START, numbers, sizeof(numbers)), t->name, strlen(t->name));
	struct graph_type *made;

	*type = idmap_get(&r->types, hash);
	if (*type != IDMAP_NONE) {
		set_costs(r, *type, class_id);
		return 0;
	}
	if (strlen(t->name) >= GRAPH_NAME || strlen(model_of(t)) >= GRAPH_NAME)
		return ht_err_set(err, "the codelet \"%.40s...\" has a name of more than %d bytes", t->name,
		                  GRAPH_NAME - 1);
	*type = graph_type_pair(r->g, t->name, -1, -1);
	made = &r->g->types[*type];
	snprintf(made->model, sizeof(made->model), "%s", model_of(t));
	made->footprint = c->footprint;
	made->narrowed = c->where;
	made->has_no_model = t->has_no_model;
	for (uint32_t i = 0; i < r->g->ndevices; i++)
		*VEC_PUSH(r->g->device_cost_us, r->g->ndevice_costs, r->g->cap_device_costs) = -1;
	set_costs(r, *type, class_id);
	idmap_put(&r->types, hash, *type);
	return 0;
}

/* The type of the graph that stands for a wait. */
static uint32_t wait_type(struct resizing *r, enum graph_wait wait)
{
	uint32_t type;

	for (type = 0; type < r->g->ntypes; type++)
		if (r->g->types[type].wait == wait)
			return type;
	type = graph_type_pair(r->g, wait_names[wait], -1, -1);
	r->g->types[type].wait = wait;
	for (uint32_t i = 0; i < r->g->ndevices; i++)
		*VEC_PUSH(r->g->device_cost_us, r->g->ndevice_costs, r->g->cap_device_costs) = -1;
	return type;
}

/* What does the step, and its name. -1 with the sentence. */
static int type_of_step(struct resizing *r, const struct submission_step *step, uint32_t *type, struct ht_err *err)
{
	if (step->wait == GRAPH_NO_WAIT)
		return type_of(r, r->run->dag->tasks[step->task].class_id, type, err);
	*type = wait_type(r, step->wait);
	return 0;
}

static const char *step_name(const struct dag *d, const struct submission_step *step)
{
	return step->wait ? wait_names[step->wait] : d->types[dag_type_of(d, step->task)].name;
}

/* Tasks of one codelet and one class of costs have the same. */
static uint64_t step_class(const struct dag *d, const struct submission_step *step)
{
	const struct dag_class *c = step->wait ? NULL : &d->classes[d->tasks[step->task].class_id];

	return c ? (uint64_t)c->where << 32 | c->footprint : 0;
}

static int too_many(const struct dag *d, const struct submission_step *step, uint32_t n, struct ht_err *err)
{
	return ht_err_set(err, "task %u, %s, has %u data, too many to compare", step->task + 1, step_name(d, step), n);
}

/* The key of a step, by a text that two steps of one key share. */
static int key_of(struct resizing *r, const struct submission_step *step, const struct data_place *data, uint32_t *id,
                  struct ht_err *err)
{
	const struct dag *d = r->run->dag;
	struct key key = {.first = (uint32_t)r->naccesses};
	const struct data_access *accesses = submission_accesses(d, step, &key.naccesses);
	char text[KEY_SIZE];
	size_t len = (size_t)snprintf(text, sizeof(text), "%d %.256s %llx", (int)step->wait, step_name(d, step),
	                              (unsigned long long)step_class(d, step));

	for (uint32_t i = 0; i < key.naccesses; i++) {
		uint32_t h = accesses[i].handle;

		len += (size_t)snprintf(text + len, sizeof(text) - len, " %x,%llu,%d,%u,%u", (unsigned)accesses[i].mode,
		                        (unsigned long long)d->handle_bytes[h], (int)d->handle_home[h],
		                        data[h].ncoordinates, data[h].array);
		if (len >= sizeof(text) - 64)
			return too_many(d, step, key.naccesses, err);
	}
	*id = intern_id(r->texts, text, len);
	while (r->nkeys <= *id)
		*VEC_PUSH(r->keys, r->nkeys, r->cap_keys) = (struct key){.type = IDMAP_NONE};
	if (type_of_step(r, step, &key.type, err) != 0)
		return -1;
	if (r->keys[*id].type != IDMAP_NONE)
		return 0;
	for (uint32_t i = 0; i < key.naccesses; i++) {
		uint32_t h = accesses[i].handle;

		*VEC_PUSH(r->accesses, r->naccesses,
		          r->cap_accesses) = (struct key_access){.mode = accesses[i].mode,
		                                                 .ncoordinates = data[h].ncoordinates,
		                                                 .array = data[h].array,
		                                                 .bytes = d->handle_bytes[h],
		                                                 .home = d->handle_home[h]};
	}
	r->keys[*id] = key;
	return 0;
}

/* The values of a step into values[NEST_MOST_VALUES]: its priority, and where its data is. Returns how many, or -1. */
static int values_of(const struct resizing *r, const struct submission_step *step, const struct data_place *data,
                     int64_t *values, struct ht_err *err)
{
	const struct dag *d = r->run->dag;
	uint32_t n, count = 0;
	const struct data_access *accesses = submission_accesses(d, step, &n);

	values[count++] = step->wait ? 0 : d->tasks[step->task].priority;
	for (uint32_t i = 0; i < n; i++) {
		const struct data_place *at = &data[accesses[i].handle];
		uint32_t nat = data_place_values(at->ncoordinates);

		if (count + nat > NEST_MOST_VALUES)
			return too_many(d, step, n, err);
		for (uint32_t k = 0; k < nat; k++)
			values[count++] = at->at[k];
	}
	return (int)count;
}

/*
 * The steps of a run from `first` on as a nest, as if those before had never been, nor the rows and columns of an array
 * before the first that these tasks use. NULL with the sentence.
 */
static struct nest *read_nest(struct resizing *r, const struct run *run, size_t first, struct ht_err *err)
{
	struct nest *n = nest_create(r->shapes);
	struct data_place *data = data_places(r->arrays, run, r->shape);
	struct submission s;
	int rc = 0;

	r->run = run;
	submission_init(&s, run->dag);
	if (first)
		data_places_from(data, run->dag, s.steps[first].task);
	for (size_t i = first; i < s.count && rc >= 0; i++) {
		int64_t values[NEST_MOST_VALUES];
		uint32_t key = 0;

		rc = key_of(r, &s.steps[i], data, &key, err);
		rc = rc == 0 ? values_of(r, &s.steps[i], data, values, err) : rc;
		if (rc > 0)
			nest_add(n, key, values, (uint32_t)rc);
	}
	submission_fini(&s);
	free(data);
	if (rc >= 0)
		return n;
	nest_free(n);
	return NULL;
}

static void note_number(struct resizing *r, uint64_t array, uint32_t number)
{
	uint32_t used = idmap_get(&r->used, array), last = idmap_get(&r->last, array);

	idmap_put(&r->used, array, used == IDMAP_NONE ? 1 : used + 1);
	if (last == IDMAP_NONE || number > last)
		idmap_put(&r->last, array, number);
}

/*
 * Numbers of data that no affine function of the size gives, such as those of a matrix by rows, leave gaps or fall on
 * each other.
 */
static int check_numbers(const struct resizing *r, struct ht_err *err)
{
	for (size_t i = 0; i < r->last.size; i++) {
		const struct idmap_slot *slot = &r->last.slots[i];
		uint64_t last = slot->value ? slot->value - 1 : 0;
		uint64_t used = slot->value ? idmap_get(&r->used, slot->key) : 1;

		if (used * 10 < (last + 1) * 9)
			return ht_err_set(err,
			                  "%llu data without coordinates would be numbered up to %llu: expected "
			                  "starpu_data_set_coordinates() in the application",
			                  (unsigned long long)used, (unsigned long long)last + 1);
	}
	return 0;
}

/* The datum of the graph at a place. -1: its place is none. */
static int handle_at(struct resizing *r, const struct key_access *x, const int64_t *at, uint32_t *handle)
{
	struct data_place place = {.ncoordinates = x->ncoordinates, .array = x->array};
	uint64_t hash;

	for (uint32_t i = 0; i < data_place_values(x->ncoordinates); i++) {
		if (at[i] < INT32_MIN || at[i] > INT32_MAX || (!x->ncoordinates && at[i] < 0))
			return -1;
		place.at[i] = (int32_t)at[i];
	}
	hash = data_place_hash(&place, x->bytes, x->home);
	*handle = idmap_get(&r->data, hash);
	if (*handle == IDMAP_NONE) {
		*handle = graph_data(r->g, 1, (double)x->bytes);
		r->g->handle_home[*handle] = x->home;
		idmap_put(&r->data, hash, *handle);
		if (!x->ncoordinates)
			note_number(r, data_numbered_hash(x->bytes, x->home), (uint32_t)place.at[0]);
	}
	return 0;
}

static int add_task(void *ctx, uint32_t id, const int64_t *values, uint32_t nvalues, struct ht_err *err)
{
	struct resizing *r = ctx;
	const struct key *key = &r->keys[id];
	const char *name = r->g->types[key->type].name;

	(void)nvalues;
	if (graph_fits((double)r->g->ntasks + 1, (double)(r->g->naccesses + key->naccesses), err) != 0)
		return -1;
	if (values[0] < INT32_MIN || values[0] > INT32_MAX)
		return ht_err_set(err, "a task of %s would have the priority %lld", name, (long long)values[0]);
	graph_task(r->g, key->type);
	*VEC_PUSH(r->g->priority, r->g->npriority, r->g->cappriority) = (int32_t)*values++;
	for (uint32_t i = 0; i < key->naccesses; i++) {
		const struct key_access *x = &r->accesses[key->first + i];
		uint32_t handle;

		if (handle_at(r, x, values, &handle) != 0)
			return ht_err_set(err, "a task of %s would use datum %lld of its array", name,
			                  (long long)*values);
		graph_use(r->g, handle, x->mode);
		values += data_place_values(x->ncoordinates);
	}
	return 0;
}

/* The beginning of what to do where loops are not seen. */
static const char *or_coordinates(const struct resizing *r)
{
	return r->arrays->are_numbered ? COORDINATES ", or " : "";
}

/* Whether the first tasks are of one codelet, with data of other sizes: it is not the number of tiles that differs. */
static int has_other_tiles(const struct dag *a, const struct submission *sa, const struct dag *b,
                           const struct submission *sb)
{
	const struct data_access *x, *y;
	uint32_t nx, ny;

	if (!sa->count || !sb->count || strcmp(step_name(a, sa->steps), step_name(b, sb->steps)) != 0)
		return 0;
	x = submission_accesses(a, sa->steps, &nx);
	y = submission_accesses(b, sb->steps, &ny);
	for (uint32_t i = 0; i < nx && nx == ny; i++)
		if (a->handle_bytes[x[i].handle] != b->handle_bytes[y[i].handle])
			return 1;
	return 0;
}

/* In the words of a user: where two runs differ. */
static int differ(const struct resizing *r, const struct run *a, const struct run *b, size_t item, struct ht_err *err)
{
	const struct dag *d = b->dag;
	struct submission s, first;

	submission_init(&s, d);
	submission_init(&first, a->dag);
	if (!item && has_other_tiles(a->dag, &first, d, &s))
		ht_err_set(err,
		           "%s and %s: the data of %s, the first task, differs in size; expected sizes that change how "
		           "many tasks there are, not how large",
		           a->path, b->path, step_name(d, s.steps));
	else if (item < s.count)
		ht_err_set(err,
		           "%s and %s do not submit the same loops: they differ from task %u of the second, %s, on; "
		           "expected regular loops of 3 iterations or more: %srecord larger sizes (" LARGE ")",
		           a->path, b->path, s.steps[item].task + 1, step_name(d, &s.steps[item]), or_coordinates(r));
	else
		ht_err_set(err, "%s does not submit the same loops as %s: it goes on where that ends", a->path,
		           b->path);
	submission_fini(&first);
	submission_fini(&s);
	return -1;
}

/* Each run but the first and the last is between them. */
static int check_between(const struct resizing *r, struct nest *const *nests, const struct run *const *runs,
                         const int64_t *sizes, size_t n, struct ht_err *err)
{
	for (size_t i = 1; i + 1 < n; i++) {
		size_t item = 0;
		struct nest *made = nest_between(nests[0], sizes[0], nests[n - 1], sizes[n - 1], sizes[i], &item, err);
		int equal = made && nest_equal(made, nests[i]);

		nest_free(made);
		if (!equal)
			return ht_err_set(err, "%s is not what the loops of %s and %s are at its size%s", runs[i]->path,
			                  runs[0]->path, runs[n - 1]->path,
			                  r->arrays->are_numbered ? ": " COORDINATES : "");
	}
	return 0;
}

/* The loops at another size, from those of several runs, which have to agree; NULL with the sentence. */
static struct nest *between(struct resizing *r, struct nest *const *nests, const struct run *const *runs,
                            const int64_t *sizes, size_t n, int64_t size, struct ht_err *err)
{
	struct nest *made;
	size_t item = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		made = nest_between(nests[i], 0, nests[n - 1], 1, 1, &item, err);
		if (!made) {
			differ(r, runs[i], runs[n - 1], item, err);
			return NULL;
		}
		nest_free(made);
	}
	r->agree = 1;
	if (check_between(r, nests, runs, sizes, n, err) != 0)
		return NULL;
	made = nest_between(nests[0], sizes[0], nests[n - 1], sizes[n - 1], size, &item, err);
	if (!made)
		ht_err_set(err,
		           "size %lld: between the sizes of the runs there is no such one, since a loop would have no "
		           "whole number of iterations",
		           (long long)size);
	return made;
}

/*
 * The same from those of one run: without the first iteration of the loop that it begins with it is the run of a
 * problem that is smaller by one, as a factorisation goes on with what is left of the matrix.
 */
static struct nest *continued(struct resizing *r, const struct nest *whole, const struct run *run, int64_t from,
                              int64_t size, struct ht_err *err)
{
	static const char *const wanted = "record another size beside it";
	const struct nest_loop l = nest_leading_loop(whole);
	const int64_t iterations = l.iterations;
	struct nest *rest, *made;
	size_t item = 0;

	if (!iterations) {
		ht_err_set(err, "%s does not begin with a loop of 4 iterations: %s" LARGER, run->path,
		           or_coordinates(r));
		return NULL;
	}
	if (l.items < l.all / 2) {
		ht_err_set(
			err,
			"%s: the loop that it begins with has %zu of its %zu tasks and waits, so that is not its outer one: %s%s",
			run->path, l.items, l.all, or_coordinates(r), wanted);
		return NULL;
	}
	if (from < iterations || from > iterations + MOST_UNROLLED) {
		ht_err_set(err,
		           "%s: its outer loop has %lld iterations, or some more that differ; expected their number "
		           "as the size of one run, such as tiles in one direction, found %lld: try --sizes %lld,NEW, "
		           "or a size up to %lld where the last iterations differ; with a second run any numbers serve "
		           "that grow with the problem",
		           run->path, (long long)iterations, (long long)from, (long long)iterations,
		           (long long)iterations + MOST_UNROLLED);
		return NULL;
	}
	rest = read_nest(r, run, l.first, err);
	if (!rest)
		return NULL;
	made = nest_between(rest, from - 1, whole, from, size, &item, err);
	r->agree = made != NULL;
	if (!made)
		ht_err_set(err, "%s: without its first iteration it is not the same loops: %s" LARGER, run->path,
		           or_coordinates(r));
	nest_free(rest);
	return made;
}

static int make(struct resizing *r, const struct run *const *runs, const int64_t *sizes, size_t n, int64_t size,
                struct ht_err *err)
{
	struct nest *nests[RESIZE_MOST_RUNS + 1] = {NULL}, *made = NULL;
	size_t most = n < RESIZE_MOST_RUNS ? n : RESIZE_MOST_RUNS;
	int rc = 0;

	for (size_t i = 0; i < most && rc == 0; i++) {
		nests[i] = read_nest(r, runs[i], 0, err);
		rc = nests[i] ? 0 : ht_err_wrap(err, "%s", runs[i]->path);
	}
	if (rc == 0) {
		made = most > 1 ? between(r, nests, runs, sizes, most, size, err) :
		                  continued(r, nests[0], runs[0], sizes[0], size, err);
		rc = made ? 0 : -1;
	}
	if (rc == 0 && nest_walk(made, add_task, r, err) != 0)
		rc = ht_err_wrap(err, "size %lld", (long long)size);
	if (rc == 0)
		rc = check_numbers(r, err);
	if (rc == 0)
		rc = graph_fits((double)r->g->ntasks, (double)r->g->naccesses, err);
	for (size_t i = 0; i < most; i++)
		nest_free(nests[i]);
	nest_free(made);
	return rc;
}

/* The median time from one submission to the next. */
static int64_t find_submit_ns(const struct dag *d)
{
	int64_t *ns = ht_alloc(d->ntasks, sizeof(*ns)), median = 0;
	size_t n = 0;

	for (uint32_t t = 1; t < d->ntasks; t++)
		ns[n++] = dag_submit_ns(d, t) - dag_submit_ns(d, t - 1);
	median = n ? stats_median(ns, n) : 0;
	free(ns);
	return median > 0 ? median : 0;
}

static struct graph *resize_as(const struct data_arrays *arrays, enum data_shape shape, const struct run *const *runs,
                               const int64_t *sizes, size_t nruns, int64_t size, int *agree, struct ht_err *err)
{
	struct resizing r = {.arrays = arrays,
	                     .shape = shape,
	                     .arena = arena_create(),
	                     .shapes = nest_shapes_create(),
	                     .g = graph_create(NULL)};
	int rc;

	r.texts = intern_create(r.arena);
	r.g->devices = runs[nruns - 1]->dag->devices;
	r.g->ndevices = runs[nruns - 1]->dag->ndevices;
	rc = make(&r, runs, sizes, nruns, size, err);
	*agree = r.agree;
	r.g->submit_ns = find_submit_ns(runs[nruns - 1]->dag);
	if (rc == 0)
		rc = graph_infer(r.g, err);
	if (rc == 0)
		graph_finish(r.g);
	intern_free(r.texts);
	arena_free(r.arena);
	nest_shapes_free(r.shapes);
	idmap_fini(&r.types);
	idmap_fini(&r.data);
	idmap_fini(&r.used);
	idmap_fini(&r.last);
	free(r.keys);
	free(r.accesses);
	if (rc == 0)
		return r.g;
	graph_free(r.g);
	return NULL;
}

struct graph *resize(const struct run *const *runs, const int64_t *sizes, size_t nruns, int64_t size,
                     struct ht_err *err)
{
	struct data_arrays arrays;
	struct graph *g;
	struct ht_err other;
	int agreed, agree;

	for (size_t i = 0; i < nruns; i++)
		if (runs[i]->dag->nranks > 1) {
			ht_err_set(err,
			           "%s: has %d MPI ranks, expected one: what several submit is not made at other sizes",
			           runs[i]->path, runs[i]->dag->nranks);
			return NULL;
		}
	for (size_t i = 1; i < nruns; i++)
		if (runs[i]->dag->ntasks < runs[i - 1]->dag->ntasks) {
			ht_err_set(
				err,
				"%s at size %lld has %u tasks, and %s at %lld has %u: expected runs in the order of their "
				"sizes, the smallest first",
				runs[i - 1]->path, (long long)sizes[i - 1], runs[i - 1]->dag->ntasks, runs[i]->path,
				(long long)sizes[i], runs[i]->dag->ntasks);
			return NULL;
		}
	data_arrays_init(&arrays, runs, sizes, nruns);
	g = resize_as(&arrays, DATA_SQUARES, runs, sizes, nruns, size, &agreed, err);
	for (int shape = DATA_SQUARES + 1; !g && arrays.are_numbered && shape < DATA_SHAPES; shape++) {
		g = resize_as(&arrays, (enum data_shape)shape, runs, sizes, nruns, size, &agree, &other);
		/* With the data in some shape the loops are the same: something else is wrong. */
		if (!g && agree && !agreed) {
			agreed = 1;
			ht_err_set(err, "%s", other.text);
		}
	}
	data_arrays_fini(&arrays);
	return g;
}
