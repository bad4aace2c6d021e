/* analyze/page/page_timeline.c - the section of a page with the charts of its runs, one above the other on one axis. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * JSON in an element that no browser executes, names quoted so that none can end it. Tasks, states and ready tasks are
 * packed (packed.h): each value is the difference to the one before it where they follow each other.
 */
#include "analyze/page/page_timeline.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/page/blocks.h"
#include "analyze/page/packed.h"
#include "analyze/page/page.h"
#include "analyze/plots/drawing.h"
#include "analyze/plots/plot_causes.h"
#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/execution/execution.h"
#include "core/execution/execution_waits.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/run/run.h"

/* Parts of a run: a state shorter than one of STATE_PARTS is not shown; ready tasks keep the extremes of each. */
enum { STATE_PARTS = 2000, READY_PARTS = 2000, TICK_BITS = 27 };

struct chart {
	const struct page_run *of;
	const struct execution *e;
	int64_t first_ns, end_ns, tick_ns; /* first start and last end in times of the execution */
	FILE *f;
};

static int64_t ticks(const struct chart *c, int64_t ns)
{
	return (ns - c->first_ns) / c->tick_ns;
}

/* A quoted string; '<' is escaped, so that no name ends the element. */
static void put_quoted(FILE *f, const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return;
	json_quoted(memory, name);
	fclose(memory);
	for (const char *s = text; *s; s++)
		if (*s == '<')
			fputs("\\u003c", f);
		else
			putc(*s, f);
	free(text);
}

static void put_member(FILE *f, const char *key, const char *text)
{
	fprintf(f, ",\"%s\":", key);
	put_quoted(f, text);
}

static void put_types(const struct chart *c, const struct palette *p)
{
	const struct dag *d = c->e->dag;

	fputs(",\"types\":[", c->f);
	for (uint32_t i = 0; i < d->ntypes; i++) {
		fputs(i ? "," : "", c->f);
		put_quoted(c->f, d->types[i].name);
	}
	fputs("],\"groups\":[", c->f);
	for (uint32_t i = 0; i < d->ntypes; i++)
		fprintf(c->f, "%s%d", i ? "," : "",
		        palette_find(p, c->e->palette.groups[c->e->palette.group_of[i]].label));
	fputs("],\"classes\":[", c->f);
	for (uint32_t i = 0; i < d->nclasses; i++)
		fprintf(c->f, "%s[%" PRIu32 ",\"%08" PRIx32 "\"]", i ? "," : "", d->classes[i].codelet,
		        dag_class_data_footprint(&d->classes[i]));
	putc(']', c->f);
}

/* The times are of the workers of the trace; those of the machine may be more. */
static int known_times(const struct chart *c)
{
	const struct worker_times *x = &c->of->drawing->times;

	return !x->unknown && x->elapsed_ns > 0 && x->nworkers == (size_t)c->e->machine->nworkers;
}

/* Of a worker the shares of the run in each state; without them how long it executed tasks. */
static void put_workers(const struct chart *c)
{
	const struct worker_times *x = &c->of->drawing->times;
	const struct execution *e = c->e;
	int known = known_times(c);
	int64_t *busy = ht_alloc((size_t)e->machine->nworkers, sizeof(*busy));
	double length = (double)(c->end_ns > c->first_ns ? c->end_ns - c->first_ns : 1);

	for (size_t i = 0; i < e->ntasks; i++)
		busy[e->tasks[i].worker] += e->tasks[i].end_ns - e->tasks[i].start_ns;
	fputs(",\"workers\":[", c->f);
	for (int w = 0; w < e->machine->nworkers; w++) {
		double share = known ? (double)x->workers[w].ns[WORKER_EXECUTING] / (double)x->elapsed_ns :
		                       (double)busy[w] / length;

		fprintf(c->f, "%s{\"name\":", w ? "," : "");
		put_quoted(c->f, e->workers[w]);
		fprintf(c->f, ",\"arch\":\"%s\",\"busy\":%.4f,\"states\":", arch_name(e->machine->workers[w].arch),
		        share < 1 ? share : 1);
		for (int s = 0; known && s < CAUSES; s++)
			fprintf(c->f, "%c%.4f", s ? ',' : '[',
			        (double)cause_ns(&x->workers[w], s) / (double)x->elapsed_ns);
		fputs(known ? "]}" : "null}", c->f);
	}
	putc(']', c->f);
	free(busy);
}

