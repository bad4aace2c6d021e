/* core/trace/fxt_task_events.c - events of workers and tasks into a trace, and the table of all handlers. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/trace/fxt_reader.h"

enum { MAX_WORKERS = 4096, MASK_META_ONLY = 1 };

uint32_t fxt_task(struct fxt_reader *r, uint64_t job)
{
	return trace_build_task(&r->b, r->rank, job);
}

/* The same where an event submits it, or, by itself, shows that StarPU has. */
static uint32_t task_now(struct fxt_reader *r, uint64_t job, int by_itself)
{
	uint32_t id = fxt_task(r, job);

	return fxt_is_over(r, id, by_itself) ? fxt_repeat(r, id, by_itself) : id;
}

/* Valid until the next task is made. */
static struct trace_task *task_at(struct fxt_reader *r, uint64_t job)
{
	uint32_t id = fxt_task(r, job); /* may move the array: first */

	return &r->b.t->tasks[id];
}

static struct trace_extra *extra_at(struct fxt_reader *r, uint64_t job)
{
	return trace_build_extra(&r->b, fxt_task(r, job));
}

static int range_error(const struct fxt_reader *r, const struct fxt_event *e, const char *what, uint64_t found,
                       int limit, struct ht_err *err)
{
	return ht_err_set(err, "%s: event 0x%04x at %llu ns: expected a %s below %d, found %llu", r->path, e->code,
	                  (unsigned long long)e->tick, what, limit, (unsigned long long)found);
}

static void span_start(struct fxt_reader *r, uint32_t worker, enum trace_span_kind kind, int64_t ns)
{
	if (worker == IDMAP_NONE)
		return;
	while (r->nopen <= worker) {
		r->open = ht_realloc(r->open, r->nopen + 1, sizeof(*r->open));
		for (int k = 0; k < SPAN_COUNT; k++)
			r->open[r->nopen][k] = TIME_NONE;
		r->nopen++;
	}
	r->open[worker][kind] = ns;
}

static void span_end(struct fxt_reader *r, uint32_t worker, enum trace_span_kind kind, int64_t ns)
{
	struct trace_span *s;

	if (worker == IDMAP_NONE || worker >= r->nopen || r->open[worker][kind] == TIME_NONE)
		return;
	s = VEC_PUSH(r->b.t->spans, r->b.t->nspans, r->b.cap_spans);
	s->worker = worker;
	s->kind = (uint8_t)kind;
	s->start_ns = r->open[worker][kind];
	s->end_ns = ns;
	r->open[worker][kind] = TIME_NONE;
}

static uint32_t worker_of_thread(const struct fxt_reader *r, uint64_t tid)
{
	return idmap_get(&r->b.threads, tid);
}

/* Worker ids are StarPU's own; -1 stands for a task that ran outside a worker. */
static int worker_of(struct fxt_reader *r, const struct fxt_event *e, uint32_t param, uint32_t *worker,
                     struct ht_err *err)
{
	uint64_t id = fxt_param(e, param);

	*worker = IDMAP_NONE;
	if ((int32_t)id < 0)
		return 0;
	if (id >= MAX_WORKERS)
		return range_error(r, e, "worker number", id, MAX_WORKERS, err);
	*worker = trace_build_worker(&r->b, r->rank, (uint32_t)id);
	return 0;
}

int fxt_node(struct fxt_reader *r, const struct fxt_event *e, uint32_t param, int *node, struct ht_err *err)
{
	uint64_t n = fxt_param(e, param);

	if (n >= TRACE_NODES)
		return range_error(r, e, "memory node", n, TRACE_NODES, err);
	*node = (int)n;
	if (*node >= r->b.t->nnodes)
		r->b.t->nnodes = *node + 1;
	return 0;
}

/* 1.4 numbers worker kinds from 0x100 by architecture; 1.3 has a kind for application threads in front. */
static enum arch arch_of_kind(uint64_t kind, int minor)
{
	static const enum arch old[] = {ARCH_NONE, ARCH_CPU, ARCH_CUDA, ARCH_OPENCL, ARCH_MIC, ARCH_NONE, ARCH_MPI_MS};

	if (kind < 0x100 || kind >= 0x100 + ARCH_COUNT)
		return ARCH_NONE;
	if (minor >= 4)
		return (enum arch)(kind - 0x100);
	return kind - 0x100 < sizeof(old) / sizeof(old[0]) ? old[kind - 0x100] : ARCH_NONE;
}

