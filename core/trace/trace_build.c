/* core/trace/trace_build.c - how the readers put a trace together: look up or create, then finish. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/trace_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/trace/reductions.h"

/* More task names than this under one model symbol are names of tasks, not of codelets: the symbol is the type. */
enum { MAX_NAMES_PER_MODEL = 16 };

/* Ranks in the high bits: job ids and addresses of Linux programs use at most 48. */
static uint64_t key_of(int rank, uint64_t id)
{
	return id ^ (uint64_t)(unsigned)rank << 48;
}

void trace_build_init(struct trace_builder *b, enum trace_source source)
{
	*b = (struct trace_builder){0};
	b->t = ht_alloc(1, sizeof(*b->t));
	b->t->source = source;
	b->t->arena = arena_create();
	b->t->strings = intern_create(b->t->arena);
	b->t->host = "";
	b->t->nranks = 1;
}

static uint32_t add_task(struct trace_builder *b, int rank, uint64_t job)
{
	struct trace *t = b->t;
	uint32_t id = (uint32_t)t->ntasks;
	struct trace_task *task = VEC_PUSH(t->tasks, t->ntasks, b->cap_tasks);

	task->job = job;
	task->rank = (uint64_t)rank % TRACE_RANKS;
	b->wide_job |= job >> TRACE_JOB_BITS != 0;
	task->submit_ns = task->start_ns = task->end_ns = TIME_NONE;
	task->worker = task->node = -1;
	task->parallel = 1;
	job_map_put(&b->jobs, key_of(rank, job), id);
	return id;
}

uint32_t trace_build_task(struct trace_builder *b, int rank, uint64_t job)
{
	uint32_t id = job_map_get(&b->jobs, key_of(rank, job));

	return id != IDMAP_NONE ? id : add_task(b, rank, job);
}

uint32_t trace_build_task_again(struct trace_builder *b, uint32_t task)
{
	return add_task(b, (int)b->t->tasks[task].rank, b->t->tasks[task].job);
}

struct trace_extra *trace_build_extra(struct trace_builder *b, uint32_t task)
{
	static const struct trace_extra none = TRACE_EXTRA_NONE;

	while (b->nextras <= task)
		*VEC_PUSH(b->t->extras, b->nextras, b->cap_extras) = none;
	return &b->t->extras[task];
}

uint32_t trace_build_register(struct trace_builder *b, int rank, uint64_t address)
{
	struct trace *t = b->t;
	uint64_t key = key_of(rank, address);
	uint32_t old = idmap_get(&b->handles, key), id = (uint32_t)t->nhandles;
	struct trace_handle *h = VEC_PUSH(t->handles, t->nhandles, b->cap_handles);

	h->address = address;
	h->rank = rank;
	h->epoch = old == IDMAP_NONE ? 0 : t->handles[old].epoch + 1;
	h->home_node = -1;
	h->register_ns = h->unregister_ns = TIME_NONE;
	idmap_put(&b->handles, key, id);
	return id;
}

uint32_t trace_build_handle(struct trace_builder *b, int rank, uint64_t address)
{
	uint32_t id = idmap_get(&b->handles, key_of(rank, address));

	return id != IDMAP_NONE ? id : trace_build_register(b, rank, address);
}

void trace_build_unregister(struct trace_builder *b, int rank, uint64_t address, int64_t ns)
{
	uint32_t id = idmap_get(&b->handles, key_of(rank, address));

	if (id != IDMAP_NONE)
		b->t->handles[id].unregister_ns = ns;
}

uint32_t trace_build_worker(struct trace_builder *b, int rank, uint32_t id)
{
	struct trace *t = b->t;
	uint64_t key = key_of(rank, id);
	uint32_t w = idmap_get(&b->workers, key);
	struct trace_worker *worker;

	if (w != IDMAP_NONE)
		return w;
	w = (uint32_t)t->nworkers;
	worker = VEC_PUSH(t->workers, t->nworkers, b->cap_workers);
	worker->arch = ARCH_NONE;
	worker->rank = rank;
	worker->id = (int32_t)id;
	worker->devid = worker->node = worker->binding = -1;
	idmap_put(&b->workers, key, w);
	return w;
}

/* So far every access was of the size of its data. */
static void keep_sizes(struct trace_builder *b)
{
	struct trace *t = b->t;

	VEC_FIT(t->access_bytes, b->cap_access_bytes, t->naccesses);
	for (size_t i = 0; i < t->naccesses; i++)
		t->access_bytes[i] = t->handles[t->accesses[i].handle].size_bytes;
}

