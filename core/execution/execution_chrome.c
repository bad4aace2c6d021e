/* core/execution/execution_chrome.c - form of an execution: JSON for chrome://tracing, Perfetto and Speedscope. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The Trace Event Format: "X" events have a begin and a length in microseconds, "C" events are counters, "M" events
 * give names, "s" and "f" are the ends of an arrow between the slices in which they lie. One event a line.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/dag/dag.h"
#include "core/execution/execution.h"
#include "core/execution/execution_ready.h"
#include "core/execution/execution_waits.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

/* What the format calls processes: groups of tracks. */
enum { CHROME_WORKERS = 1, CHROME_MEMORY = 2, CHROME_CHAIN = 3 };

struct chrome {
	const struct execution *e;
	const struct execution_wait *waits; /* by task */
	FILE *f;
	const char *separator;
	size_t *first_track; /* of each worker; after its lanes comes the track of what it did beside tasks */
	uint64_t flows;      /* arrows so far, for their numbers */
};

/* Above this, the counter has the lowest and the highest value of each of SLICES parts of the run instead. */
enum { MAX_STEPS = 100000, SLICES = 25000 };

/* Microseconds are exact: "12", "12.5", "12.345". Returns buf. */
static const char *us_text(char buf[32], int64_t ns)
{
	uint64_t v = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	int rest = (int)(v % 1000);
	int n = snprintf(buf, 32, rest ? "%s%" PRIu64 ".%03d" : "%s%" PRIu64, ns < 0 ? "-" : "", v / 1000, rest);

	while (rest && buf[n - 1] == '0')
		buf[--n] = '\0';
	return buf;
}

/* The name of a process or a thread ("process_name", "thread_name"), and where it stands among the others. */
static void put_name(struct chrome *c, const char *what, int group, size_t track, const char *name)
{
	fprintf(c->f, "%s{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%zu,\"args\":{\"name\":", c->separator, what,
	        group, track);
	json_quoted(c->f, name);
	fputs("}}", c->f);
	c->separator = ",\n";
}

static void put_order(struct chrome *c, int group, size_t track)
{
	fprintf(c->f,
	        ",\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%zu,"
	        "\"args\":{\"sort_index\":%zu}}",
	        group, track, track);
}

static size_t task_track(const struct chrome *c, const struct execution_task *t)
{
	return c->first_track[t->worker] + t->lane;
}

static void put_workers(struct chrome *c)
{
	const struct execution *e = c->e;
	size_t track = 0;

	put_name(c, "process_name", CHROME_WORKERS, 0, e->name);
	for (int w = 0; w < e->machine->nworkers; w++) {
		char *beside = ht_asprintf("%s beside tasks", e->workers[w]);

		c->first_track[w] = track;
		for (int lane = 0; lane <= e->lanes[w]; lane++, track++) {
			put_name(c, "thread_name", CHROME_WORKERS, track, lane < e->lanes[w] ? e->workers[w] : beside);
			put_order(c, CHROME_WORKERS, track);
		}
		free(beside);
	}
}

/* All of a slice but its arguments and the brace at its end. */
static void begin_slice(const struct chrome *c, const char *name, const char *category, int group, size_t track,
                        int64_t from, int64_t to)
{
	char start[32], length[32];

	fputs(",\n{\"ph\":\"X\",\"name\":", c->f);
	json_quoted(c->f, name);
	fprintf(c->f, ",\"cat\":\"%s\",\"pid\":%d,\"tid\":%zu,\"ts\":%s,\"dur\":%s", category, group, track,
	        us_text(start, from), us_text(length, to - from));
}

static void put_step(struct chrome *c, const struct execution_step *s)
{
	char us[32];

	fprintf(c->f, ",\n{\"ph\":\"C\",\"name\":\"ready tasks\",\"pid\":1,\"ts\":%s,\"args\":{\"n\":%" PRId64 "}}",
	        us_text(us, s->ns), s->ready < 0 ? 0 : s->ready);
}

