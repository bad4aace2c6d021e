/* analyze/plots/plot_causes.c - what workers did while they executed nothing, cut into slices, and its colours. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/plots/plot_causes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"
#include "core/trace/trace.h"

uint32_t cause_colour(enum worker_state s)
{
	static const uint32_t rgb[WORKER_STATES] = {
		[WORKER_EXECUTING] = 0xffffff, [WORKER_WAITING] = 0xe4c6ee, [WORKER_SCHEDULING] = 0xb9b9b9,
		[WORKER_READY] = 0xffecb0,     [WORKER_STARVED] = 0xd5e4ec, [WORKER_TAIL] = 0xf0f0ee,
	};

	return rgb[s];
}

/* The slice that `ns` is in. */
static size_t slice_of(const struct timeline *tl, int64_t ns, size_t columns)
{
	size_t c = tl->span_ns > 0 ? (size_t)((double)ns / (double)tl->span_ns * (double)columns) : 0;

	c = c < columns ? c : columns - 1;
	while (c > 0 && timeline_slice_ns(tl, c, columns) > ns)
		c--;
	while (c + 1 < columns && timeline_slice_ns(tl, c + 1, columns) <= ns)
		c++;
	return c;
}

static void add(struct causes *c, const struct plot_input *in, uint32_t worker, const struct worker_segment *s)
{
	const struct timeline *tl = in->timeline;

	for (size_t col = slice_of(tl, s->start_ns, c->columns); col < c->columns; col++) {
		int64_t *ns = &c->ns[(worker / c->per_row * c->columns + col) * WORKER_STATES];
		int64_t from = timeline_slice_ns(tl, col, c->columns), to = timeline_slice_ns(tl, col + 1, c->columns);
		int64_t ready;

		if (from >= s->end_ns)
			return;
		from = from > s->start_ns ? from : s->start_ns;
		to = to < s->end_ns ? to : s->end_ns;
		if (to <= from)
			continue;
		if (s->state != WORKER_IDLE && s->state != WORKER_TAIL) {
			ns[s->state] += to - from;
			continue;
		}
		ready = worker_times_ready_ns(in->times, worker, from, to);
		ns[WORKER_READY] += ready;
		ns[s->state == WORKER_TAIL ? WORKER_TAIL : WORKER_STARVED] += to - from - ready;
	}
}

void causes_init(struct causes *c, const struct plot_input *in, size_t per_row, size_t columns)
{
	const struct worker_times *x = in->times;
	size_t nworkers = in->timeline->trace->nworkers;

	*c = (struct causes){.rows = nworkers ? (nworkers + per_row - 1) / per_row : 1,
	                     .per_row = per_row,
	                     .columns = columns};
	c->ns = ht_alloc(c->rows * columns * WORKER_STATES, sizeof(*c->ns));
	for (uint32_t w = 0; x && !x->unknown && w < nworkers; w++)
		for (size_t i = x->first[w]; i < x->first[w + 1]; i++)
			if (x->segments[i].state != WORKER_EXECUTING)
				add(c, in, w, &x->segments[i]);
}

void causes_fini(struct causes *c)
{
	free(c->ns);
	*c = (struct causes){0};
}

const char *const cause_names[WORKER_STATES] = {
	[WORKER_EXECUTING] = "executing",     [WORKER_WAITING] = "waiting for data", [WORKER_SCHEDULING] = "runtime",
	[WORKER_READY] = "idle, tasks ready", [WORKER_STARVED] = "idle, none ready", [WORKER_TAIL] = "tail",
};

int cause_is_known(const struct worker_times *x, enum worker_state s)
{
	return x && !x->unknown && (s != WORKER_WAITING || x->waits_recorded) &&
	       (s != WORKER_SCHEDULING || x->runtime_recorded);
}

static enum worker_state main_cause(const struct worker_time *t)
{
	enum worker_state most = WORKER_WAITING;

	for (enum worker_state s = WORKER_WAITING; s < WORKER_STATES; s++)
		most = t->ns[s] > t->ns[most] ? s : most;
	return most;
}