void trace_build_access(struct trace_builder *b, uint32_t task, uint32_t handle, uint32_t mode, uint64_t size)
{
	struct trace *t = b->t;
	struct trace_handle *h = &t->handles[handle];

	if (!h->size_bytes)
		h->size_bytes = size;
	if (size != h->size_bytes && !t->access_bytes)
		keep_sizes(b);
	if (t->access_bytes) {
		VEC_FIT(t->access_bytes, b->cap_access_bytes, t->naccesses);
		t->access_bytes[t->naccesses] = size;
	}
	*VEC_PUSH(t->accesses, t->naccesses, b->cap_accesses) = (struct data_access){handle, mode & ACCESS_OF_STARPU};
	if (!b->nruns || b->runs[b->nruns - 1].task != task)
		VEC_PUSH(b->runs, b->nruns, b->cap_runs)->task = task;
	b->runs[b->nruns - 1].count++;
}

void trace_build_dep(struct trace_builder *b, uint32_t pred, uint32_t succ, enum trace_dep_kind kind)
{
	struct trace_dep *d = VEC_PUSH(b->t->deps, b->t->ndeps, b->cap_deps);

	d->pred = pred;
	d->succ = succ;
	d->kind = (uint8_t)kind;
}

/* Counting sort by task; accesses of one task keep their order. */
static void sort_accesses(struct trace_builder *b)
{
	struct trace *t = b->t;
	struct data_access *sorted = ht_alloc(t->naccesses, sizeof(*sorted));
	uint64_t *bytes = t->access_bytes ? ht_alloc(t->naccesses, sizeof(*bytes)) : NULL;
	size_t from = 0;
	uint32_t at = 0;

	for (size_t i = 0; i < t->ntasks; i++) {
		t->tasks[i].first_access = at;
		at += t->tasks[i].naccesses;
		t->tasks[i].naccesses = 0;
	}
	for (size_t i = 0; i < b->nruns; from += b->runs[i++].count) {
		struct trace_task *task = &t->tasks[b->runs[i].task];
		size_t to = task->first_access + task->naccesses, n = b->runs[i].count;

		memcpy(sorted + to, t->accesses + from, n * sizeof(*sorted));
		if (bytes)
			memcpy(bytes + to, t->access_bytes + from, n * sizeof(*bytes));
		task->naccesses += b->runs[i].count;
	}
	free(t->accesses);
	free(t->access_bytes);
	t->accesses = sorted;
	t->access_bytes = bytes;
}

/* Gives every task its accesses, which are in place already where those of no task were recorded in several pieces. */
static void place_accesses(struct trace_builder *b)
{
	struct trace *t = b->t;
	uint32_t at = 0;
	int in_pieces = 0;

	for (size_t i = 0; i < b->nruns; at += b->runs[i++].count) {
		struct trace_task *task = &t->tasks[b->runs[i].task];

		in_pieces |= task->naccesses > 0;
		task->first_access = at;
		task->naccesses += b->runs[i].count;
	}
	if (in_pieces)
		sort_accesses(b);
	free(b->runs);
	b->runs = NULL;
}

static int worker_order(const void *x, const void *y)
{
	const struct trace_worker *a = x, *b = y;

	return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank) : (a->id > b->id) - (a->id < b->id);
}

/* Workers in the order of (rank, id), whatever order they started in. */
static void place_workers(struct trace_builder *b)
{
	struct trace *t = b->t;
	uint32_t *moved = ht_alloc(t->nworkers, sizeof(*moved));

	if (t->nworkers)
		qsort(t->workers, t->nworkers, sizeof(*t->workers), worker_order);
	for (size_t i = 0; i < t->nworkers; i++)
		moved[idmap_get(&b->workers, key_of(t->workers[i].rank, (uint32_t)t->workers[i].id))] = (uint32_t)i;
	for (size_t i = 0; i < t->ntasks; i++) {
		if (t->tasks[i].worker >= 0)
			t->tasks[i].worker = (int32_t)moved[t->tasks[i].worker];
	}
	for (size_t i = 0; i < b->nextras; i++) {
		if (t->extras[i].pusher >= 0)
			t->extras[i].pusher = (int32_t)moved[t->extras[i].pusher];
	}
	for (size_t i = 0; i < t->nspans; i++)
		t->spans[i].worker = moved[t->spans[i].worker];
	for (size_t i = 0; i < t->nworkers; i++) {
		struct trace_worker *w = &t->workers[i];
		char name[32];

		if (w->arch == ARCH_NONE) {
			w->arch = ARCH_CPU;
			t->defects.unknown_workers++;
		}
		if (!w->name)
			w->name = intern_str(t->strings,
			                     arch_worker_name(w->arch, w->devid >= 0 ? w->devid : w->id, name));
	}
	free(moved);
}

static uint32_t add_codelet(struct trace_builder *b, uint32_t name, uint32_t model)
{
	struct trace *t = b->t;
	struct trace_codelet *c;

	c = VEC_PUSH(t->codelets, t->ncodelets, b->cap_codelets);
	c->name = name;
	c->model = model;
	return (uint32_t)t->ncodelets - 1;
}

