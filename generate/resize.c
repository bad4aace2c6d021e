/* generate/resize.c - a recorded task graph at another size. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/resize.h"

#include <math.h>
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
#include "core/trace/trace.h"
#include "generate/graph.h"
#include "generate/nest.h"

enum { MOST_COORDINATES = 5, KEY_SIZE = 4096 };
enum { MOST_UNROLLED = 12 }; /* iterations at the end of a loop whose own loops are too short to be seen */

/* The data of a run, each by an array and its place in it. */
struct datum {
	int32_t at[MOST_COORDINATES];
	uint32_t ncoordinates;
	uint32_t copy; /* how many data of that place and size were before it */
};

struct key_access {
	uint32_t mode, ncoordinates, copy;
	uint64_t bytes;
	int32_t home;
};

/* What the tasks of one key have in common. */
struct key {
	uint32_t type; /* of the graph */
	uint32_t first, naccesses;
};

struct resizing {
	struct arena *arena;
	struct intern *texts; /* of keys: a key is the id of its text */
	struct nest_shapes *shapes;
	struct key *keys; /* by id */
	size_t nkeys, cap_keys;
	struct key_access *accesses;
	size_t naccesses, cap_accesses;
	struct idmap types; /* hash of codelet and footprint -> type of the graph */
	struct graph *g;
	struct idmap data;       /* hash of array and place -> handle of the graph */
	struct idmap used, last; /* of data that count, by hash of size and home: how many, and the largest number */
	const struct run *run;
};

static uint64_t place_hash(uint64_t bytes, int32_t home, uint32_t ncoordinates, const int32_t *at)
{
	uint64_t h = hash64(HASH64_START, &bytes, sizeof(bytes));

	h = hash64(h, &home, sizeof(home));
	h = hash64(h, &ncoordinates, sizeof(ncoordinates));
	return hash64(h, at, ncoordinates * sizeof(*at));
}

static uint32_t count_up(struct idmap *counts, uint64_t key)
{
	uint32_t n = idmap_get(counts, key);

	n = n == IDMAP_NONE ? 0 : n;
	idmap_put(counts, key, n + 1);
	return n;
}

/* The side of a square of so many data, 3 or more; 0: it is none. */
static uint32_t side_of(uint32_t count)
{
	uint32_t side = (uint32_t)lround(sqrt((double)count));

	return side >= 3 && side * side == count ? side : 0;
}

/* Data without coordinates that are a square of tiles, row by row or column by column. */
static void find_squares(struct datum *data, const struct dag *d, const struct idmap *counts)
{
	for (uint32_t i = 0; i < d->nhandles; i++) {
		uint32_t number = (uint32_t)data[i].at[0], side;

		if (data[i].ncoordinates)
			continue;
		side = side_of(idmap_get(counts, place_hash(d->handle_bytes[i], d->handle_home[i], 0, NULL)));
		if (!side)
			continue;
		data[i].ncoordinates = 2;
		data[i].copy = UINT32_MAX; /* of no array whose coordinates were given */
		data[i].at[0] = (int32_t)(number / side);
		data[i].at[1] = (int32_t)(number % side);
	}
}

/* free() it. */
static struct datum *find_places(const struct run *run)
{
	const struct dag *d = run->dag;
	struct datum *data = ht_alloc(d->nhandles, sizeof(*data));
	struct idmap counts = {0};

	for (uint32_t i = 0; i < d->nhandles; i++) {
		const struct trace_handle *h = &run->trace->handles[i];
		uint64_t hash;

		data[i].ncoordinates = h->ncoordinates > 0 && h->ncoordinates <= MOST_COORDINATES ?
		                               (uint32_t)h->ncoordinates :
		                               0;
		memcpy(data[i].at, h->coordinates, data[i].ncoordinates * sizeof(*data[i].at));
		hash = place_hash(d->handle_bytes[i], d->handle_home[i], data[i].ncoordinates, data[i].at);
		data[i].copy = count_up(&counts, hash);
		if (data[i].ncoordinates)
			continue;
		data[i].at[0] = (int32_t)data[i].copy;
		data[i].copy = 0;
	}
	find_squares(data, d, &counts);
	idmap_fini(&counts);
	return data;
}

/* How many values say where a datum of so many coordinates is: without any, its number. */
static uint32_t values_of(uint32_t ncoordinates)
{
	return ncoordinates ? ncoordinates : 1;
}

static uint32_t array_of(const struct dag *d, const struct datum *data, uint32_t handle, struct idmap *arrays)
{
	const int32_t copy = (int32_t)data[handle].copy;
	uint64_t hash = place_hash(d->handle_bytes[handle], d->handle_home[handle], 1, &copy);
	uint32_t array;

	hash = hash64(hash, &data[handle].ncoordinates, sizeof(data[handle].ncoordinates));
	array = idmap_get(arrays, hash);
	if (array == IDMAP_NONE)
		idmap_put(arrays, hash, array = (uint32_t)arrays->count);
	return array;
}

/* Of coordinates that are further apart than 2^31, which are no tiles, and of data that is not used, anything. */
static int32_t from_first(int32_t at, int32_t first)
{
	return (int32_t)((uint32_t)at - (uint32_t)first);
}

