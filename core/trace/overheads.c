/* core/trace/overheads.c - what the threads of StarPU take for their own work, by constants or as a run shows it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A native trace has, of each task, when it became ready and which thread pushed it, when it was taken, started, ended
 * and was done. On one worker the end of a task, its pushes, its being done, the next task's being taken and its start
 * follow each other, so what lies between them is what the worker's thread takes for each, wherever it did not have to
 * wait: for a task that was ready before it asked, and whose data was there when it asked for it. Means are taken, not
 * medians: a few that are long, since a lock was held or the core was given to another thread, make up much of the sum,
 * and it is sums that a replay has to have right.
 */
#include "core/trace/overheads.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/base/stats.h"
#include "core/trace/trace.h"

static const struct {
	const char *name;
	size_t offset;
} kinds[OVERHEAD_COUNT] = {
	[OVERHEAD_END] = {"end of a task", offsetof(struct overheads, end_ns)},
	[OVERHEAD_PUSH] = {"push", offsetof(struct overheads, push_ns)},
	[OVERHEAD_CALLBACK] = {"callbacks", offsetof(struct overheads, callback_ns)},
	[OVERHEAD_LOOK] = {"take a task", offsetof(struct overheads, look_ns)},
	[OVERHEAD_ASK] = {"ask for a datum", offsetof(struct overheads, ask_ns)},
	[OVERHEAD_QUEUE] = {"start a kernel", offsetof(struct overheads, queue_ns)},
	[OVERHEAD_COPY] = {"start a copy", offsetof(struct overheads, copy_ns)},
	[OVERHEAD_ALLOCATE] = {"allocate", offsetof(struct overheads, allocate_ns)},
};

const char *overheads_name(enum overheads_kind kind)
{
	return kinds[kind].name;
}

int64_t overheads_ns(const struct overheads *o, enum overheads_kind kind)
{
	int64_t ns;

	memcpy(&ns, (const char *)o + kinds[kind].offset, sizeof(ns));
	return ns;
}

int64_t overheads_typical_ns(const struct overheads_all *o, enum arch a, enum overheads_kind kind)
{
	return o->typical_ns[a][kind] >= 0 ? o->typical_ns[a][kind] : overheads_ns(&o->of[a], kind);
}

int64_t overheads_wake_ns(const struct overheads_all *o, enum arch a)
{
	int64_t look_ns = o->of[a].look_ns, pop_ns = o->pop_ns[ARCH_CPU];

	if (a != ARCH_CPU && o->samples[a][OVERHEAD_LOOK])
		return look_ns;
	return pop_ns >= 0 && pop_ns < look_ns ? pop_ns : look_ns;
}

void overheads_set(struct overheads_all *o, const struct overheads *each)
{
	memset(o, 0, sizeof(*o));
	o->submit_ns = -1;
	for (int a = 0; a < ARCH_COUNT; a++) {
		o->of[a] = *each;
		o->pop_ns[a] = -1;
		for (int k = 0; k < OVERHEAD_COUNT; k++)
			o->typical_ns[a][k] = -1;
	}
	o->of[ARCH_CPU].allocate_ns = 0;
}

void overheads_init(struct overheads_all *o, enum overheads_source source)
{
	static const struct overheads each = {
		.push_ns = 1000,
		.look_ns = 1000,
		.ask_ns = 1000,
		.queue_ns = 10000,
		.copy_ns = 10000,
		.allocate_ns = 175000,
		.nodes = 1,
		.list_ns = 1000000,
	};

	overheads_set(o, &each);
	for (int a = 0; source == OVERHEADS_SIMGRID && a < ARCH_COUNT; a++) {
		o->of[a].nodes = a == ARCH_CPU ? 1 : 2;
		o->of[a].look_ns *= o->of[a].nodes;
		o->of[a].allocates_each = a != ARCH_CPU && a != ARCH_CUDA;
	}
}

