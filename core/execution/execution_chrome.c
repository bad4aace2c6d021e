/* core/execution/execution_chrome.c - form of an execution: JSON for chrome://tracing, Perfetto and Speedscope. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The Trace Event Format: "X" events have a begin and a length in microseconds, "C" events are counters, "M" events
 * give names, "s" and "f" are the ends of an arrow between the slices in which they lie. One event a line.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/execution/chrome.h"
#include "core/execution/execution.h"
#include "core/execution/execution_waits.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

/* Above this, the counter has the lowest and the highest value of each of SLICES parts of the run instead. */
enum { MAX_STEPS = 100000, SLICES = 25000 };

char *chrome_digits(char *p, uint64_t v)
{
	char digits[20];
	int n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*p++ = digits[--n];
	return p;
}

char *chrome_us(char *p, int64_t ns)
{
	uint64_t v = ns < 0 ? (uint64_t)-ns : (uint64_t)ns;
	unsigned int rest = (unsigned int)(v % 1000);

	if (ns < 0)
		*p++ = '-';
	p = chrome_digits(p, v / 1000);
	if (!rest)
		return p;
	*p++ = '.';
	*p++ = (char)('0' + rest / 100);
	if (rest % 100)
		*p++ = (char)('0' + rest / 10 % 10);
	if (rest % 10)
		*p++ = (char)('0' + rest % 10);
	return p;
}

const char *chrome_us_text(char buf[32], int64_t ns)
{
	*chrome_us(buf, ns) = '\0';
	return buf;
}

void chrome_name(struct chrome *c, const char *what, int group, size_t track, const char *name)
{
	fprintf(c->f, "%s{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%zu,\"args\":{\"name\":", c->separator, what,
	        group, track);
	json_quoted(c->f, name);
	fputs("}}", c->f);
	c->separator = ",\n";
}

void chrome_order(struct chrome *c, int group, size_t track)
{
	fprintf(c->f,
	        ",\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%zu,"
	        "\"args\":{\"sort_index\":%zu}}",
	        group, track, track);
}

size_t chrome_task_track(const struct chrome *c, const struct execution_task *t)
{
	return c->first_track[t->worker] + t->lane;
}

static void put_workers(struct chrome *c)
{
	const struct execution *e = c->e;
	size_t track = 0;

	chrome_name(c, "process_name", CHROME_WORKERS, 0, e->name);
	for (int w = 0; w < e->machine->nworkers; w++) {
		char *beside = ht_asprintf("%s beside tasks", e->workers[w]);

		c->first_track[w] = track;
		for (int lane = 0; lane <= e->lanes[w]; lane++, track++) {
			chrome_name(c, "thread_name", CHROME_WORKERS, track,
			            lane < e->lanes[w] ? e->workers[w] : beside);
			chrome_order(c, CHROME_WORKERS, track);
		}
		free(beside);
	}
}

static char *put_text(char *p, const char *text)
{
	size_t n = strlen(text);

	memcpy(p, text, n);
	return p + n;
}

static void put_step(struct chrome *c, const struct execution_step *s)
{
	char line[160], *p = put_text(line, ",\n{\"ph\":\"C\",\"name\":\"ready tasks\",\"pid\":1,\"ts\":");

	p = chrome_us(p, s->ns);
	p = put_text(p, ",\"args\":{\"n\":");
	p = chrome_digits(p, s->ready < 0 ? 0 : (uint64_t)s->ready);
	p = put_text(p, "}}");
	fwrite(line, 1, (size_t)(p - line), c->f);
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
		        machine_node_name(e->machine, m->node, node), CHROME_MEMORY, chrome_us_text(us, m->ns),
		        m->bytes);
	}
}

size_t chrome_copy_track(const struct chrome *c, size_t copy)
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
		chrome_name(c, "process_name", CHROME_MEMORY, 0, "transfers");
	for (size_t i = 0; i < e->ncopies; i++) {
		const struct execution_copy *x = &e->copies[i];
		size_t track = chrome_copy_track(c, i);
		char start[32], length[32], from[32], to[32], name[80];

		snprintf(name, sizeof(name), "%s to %s", machine_node_name(e->machine, x->from, from),
		         machine_node_name(e->machine, x->to, to));
		if (!named[track])
			chrome_name(c, "thread_name", CHROME_MEMORY, track, name);
		named[track] = 1;
		fprintf(c->f,
		        ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"copy\",\"pid\":%d,\"tid\":%zu,\"ts\":%s,\"dur\":%s,"
		        "\"args\":{\"bytes\":%" PRIu64,
		        copy_cause_names[x->cause].text, CHROME_MEMORY, track, chrome_us_text(start, x->start_ns),
		        chrome_us_text(length, x->end_ns - x->start_ns), x->bytes);
		if (x->handle != EXECUTION_NONE)
			fprintf(c->f, ",\"data\":%" PRIu32, x->handle);
		fputs("}}", c->f);
	}
	free(named);
}

static void write_chrome(const struct execution *e, FILE *f)
{
	struct execution_wait *waits = execution_waits(e);
	struct chrome c = {.e = e, .waits = waits, .f = f, .separator = ""};

	c.first_track = ht_alloc((size_t)e->machine->nworkers, sizeof(*c.first_track));
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", f);
	put_workers(&c);
	chrome_tasks(&c);
	chrome_beside(&c);
	put_counter(&c);
	put_copies(&c);
	put_memory(&c);
	chrome_chain(&c);
	chrome_dependencies(&c);
	chrome_copy_flows(&c);
	fputs("\n]}\n", f);
	free(c.first_track);
	free(waits);
}

const struct execution_format execution_chrome = {
	.name = "chrome",
	.summary = "a timeline as JSON, for Perfetto, chrome://tracing and Speedscope",
	.write = write_chrome,
};
