/* core/execution/execution_paje.c - form of an execution: a Paje trace, for ViTE, PajeNG and StarVZ. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Containers, types and numbers of events as StarPU's paje.trace has them (src/debug/traces/starpu_paje.c of 1.4):
 * program, memory nodes with a memory manager, threads, workers; so that what reads those reads this, trace_paje.c
 * for one. Times are milliseconds. Paje wants events in the order of time: tasks and copies are there by their starts,
 * and are put in order of their ends here; then the streams are merged. At one time ends come first, or a state would
 * be pushed onto one that is about to be popped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/utf8.h"
#include "core/execution/execution.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

static const char header[] =
	"%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
	"%EventDef PajeDefineStateType 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
	"%EventDef PajeDefineVariableType 4\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
	"%EventDef PajeDefineLinkType 5\n% Alias string\n% Type string\n% StartContainerType string\n"
	"% EndContainerType string\n% Name string\n%EndEventDef\n"
	"%EventDef PajeDefineEntityValue 6\n% Alias string\n% Type string\n% Name string\n% Color color\n%EndEventDef\n"
	"%EventDef PajeCreateContainer 7\n% Time date\n% Alias string\n% Type string\n% Container string\n"
	"% Name string\n%EndEventDef\n"
	"%EventDef PajeDestroyContainer 8\n% Time date\n% Name string\n% Type string\n%EndEventDef\n"
	"%EventDef PajeSetState 10\n% Time date\n% Container string\n% Type string\n% Value string\n%EndEventDef\n"
	"%EventDef PajePopState 12\n% Time date\n% Container string\n% Type string\n%EndEventDef\n"
	"%EventDef PajeSetVariable 13\n% Time date\n% Container string\n% Type string\n% Value double\n%EndEventDef\n"
	"%EventDef PajePushState 11\n% Time date\n% Container string\n% Type string\n% Value string\n%EndEventDef\n"
	"%EventDef PajeStartLink 18\n% Time date\n% Type string\n% Container string\n% Value string\n"
	"% StartContainer string\n% Key string\n%EndEventDef\n"
	"%EventDef PajeEndLink 19\n% Time date\n% Type string\n% Container string\n% Value string\n"
	"% EndContainer string\n% Key string\n%EndEventDef\n"
	"%EventDef PajePushState 21\n% Time date\n% Container string\n% Type string\n% Value string\n% JobId string\n"
	"%EndEventDef\n";

/* States of a worker's thread; NULL: it has none for that. */
static const struct {
	const char *alias, *name, *rgb;
} states[SPAN_COUNT] = {
	[SPAN_SLEEP] = {"Sl", "Sleeping", ".9 .1 .0"},
	[SPAN_SCHEDULING] = {"Sc", "Scheduling", ".7 .36 .0"},
	[SPAN_FETCH] = {"Fi", "FetchingInput", "1.0 .1 1.0"},
	[SPAN_CALLBACK] = {"C", "Callback", ".0 .3 .8"},
	[SPAN_PUSH_OUTPUT] = {"Po", "PushingOutput", "0.1 1.0 1.0"},
};

/* In quotes; Paje has no way to write a quote in a name. */
static void put_text(FILE *f, const char *s)
{
	putc('"', f);
	for (int len; *s; s += len ? len : 1) {
		len = utf8_length(s);
		if (!len || (unsigned char)*s < 0x20 || *s == 0x7f)
			putc('?', f);
		else if (*s == '"')
			putc('\'', f);
		else
			fwrite(s, 1, (size_t)len, f);
	}
	putc('"', f);
}

/* The number of an event and its time, exactly: milliseconds of the trace, as in the tasks.rec of the same run. */
static void put_begin(const struct execution *e, FILE *f, int number, int64_t at_ns)
{
	int64_t ns = at_ns + e->origin_ns;
	uint64_t v = ns < 0 ? (uint64_t)-ns : (uint64_t)ns;

	fprintf(f, "%d %s%" PRIu64 ".%06" PRIu64 " ", number, ns < 0 ? "-" : "", v / 1000000, v % 1000000);
}

static int most_lanes(const struct execution *e)
{
	int most = 1;

	for (int w = 0; w < e->machine->nworkers; w++)
		most = e->lanes[w] > most ? e->lanes[w] : most;
	return most;
}