static int on_worker(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	enum arch a = arch_of_kind(fxt_param(e, 0), r->minor);
	struct trace_worker *w;
	uint32_t id;
	int node;

	(void)ns;
	if (worker_of(r, e, 1, &id, err) != 0 || fxt_node(r, e, 3, &node, err) != 0)
		return -1;
	if (id == IDMAP_NONE)
		return 0;
	if (a == ARCH_NONE)
		return ht_err_set(err, "%s: event 0x5100 at %llu ns: expected a kind of worker, found 0x%llx", r->path,
		                  (unsigned long long)e->tick, (unsigned long long)fxt_param(e, 0));
	w = &r->b.t->workers[id];
	w->arch = a;
	w->devid = (int32_t)fxt_param(e, 2);
	w->node = node;
	w->binding = (int32_t)fxt_param(e, 4);
	w->tid = fxt_param(e, 6);
	/* Several workers of a device share a thread: what is known by thread alone counts for the first of them. */
	if (worker_of_thread(r, w->tid) == IDMAP_NONE)
		idmap_put(&r->b.threads, w->tid, id);
	return 0;
}

/*
 * 1.5 records bodies of tasks without a codelet and of those with STARPU_NOWHERE, which run nothing; their worker is
 * the one that released them. Parameter 5 of a body's start and end says so.
 */
static int is_no_work(const struct fxt_reader *r, const struct fxt_event *e)
{
	return r->minor >= 5 && fxt_param(e, 5) != 0;
}

/*
 * When a body began of which StarPU says now that it has. A kernel that was queued behind another one begins when that
 * ends, while the thread of the device is still busy with what the end of that one brings about (StarPU 1.4.10,
 * driver_cuda.c: it "was already queued, it's now running, record its start time"): the function of its codelet has
 * returned before, and not when the same task was executed before. Over SimGrid the thread takes no time for that.
 */
static int64_t began(struct fxt_reader *r, uint32_t task, uint32_t worker, int64_t ns)
{
	int64_t queued = trace_build_extra(&r->b, task)->returned_ns, before = r->b.t->tasks[task].end_ns;

	if (queued == TIME_NONE || queued > ns || (before != TIME_NONE && queued <= before) || worker >= r->cap_ended ||
	    !r->ended[worker] || trace_simulated(r->b.t))
		return ns;
	return r->ended[worker] > queued ? r->ended[worker] : queued;
}

/* task: 1 + the task that the thread ends; 0: none */
static void set_ending(struct fxt_reader *r, uint32_t worker, uint32_t task)
{
	if (worker == IDMAP_NONE)
		return;
	VEC_FIT(r->ending, r->cap_ending, worker);
	r->ending[worker] = task;
}

static uint32_t ending_of(const struct fxt_reader *r, uint32_t worker)
{
	return worker < r->cap_ending ? r->ending[worker] : 0;
}

/*
 * What the thread of a worker submits after the end of a task, and before the task is done, is submitted by callbacks
 * of the task, or of data that it released: not before that end (StarPU 1.4.10, jobs.c,
 * _starpu_handle_job_termination()).
 */
static void wait_for_submitter(struct fxt_reader *r, uint32_t task, uint32_t worker)
{
	uint32_t ending = ending_of(r, worker);

	if (!ending || ending - 1 == task)
		return;
	trace_build_extra(&r->b, task)->is_released = 1;
	if (r->b.t->tasks[ending - 1].job != r->b.t->tasks[task].job) /* fxt_repeats.c has that */
		trace_build_dep(&r->b, ending - 1, task, DEP_SUBMITTED);
}

static int on_body(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	uint32_t task, worker;
	struct trace_task *t;
	size_t len;
	int node;

	if (worker_of(r, e, 2, &worker, err) != 0)
		return -1;
	if (worker == IDMAP_NONE || is_no_work(r, e))
		return 0;
	if (fxt_node(r, e, 3, &node, err) != 0)
		return -1;
	set_ending(r, worker, 0);
	task = task_now(r, fxt_param(e, 0), 1);
	t = &r->b.t->tasks[task];
	if (t->start_ns != TIME_NONE && t->end_ns == TIME_NONE) { /* another worker of a parallel task */
		t->parallel += t->parallel < 255;
		span_start(r, worker, SPAN_PARALLEL, ns);
		return 0;
	}
	t->start_ns = began(r, task, worker, ns);
	if (fxt_param(e, 1) < 64)
		r->b.t->contexts |= UINT64_C(1) << fxt_param(e, 1);
	t->end_ns = TIME_NONE;
	t->worker = (int32_t)worker;
	t->node = (int16_t)node;
	if (r->minor == 3 && fxt_param(e, 4)) {
		const char *s = fxt_string(e, 5, &len);

		t->name = intern_id(r->b.t->strings, s, len);
	}
	return 0;
}