/* In each slice of time the lowest and the highest step, in their order, and the last of all. */
static void put_slices(struct chrome *c)
{
	const struct execution *e = c->e;
	int64_t from = e->steps[0].ns, span = e->steps[e->nsteps - 1].ns - from + 1;

	for (size_t i = 0; i < e->nsteps;) {
		int64_t slice = (int64_t)((double)(e->steps[i].ns - from) / (double)span * SLICES);
		int64_t end = from + (int64_t)((double)span / SLICES * (double)(slice + 1));
		size_t low = i, high = i, a, b;

		for (i++; i < e->nsteps && e->steps[i].ns < end; i++) {
			low = e->steps[i].ready < e->steps[low].ready ? i : low;
			high = e->steps[i].ready > e->steps[high].ready ? i : high;
		}
		a = low < high ? low : high;
		b = low < high ? high : low;
		put_step(c, &e->steps[a]);
		if (b != a)
			put_step(c, &e->steps[b]);
		if (i == e->nsteps && b != i - 1)
			put_step(c, &e->steps[i - 1]);
	}
}

static void put_counter(struct chrome *c)
{
	if (c->e->nsteps > MAX_STEPS) {
		put_slices(c);
		return;
	}
	for (size_t i = 0; i < c->e->nsteps; i++)
		put_step(c, &c->e->steps[i]);
}

/* How much data has memory on each node, where the run recorded that. */
static void put_memory(struct chrome *c)
{
	const struct execution *e = c->e;

	for (size_t i = 0; i < e->nmemory; i++) {
		const struct execution_memory *m = &e->memory[i];
		char node[32], us[32];

		fprintf(c->f,
		        ",\n{\"ph\":\"C\",\"name\":\"resident, %s\",\"pid\":%d,\"ts\":%s,\"args\":{\"bytes\":%" PRIu64
		        "}}",
		        machine_node_name(e->machine, m->node, node), CHROME_MEMORY, us_text(us, m->ns), m->bytes);
	}
}

static size_t copy_track(const struct chrome *c, size_t copy)
{
	const struct execution_copy *x = &c->e->copies[copy];

	return (x->from * (size_t)c->e->machine->nnodes + x->to) * EXECUTION_LANES + x->lane;
}

/* A track is a link and a lane of it; only those that copied something are named. */
static void put_copies(struct chrome *c)
{
	const struct execution *e = c->e;
	size_t nodes = (size_t)e->machine->nnodes;
	unsigned char *named = ht_alloc(nodes * nodes * EXECUTION_LANES, 1);

	if (e->ncopies || e->nmemory)
		put_name(c, "process_name", CHROME_MEMORY, 0, "transfers");
	for (size_t i = 0; i < e->ncopies; i++) {
		const struct execution_copy *x = &e->copies[i];
		size_t track = copy_track(c, i);
		char from[32], to[32], name[80];

		snprintf(name, sizeof(name), "%s to %s", machine_node_name(e->machine, x->from, from),
		         machine_node_name(e->machine, x->to, to));
		if (!named[track])
			put_name(c, "thread_name", CHROME_MEMORY, track, name);
		named[track] = 1;
		begin_slice(c, copy_cause_names[x->cause].text, "copy", CHROME_MEMORY, track, x->start_ns, x->end_ns);
		fprintf(c->f, ",\"args\":{\"bytes\":%" PRIu64, x->bytes);
		if (x->handle != EXECUTION_NONE)
			fprintf(c->f, ",\"data\":%" PRIu32, x->handle);
		fputs("}}", c->f);
	}
	free(named);
}

/* "R 12 (7340032), RW 15 (7340032)": access, the number of the data in the trace, bytes. */
static void put_data(FILE *f, const struct dag *d, const struct dag_task *t)
{
	for (uint32_t k = 0; k < t->naccesses; k++) {
		const struct data_access *a = &d->accesses[t->first_access + k];

		fprintf(f, "%s%s%s %" PRIu32 " (%" PRIu64 ")", k ? ", " : "", a->mode & ACCESS_R ? "R" : "",
		        a->mode & ACCESS_W ? "W" :
		        a->mode & ACCESS_R ? "" :
		                             "-",
		        a->handle, d->handle_bytes[a->handle]);
	}
}

static void put_wait(FILE *f, const struct execution *e, const struct execution_wait *w)
{
	char us[32];

	fprintf(f, ",\"waited for\":\"%s\"", execution_cause_names[w->cause]);
	if (w->cause == CAUSE_NOTHING)
		return;
	fprintf(f, ",\"until (us)\":%s", us_text(us, w->since_ns));
	if (w->cause != CAUSE_SUBMISSION)
		fprintf(f, ",\"which ran\":%" PRIu64, e->tasks[w->after].job);
}

