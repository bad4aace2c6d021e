/* core/execution/execution_chrome.c - form of an execution: JSON for chrome://tracing, Perfetto and Speedscope. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The Trace Event Format: "X" events have a begin and a length in microseconds, "C" events are counters, "M" events
 * give names. One event a line, and nothing in it twice that its track or its name says: a million tasks are some
 * seventy bytes each.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/execution/execution.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

enum { WORKERS = 1, MEMORY = 2 }; /* what the format calls processes: groups of tracks */

/* Above this, the counter has the lowest and the highest value of each of SLICES parts of the run instead. */
enum { MAX_STEPS = 100000, SLICES = 25000 };

struct chrome {
	const struct execution *e;
	FILE *f;
	const char *separator;
	size_t *first_track; /* of each worker */
};

static char *put_digits(char *p, uint64_t v)
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

/* Nanoseconds as microseconds, exactly: "12", "12.5", "12.345". */
static char *put_us(char *p, int64_t ns)
{
	uint64_t v = ns < 0 ? (uint64_t)-ns : (uint64_t)ns;
	unsigned int rest = (unsigned int)(v % 1000);

	if (ns < 0)
		*p++ = '-';
	p = put_digits(p, v / 1000);
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

static char *put_word(char *p, const char *word)
{
	size_t n = strlen(word);

	memcpy(p, word, n);
	return p + n;
}

static void put_name(struct chrome *c, const char *what, int group, size_t track, const char *name)
{
	fprintf(c->f, "%s{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%zu,\"args\":{\"name\":", c->separator, what,
	        group, track);
	json_quoted(c->f, name);
	fputs("}}", c->f);
	c->separator = ",\n";
}

static void put_workers(struct chrome *c)
{
	const struct execution *e = c->e;
	size_t track = 0;

	put_name(c, "process_name", WORKERS, 0, e->name);
	for (int w = 0; w < e->machine->nworkers; w++) {
		c->first_track[w] = track;
		for (int lane = 0; lane < e->lanes[w]; lane++) {
			put_name(c, "thread_name", WORKERS, track, e->workers[w]);
			fprintf(c->f,
			        ",\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%d,\"tid\":%zu,"
			        "\"args\":{\"sort_index\":%zu}}",
			        WORKERS, track, track);
			track++;
		}
	}
}

/* A type's events all begin the same way. */
static char **type_heads(const struct execution *e)
{
	char **heads = ht_alloc(e->ntypes, sizeof(*heads));

	for (uint32_t i = 0; i < e->ntypes; i++) {
		size_t size;
		FILE *f = open_memstream(&heads[i], &size);

		if (!f)
			continue;
		fputs(",\n{\"ph\":\"X\",\"name\":", f);
		json_quoted(f, e->types[i]);
		fprintf(f, ",\"pid\":%d,\"tid\":", WORKERS);
		fclose(f);
	}
	return heads;
}

static void put_tasks(struct chrome *c)
{
	const struct execution *e = c->e;
	char **heads = type_heads(e), line[128];

	for (size_t i = 0; i < e->ntasks; i++) {
		const struct execution_task *t = &e->tasks[i];
		char *p = put_digits(line, c->first_track[t->worker] + t->lane);

		p = put_word(p, ",\"ts\":");
		p = put_us(p, t->start_ns);
		p = put_word(p, ",\"dur\":");
		p = put_us(p, t->end_ns - t->start_ns);
		*p++ = '}';
		fputs(heads[t->type], c->f);
		fwrite(line, 1, (size_t)(p - line), c->f);
	}
	for (uint32_t i = 0; i < e->ntypes; i++)
		free(heads[i]);
	free(heads);
}

static void put_step(struct chrome *c, const struct execution_step *s)
{
	char line[160], *p = put_word(line, ",\n{\"ph\":\"C\",\"name\":\"ready tasks\",\"pid\":1,\"ts\":");

	p = put_us(p, s->ns);
	p = put_word(p, ",\"args\":{\"n\":");
	p = put_digits(p, s->ready < 0 ? 0 : (uint64_t)s->ready);
	p = put_word(p, "}}");
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

/* A track is a link and a lane of it; only those that copied something are named. */
static void put_copies(struct chrome *c)
{
	const struct execution *e = c->e;
	size_t nodes = (size_t)e->machine->nnodes;
	unsigned char *named = ht_alloc(nodes * nodes * EXECUTION_LANES, 1);

	if (e->ncopies)
		put_name(c, "process_name", MEMORY, 0, "transfers");
	for (size_t i = 0; i < e->ncopies; i++) {
		const struct execution_copy *x = &e->copies[i];
		size_t track = (x->from * nodes + x->to) * EXECUTION_LANES + x->lane;
		char line[96], from[32], to[32], name[80], *p = line;

		if (!named[track]) {
			snprintf(name, sizeof(name), "%s to %s", machine_node_name(e->machine, x->from, from),
			         machine_node_name(e->machine, x->to, to));
			put_name(c, "thread_name", MEMORY, track, name);
			named[track] = 1;
		}
		p = put_us(p, x->start_ns);
		p = put_word(p, ",\"dur\":");
		p = put_us(p, x->end_ns - x->start_ns);
		*p = '\0';
		fprintf(c->f,
		        ",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%zu,\"ts\":%s,\"args\":{\"bytes\":%" PRIu64
		        "}}",
		        copy_cause_names[x->cause].text, MEMORY, track, line, x->bytes);
	}
	free(named);
}

static void write_chrome(const struct execution *e, FILE *f)
{
	struct chrome c = {.e = e, .f = f, .separator = ""};

	c.first_track = ht_alloc((size_t)e->machine->nworkers, sizeof(*c.first_track));
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", f);
	put_workers(&c);
	put_tasks(&c);
	put_counter(&c);
	put_copies(&c);
	fputs("\n]}\n", f);
	free(c.first_track);
}

const struct execution_format execution_chrome = {
	.name = "chrome",
	.summary = "a timeline as JSON, for Perfetto, chrome://tracing and Speedscope",
	.write = write_chrome,
};