void overheads_complete(struct overheads_all *o, const struct overheads_all *other, enum arch a)
{
	struct overheads *to = &o->of[a];
	const struct overheads *from = &other->of[a];

	for (int k = 0; k < OVERHEAD_COUNT; k++) {
		if (other->samples[a][k] <= o->samples[a][k])
			continue;
		memcpy((char *)to + kinds[k].offset, (const char *)from + kinds[k].offset, sizeof(int64_t));
		o->samples[a][k] = other->samples[a][k];
		o->typical_ns[a][k] = other->typical_ns[a][k];
		if (k == OVERHEAD_ALLOCATE)
			to->allocates_each = from->allocates_each;
	}
	for (int d = 0; d < COPIES_DIRECTIONS; d++)
		if (from->delays[d].samples > to->delays[d].samples)
			to->delays[d] = from->delays[d];
	o->pop_ns[a] = o->pop_ns[a] < 0 ? other->pop_ns[a] : o->pop_ns[a];
}

/* Samples of one kind, of the workers of each architecture. */
struct samples {
	int64_t *ns[ARCH_COUNT];
	size_t n[ARCH_COUNT], cap[ARCH_COUNT];
};

static void sample(struct samples *s, enum arch a, int64_t ns)
{
	if (ns >= 0)
		*VEC_PUSH(s->ns[a], s->n[a], s->cap[a]) = ns;
}

enum { MEDIAN_SAMPLES = 1 << 16 };

/* The median of values, at least one, or of MEDIAN_SAMPLES of them, in equal steps: sorting all takes too long. */
static int64_t median_of_some(const int64_t *ns, size_t n)
{
	size_t step = (n + MEDIAN_SAMPLES - 1) / MEDIAN_SAMPLES, count = 0;
	int64_t *some = ht_alloc(n / step + 1, sizeof(*some)), median;

	for (size_t i = 0; i < n; i += step)
		some[count++] = ns[i];
	median = stats_median(some, count);
	free(some);
	return median;
}

/*
 * The samples' mean into *ns, and their median into *typical_ns unless that is NULL. Returns 1; 0 where there are too
 * few, which sets nothing. Frees the samples. The longest may be of threads that stood still. For each flush of the
 * trace the mean leaves one of each worker out. It also leaves out a tenth of few samples, of which a single one would
 * count for all: another thread may have had the core for milliseconds.
 */
static int settle(struct samples *s, enum arch a, const struct trace *t, int64_t *ns, int64_t *typical_ns)
{
	size_t n = s->n[a], stood = t->nflush_ends * t->nworkers + (n < OVERHEADS_MANY ? (n + 9) / 10 : 0);
	int enough = n >= OVERHEADS_ENOUGH;

	if (enough && typical_ns)
		*typical_ns = median_of_some(s->ns[a], n);
	if (enough && stood) {
		stats_median(s->ns[a], n); /* sorts them */
		n -= stood < n / 2 ? stood : n / 2;
	}
	if (enough)
		*ns = stats_mean(s->ns[a], n);
	free(s->ns[a]);
	s->ns[a] = NULL;
	return enough;
}

/* Things of one worker in the order of time: [first[w] .. first[w + 1]) of `at`. */
struct lanes {
	struct radix_item *at;
	size_t n, cap;
	size_t *first;
};

static void lane_add(struct lanes *l, uint32_t worker, int64_t ns, size_t index)
{
	struct radix_item *k = VEC_PUSH(l->at, l->n, l->cap);

	k->key = (uint64_t)(ns + TIME_LIMIT);
	k->value = (uint64_t)worker << 32 | index;
}

static uint32_t lane_index(const struct lanes *l, size_t i)
{
	return (uint32_t)l->at[i].value;
}

static void lanes_sort(struct lanes *l, size_t nworkers)
{
	radix_sort(l->at, l->n);
	for (size_t i = 0; i < l->n; i++)
		l->at[i].key = l->at[i].value >> 32;
	radix_sort(l->at, l->n);
	l->first = ht_alloc(nworkers + 1, sizeof(*l->first));
	for (size_t w = 0, i = 0; w <= nworkers; w++) {
		while (i < l->n && l->at[i].key < w)
			i++;
		l->first[w] = i;
	}
}