/* A state type for each lane: "WS" is StarPU's, "WS2" is what runs beside it. */
static void put_types(const struct execution *e, FILE *f)
{
	fputs("1 MPIP 0 \"MPI Program\"\n1 P MPIP \"Program\"\n1 Mn P \"Memory Node\"\n1 T Mn \"Thread\"\n"
	      "1 Mm Mn \"Memory Manager\"\n1 W T \"Worker\"\n1 Sc P \"Scheduler State\"\n"
	      "4 nready Sc \"Number of Ready Tasks\"\n",
	      f);
	fputs("3 S T \"Thread State\"\n6 B S \"Overhead\" \".5 .18 .0\"\n", f);
	for (int k = 0; k < SPAN_COUNT; k++)
		if (states[k].alias)
			fprintf(f, "6 %s S \"%s\" \"%s\"\n", states[k].alias, states[k].name, states[k].rgb);
	for (int lane = 0; lane < most_lanes(e); lane++) {
		char alias[16] = "WS", name[32] = "Worker State";

		if (lane > 0) {
			snprintf(alias, sizeof(alias), "WS%d", lane + 1);
			snprintf(name, sizeof(name), "Worker State %d", lane + 1);
		}
		fprintf(f, "3 %s W \"%s\"\n", alias, name);
		for (uint32_t i = 0; i < e->ntypes; i++) {
			uint32_t rgb = e->palette.groups[e->palette.group_of[i]].rgb;

			fprintf(f, "6 v%" PRIu32 "_%d %s ", i, lane, alias);
			put_text(f, e->types[i]);
			fprintf(f, " \"%.3f %.3f %.3f\"\n", (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0,
			        (rgb & 255) / 255.0);
		}
	}
	for (int i = 0; i < COPY_CAUSES; i++)
		fprintf(f, "5 %s P Mm Mm \"Intra-node data %s\"\n", copy_cause_names[i].paje,
		        copy_cause_names[i].starpu);
}

static void put_containers(const struct execution *e, FILE *f, int64_t at)
{
	const struct machine *m = e->machine;

	put_begin(e, f, 7, at);
	fputs("MPIroot MPIP 0 root\n", f);
	put_begin(e, f, 7, at);
	fputs("p P MPIroot ", f);
	put_text(f, e->name);
	putc('\n', f);
	put_begin(e, f, 7, at);
	fputs("sched Sc p scheduler\n", f);
	for (int n = 0; n < m->nnodes; n++) {
		put_begin(e, f, 7, at);
		fprintf(f, "mn%d Mn p MEMNODE%d\n", n, n);
		put_begin(e, f, 7, at);
		fprintf(f, "mm%d Mm mn%d MEMMANAGER%d\n", n, n, n);
	}
	for (int w = 0; w < m->nworkers; w++) {
		int binding = m->workers[w].binding;

		put_begin(e, f, 7, at);
		fprintf(f, "t%d T mn%d T%d\n", w, m->workers[w].node, binding < 0 ? w : binding);
		put_begin(e, f, 7, at);
		fprintf(f, "w%d W t%d %s\n", w, w, e->workers[w]);
	}
	put_begin(e, f, 13, at);
	fputs("sched nready 0\n", f);
}

static int task_by_end(const void *a, const void *b, void *arg)
{
	const struct execution_task *tasks = arg, *x = &tasks[*(const uint32_t *)a], *y = &tasks[*(const uint32_t *)b];

	return x->end_ns != y->end_ns ? x->end_ns < y->end_ns ? -1 : 1 : x < y ? -1 : x > y;
}

static int copy_by_end(const void *a, const void *b, void *arg)
{
	const struct execution_copy *copies = arg;
	const struct execution_copy *x = &copies[*(const uint32_t *)a], *y = &copies[*(const uint32_t *)b];

	return x->end_ns != y->end_ns ? x->end_ns < y->end_ns ? -1 : 1 : x < y ? -1 : x > y;
}

/* The inner one of a worker first. */
static int span_by_end(const void *a, const void *b, void *arg)
{
	const struct execution_span *spans = arg;
	const struct execution_span *x = &spans[*(const uint32_t *)a], *y = &spans[*(const uint32_t *)b];

	return x->end_ns != y->end_ns ? x->end_ns < y->end_ns ? -1 : 1 : x > y ? -1 : x < y;
}

/* The state type of a lane. */
static const char *lane_text(int lane, char buf[8])
{
	snprintf(buf, 8, lane ? "WS%d" : "WS", lane + 1);
	return buf;
}

/* As StarPU has it: states follow one another, with "B" between them, and what is nested is pushed onto them. */
static void put_span(const struct execution *e, FILE *f, const struct execution_span *x, int ends)
{
	if (!states[x->kind].alias)
		return;
	put_begin(e, f, !x->nested ? 10 : ends ? 12 : 11, ends ? x->end_ns : x->start_ns);
	fprintf(f, "t%d S", x->worker);
	if (!ends || !x->nested)
		fprintf(f, " %s", ends ? "B" : states[x->kind].alias);
	putc('\n', f);
}

enum { SPAN_ENDS = 0, ENDS, COPY_ENDS, STARTS, COPY_STARTS, SPAN_STARTS, STEPS, STREAMS };

struct streams {
	const struct execution *e;
	uint32_t *by_end, *copies_by_end, *spans_by_end;
	size_t at[STREAMS];
};

/* When the next event of a stream is; INT64_MAX: it has no more. */
static int64_t next_ns(const struct streams *s, int stream)
{
	const struct execution *e = s->e;
	size_t i = s->at[stream];

	switch (stream) {
	case ENDS: return i < e->ntasks ? e->tasks[s->by_end[i]].end_ns : INT64_MAX;
	case COPY_ENDS: return i < e->ncopies ? e->copies[s->copies_by_end[i]].end_ns : INT64_MAX;
	case SPAN_ENDS: return i < e->nspans ? e->spans[s->spans_by_end[i]].end_ns : INT64_MAX;
	case SPAN_STARTS: return i < e->nspans ? e->spans[i].start_ns : INT64_MAX;
	case STARTS: return i < e->ntasks ? e->tasks[i].start_ns : INT64_MAX;
	case COPY_STARTS: return i < e->ncopies ? e->copies[i].start_ns : INT64_MAX;
	default: return i < e->nsteps ? e->steps[i].ns : INT64_MAX;
	}
}

/* What takes no time would end before it begins: its end is written with its start. */
static void put_event(struct streams *s, FILE *f, int stream)
{
	const struct execution *e = s->e;
	size_t i = s->at[stream]++, k;

	switch (stream) {
	case STARTS:
	case ENDS:
		k = stream == ENDS ? s->by_end[i] : i;
		if (stream == STARTS) {
			char lane[8];

			put_begin(e, f, 21, e->tasks[k].start_ns);
			fprintf(f, "w%d %s v%" PRIu32 "_%d %" PRIu64 "\n", e->tasks[k].worker,
			        lane_text(e->tasks[k].lane, lane), e->tasks[k].type, e->tasks[k].lane, e->tasks[k].job);
		}
		if ((e->tasks[k].start_ns == e->tasks[k].end_ns) == (stream == STARTS)) {
			char lane[8];

			put_begin(e, f, 12, e->tasks[k].end_ns);
			fprintf(f, "w%d %s\n", e->tasks[k].worker, lane_text(e->tasks[k].lane, lane));
		}
		break;
	case COPY_STARTS:
	case COPY_ENDS:
		k = stream == COPY_ENDS ? s->copies_by_end[i] : i;
		if (stream == COPY_STARTS) {
			put_begin(e, f, 18, e->copies[k].start_ns);
			fprintf(f, "%s p %" PRIu64 " mm%d com_%zu\n", copy_cause_names[e->copies[k].cause].paje,
			        e->copies[k].bytes, e->copies[k].from, k);
		}
		if ((e->copies[k].start_ns == e->copies[k].end_ns) == (stream == COPY_STARTS)) {
			put_begin(e, f, 19, e->copies[k].end_ns);
			fprintf(f, "%s p %" PRIu64 " mm%d com_%zu\n", copy_cause_names[e->copies[k].cause].paje,
			        e->copies[k].bytes, e->copies[k].to, k);
		}
		break;
	case SPAN_STARTS:
	case SPAN_ENDS:
		k = stream == SPAN_ENDS ? s->spans_by_end[i] : i;
		if (stream == SPAN_STARTS)
			put_span(e, f, &e->spans[k], 0);
		if ((e->spans[k].start_ns == e->spans[k].end_ns) == (stream == SPAN_STARTS))
			put_span(e, f, &e->spans[k], 1);
		break;
	default: put_begin(e, f, 13, e->steps[i].ns); fprintf(f, "sched nready %" PRId64 "\n", e->steps[i].ready);
	}
}

static uint32_t *order_of(size_t n)
{
	uint32_t *order = ht_alloc(n, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	return order;
}

static void write_paje(const struct execution *e, FILE *f)
{
	struct streams s = {.e = e,
	                    .by_end = order_of(e->ntasks),
	                    .copies_by_end = order_of(e->ncopies),
	                    .spans_by_end = order_of(e->nspans)};
	int64_t first = INT64_MAX;

	if (e->ntasks)
		qsort_r(s.by_end, e->ntasks, sizeof(*s.by_end), task_by_end, e->tasks);
	if (e->ncopies)
		qsort_r(s.copies_by_end, e->ncopies, sizeof(*s.copies_by_end), copy_by_end, e->copies);
	if (e->nspans)
		qsort_r(s.spans_by_end, e->nspans, sizeof(*s.spans_by_end), span_by_end, e->spans);
	for (int k = 0; k < STREAMS; k++)
		first = next_ns(&s, k) < first ? next_ns(&s, k) : first;
	fputs(header, f);
	put_types(e, f);
	put_containers(e, f, first < -e->origin_ns ? first : -e->origin_ns);
	for (;;) {
		int best = 0;

		for (int k = 1; k < STREAMS; k++)
			best = next_ns(&s, k) < next_ns(&s, best) ? k : best;
		if (next_ns(&s, best) == INT64_MAX)
			break;
		put_event(&s, f, best);
	}
	free(s.by_end);
	free(s.copies_by_end);
	free(s.spans_by_end);
}

const struct execution_format execution_paje = {
	.name = "paje",
	.summary = "a Paje trace with StarPU's containers, for ViTE and PajeNG",
	.write = write_paje,
};
