/* analyze/data/bmd.c - which memory nodes LAHeteroprio's formulas would have named in a run, and how steady they are. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/bmd.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "core/base/alloc.h"
#include "core/base/radix_sort.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/machine/transfer_cost.h"
#include "core/trace/trace.h"

/* What was named when a task was pushed. */
struct named {
	int8_t paper[LOCALITY_FORMULAS], starpu[LOCALITY_FORMULAS];
	uint8_t chosen;
};

struct walk {
	struct bmd *b;
	const struct timeline *tl;
	const struct trace *t;
	const struct machine *m;
	struct data_cursor at;
	uint32_t *task_of;   /* per task of the timeline: its index in the trace */
	int32_t *pusher;     /* per task of the trace: node */
	struct named *named; /* per task of the timeline */
	struct locality_datum *data;
	int nnodes;
	struct transfer_costs costs;
	double transfer[LOCALITY_MAX_NODES];
	int has_worker[LOCALITY_MAX_NODES];
};

/* The main thread counts as CPU worker 0: starpu_heteroprio_map_wgroup_memory_nodes_hp() of StarPU 1.4.10. */
static int main_node(const struct trace *t)
{
	for (size_t w = 0; w < t->nworkers; w++) {
		if (t->workers[w].arch == ARCH_CPU && t->workers[w].node >= 0)
			return t->workers[w].node;
	}
	return 0;
}

/* Where pushes were not recorded, a task was pushed by the worker of the predecessor that ended last. */
static void find_pushers(struct walk *w, const struct dag *d)
{
	const struct trace *t = w->t;
	int main = main_node(t);

	w->pusher = ht_alloc(t->ntasks, sizeof(*w->pusher));
	w->b->pushers_recorded = 1;
	for (size_t i = 0; i < t->ntasks; i++) {
		int worker = trace_extra(t, &t->tasks[i])->pusher;

		w->pusher[i] = worker >= 0 && t->workers[worker].node >= 0 ? t->workers[worker].node : main;
	}
	for (uint32_t i = 0; i < d->ntasks; i++) {
		uint32_t at = d->tasks[i].trace_task;
		int64_t last = INT64_MIN;

		if (trace_extra(t, &t->tasks[at])->ready_ns != TIME_NONE)
			continue;
		w->b->pushers_recorded = 0;
		for (uint32_t e = d->pred_first[i]; e < d->pred_first[i + 1]; e++) {
			const struct trace_task *pred = &t->tasks[d->tasks[d->pred[e]].trace_task];

			if (pred->end_ns > last && pred->node >= 0) {
				last = pred->end_ns;
				w->pusher[at] = pred->node;
			}
		}
	}
}

static uint32_t gather(struct walk *w, const struct trace_task *task, enum locality_rules rules)
{
	const struct data_access *a = w->t->accesses + task->first_access;
	uint32_t n = 0;

	for (uint32_t i = 0; i < task->naccesses; i++) {
		if (a[i].handle == TRACE_NONE || !locality_counts(rules, a[i].mode))
			continue;
		w->data[n++] = (struct locality_datum){
			.bytes = trace_access_bytes(w->t, &a[i]),
			.there = w->at.place[a[i].handle].valid,
			.written = locality_is_write(a[i].mode),
		};
	}
	return n;
}

static double copy_ns(const struct walk *w, uint64_t valid, int node, uint64_t bytes)
{
	double best = INFINITY;

	for (; valid; valid &= valid - 1)
		best = fmin(best, transfer_cost_ns(&w->costs, __builtin_ctzll(valid), node, (double)bytes));
	return isfinite(best) ? best : 0;
}

/* What the task reads and a node lacks comes from its nearest copy; NAN where no worker would run it. */
static void predict_transfers(struct walk *w, const struct trace_task *task)
{
	const struct data_access *a = w->t->accesses + task->first_access;
	uint64_t known = w->m->nnodes < 64 ? (UINT64_C(1) << w->m->nnodes) - 1 : UINT64_MAX;

	for (int m = 0; m < w->nnodes; m++)
		w->transfer[m] = w->has_worker[m] ? 0 : NAN;
	for (uint32_t i = 0; i < task->naccesses; i++) {
		uint64_t valid;

		if (a[i].handle == TRACE_NONE || !locality_counts(LOCALITY_PAPER, a[i].mode) || !(a[i].mode & ACCESS_R))
			continue;
		valid = w->at.place[a[i].handle].valid & known;
		for (int m = 0; m < w->nnodes && m < w->m->nnodes; m++) {
			if (!(valid >> m & 1))
				w->transfer[m] += copy_ns(w, valid, m, trace_access_bytes(w->t, &a[i]));
		}
	}
}

/* LaRU and the ties are about `caller`, a node; those of the printed formulas about `pusher`. */
static void ask(struct walk *w, const struct trace_task *task, int pusher, int caller, struct named *out)
{
	struct locality_task q = {.data = w->data, .nnodes = w->nnodes, .pusher = pusher};
	int nodes[LOCALITY_FORMULAS];

	if (w->b->has_transfers) {
		predict_transfers(w, task);
		q.transfer = w->transfer;
	}
	q.ndata = gather(w, task, LOCALITY_PAPER);
	locality_nodes(LOCALITY_PAPER, &q, nodes);
	nodes[LOCALITY_LARU] = caller;
	for (int f = 0; f < LOCALITY_FORMULAS; f++)
		out->paper[f] = (int8_t)nodes[f];
	q.pusher = caller;
	q.ndata = gather(w, task, LOCALITY_STARPU);
	locality_nodes(LOCALITY_STARPU, &q, nodes);
	for (int f = 0; f < LOCALITY_FORMULAS; f++)
		out->starpu[f] = (int8_t)nodes[f];
}