static void lanes_free(struct lanes *l)
{
	free(l->at);
	free(l->first);
}

struct measuring {
	const struct trace *t;
	struct lanes ran, pushed, called, scheduling, arrived; /* arrived: ends of copies, by node */
	struct samples end, push, look, ask, pop;
};

static void sort_lanes(struct measuring *m)
{
	const struct trace *t = m->t;

	for (size_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *x = &t->tasks[i];

		if (trace_task_counts(x))
			lane_add(&m->ran, (uint32_t)x->worker, x->start_ns, i);
		const struct trace_extra *more = trace_extra(m->t, x);

		if (trace_task_counts(x) && more->pusher >= 0 && more->ready_ns != TIME_NONE)
			lane_add(&m->pushed, (uint32_t)more->pusher, more->ready_ns, i);
	}
	for (size_t i = 0; i < t->nspans; i++) {
		if (t->spans[i].kind == SPAN_CALLBACK)
			lane_add(&m->called, t->spans[i].worker, t->spans[i].start_ns, i);
		else if (t->spans[i].kind == SPAN_SCHEDULING)
			lane_add(&m->scheduling, t->spans[i].worker, t->spans[i].start_ns, i);
	}
	for (size_t i = 0; i < t->ncopies; i++) {
		if (t->copies[i].end_ns != TIME_NONE)
			lane_add(&m->arrived, (uint32_t)t->copies[i].to, t->copies[i].end_ns, i);
	}
	lanes_sort(&m->ran, t->nworkers);
	lanes_sort(&m->pushed, t->nworkers);
	lanes_sort(&m->called, t->nworkers);
	lanes_sort(&m->scheduling, t->nworkers);
	lanes_sort(&m->arrived, (size_t)t->nnodes);
}

/* The first of a lane, from *at on, that is not before `ns`; *at moves there. */
static size_t pushed_from(const struct measuring *m, size_t *at, size_t last, int64_t ns)
{
	while (*at < last && m->t->extras[lane_index(&m->pushed, *at)].ready_ns < ns)
		(*at)++;
	return *at;
}

/*
 * Between the end of task x and the time at which it is done, the thread pushes the tasks that x makes ready and
 * executes callbacks. The first push ends the sample of OVERHEAD_END, each later one is a sample of OVERHEAD_PUSH;
 * where there is no push, OVERHEAD_END is all of that time without the callbacks. *push and *call are places in the
 * worker's lanes of pushes and callbacks, and only advance.
 */
static void sample_end(struct measuring *m, const struct trace_task *x, size_t *push, size_t *call)
{
	enum arch a = m->t->workers[x->worker].arch;
	size_t last_push = m->pushed.first[x->worker + 1], last_call = m->called.first[x->worker + 1];
	int64_t done_ns = trace_extra(m->t, x)->done_ns, before = x->end_ns, calls_ns = 0;
	size_t first = pushed_from(m, push, last_push, x->end_ns);

	for (; *push < last_push; (*push)++) {
		int64_t ns = m->t->extras[lane_index(&m->pushed, *push)].ready_ns;

		if (ns > done_ns)
			break;
		sample(*push == first ? &m->end : &m->push, a, ns - before);
		before = ns;
	}
	for (; *call < last_call; (*call)++) {
		const struct trace_span *s = &m->t->spans[lane_index(&m->called, *call)];

		if (s->start_ns > done_ns)
			break;
		if (s->start_ns >= x->end_ns && s->end_ns <= done_ns)
			calls_ns += s->end_ns - s->start_ns;
	}
	if (*push == first)
		sample(&m->end, a, done_ns - x->end_ns - calls_ns);
}

/* Whether anything came to the node from one time to another; *at only moves on. */
static int arrived(const struct measuring *m, int node, size_t *at, int64_t from_ns, int64_t to_ns)
{
	size_t last = m->arrived.first[node + 1];

	while (*at < last && m->t->copies[lane_index(&m->arrived, *at)].end_ns < from_ns)
		(*at)++;
	return *at < last && m->t->copies[lane_index(&m->arrived, *at)].end_ns <= to_ns;
}