const char *causes_title(const struct worker_times *x, char buf[CAUSES_TITLE])
{
	static const char *const why[WORKER_STATES] = {
		[WORKER_EXECUTING] = "",
		[WORKER_WAITING] = "waits for data",
		[WORKER_SCHEDULING] = "the runtime is at work",
		[WORKER_READY] = "while tasks were ready",
		[WORKER_STARVED] = "no task was ready",
		[WORKER_TAIL] = "nothing was left to do",
	};
	int used = 0;

	*buf = '\0';
	for (enum arch a = 0; a < ARCH_COUNT; a++) {
		double all = (double)x->elapsed_ns * x->arch_workers[a];
		double idle = all > 0 && !x->unknown ? 1 - (double)x->arch[a].ns[WORKER_EXECUTING] / all : 0;

		if (!x->arch_workers[a] || x->unknown || used >= CAUSES_TITLE)
			continue;
		used += snprintf(buf + used, (size_t)(CAUSES_TITLE - used), "%s%s idle %.0f %%", used ? ", " : "",
		                 arch_name(a), 100 * idle);
		if (100 * idle >= 1 && used < CAUSES_TITLE)
			used += snprintf(buf + used, (size_t)(CAUSES_TITLE - used), ": %s",
			                 why[main_cause(&x->arch[a])]);
	}
	return buf;
}

void causes_legend(FILE *script, const struct plot_input *in)
{
	for (enum worker_state s = WORKER_WAITING; s < WORKER_STATES; s++) {
		if (!cause_is_known(in->times, s))
			continue;
		fprintf(script,
		        "  NaN with boxes fillstyle solid 1 border rgb '#c0c0c0' linecolor rgb '#%06" PRIx32
		        "' title '%s', \\\n",
		        cause_colour(s), cause_names[s]);
	}
}

/* EXECUTING: nothing prevails over it. */
static enum worker_state prevailing(const int64_t *ns, int64_t slice_ns, size_t workers)
{
	enum worker_state best = WORKER_WAITING;
	int64_t sum = 0;

	for (enum worker_state s = WORKER_WAITING; s < WORKER_STATES; s++) {
		sum += ns[s];
		best = ns[s] > ns[best] ? s : best;
	}
	return 2 * sum >= slice_ns * (int64_t)workers && ns[best] > 0 ? best : WORKER_EXECUTING;
}

static void put_stretches(FILE *data, const struct plot_input *in, const struct causes *c, enum worker_state s)
{
	const struct timeline *tl = in->timeline;

	for (size_t row = 0; row < c->rows; row++) {
		int64_t begun = -1;

		for (size_t col = 0; col <= c->columns; col++) {
			int64_t from = timeline_slice_ns(tl, col, c->columns), next;
			int here = 0;

			if (col < c->columns) {
				next = timeline_slice_ns(tl, col + 1, c->columns);
				here = prevailing(causes_at(c, row, col), next - from, c->per_row) == s;
			}
			if (here && begun < 0)
				begun = from;
			if (!here && begun >= 0) {
				fprintf(data, "%" PRId64 " %" PRId64 " %zu\n", begun, from, row);
				begun = -1;
			}
		}
	}
}

int causes_boxes(struct gnuplot *g, FILE *script, const struct plot_input *in, const struct causes *c, int64_t unit_ns,
                 struct ht_err *err)
{
	for (enum worker_state s = WORKER_WAITING; s < WORKER_STATES; s++) {
		char name[32];
		FILE *data;

		if (!cause_is_known(in->times, s))
			continue;
		snprintf(name, sizeof(name), "%s.dat", worker_state_names[s]);
		data = gnuplot_data(g, name, err);
		if (!data)
			return -1;
		put_stretches(data, in, c, s);
		fprintf(script,
		        "  '%s' using (($1+$2)/2/%" PRId64 "):3:($1/%" PRId64 "):($2/%" PRId64 "):($3-0.44):($3+0.44) "
		        "with boxxyerror linecolor rgb '#%06" PRIx32 "' fillstyle solid 1 noborder notitle, \\\n",
		        name, unit_ns, unit_ns, unit_ns, cause_colour(s));
	}
	return 0;
}