/* The rows, columns and so on of each array count from the first one that a task from `first` on uses. */
static void move_to_first(struct datum *data, const struct dag *d, uint32_t first)
{
	uint32_t *array = ht_alloc(d->nhandles, sizeof(*array));
	int32_t(*least)[MOST_COORDINATES] = ht_alloc(d->nhandles, sizeof(*least)); /* of each array */
	struct idmap arrays = {0};

	memset(least, 0x7f, d->nhandles * sizeof(*least)); /* further than any */
	for (uint32_t i = 0; i < d->nhandles; i++)
		array[i] = array_of(d, data, i, &arrays);
	for (uint32_t t = first; t < d->ntasks; t++)
		for (uint32_t i = 0; i < d->tasks[t].naccesses; i++) {
			uint32_t handle = d->accesses[d->tasks[t].first_access + i].handle;
			int32_t *from = least[array[handle]];

			for (uint32_t k = 0; k < values_of(data[handle].ncoordinates); k++)
				from[k] = data[handle].at[k] < from[k] ? data[handle].at[k] : from[k];
		}
	for (uint32_t i = 0; i < d->nhandles; i++)
		for (uint32_t k = 0; k < values_of(data[i].ncoordinates); k++)
			data[i].at[k] = from_first(data[i].at[k], least[array[i]][k]);
	idmap_fini(&arrays);
	free(least);
	free(array);
}

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
	uint64_t hash = hash64(hash64(HASH64_START, &c->footprint, sizeof(c->footprint)), t->name, strlen(t->name));
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
	for (uint32_t i = 0; i < r->g->ndevices; i++)
		*VEC_PUSH(r->g->device_cost_us, r->g->ndevice_costs, r->g->cap_device_costs) = -1;
	set_costs(r, *type, class_id);
	idmap_put(&r->types, hash, *type);
	return 0;
}

/* The key of a task, by a text that two tasks of one key share. */
static int key_of(struct resizing *r, uint32_t task, const struct datum *data, uint32_t *id, struct ht_err *err)
{
	const struct dag *d = r->run->dag;
	const struct dag_task *t = &d->tasks[task];
	struct key key = {.first = (uint32_t)r->naccesses, .naccesses = t->naccesses};
	char text[KEY_SIZE];
	size_t len = (size_t)snprintf(text, sizeof(text), "%.256s %x", d->types[d->classes[t->class_id].codelet].name,
	                              (unsigned)d->classes[t->class_id].footprint);

	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct data_access *x = &d->accesses[i];

		len += (size_t)snprintf(text + len, sizeof(text) - len, " %x,%llu,%d,%u,%u", (unsigned)x->mode,
		                        (unsigned long long)d->handle_bytes[x->handle], (int)d->handle_home[x->handle],
		                        data[x->handle].ncoordinates, data[x->handle].copy);
		if (len >= sizeof(text) - 64)
			return ht_err_set(err, "task %u, %s, has %u data, too many to compare", task + 1,
			                  d->types[d->classes[t->class_id].codelet].name, t->naccesses);
	}
	*id = intern_id(r->texts, text, len);
	while (r->nkeys <= *id)
		*VEC_PUSH(r->keys, r->nkeys, r->cap_keys) = (struct key){.type = IDMAP_NONE};
	if (type_of(r, t->class_id, &key.type, err) != 0)
		return -1;
	if (r->keys[*id].type != IDMAP_NONE)
		return 0;
	for (uint32_t i = t->first_access; i < t->first_access + t->naccesses; i++) {
		const struct data_access *x = &d->accesses[i];
		const struct datum *at = &data[x->handle];

		*VEC_PUSH(r->accesses, r->naccesses,
		          r->cap_accesses) = (struct key_access){.mode = x->mode,
		                                                 .ncoordinates = at->ncoordinates,
		                                                 .copy = at->copy,
		                                                 .bytes = d->handle_bytes[x->handle],
		                                                 .home = d->handle_home[x->handle]};
	}
	r->keys[*id] = key;
	return 0;
}

/*
 * The tasks of a run from `first` on as a nest, as if those before had never been, nor the rows and columns of an array
 * before the first that these tasks use. NULL with the sentence.
 */
static struct nest *read_nest(struct resizing *r, const struct run *run, uint32_t first, struct ht_err *err)
{
	struct nest *n = nest_create(r->shapes);
	struct datum *data;

	r->run = run;
	data = find_places(run);
	if (first)
		move_to_first(data, run->dag, first);
	for (uint32_t t = first; t < run->dag->ntasks; t++) {
		const struct dag_task *x = &run->dag->tasks[t];
		int64_t values[NEST_MOST_VALUES];
		uint32_t key = 0, n_values = 0;

		if (key_of(r, t, data, &key, err) != 0)
			goto fail;
		values[n_values++] = x->priority;
		for (uint32_t i = 0; i < x->naccesses; i++) {
			const struct datum *at = &data[run->dag->accesses[x->first_access + i].handle];
			uint32_t n_at = values_of(at->ncoordinates);

			if (n_values + n_at > NEST_MOST_VALUES) {
				ht_err_set(err, "task %u, %s, has %u data, too many to compare", t + 1,
				           run->dag->types[dag_type_of(run->dag, t)].name, x->naccesses);
				goto fail;
			}
			for (uint32_t k = 0; k < n_at; k++)
				values[n_values++] = at->at[k];
		}
		nest_add(n, key, values, n_values);
	}
	free(data);
	return n;
fail:
	free(data);
	nest_free(n);
	return NULL;
}