static int on_body_end(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	struct trace_task *t = task_at(r, fxt_param(e, 0));
	uint32_t worker;

	if (worker_of(r, e, 3, &worker, err) != 0)
		return -1;
	if (worker == IDMAP_NONE || is_no_work(r, e))
		return 0;
	if ((int32_t)worker != t->worker)
		span_end(r, worker, SPAN_PARALLEL, ns);
	if (t->start_ns == TIME_NONE) {
		r->b.t->defects.unmatched++;
		return 0;
	}
	t->end_ns = ns;
	VEC_FIT(r->ended, r->cap_ended, worker);
	r->ended[worker] = ns;
	set_ending(r, worker_of_thread(r, fxt_param(e, 4)), fxt_task(r, fxt_param(e, 0)) + 1);
	extra_at(r, fxt_param(e, 0))->size_bytes = fxt_param(e, 1);
	return 0;
}

static int on_details(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	struct trace_extra *x = extra_at(r, fxt_param(e, 6));

	(void)ns, (void)err;
	task_at(r, fxt_param(e, 6))->footprint = (uint32_t)fxt_param(e, 2);
	x->gflop = (double)fxt_param(e, 3) / 1e6;
	x->tag = fxt_param(e, 4);
	x->has_tag = 1;
	return 0;
}

static int on_submit(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	uint32_t task = task_now(r, fxt_param(e, 0), 0);
	struct trace_task *t = &r->b.t->tasks[task];
	struct trace_extra *x = trace_build_extra(&r->b, task);
	uint64_t kind = fxt_param(e, 5);

	(void)err;
	t->submit_ns = ns;
	x->iteration[0] = (int32_t)fxt_param(e, 1);
	x->iteration[1] = (int32_t)fxt_param(e, 2);
	t->submit_order = (uint32_t)fxt_param(e, 3);
	t->priority = (int32_t)fxt_param(e, 4);
	t->kind = kind & 1 ? TASK_INTERNAL : kind & 2 ? TASK_ACQUIRE : TASK_NORMAL;
	if (t->kind == TASK_ACQUIRE && r->b.t->nranks > 1 && e->nparams >= 7)
		*VEC_PUSH(r->releases, r->nreleases, r->cap_releases) = (struct fxt_release){.thread = fxt_param(e, 6),
		                                                                             .task = task};
	if (t->submit_order && r->minor >= 4) /* no task of StarPU's own (reductions.h) */
		wait_for_submitter(r, task, worker_of_thread(r, fxt_param(e, 6)));
	return 0;
}

static void first_push(struct trace_extra *x, uint32_t worker, int64_t ns)
{
	if (x->ready_ns != TIME_NONE)
		return;
	x->ready_ns = ns;
	x->pusher = worker == IDMAP_NONE ? -1 : (int32_t)worker;
}

/* END_EXECUTING: (thread, job) in 1.4; 1.3 has no job. */
static int on_returned(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	(void)err;
	if (e->nparams >= 2)
		extra_at(r, fxt_param(e, 1))->returned_ns = ns;
	return 0;
}

static int on_life(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	uint64_t job = fxt_param(e, 0);
	uint32_t task, thread;

	(void)err;
	if (e->code == EV_JOB_PUSH)
		first_push(trace_build_extra(&r->b, task_now(r, job, 1)), worker_of_thread(r, fxt_param(e, 2)), ns);
	else if (e->code == EV_JOB_POP)
		extra_at(r, job)->pop_ns = ns;
	else {
		task = fxt_done_task(r, fxt_task(r, job));
		thread = worker_of_thread(r, fxt_param(e, 1));
		trace_build_extra(&r->b, task)->done_ns = ns;
		if (ending_of(r, thread) == task + 1)
			set_ending(r, thread, 0);
	}
	return 0;
}

/*
 * TASK_NAME: (job, thread, name) in 1.4; (job, name) in 1.3, and in some of its development versions (job, thread,
 * exclude_from_dag, has_name, name). Small numbers in the third and fourth place are not text.
 */