/*
 * Samples what lies between the tasks of a worker. A task that the worker did not execute alone, or whose times are not
 * all known, interrupts the sequence. OVERHEAD_LOOK is measured where the task was ready before the worker asked for
 * one, OVERHEAD_ASK where no copy arrived while the task waited for its data.
 */
static void measure_worker(struct measuring *m, size_t worker)
{
	enum arch a = m->t->workers[worker].arch;
	size_t push = m->pushed.first[worker], call = m->called.first[worker], copy = 0;
	const struct trace_task *before = NULL;
	int64_t before_done_ns = TIME_NONE;
	int node = -1;

	for (size_t i = m->ran.first[worker]; i < m->ran.first[worker + 1]; i++) {
		const struct trace_task *x = &m->t->tasks[lane_index(&m->ran, i)];
		const struct trace_extra *more = trace_extra(m->t, x);
		int64_t pop_ns = more->pop_ns, done_ns = more->done_ns;

		if (!(trace_task_counts(x) && x->parallel == 1 && pop_ns != TIME_NONE && done_ns != TIME_NONE &&
		      done_ns >= x->end_ns)) {
			before = NULL;
			continue;
		}
		if (node < 0 && x->node >= 0 && x->node < m->t->nnodes) {
			node = x->node;
			copy = m->arrived.first[node];
		}
		if (before && more->ready_ns != TIME_NONE && more->ready_ns <= before_done_ns)
			sample(&m->look, a, pop_ns - before_done_ns);
		if (before && pop_ns >= before->end_ns && node == x->node &&
		    !arrived(m, node, &copy, pop_ns, x->start_ns))
			sample(&m->ask, a, (x->start_ns - pop_ns) / (x->naccesses ? x->naccesses : 1));
		sample_end(m, x, &push, &call);
		before = x;
		before_done_ns = done_ns;
	}
}

/* What the scheduler takes where it gives a task: spans of a worker, and when it took its tasks, both in order. */
static void measure_pops(struct measuring *m, size_t worker)
{
	struct lanes *l = &m->scheduling;
	size_t at = l->first[worker];

	for (size_t i = m->ran.first[worker]; i < m->ran.first[worker + 1]; i++) {
		int64_t pop = trace_extra(m->t, &m->t->tasks[lane_index(&m->ran, i)])->pop_ns;

		while (at < l->first[worker + 1] && m->t->spans[lane_index(l, at)].end_ns < pop)
			at++;
		if (pop != TIME_NONE && at < l->first[worker + 1] && m->t->spans[lane_index(l, at)].start_ns <= pop)
			sample(&m->pop, m->t->workers[worker].arch,
			       m->t->spans[lane_index(l, at)].end_ns - m->t->spans[lane_index(l, at)].start_ns);
	}
}

static void settle_callbacks(struct overheads_all *o, const struct measuring *m)
{
	struct samples s = {0};
	size_t tasks[ARCH_COUNT] = {0};

	for (size_t w = 0; w < m->t->nworkers; w++)
		tasks[m->t->workers[w].arch] += m->ran.first[w + 1] - m->ran.first[w];
	for (size_t i = 0; i < m->called.n; i++) {
		const struct trace_span *x = &m->t->spans[lane_index(&m->called, i)];

		sample(&s, m->t->workers[x->worker].arch, x->end_ns - x->start_ns);
	}
	for (int a = 0; a < ARCH_COUNT; a++) {
		size_t n = s.n[a];
		int64_t ns, typical_ns;

		if (!settle(&s, (enum arch)a, m->t, &ns, &typical_ns) || !tasks[a])
			continue;
		o->of[a].callback_ns = (int64_t)((double)ns * (double)n / (double)tasks[a]);
		o->typical_ns[a][OVERHEAD_CALLBACK] = (int64_t)((double)typical_ns * (double)n / (double)tasks[a]);
		o->samples[a][OVERHEAD_CALLBACK] = (uint32_t)n;
	}
}