static void put_arguments(struct chrome *c, const struct execution_task *t, const struct execution_wait *w)
{
	const struct dag *d = c->e->dag;
	const struct dag_task *task = &d->tasks[t->item];
	char us[32];

	fprintf(c->f, ",\"args\":{\"job\":%" PRIu64 ",\"type\":", t->job);
	json_quoted(c->f, c->e->types[t->type]);
	fprintf(c->f, ",\"footprint\":\"%08" PRIx32 "\",\"priority\":%" PRId32 ",\"data\":\"",
	        d->classes[task->class_id].footprint, task->priority);
	put_data(c->f, d, task);
	putc('"', c->f);
	if (t->submit_ns != TIME_NONE)
		fprintf(c->f, ",\"submitted (us)\":%s", us_text(us, t->submit_ns));
	fprintf(c->f, ",\"ready (us)\":%s", us_text(us, t->ready_ns));
	fprintf(c->f, ",\"started (us)\":%s", us_text(us, t->start_ns));
	put_wait(c->f, c->e, w);
	fputs("}}", c->f);
}

/* What is known of each: job, type, footprint, priority, data, times, what it waited for. */
static void put_tasks(struct chrome *c)
{
	for (size_t i = 0; i < c->e->ntasks; i++) {
		const struct execution_task *t = &c->e->tasks[i];

		begin_slice(c, c->e->types[t->type], "task", CHROME_WORKERS, task_track(c, t), t->start_ns, t->end_ns);
		put_arguments(c, t, &c->waits[i]);
	}
}

static const char *const span_names[SPAN_COUNT] = {
	[SPAN_SLEEP] = "sleeping",
	[SPAN_SCHEDULING] = "scheduling",
	[SPAN_FETCH] = "waiting for data",
	[SPAN_CALLBACK] = "a callback",
	[SPAN_PUSH_OUTPUT] = "releasing tasks and data",
	[SPAN_PARALLEL] = "a parallel task",
};

/* On the track after those of the worker. */
static void put_span(struct chrome *c, int worker, const char *name, int64_t from, int64_t to)
{
	begin_slice(c, name, "beside", CHROME_WORKERS, c->first_track[worker] + c->e->lanes[worker], from, to);
	putc('}', c->f);
}

/* Idle is from where tasks and spans of the worker have reached to where the next one begins; ready tasks divide it. */
struct idle {
	int64_t *reached; /* by worker */
	struct execution_ready *ready;
};

static void put_idle(struct chrome *c, struct idle *x, int worker, int64_t from, int64_t to)
{
	int64_t at = x->reached[worker];

	x->reached[worker] = to > at ? to : at;
	while (at != INT64_MIN && at < from) {
		int64_t until;
		int ready = execution_ready_for(x->ready, worker, at, &until);

		until = until < from ? until : from;
		put_span(c, worker, ready ? "idle, tasks ready" : "idle, none ready", at, until);
		at = until;
	}
}

/* Spans overlap tasks where a device works while its thread looks for more; sleeping is idle. */
static void put_beside(struct chrome *c)
{
	const struct execution *e = c->e;
	struct idle x = {.reached = ht_alloc((size_t)e->machine->nworkers, sizeof(*x.reached)),
	                 .ready = execution_ready_create(e)};
	int64_t last = INT64_MIN;
	size_t t = 0, s = 0;

	for (int w = 0; w < e->machine->nworkers; w++)
		x.reached[w] = e->ntasks ? e->tasks[0].start_ns : INT64_MIN;
	while (t < e->ntasks || s < e->nspans) {
		const struct execution_span *span = s < e->nspans ? &e->spans[s] : NULL;

		if (span && (t == e->ntasks || span->start_ns < e->tasks[t].start_ns)) {
			if (span->kind != SPAN_SLEEP) {
				put_idle(c, &x, span->worker, span->start_ns, span->end_ns);
				put_span(c, span->worker, span_names[span->kind], span->start_ns, span->end_ns);
			}
			s++;
			continue;
		}
		put_idle(c, &x, e->tasks[t].worker, e->tasks[t].start_ns, e->tasks[t].end_ns);
		last = e->tasks[t].end_ns > last ? e->tasks[t].end_ns : last;
		t++;
	}
	for (int w = 0; w < e->machine->nworkers; w++)
		put_idle(c, &x, w, last, last);
	execution_ready_free(x.ready);
	free(x.reached);
}