static int on_name(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	struct trace_task *t = task_at(r, fxt_param(e, 0));
	uint32_t at = r->minor >= 4 ? 2 : 1;
	const char *s;
	size_t len;

	(void)ns, (void)err;
	if (e->code == EV_TASK_NAME && r->minor < 4 && e->nparams >= 5 && fxt_param(e, 2) <= 0xffff &&
	    fxt_param(e, 3) <= 1)
		at = 4;
	s = fxt_string(e, at, &len);
	if (e->code == EV_MODEL_NAME)
		t->model = intern_id(r->b.t->strings, s, len);
	else if (!t->name)
		t->name = intern_id(r->b.t->strings, s, len);
	return 0;
}

static int on_deps(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	uint32_t pred, succ;
	const char *label;
	size_t len;
	int ghost;

	(void)ns, (void)err;
	label = fxt_string(e, 4, &len);
	ghost = len == 5 && memcmp(label, "ghost", 5) == 0;
	pred = fxt_task(r, fxt_param(e, 0));
	succ = fxt_task(r, fxt_param(e, 1));
	trace_build_dep(&r->b, pred, succ, e->code == EV_END_DEP ? DEP_END : ghost ? DEP_GHOST : DEP_TASK);
	return 0;
}

static int on_span(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	uint32_t w = IDMAP_NONE;

	switch (e->code) {
	case EV_START_FETCH:
	case EV_END_FETCH:
		if (worker_of(r, e, 1, &w, err) != 0)
			return -1;
		break;
	case EV_SLEEP_START:
	case EV_SLEEP_END:
	case EV_SCHEDULING_START:
	case EV_SCHEDULING_END: w = worker_of_thread(r, fxt_param(e, 0)); break;
	default: w = worker_of_thread(r, fxt_param(e, 1));
	}
	switch (e->code) {
	case EV_SLEEP_START: span_start(r, w, SPAN_SLEEP, ns); break;
	case EV_SLEEP_END: span_end(r, w, SPAN_SLEEP, ns); break;
	case EV_SCHEDULING_START: span_start(r, w, SPAN_SCHEDULING, ns); break;
	case EV_SCHEDULING_END: span_end(r, w, SPAN_SCHEDULING, ns); break;
	case EV_START_CALLBACK: span_start(r, w, SPAN_CALLBACK, ns); break;
	case EV_END_CALLBACK: span_end(r, w, SPAN_CALLBACK, ns); break;
	case EV_START_PUSH_OUTPUT: span_start(r, w, SPAN_PUSH_OUTPUT, ns); break;
	case EV_END_PUSH_OUTPUT: span_end(r, w, SPAN_PUSH_OUTPUT, ns); break;
	case EV_START_FETCH:
	case EV_START_FETCH_TID: span_start(r, w, SPAN_FETCH, ns); break;
	default: span_end(r, w, SPAN_FETCH, ns); break;
	}
	return 0;
}

/* TASK_WAIT_START has (job, thread), the other three (thread). */
static int on_wait(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	struct trace *t = r->b.t;
	int task = e->code == EV_TASK_WAIT_START;
	uint64_t thread = fxt_param(e, task ? 1 : 0);
	uint32_t open = idmap_get(&r->waits, thread);

	(void)err;
	if (e->code == EV_TASK_WAIT_END || e->code == EV_WAIT_FOR_ALL_END) {
		if (open != IDMAP_NONE)
			t->waits[open].end_ns = ns;
		idmap_put(&r->waits, thread, IDMAP_NONE);
		return 0;
	}
	idmap_put(&r->waits, thread, (uint32_t)t->nwaits);
	*VEC_PUSH(t->waits, t->nwaits,
	          r->b.cap_waits) = (struct trace_wait){.start_ns = ns,
	                                                .end_ns = TIME_NONE,
	                                                .task = task ? fxt_task(r, fxt_param(e, 0)) : TRACE_NONE,
	                                                .rank = r->rank};
	return 0;
}

static int on_recording(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	struct trace *t = r->b.t;

	(void)err;
	if (e->code == EV_FUT_START_FLUSH) {
		t->defects.flushes++;
	} else if (e->code == EV_FUT_STOP_FLUSH) {
		*VEC_PUSH(t->flush_ends, t->nflush_ends, r->b.cap_flush_ends) = ns;
	} else { /* the set of recorded categories changed: StarPU keeps only META while profiling is stopped */
		int muted = fxt_param(e, 0) <= MASK_META_ONLY;

		t->defects.profiling_gaps += r->muted && !muted;
		r->muted = muted;
	}
	return 0;
}

