/* core/execution/execution_paje.c - form of an execution: a Paje trace, for ViTE, PajeNG and StarVZ. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Containers, types and numbers of events as StarPU's paje.trace has them (src/debug/traces/starpu_paje.c of 1.4):
 * program, memory nodes with a memory manager, threads, workers; so that what reads those reads this, trace_paje.c
 * for one. Times are milliseconds. Paje wants events in the order of time; at one time ends come first, or a state
 * would be pushed onto one that is about to be popped.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
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

/* Where there are several ranks the names of workers and threads begin with theirs: "1_CPU0", "1_T3". */
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
		int binding = m->workers[w].binding, rank = (int)strspn(e->workers[w], "0123456789");

		put_begin(e, f, 7, at);
		fprintf(f, "t%d T mn%d %.*sT%d\n", w, m->workers[w].node, rank ? rank + 1 : 0, e->workers[w],
		        binding < 0 ? w : binding);
		put_begin(e, f, 7, at);
		fprintf(f, "w%d W t%d %s\n", w, w, e->workers[w]);
	}
	put_begin(e, f, 13, at);
	fputs("sched nready 0\n", f);
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

/* In the order that events of one time have. */
enum event { SPAN_ENDS = 0, ENDS, COPY_ENDS, STARTS, COPY_STARTS, SPAN_STARTS, STEPS };

static void add(struct radix_item *events, size_t *n, int64_t ns, enum event kind, size_t index)
{
	events[(*n)++] = (struct radix_item){(uint64_t)(ns + TIME_LIMIT) << 3 | kind, index};
}

/* All events by time; of spans that end together the inner one of a worker comes first. */
static struct radix_item *sorted_events(const struct execution *e, size_t *n)
{
	size_t most = 2 * (e->ntasks + e->ncopies + e->nspans) + e->nsteps;
	struct radix_item *events = ht_alloc(most, sizeof(*events));

	*n = 0;
	for (size_t i = 0; i < e->ntasks; i++) {
		add(events, n, e->tasks[i].start_ns, STARTS, i);
		add(events, n, e->tasks[i].end_ns, ENDS, i);
	}
	for (size_t i = 0; i < e->ncopies; i++) {
		add(events, n, e->copies[i].start_ns, COPY_STARTS, i);
		add(events, n, e->copies[i].end_ns, COPY_ENDS, i);
	}
	for (size_t i = 0; i < e->nspans; i++)
		add(events, n, e->spans[i].start_ns, SPAN_STARTS, i);
	for (size_t i = e->nspans; i-- > 0;)
		add(events, n, e->spans[i].end_ns, SPAN_ENDS, i);
	for (size_t i = 0; i < e->nsteps; i++)
		add(events, n, e->steps[i].ns, STEPS, i);
	radix_sort(events, *n);
	return events;
}

/* What takes no time would end before it begins: its end is written with its start. */
static void put_task(const struct execution *e, FILE *f, const struct execution_task *t, int starts)
{
	char lane[8];

	lane_text(t->lane, lane);
	if (starts) {
		put_begin(e, f, 21, t->start_ns);
		fprintf(f, "w%d %s v%" PRIu32 "_%d %" PRIu64 "\n", t->worker, lane, t->type, t->lane, t->job);
	}
	if ((t->start_ns == t->end_ns) == starts) {
		put_begin(e, f, 12, t->end_ns);
		fprintf(f, "w%d %s\n", t->worker, lane);
	}
}

static void put_copy(const struct execution *e, FILE *f, size_t i, int starts)
{
	const struct execution_copy *c = &e->copies[i];
	const char *type = copy_cause_names[c->cause].paje;

	if (starts) {
		put_begin(e, f, 18, c->start_ns);
		fprintf(f, "%s p %" PRIu64 " mm%d com_%zu\n", type, c->bytes, c->from, i);
	}
	if ((c->start_ns == c->end_ns) == starts) {
		put_begin(e, f, 19, c->end_ns);
		fprintf(f, "%s p %" PRIu64 " mm%d com_%zu\n", type, c->bytes, c->to, i);
	}
}

static void put_event(const struct execution *e, FILE *f, enum event kind, size_t i)
{
	switch (kind) {
	case STARTS:
	case ENDS: put_task(e, f, &e->tasks[i], kind == STARTS); break;
	case COPY_STARTS:
	case COPY_ENDS: put_copy(e, f, i, kind == COPY_STARTS); break;
	case SPAN_STARTS:
	case SPAN_ENDS:
		if (kind == SPAN_STARTS)
			put_span(e, f, &e->spans[i], 0);
		if ((e->spans[i].start_ns == e->spans[i].end_ns) == (kind == SPAN_STARTS))
			put_span(e, f, &e->spans[i], 1);
		break;
	case STEPS: put_begin(e, f, 13, e->steps[i].ns); fprintf(f, "sched nready %" PRId64 "\n", e->steps[i].ready);
	}
}

static void write_paje(const struct execution *e, FILE *f)
{
	size_t n;
	struct radix_item *events = sorted_events(e, &n);
	int64_t first = n ? (int64_t)(events[0].key >> 3) - TIME_LIMIT : INT64_MAX;

	fputs(header, f);
	put_types(e, f);
	put_containers(e, f, first < -e->origin_ns ? first : -e->origin_ns);
	for (size_t i = 0; i < n; i++)
		put_event(e, f, (enum event)(events[i].key & 7), events[i].value);
	free(events);
}

const struct execution_format execution_paje = {
	.name = "paje",
	.mark = "%EventDef",
	.write = write_paje,
};