static void put_wait_of_chain(struct chrome *c, const char *name, int64_t from, int64_t to)
{
	begin_slice(c, name, "chain", CHROME_CHAIN, 0, from, to);
	putc('}', c->f);
}

/* Tasks and waits of the critical chain; one that overlaps the next, on a pipelined device, ends where it begins. */
static void put_chain(struct chrome *c)
{
	const struct execution *e = c->e;
	size_t n;
	uint32_t *chain = execution_chain(e, c->waits, &n);
	int64_t reached = n ? e->tasks[chain[0]].start_ns : 0;

	if (n)
		put_name(c, "process_name", CHROME_CHAIN, 0, "critical chain");
	for (size_t i = 0; i < n; i++) {
		const struct execution_task *t = &e->tasks[chain[i]];
		const struct execution_wait *w = &c->waits[chain[i]];
		int64_t end = i + 1 < n && e->tasks[chain[i + 1]].start_ns < t->end_ns ?
		                      e->tasks[chain[i + 1]].start_ns :
		                      t->end_ns;

		if (w->cause == CAUSE_SUBMISSION && w->since_ns > reached) {
			put_wait_of_chain(c, "not submitted yet", reached, w->since_ns);
			reached = w->since_ns;
		}
		if (t->start_ns > reached)
			put_wait_of_chain(c, "data, scheduling, launch", reached, t->start_ns);
		begin_slice(c, e->types[t->type], "chain", CHROME_CHAIN, 0, t->start_ns, end);
		fprintf(c->f, ",\"args\":{\"job\":%" PRIu64 ",\"worker\":\"%s\",\"waited for\":\"%s\"}}", t->job,
		        e->workers[t->worker], execution_cause_names[w->cause]);
		reached = end;
	}
	free(chain);
}

/* Above this, of all dependencies of a task only the one that ended last has an arrow. */
enum { MAX_ARROWS = 200000 };

/* A place on a track. It has to lie in the slice, whose end is not in it. */
struct place {
	int group;
	size_t track;
	int64_t ns;
};