static int on_other(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	struct trace *t = r->b.t;

	(void)ns;
	if (e->code == EV_NEW_MEM_NODE) {
		int node;

		return fxt_node(r, e, 0, &node, err);
	}
	if (e->code == EV_EXCLUDE) {
		extra_at(r, fxt_param(e, 0))->excluded = fxt_param(e, 1) != 0;
	} else { /* EV_PAPI */
		struct trace_counter *c;
		uint32_t task = fxt_task(r, fxt_param(e, 1));

		c = VEC_PUSH(t->counters, t->ncounters, r->b.cap_counters);
		c->task = task;
		c->event = (uint32_t)fxt_param(e, 0);
		c->value = (int64_t)fxt_param(e, 2);
	}
	return 0;
}

static fxt_handler *handler_of(uint32_t code)
{
	switch (code) {
	case EV_WORKER_INIT_START: return on_worker;
	case EV_START_BODY: return on_body;
	case EV_END_BODY: return on_body_end;
	case EV_CODELET_DETAILS: return on_details;
	case EV_TASK_SUBMIT: return on_submit;
	case EV_JOB_PUSH:
	case EV_JOB_POP:
	case EV_TASK_DONE: return on_life;
	case EV_END_EXECUTING: return on_returned;
	case EV_MODEL_NAME:
	case EV_TASK_NAME: return on_name;
	case EV_TASK_DEPS:
	case EV_END_DEP: return on_deps;
	case EV_TAG:
	case EV_TAG_DEPS: return fxt_on_tag;
	case EV_DATA_HANDLE: return fxt_on_access;
	case EV_DATA_REGISTER:
	case EV_DATA_UNREGISTER:
	case EV_DATA_NAME:
	case EV_DATA_COORDINATES: return fxt_on_data;
	case EV_START_COPY:
	case EV_END_COPY:
	case EV_BEGUN_COPY: return fxt_on_copy;
	case EV_STATE_INVALID:
	case EV_STATE_OWNER:
	case EV_STATE_SHARED: return fxt_on_state;
	case EV_START_ALLOC:
	case EV_END_ALLOC:
	case EV_END_ALLOC_REUSE:
	case EV_START_FREE:
	case EV_START_WRITEBACK:
	case EV_END_WRITEBACK: return fxt_on_memory;
	case EV_WONT_USE: return fxt_on_wont_use;
	case EV_SLEEP_START:
	case EV_SLEEP_END:
	case EV_SCHEDULING_START:
	case EV_SCHEDULING_END:
	case EV_START_CALLBACK:
	case EV_END_CALLBACK:
	case EV_START_PUSH_OUTPUT:
	case EV_END_PUSH_OUTPUT:
	case EV_START_FETCH:
	case EV_END_FETCH:
	case EV_START_FETCH_TID:
	case EV_END_FETCH_TID: return on_span;
	case EV_MPI_SEND_BEGIN:
	case EV_MPI_SEND:
	case EV_MPI_RECEIVE:
	case EV_MPI_RECEIVED: return fxt_on_message;
	case EV_TASK_WAIT_START:
	case EV_TASK_WAIT_END:
	case EV_WAIT_FOR_ALL_START:
	case EV_WAIT_FOR_ALL_END: return on_wait;
	case EV_FUT_KEYCHANGE:
	case EV_FUT_START_FLUSH:
	case EV_FUT_STOP_FLUSH: return on_recording;
	case EV_NEW_MEM_NODE:
	case EV_EXCLUDE:
	case EV_PAPI: return on_other;
	default: return NULL;
	}
}

int fxt_reader_event(struct fxt_reader *r, const struct fxt_event *e, int64_t ns, struct ht_err *err)
{
	fxt_handler *handler = handler_of(e->code);

	return handler ? handler(r, e, ns, err) : 0;
}

void fxt_reader_end_of_file(struct fxt_reader *r, size_t first_dep)
{
	fxt_bind_tags(r, first_dep);
	fxt_join_early(r, first_dep);
	fxt_join_repeats(r, first_dep);
	idmap_fini(&r->repeat_of);
	r->nrepeats = 0;
	idmap_fini(&r->copies);
	idmap_fini(&r->last_copy);
	idmap_fini(&r->waits);
	idmap_fini(&r->tag_nodes);
	idmap_fini(&r->tag_owners);
	idmap_fini(&r->b.threads);
	idmap_fini(&r->allocations);
	r->nallocates = 0;
	r->nopen = 0;
	r->muted = 0;
	r->isend_ns = TIME_NONE;
}