static void put_blocks(const struct chart *c, size_t most)
{
	const struct execution *e = c->e;
	struct packed p = {0};
	struct blocks b;
	int64_t start = 0, job = 0, priority = 0;

	blocks_init(&b, e, most);
	for (size_t i = 0; i < b.n; i++) {
		const struct block *x = &b.at[i];
		const struct execution_task *t = &e->tasks[x->task];
		const struct dag_task *task = &e->dag->tasks[t->item];
		int64_t at = ticks(c, x->start_ns);

		packed_signed(&p, at - start);
		packed_number(&p, (uint64_t)((x->end_ns - x->start_ns) / c->tick_ns));
		packed_number(&p, (uint64_t)((t->start_ns - t->ready_ns) / c->tick_ns));
		packed_number(&p, x->after == EXECUTION_NONE && x->cause == CAUSE_NOTHING ?
		                          0 :
		                          (uint64_t)((t->start_ns - x->since_ns) / c->tick_ns));
		packed_number(&p, (uint64_t)t->worker);
		packed_number(&p, t->lane);
		packed_number(&p, task->class_id);
		packed_signed(&p, (int64_t)t->job - job);
		packed_signed(&p, task->priority - priority);
		packed_number(&p, x->cause | (x->after != EXECUTION_NONE ? 4u : 0u));
		if (x->after != EXECUTION_NONE)
			packed_signed(&p, (int64_t)i - (int64_t)x->after);
		if (b.slice_ns)
			packed_number(&p, x->count);
		start = at;
		job = (int64_t)t->job;
		priority = task->priority;
	}
	fprintf(c->f, ",\"n\":%zu,\"exact\":%s", b.n, b.slice_ns ? "false" : "true");
	if (b.slice_ns) {
		char slice[16], note[160];

		snprintf(note, sizeof(note), "%zu tasks in %zu blocks: neighbours within %s are drawn as one",
		         e->ntasks, b.n, time_text(slice, b.slice_ns));
		put_member(c->f, "note", note);
	}
	packed_write(&p, "tasks", c->f);
	packed_fini(&p);
	blocks_fini(&b);
}

/* A stretch of a worker in one state, put together from parts that follow each other. */
struct stretches {
	const struct chart *c;
	struct packed p;
	size_t n;
	int64_t from, to, last, least;
	int state;
};

static void end_stretch(struct stretches *s)
{
	if (s->to - s->from >= s->least && s->to > s->from) {
		int64_t from = s->from / s->c->tick_ns, to = s->to / s->c->tick_ns;

		packed_signed(&s->p, from - s->last);
		packed_number(&s->p, (uint64_t)(to - from));
		packed_number(&s->p, s->state);
		s->last = to;
		s->n++;
	}
	s->from = s->to;
}

static void add_stretch(struct stretches *s, int64_t from, int64_t to, int state)
{
	if (from != s->to || state != s->state) {
		end_stretch(s);
		s->from = from;
		s->state = state;
	}
	s->to = to;
}

static void add_segment(struct stretches *s, const struct worker_times *x, uint32_t worker, struct worker_segment seg,
                        int64_t origin)
{
	for (int64_t from = seg.start_ns, to; from < seg.end_ns; from = to) {
		int state = causes_part(x, worker, &seg, from, s->least, &to);

		add_stretch(s, from - origin, to - origin, state);
	}
}

static void put_states(const struct chart *c)
{
	const struct drawing *d = c->of->drawing;
	const struct worker_times *x = &d->times;
	struct packed all = {0};

	for (uint32_t w = 0; known_times(c) && w < x->nworkers; w++) {
		struct stretches s = {.c = c, .least = (c->end_ns - c->first_ns) / STATE_PARTS + 1};

		for (size_t i = x->first[w]; i < x->first[w + 1]; i++)
			if (x->segments[i].state != WORKER_EXECUTING)
				add_segment(&s, x, w, worker_segment(x, w, i), x->first_ns);
		end_stretch(&s);
		packed_number(&all, s.n);
		for (size_t i = 0; i < s.p.n; i++)
			*VEC_PUSH(all.bytes, all.n, all.cap) = s.p.bytes[i];
		packed_fini(&s.p);
	}
	packed_write(&all, "states", c->f);
	packed_fini(&all);
}

static void put_ready(const struct chart *c)
{
	struct timeline_series s = plot_ready_series(&c->of->drawing->input, READY_PARTS);
	struct packed p = {0};
	int64_t last = 0;

	for (size_t i = 0; i < s.count; i++) {
		int64_t at = ticks(c, s.steps[i].ns);

		packed_signed(&p, at - last);
		packed_number(&p, s.steps[i].value > 0 ? (uint64_t)s.steps[i].value : 0);
		last = at;
	}
	packed_write(&p, "ready_steps", c->f);
	packed_fini(&p);
	timeline_series_fini(&s);
}