static struct bmd_slice *slice_at(const struct walk *w, int64_t ns)
{
	const struct bmd *b = w->b;
	double part = w->tl->span_ns > 0 ? (double)ns / (double)w->tl->span_ns : 0;
	size_t i = (size_t)(part * (double)b->nslices);

	return b->nslices ? &b->slices[i < b->nslices ? i : b->nslices - 1] : NULL;
}

static void on_push(struct walk *w, uint32_t k)
{
	uint32_t i = w->task_of[k];
	struct bmd_slice *slice = slice_at(w, timeline_task(w->tl, k).push_ns);
	enum locality_formula f = locality_automatic(LOCALITY_PAPER, w->b->paper.changed, w->b->paper.tasks);

	ask(w, &w->t->tasks[i], w->pusher[i], w->pusher[i], &w->named[k]);
	w->named[k].chosen = (uint8_t)f;
	w->b->chosen[f]++;
	if (slice)
		slice->chosen[f]++;
}

static void on_pop(struct walk *w, uint32_t k)
{
	uint32_t i = w->task_of[k];
	const struct trace_task *task = &w->t->tasks[i];
	const struct named *then = &w->named[k];
	struct bmd_slice *slice = slice_at(w, timeline_task(w->tl, k).pop_ns);
	struct bmd *b = w->b;
	struct named now;

	ask(w, task, w->pusher[i], task->node, &now);
	b->paper.tasks++;
	b->starpu.tasks++;
	for (int f = 0; f < LOCALITY_FORMULAS; f++) {
		b->paper.changed[f] += now.paper[f] != then->paper[f];
		b->starpu.changed[f] += now.starpu[f] != then->starpu[f];
		b->ran_there[f] += then->paper[f] == task->node;
	}
	b->chosen_changed += now.paper[then->chosen] != then->paper[then->chosen];
	if (slice)
		slice->so_far = b->paper;
}

/* Pushes and pops in the order of time, value = 2 * task + is a pop; a task is pushed before it is popped. */
static struct radix_item *pushes_and_pops(const struct timeline *tl)
{
	struct radix_item *e = ht_alloc(2 * tl->ntasks, sizeof(*e));

	for (size_t k = 0; k < tl->ntasks; k++) {
		struct timeline_task task = timeline_task(tl, k);

		e[2 * k] = (struct radix_item){(uint64_t)(task.push_ns + TIME_LIMIT) << 1, 2 * k};
		e[2 * k + 1] = (struct radix_item){(uint64_t)(task.pop_ns + TIME_LIMIT) << 1 | 1, 2 * k + 1};
	}
	radix_sort(e, 2 * tl->ntasks);
	return e;
}

static void walk(struct walk *w)
{
	struct radix_item *e = pushes_and_pops(w->tl);

	for (size_t i = 0; i < 2 * w->tl->ntasks; i++) {
		int64_t ns = (int64_t)(e[i].key >> 1) - TIME_LIMIT + w->tl->origin_ns;

		data_cursor_before(&w->at, ns);
		if (e[i].value & 1)
			on_pop(w, (uint32_t)(e[i].value >> 1));
		else
			on_push(w, (uint32_t)(e[i].value >> 1));
	}
	free(e);
}

void bmd_init(struct bmd *b, const struct timeline *tl, const struct dag *d, const struct machine *m,
              const struct data_state *state, size_t nslices)
{
	struct walk w = {.b = b, .tl = tl, .t = tl->trace, .m = m};
	uint32_t most = 0;
	size_t k = 0;

	*b = (struct bmd){.source = state->source, .nslices = nslices, .has_transfers = m->nlinks > 0};
	b->slices = ht_alloc(nslices, sizeof(*b->slices));
	w.nnodes = tl->trace->nnodes < 1 ? 1 : tl->trace->nnodes;
	w.named = ht_alloc(tl->ntasks, sizeof(*w.named));
	w.task_of = ht_alloc(w.tl->ntasks, sizeof(*w.task_of));
	for (size_t i = 0; i < w.t->ntasks && k < w.tl->ntasks; i++) {
		if (!trace_task_counts(&w.t->tasks[i]))
			continue;
		w.task_of[k++] = (uint32_t)i;
		most = w.t->tasks[i].naccesses > most ? w.t->tasks[i].naccesses : most;
	}
	w.data = ht_alloc(most, sizeof(*w.data));
	find_pushers(&w, d);
	transfer_costs_init(&w.costs, w.m, locality_sharing(w.m));
	for (size_t i = 0; i < w.t->nworkers; i++) {
		int node = w.t->workers[i].node;

		if (node >= 0 && node < LOCALITY_MAX_NODES)
			w.has_worker[node] = 1;
	}
	data_cursor_init(&w.at, state, tl->trace);
	walk(&w);
	/* A slice without a pop has the counts of the one before. */
	for (size_t i = 1; i < b->nslices; i++) {
		if (!b->slices[i].so_far.tasks)
			b->slices[i].so_far = b->slices[i - 1].so_far;
	}
	data_cursor_fini(&w.at);
	free(w.named);
	free(w.task_of);
	free(w.pusher);
	free(w.data);
	transfer_costs_fini(&w.costs);
}

void bmd_fini(struct bmd *b)
{
	free(b->slices);
	*b = (struct bmd){0};
}

double bmd_ratio(const struct bmd *b, const struct bmd_count *c, enum locality_formula f)
{
	if (!c->tasks || (f == LOCALITY_MC && !b->has_transfers))
		return NAN;
	return (double)c->changed[f] / (double)c->tasks;
}