/* Labels are unique: the codelet's name, with the model symbol after it where two share a name. */
static void label_codelets(struct trace *t)
{
	uint32_t *models_of_name = ht_alloc(intern_count(t->strings), sizeof(*models_of_name));

	for (size_t i = 0; i < t->ncodelets; i++)
		models_of_name[t->codelets[i].name]++;
	for (size_t i = 0; i < t->ncodelets; i++) {
		struct trace_codelet *c = &t->codelets[i];
		char text[600];

		c->label = c->name ? c->name : c->model;
		if (c->name && c->model && models_of_name[c->name] > 1) {
			snprintf(text, sizeof(text), "%.256s/%.256s", trace_text(t, c->name), trace_text(t, c->model));
			c->label = intern_str(t->strings, text);
		}
		if (!c->label)
			c->label = intern_str(t->strings, "unknown");
	}
	free(models_of_name);
}

/* As StarPU names a task that the program gave no name. */
static void name_built_tasks(struct trace *t)
{
	uint32_t built = intern_str(t->strings, TRACE_TASK_BUILD), unknown = intern_str(t->strings, "unknown");

	for (size_t i = 0; i < t->ntasks; i++) {
		struct trace_task *task = &t->tasks[i];

		if (task->name == built)
			task->name = task->model ? task->model : unknown;
	}
}

/*
 * A type is a codelet name and a model symbol. StarPU records the task's own name in place of the codelet's where the
 * application gave it one, so a model with many names is taken as one type, and a name with several models as several.
 */
static void place_codelets(struct trace_builder *b)
{
	struct trace *t = b->t;
	uint32_t nstrings = intern_count(t->strings);
	uint32_t *names_of_model = ht_alloc(nstrings, sizeof(*names_of_model));
	uint32_t unknown = intern_str(t->strings, "unknown");
	struct idmap pairs = {0}, types = {0};
	uint64_t last = 0; /* tasks of a type often follow each other */
	uint32_t last_id = TRACE_NONE;

	for (size_t i = 0; i < t->ntasks; i++) {
		struct trace_task *task = &t->tasks[i];
		uint64_t pair = (uint64_t)task->model << 32 | task->name;

		if (task->start_ns == TIME_NONE || !task->model || pair == last)
			continue;
		last = pair;
		if (idmap_get(&pairs, pair) != IDMAP_NONE)
			continue;
		idmap_put(&pairs, pair, 1);
		names_of_model[task->model]++;
	}
	for (size_t i = 0; i < t->ntasks; i++) {
		struct trace_task *task = &t->tasks[i];
		uint32_t name = task->name == unknown ? 0 : task->name, model = task->model, id;
		struct trace_codelet *c;
		uint64_t pair;

		task->codelet = TRACE_NONE;
		if (task->start_ns == TIME_NONE || task->worker < 0 || trace_extra(t, task)->excluded)
			continue;
		if (model && names_of_model[model] > MAX_NAMES_PER_MODEL)
			name = 0;
		pair = (uint64_t)model << 32 | name;
		id = pair == last && last_id != TRACE_NONE ? last_id : idmap_get(&types, pair);
		if (id == IDMAP_NONE) {
			id = add_codelet(b, name, model);
			idmap_put(&types, pair, id);
		}
		last = pair;
		last_id = id;
		task->codelet = id;
		c = &t->codelets[id];
		c->executed += trace_task_counts(task) != 0;
	}
	label_codelets(t);
	idmap_fini(&pairs);
	idmap_fini(&types);
	free(names_of_model);
}

static void builder_fini(struct trace_builder *b)
{
	free(b->runs);
	job_map_fini(&b->jobs);
	idmap_fini(&b->handles);
	idmap_fini(&b->workers);
	idmap_fini(&b->threads);
}

struct trace *trace_build_finish(struct trace_builder *b, const char *path, struct ht_err *err)
{
	struct trace *t = b->t;
	const char *broken;

	job_map_fini(&b->jobs);
	if (b->nextras && t->ntasks)
		trace_build_extra(b, (uint32_t)t->ntasks - 1);
	place_accesses(b);
	reductions_complete(b);
	place_workers(b);
	name_built_tasks(t);
	place_codelets(b);
	for (size_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *task = &t->tasks[i];

		if (t->source == TRACE_FXT && task->submit_ns != TIME_NONE &&
		    trace_extra(t, task)->done_ns == TIME_NONE)
			t->defects.unfinished++;
		else if (task->start_ns != TIME_NONE && task->end_ns == TIME_NONE)
			t->defects.unfinished++;
	}
	for (size_t i = 0; t->source == TRACE_FXT && i < t->nhandles; i++)
		t->defects.orphan_accesses += t->handles[i].register_ns == TIME_NONE;
	builder_fini(b);
	broken = b->wide_job ? "a job id has more than 48 bits" : trace_check(t);
	if (broken) {
		ht_err_set(err, "%s: the trace does not hold together: %s", path, broken);
		trace_free(t);
		return NULL;
	}
	return t;
}

void trace_build_abort(struct trace_builder *b)
{
	builder_fini(b);
	trace_free(b->t);
}