static void settle_kind(struct overheads_all *o, struct samples *s, const struct trace *t, enum overheads_kind kind)
{
	for (int a = 0; a < ARCH_COUNT; a++) {
		int64_t ns;

		if (!settle(s, (enum arch)a, t, &ns, &o->typical_ns[a][kind]))
			continue;
		memcpy((char *)&o->of[a] + kinds[kind].offset, &ns, sizeof(ns));
		o->samples[a][kind] = (uint32_t)s->n[a];
	}
}

/*
 * The thread of a device polls by the same loop as that of a CPU. Where it takes tasks while others execute, so that
 * nothing shows what that takes, CPUs show it. As fast as StarPU over SimGrid has it, it would take from CPUs, before
 * they ask for it, most of what they make ready.
 */
static void look_as_cpus(struct overheads_all *o)
{
	for (int a = 0; a < ARCH_COUNT && o->samples[ARCH_CPU][OVERHEAD_LOOK]; a++) {
		if (!o->samples[a][OVERHEAD_LOOK])
			o->of[a].look_ns = o->of[ARCH_CPU].look_ns;
	}
}

/* Whether the application waited for tasks at some time between two submissions; *at goes on through its waits. */
static int has_waited(const struct trace *t, size_t *at, int64_t from_ns, int64_t to_ns)
{
	while (*at < t->nwaits && t->waits[*at].start_ns < from_ns)
		++*at;
	return *at < t->nwaits && t->waits[*at].start_ns <= to_ns;
}

/* The median: a thread that is suspended now and then takes no longer to submit a task. */
static void measure_submission(struct overheads_all *o, const struct trace *t)
{
	struct lanes l = {0};
	struct samples s = {0};
	size_t wait = 0;

	for (size_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *x = &t->tasks[i];

		if (trace_task_counts(x) && x->submit_ns != TIME_NONE && !trace_extra(t, x)->is_released)
			lane_add(&l, 0, t->tasks[i].submit_ns, i);
	}
	radix_sort(l.at, l.n);
	for (size_t i = 1; i < l.n; i++) {
		int64_t from_ns = t->tasks[l.at[i - 1].value].submit_ns, to_ns = t->tasks[l.at[i].value].submit_ns;

		if (from_ns < to_ns && !has_waited(t, &wait, from_ns, to_ns)) /* equal: StarPU's own (reductions.h) */
			sample(&s, ARCH_CPU, to_ns - from_ns);
	}
	if (s.n[ARCH_CPU] >= OVERHEADS_ENOUGH)
		o->submit_ns = stats_median(s.ns[ARCH_CPU], s.n[ARCH_CPU]);
	free(s.ns[ARCH_CPU]);
	free(l.at);
}

void overheads_measure(struct overheads_all *o, const struct trace *t, const struct machine *machine,
                       arch_mask synchronous)
{
	struct measuring m = {.t = t};

	if (t->source != TRACE_FXT || t->nranks > 1 || trace_simulated(t))
		return;
	sort_lanes(&m);
	for (size_t w = 0; w < t->nworkers; w++) {
		measure_worker(&m, w);
		measure_pops(&m, w);
	}
	settle_callbacks(o, &m);
	settle_kind(o, &m.end, t, OVERHEAD_END);
	settle_kind(o, &m.push, t, OVERHEAD_PUSH);
	settle_kind(o, &m.look, t, OVERHEAD_LOOK);
	look_as_cpus(o);
	settle_kind(o, &m.ask, t, OVERHEAD_ASK);
	for (int a = 0; a < ARCH_COUNT; a++)
		settle(&m.pop, (enum arch)a, t, &o->pop_ns[a], NULL);
	measure_submission(o, t);
	overheads_measure_copies(o, t, machine, synchronous);
	lanes_free(&m.ran);
	lanes_free(&m.pushed);
	lanes_free(&m.called);
	lanes_free(&m.scheduling);
	lanes_free(&m.arrived);
}