static void chart_open(struct chart *c, const struct page_run *of, FILE *f)
{
	*c = (struct chart){.of = of, .e = of->drawing->input.execution, .f = f, .tick_ns = 1};
	c->first_ns = c->e->ntasks ? c->e->tasks[0].start_ns : 0;
	c->end_ns = c->first_ns;
	for (size_t i = 0; i < c->e->ntasks; i++)
		c->end_ns = c->e->tasks[i].end_ns > c->end_ns ? c->e->tasks[i].end_ns : c->end_ns;
}

static void put_chart(const struct chart *c, const struct palette *p, size_t most)
{
	char text[CAUSES_TITLE + 200], length[16], why[CAUSES_TITLE];

	snprintf(text, sizeof(text), "%s%s%.60s%s. %s", time_text(length, c->end_ns - c->first_ns),
	         *c->of->under ? " under " : "", c->of->under, c->of->what, causes_title(&c->of->drawing->times, why));
	fprintf(c->f, "{\"makespan_ns\":%" PRId64, c->end_ns - c->first_ns);
	put_member(c->f, "label", c->of->label);
	put_member(c->f, "title", text);
	put_types(c, p);
	put_workers(c);
	put_blocks(c, most);
	put_states(c);
	put_ready(c);
	putc('}', c->f);
}

static void put_palettes(FILE *f, const struct palette *p, const struct worker_times *x)
{
	fputs(",\"groups\":[", f);
	for (int k = 0; k < p->ngroups; k++) {
		fprintf(f, "%s{\"rgb\":\"#%06" PRIx32 "\",\"name\":", k ? "," : "", p->groups[k].rgb);
		put_quoted(f, p->groups[k].name);
		putc('}', f);
	}
	fprintf(f, "],\"states_known\":%s,\"states\":[", x->unknown ? "false" : "true");
	for (int s = 0; s < CAUSES; s++)
		fprintf(f, "%s{\"rgb\":\"#%06" PRIx32 "\",\"name\":\"%s\"}", s ? "," : "", cause_colour(s),
		        cause_names[s]);
	putc(']', f);
}

static void put_bounds(FILE *f, const struct bounds *b)
{
	struct named_bound known[BOUNDS_NAMED];
	int n = bounds_named(b, known);
	char text[16];

	fputs(",\"bounds\":[", f);
	for (int i = 0; i < n; i++)
		fprintf(f, "%s{\"name\":\"%s\",\"ns\":%" PRId64 ",\"text\":\"%s\"}", i ? "," : "", known[i].name,
		        known[i].ns, time_text(text, known[i].ns));
	putc(']', f);
}

static void put_ready_title(FILE *f, const struct page_run *runs, int nruns)
{
	static const char *const drawn[] = {"grey", "line", "dashed"};
	char text[160];
	int used = snprintf(text, sizeof(text), "Ready tasks, waiting for a worker");

	for (int i = 0; nruns > 1 && i < nruns && used < (int)sizeof(text); i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%s (%s)", i ? ", " : ": ", runs[i].label,
		                 drawn[i % 3]);
	put_member(f, "ready_title", text);
}

void page_timeline(FILE *f, const struct page_run *runs, int nruns, const struct bounds *bounds,
                   const struct palette *palette)
{
	struct chart charts[PAGE_RUNS];
	int64_t longest = bounds->largest_ns;

	for (int i = 0; i < nruns; i++) {
		chart_open(&charts[i], &runs[i], f);
		longest = charts[i].end_ns > longest ? charts[i].end_ns : longest;
	}
	fputs("<section id=\"timeline\">\n<h2>Timeline</h2>\n"
	      "<noscript><p class=\"note\">The charts need JavaScript, which is in this file; 'heterotune plot' draws "
	      "them as pictures.</p></noscript>\n<div id=\"timeline-view\"></div>\n"
	      "<script type=\"application/json\" id=\"timeline-data\">",
	      f);
	for (int i = 0; i < nruns; i++)
		charts[i].tick_ns = (longest >> TICK_BITS) + 1;
	fprintf(f, "{\"tick_ns\":%" PRId64 ",\"workers\":%d", charts[0].tick_ns, runs[0].run->machine->nworkers);
	put_palettes(f, palette, &runs[0].drawing->times);
	put_bounds(f, bounds);
	put_ready_title(f, runs, nruns);
	fputs(",\"runs\":[", f);
	for (int i = 0; i < nruns; i++) {
		fputs(i ? ",\n" : "\n", f);
		put_chart(&charts[i], palette, TIMELINE_MOST / (size_t)nruns);
	}
	fputs("]}</script>\n</section>\n", f);
}