static void note_number(struct resizing *r, uint64_t array, uint32_t number)
{
	uint32_t last = idmap_get(&r->last, array);

	count_up(&r->used, array);
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
	int32_t place[MOST_COORDINATES + 1] = {0};
	uint32_t n = values_of(x->ncoordinates);
	uint64_t hash;

	for (uint32_t i = 0; i < n; i++) {
		if (at[i] < INT32_MIN || at[i] > INT32_MAX || (!x->ncoordinates && at[i] < 0))
			return -1;
		place[i] = (int32_t)at[i];
	}
	place[n] = (int32_t)x->copy;
	hash = place_hash(x->bytes, x->home, n + 1, place);
	hash = hash64(hash, &x->ncoordinates, sizeof(x->ncoordinates));
	*handle = idmap_get(&r->data, hash);
	if (*handle == IDMAP_NONE) {
		*handle = graph_data(r->g, 1, (double)x->bytes);
		idmap_put(&r->data, hash, *handle);
		if (!x->ncoordinates)
			note_number(r, place_hash(x->bytes, x->home, 0, NULL), (uint32_t)place[0]);
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
		values += values_of(x->ncoordinates);
	}
	return 0;
}

/* In the words of a user: where two runs differ. */
static int differ(struct ht_err *err, const struct run *a, const struct run *b, size_t item)
{
	const struct dag *d = b->dag;

	if (item < d->ntasks)
		return ht_err_set(err,
		                  "%s and %s do not submit the same loops: they differ from task %zu of the second, "
		                  "%s, on; expected regular loops, at sizes at which each has 3 iterations or more",
		                  a->path, b->path, item + 1, d->types[dag_type_of(d, item)].name);
	return ht_err_set(err, "%s does not submit the same loops as %s: it goes on where that ends", a->path, b->path);
}

/* Each run but the first and the last is between them. */
static int check_between(struct nest *const *nests, const struct run *const *runs, const int64_t *sizes, size_t n,
                         struct ht_err *err)
{
	for (size_t i = 1; i + 1 < n; i++) {
		size_t item = 0;
		struct nest *made = nest_between(nests[0], sizes[0], nests[n - 1], sizes[n - 1], sizes[i], &item, err);
		int equal = made && nest_equal(made, nests[i]);

		nest_free(made);
		if (!equal)
			return ht_err_set(err, "%s is not what the loops of %s and %s are at its size", runs[i]->path,
			                  runs[0]->path, runs[n - 1]->path);
	}
	return 0;
}

/* The loops at another size, from those of several runs, which have to agree; NULL with the sentence. */
static struct nest *between(struct nest *const *nests, const struct run *const *runs, const int64_t *sizes, size_t n,
                            int64_t size, struct ht_err *err)
{
	struct nest *made;
	size_t item = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		made = nest_between(nests[i], 0, nests[n - 1], 1, 1, &item, err);
		if (!made) {
			differ(err, runs[i], runs[n - 1], item);
			return NULL;
		}
		nest_free(made);
	}
	if (check_between(nests, runs, sizes, n, err) != 0)
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
	static const char *const wanted = "expected a run of another size beside it";
	const struct nest_loop l = nest_leading_loop(whole);
	const int64_t iterations = l.iterations;
	struct nest *rest, *made;
	size_t item = 0;

	if (!iterations) {
		ht_err_set(err, "%s does not begin with a loop of 4 iterations: %s", run->path, wanted);
		return NULL;
	}
	if (l.items < l.all / 2) {
		ht_err_set(err,
		           "%s: the loop that it begins with has %zu of its %zu tasks, so that is not its outer one: %s",
		           run->path, l.items, l.all, wanted);
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
	rest = read_nest(r, run, (uint32_t)l.first, err);
	if (!rest)
		return NULL;
	made = nest_between(rest, from - 1, whole, from, size, &item, err);
	if (!made)
		ht_err_set(err, "%s: without its first iteration it is not the same loops: %s", run->path, wanted);
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
		made = most > 1 ? between(nests, runs, sizes, most, size, err) :
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

struct graph *resize(const struct run *const *runs, const int64_t *sizes, size_t nruns, int64_t size,
                     struct ht_err *err)
{
	struct resizing r = {.arena = arena_create(), .shapes = nest_shapes_create(), .g = graph_create(NULL)};
	int rc;

	r.texts = intern_create(r.arena);
	r.g->devices = runs[nruns - 1]->dag->devices;
	r.g->ndevices = runs[nruns - 1]->dag->ndevices;
	rc = make(&r, runs, sizes, nruns, size, err);
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