static void put_end(struct chrome *c, const char *kind, const char *phase, const struct place *at)
{
	char us[32];

	fprintf(c->f,
	        ",\n{\"ph\":\"%s\",\"name\":\"%s\",\"cat\":\"%s\",\"id\":%" PRIu64
	        ",\"pid\":%d,\"tid\":%zu,\"ts\":%s%s}",
	        phase, kind, kind, c->flows, at->group, at->track, us_text(us, at->ns),
	        *phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static void put_arrow(struct chrome *c, const char *kind, const struct place *from, const struct place *to)
{
	c->flows++;
	put_end(c, kind, "s", from);
	put_end(c, kind, "f", to);
}

/* The end of a slice, or where the arrow ends, whichever is first: no arrow leads back in time. */
static int64_t leaves_ns(int64_t start_ns, int64_t end_ns, int64_t arrives_ns)
{
	int64_t ns = end_ns - 1 < arrives_ns ? end_ns - 1 : arrives_ns;

	return ns > start_ns ? ns : start_ns;
}

static void join_tasks(struct chrome *c, uint32_t before, uint32_t after)
{
	const struct execution_task *a = &c->e->tasks[before], *b = &c->e->tasks[after];
	const struct dag_task *tasks = c->e->dag->tasks;
	int is_message = tasks[a->item].rank != tasks[b->item].rank;

	put_arrow(c, is_message ? "message" : "dependency",
	          &(struct place){CHROME_WORKERS, task_track(c, a), leaves_ns(a->start_ns, a->end_ns, b->start_ns)},
	          &(struct place){CHROME_WORKERS, task_track(c, b), b->start_ns});
}

static void join_all(struct chrome *c)
{
	const struct execution *e = c->e;
	const struct dag *d = e->dag;
	uint32_t *of_item = ht_alloc(d->ntasks, sizeof(*of_item));

	for (size_t i = 0; i < e->ntasks; i++)
		of_item[e->tasks[i].item] = (uint32_t)i + 1;
	for (size_t i = 0; i < e->ntasks; i++)
		for (uint32_t k = d->pred_first[e->tasks[i].item]; k < d->pred_first[e->tasks[i].item + 1]; k++)
			if (of_item[d->pred[k]])
				join_tasks(c, of_item[d->pred[k]] - 1, (uint32_t)i);
	free(of_item);
}

/* From each task to those that need it; to another rank it is a message. */
static void put_dependencies(struct chrome *c)
{
	if (c->e->dag->nedges <= MAX_ARROWS) {
		join_all(c);
		return;
	}
	for (size_t i = 0; i < c->e->ntasks; i++)
		if (c->waits[i].cause == CAUSE_TASK)
			join_tasks(c, c->waits[i].after, (uint32_t)i);
}

/* By piece of data the tasks that use it, in the order of their starts. */
struct users {
	uint32_t *first, *tasks;
};

static void users_init(struct users *u, const struct execution *e)
{
	const struct dag *d = e->dag;
	uint32_t *next;

	u->first = ht_alloc(d->nhandles + 1, sizeof(*u->first));
	u->tasks = ht_alloc(d->naccesses, sizeof(*u->tasks));
	for (uint32_t k = 0; k < d->naccesses; k++)
		u->first[d->accesses[k].handle + 1]++;
	for (uint32_t h = 0; h < d->nhandles; h++)
		u->first[h + 1] += u->first[h];
	next = ht_alloc(d->nhandles + 1, sizeof(*next));
	for (size_t i = 0; i < e->ntasks; i++) {
		const struct dag_task *t = &d->tasks[e->tasks[i].item];

		for (uint32_t k = t->first_access; k < t->first_access + t->naccesses; k++) {
			uint32_t h = d->accesses[k].handle;

			u->tasks[u->first[h] + next[h]++] = (uint32_t)i;
		}
	}
	for (uint32_t h = 0; h < d->nhandles; h++)
		for (uint32_t k = u->first[h] + next[h]; k < u->first[h + 1]; k++)
			u->tasks[k] = EXECUTION_NONE; /* tasks that the execution has not */
	free(next);
}

/* Of the users from `low` to `high` the first that starts then or later, or that there is none. */
static uint32_t first_from(const struct execution *e, const uint32_t *tasks, uint32_t low, uint32_t high, int64_t ns)
{
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (tasks[middle] != EXECUTION_NONE && e->tasks[tasks[middle]].start_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first task that starts on the memory of the copy when it has ended, and uses what it brought. */
static uint32_t first_user(const struct execution *e, const struct users *u, const struct execution_copy *x)
{
	uint32_t end = u->first[x->handle + 1];

	for (uint32_t k = first_from(e, u->tasks, u->first[x->handle], end, x->end_ns);
	     k < end && u->tasks[k] != EXECUTION_NONE; k++)
		if (e->machine->workers[e->tasks[u->tasks[k]].worker].node == x->to)
			return u->tasks[k];
	return EXECUTION_NONE;
}

/* From each copy to the task that used what it brought. */
static void put_copy_flows(struct chrome *c)
{
	const struct execution *e = c->e;
	struct users u;

	users_init(&u, e);
	for (size_t i = 0; i < e->ncopies; i++) {
		const struct execution_copy *x = &e->copies[i];
		uint32_t user = x->handle < e->dag->nhandles ? first_user(e, &u, x) : EXECUTION_NONE;

		if (user == EXECUTION_NONE)
			continue;
		put_arrow(c, "copy",
		          &(struct place){CHROME_MEMORY, copy_track(c, i),
		                          leaves_ns(x->start_ns, x->end_ns, e->tasks[user].start_ns)},
		          &(struct place){CHROME_WORKERS, task_track(c, &e->tasks[user]), e->tasks[user].start_ns});
	}
	free(u.first);
	free(u.tasks);
}

static void write_chrome(const struct execution *e, FILE *f)
{
	struct execution_wait *waits = execution_waits(e);
	struct chrome c = {.e = e, .waits = waits, .f = f, .separator = ""};

	c.first_track = ht_alloc((size_t)e->machine->nworkers, sizeof(*c.first_track));
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", f);
	put_workers(&c);
	put_tasks(&c);
	put_beside(&c);
	put_counter(&c);
	put_copies(&c);
	put_memory(&c);
	put_chain(&c);
	put_dependencies(&c);
	put_copy_flows(&c);
	fputs("\n]}\n", f);
	free(c.first_track);
	free(waits);
}

const struct execution_format execution_chrome = {
	.name = "chrome",
	.mark = "\"traceEvents\"",
	.write = write_chrome,
};
