/* tests/unit/test_live_dag.c - the graph that is not yet executed: dependencies, ranks, memory, and what it costs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/live_dag.c"
#include "core/machine/machine.h"
#include "core/machine/transfer_cost.h"
#include "core/metrics/rank.h"
#include "core/trace/trace.h"
#include "generate/graph.h"
#include "tests/lib/check.h"
#include "tests/lib/ten.h"

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33) % n;
}

/* The invariant that does not hold; "" when all do. */
static const char *broken(const struct live_dag *l)
{
	uint32_t *waits = ht_alloc(l->nnodes + 1, sizeof(*waits)), count = 0;
	const char *what = "";

	for (uint32_t t = l->oldest; t != NONE; t = l->nodes[t].newer, count++) {
		const struct node *n = &l->nodes[t];

		if (!n->number)
			what = "a task is in the list and free";
		if (n->newer != NONE && l->nodes[n->newer].number <= n->number)
			what = "the list is not in the order of submission";
		for (uint32_t e = n->first_edge; e != NONE; e = l->edges[e].next) {
			if (l->nodes[l->edges[e].to].number <= n->number)
				what = "an edge leads to an older task";
			waits[l->edges[e].to]++;
		}
	}
	if (count != l->nlive)
		what = "the list has not all live tasks";
	for (uint32_t t = l->oldest; t != NONE && !*what; t = l->nodes[t].newer)
		if (waits[t] != l->nodes[t].nwaits)
			what = "a task waits for more or fewer than precede it";
	free(waits);
	return what;
}

static size_t bytes_held(const struct live_dag *l)
{
	return l->cap_nodes * (sizeof(*l->nodes) + sizeof(*l->view.tasks)) + l->cap_edges * sizeof(*l->edges) +
	       l->cap_accesses * (sizeof(*l->links) + sizeof(*l->view.accesses)) +
	       l->cap_data * (sizeof(*l->data) + sizeof(*l->view.handle_bytes) + sizeof(*l->view.handle_home)) +
	       l->cap_classes * sizeof(*l->view.classes) + l->cap_types * sizeof(*l->view.types) +
	       l->cap_lengths * sizeof(*l->length);
}

/* A live graph with as many handles as asked for, and a class of this length for each type. */
static struct live_dag *live_open(size_t nhandles, size_t ntypes, const double *length)
{
	struct live_dag *l = live_dag_create(0, 0);

	for (size_t i = 0; i < nhandles; i++)
		CHECK_INT(live_dag_add_handle(l, 8, 0), (int64_t)i);
	for (size_t i = 0; i < ntypes; i++)
		live_dag_set_length(l, live_dag_add_class(l, live_dag_add_type(l, "t")), length ? length[i] : 1);
	return l;
}

static uint32_t submit(struct live_dag *l, uint32_t class_id, const struct data_access *a, uint32_t n)
{
	return live_dag_submit(l, &(struct live_task){.class_id = class_id, .accesses = a, .naccesses = n});
}

static uint32_t access_one(struct live_dag *l, uint32_t handle, uint32_t mode)
{
	return submit(l, 0, &(struct data_access){handle, mode}, 1);
}

/* All tasks of a made graph; which live task is which. free() it. */
static uint32_t *submit_all(struct live_dag *l, const struct graph *g)
{
	uint32_t *id = ht_alloc(g->ntasks, sizeof(*id));

	for (size_t t = 0; t < g->ntasks; t++)
		id[t] = submit(l, g->task_type[t], g->accesses + g->access_first[t],
		               g->access_first[t + 1] - g->access_first[t]);
	return id;
}

/* Counts, in found[], the paths from a task to tasks over joins at most; a path is one however many joins it has. */
static void reach(const struct live_dag *l, uint32_t from, uint32_t stamp, uint32_t *found)
{
	for (uint32_t e = l->nodes[from].first_edge; e != NONE; e = l->edges[e].next) {
		uint32_t to = l->edges[e].to;

		if (l->nodes[to].is_join)
			reach(l, to, stamp, found);
		else
			found[to] = stamp;
	}
}

static struct graph *made(const struct graph_kind *kind)
{
	struct machine *m = machine_parse("cpu:4 cuda:2", NULL);
	double knob[16] = {0};
	struct graph *g;

	for (int i = 0; kind->knobs[i].name; i++)
		knob[i] = kind->knobs[i].fallback;
	g = graph_make(kind, &(struct graph_input){.knob = knob, .seed = 3, .machine = m}, NULL, NULL);
	machine_free(m);
	return g;
}

/* Every edge of the made graph is there, and no other: the numbers are equal. */
static void compare_edges(const struct graph *g, const struct live_dag *l, const uint32_t *id)
{
	uint32_t *found = ht_alloc(2 * g->ntasks + 2 * g->nhandles + 16, sizeof(*found));
	uint32_t *succ_first = ht_alloc(g->ntasks + 2, sizeof(*succ_first)),
		 *succ = ht_alloc(g->npreds + 1, sizeof(*succ));
	size_t missing = 0, more = 0;

	for (size_t k = 0; k < g->npreds; k++)
		succ_first[g->pred[k] + 2]++;
	for (size_t t = 0; t < g->ntasks; t++)
		succ_first[t + 2] += succ_first[t + 1];
	for (uint32_t t = 0; t < g->ntasks; t++)
		for (uint32_t k = g->pred_first[t]; k < g->pred_first[t + 1]; k++)
			succ[succ_first[g->pred[k] + 1]++] = t;
	for (uint32_t t = 0; t < g->ntasks; t++) {
		reach(l, id[t], t + 1, found);
		for (uint32_t k = succ_first[t]; k < succ_first[t + 1]; k++) {
			missing += found[id[succ[k]]] == 0;
			found[id[succ[k]]] = 0;
		}
		for (uint32_t s = 0; s < g->ntasks && g->ntasks < 3000; s++)
			more += found[id[s]] == t + 1;
		for (uint32_t k = succ_first[t]; k < succ_first[t + 1]; k++)
			found[id[succ[k]]] = 0;
	}
	/* One that is there for several pieces of data was counted as missing each time but the first. */
	CHECK_INT(missing, g->npreds - graph_edges(g));
	CHECK_INT(more, 0);
	free(found);
	free(succ_first);
	free(succ);
}

struct found {
	uint32_t n, visits;
	double nod;
};

static void count_successor(void *arg, uint32_t successor, uint32_t npreds, uint32_t times)
{
	struct found *f = arg;

	(void)successor;
	f->visits++;
	f->n += times;
	f->nod += (double)times / npreds;
}

/* Each successor once, with as many predecessors as the made graph has: the sum of 1 / predecessors over all edges. */
static void compare_successors(const struct graph *g, struct live_dag *l, const uint32_t *id)
{
	uint32_t *seen = ht_alloc(g->ntasks, sizeof(*seen)), n = 0, with_preds = 0;
	struct found f = {0};

	for (uint32_t t = 0; t < g->ntasks; t++) {
		for (uint32_t k = g->pred_first[t]; k < g->pred_first[t + 1]; k++) {
			n += seen[g->pred[k]] != t + 1;
			seen[g->pred[k]] = t + 1;
		}
		with_preds += g->pred_first[t] < g->pred_first[t + 1];
		live_dag_successors(l, id[t], count_successor, &f);
	}
	CHECK_INT(f.n, n);
	CHECK_NEAR(f.nod, with_preds, 1e-6 * with_preds);
	free(seen);
}

/* Ranks as core/metrics/rank.h has them, without transfers. */
static void compare_ranks(const struct graph *g, struct live_dag *l, const uint32_t *id, const double *length)
{
	double *rank = ht_alloc(g->ntasks, sizeof(*rank)), *after = ht_alloc(g->ntasks, sizeof(*after));

	live_dag_sweep(l);
	for (size_t i = g->ntasks; i-- > 0;) {
		rank[i] = length[g->task_type[i]] + after[i];
		for (uint32_t k = g->pred_first[i]; k < g->pred_first[i + 1]; k++)
			after[g->pred[k]] = fmax(after[g->pred[k]], rank[i]);
		CHECK_NEAR(live_dag_rank_ns(l, id[i]), rank[i], 1e-9);
	}
	free(rank);
	free(after);
}

static void test_kinds(void)
{
	for (int k = 0; graph_kinds[k]; k++) {
		struct graph *g = made(graph_kinds[k]);
		double *length = ht_alloc(g->ntypes, sizeof(*length));
		struct live_dag *l;
		uint32_t *id;

		for (size_t i = 0; i < g->ntypes; i++)
			length[i] = 1 + (double)i;
		l = live_open(g->nhandles, g->ntypes, length);
		id = submit_all(l, g);
		CHECK_STR(broken(l), "");
		compare_edges(g, l, id);
		compare_successors(g, l, id);
		compare_ranks(g, l, id, length);
		live_dag_free(l);
		free(id);
		free(length);
		graph_free(g);
	}
}

/* With copies along edges: those of ranks_init(). */
static void test_transfers(void)
{
	struct dag *d = ten_graph();
	struct machine *m = ten_machine();
	double *length = rank_class_lengths(d, m);
	struct transfer_costs routes;
	struct live_dag *l;
	struct ranks r;
	uint32_t *id = ht_alloc(d->ntasks, sizeof(*id));

	transfer_costs_init(&routes, m, 1);
	CHECK(routes.mean_ns_per_byte > 0);
	l = live_dag_create(routes.mean_latency_ns, routes.mean_ns_per_byte);
	CHECK_INT(ranks_init(&r, d, m, NULL), 0);
	for (uint32_t h = 0; h < d->nhandles; h++)
		live_dag_add_handle(l, d->handle_bytes[h], 0);
	for (uint32_t c = 0; c < d->nclasses; c++)
		live_dag_set_length(l, live_dag_add_class(l, live_dag_add_type(l, "t")), length[c]);
	for (uint32_t t = 0; t < d->ntasks; t++)
		id[t] = submit(l, d->tasks[t].class_id, d->accesses + d->tasks[t].first_access, d->tasks[t].naccesses);
	live_dag_sweep(l);
	for (uint32_t t = 0; t < d->ntasks; t++)
		CHECK_NEAR(live_dag_rank_ns(l, id[t]), r.upward_ns[t], 1e-9);
	live_dag_free(l);
	ranks_fini(&r);
	transfer_costs_fini(&routes);
	free(length);
	free(id);
	machine_free(m);
	dag_free(d);
}

/* Executed in the order of submission while more are submitted: what has gone is no predecessor any more. */
static void test_executed(void)
{
	struct live_dag *l = live_open(3, 1, NULL);
	uint32_t a = access_one(l, 0, ACCESS_W), b = access_one(l, 0, ACCESS_R), c, d;

	CHECK_INT(l->nodes[b].nwaits, 1);
	live_dag_done(l, a);
	CHECK(!live_dag_is_live(l, a));
	CHECK_INT(l->nodes[b].nwaits, 0);
	c = access_one(l, 0, ACCESS_R);
	CHECK_INT(c, a); /* the index is another task's */
	CHECK_INT(l->nodes[c].nwaits, 0);
	d = access_one(l, 0, ACCESS_R | ACCESS_W);
	CHECK_INT(l->nodes[d].nwaits, 2);
	live_dag_done(l, c);
	live_dag_done(l, b);
	CHECK_INT(l->nodes[d].nwaits, 0);
	live_dag_done(l, d);
	CHECK_INT(l->nlive, 0);
	CHECK_INT(live_dag_uses(l, 0), 0);
	CHECK_STR(broken(l), "");
	live_dag_free(l);
}

/* Done before its predecessor, as no scheduler should have it: nothing breaks. */
static void test_wrong_order(void)
{
	struct live_dag *l = live_open(1, 1, NULL);
	uint32_t a = access_one(l, 0, ACCESS_W), b = access_one(l, 0, ACCESS_W), c;

	live_dag_done(l, b);
	c = access_one(l, 0, ACCESS_R);
	live_dag_sweep(l);
	live_dag_done(l, a);
	live_dag_done(l, c);
	CHECK_INT(l->nlive, 0);
	live_dag_free(l);
}

/* Commuting writers between readers, twice the same data, parts of a reduction, scratch data, explicit dependencies. */
static void test_modes(void)
{
	const struct data_access twice[] = {{0, ACCESS_R}, {1, ACCESS_R}, {0, ACCESS_R | ACCESS_W}};
	struct live_dag *l = live_open(3, 1, NULL);
	uint32_t w = access_one(l, 0, ACCESS_W), r[3], k[3], t, x, last;

	for (int i = 0; i < 3; i++)
		r[i] = access_one(l, 0, ACCESS_R);
	for (int i = 0; i < 3; i++)
		k[i] = access_one(l, 0, ACCESS_R | ACCESS_W | ACCESS_COMMUTE);
	CHECK_INT(l->nlive, 8); /* a join between readers and writers */
	CHECK_INT(l->nodes[k[0]].nwaits, 1);
	live_dag_sweep(l);
	CHECK_NEAR(live_dag_rank_ns(l, w), 3, 0);
	t = submit(l, 0, twice, 3);
	CHECK_INT(l->nodes[t].nwaits, 3);
	live_dag_done(l, w);
	for (int i = 0; i < 3; i++)
		live_dag_done(l, r[i]);
	CHECK_INT(l->nodes[k[0]].nwaits, 0); /* the join went with the last reader */
	CHECK_INT(l->nlive, 4);
	x = access_one(l, 0, ACCESS_SCRATCH);
	CHECK_INT(l->nodes[x].nwaits, 0);
	for (int i = 0; i < 3; i++)
		live_dag_done(l, k[i]);
	live_dag_done(l, t);
	for (int i = 0; i < 3; i++)
		r[i] = access_one(l, 2, ACCESS_REDUX);
	CHECK_INT(l->nodes[r[2]].nwaits, 0);
	last = live_dag_submit(l, &(struct live_task){.accesses = (struct data_access[]){{2, ACCESS_R}},
	                                              .naccesses = 1,
	                                              .after = &x,
	                                              .nafter = 1});
	CHECK_INT(l->nodes[last].nwaits, 2); /* a join, and x */
	CHECK_STR(broken(l), "");
	live_dag_free(l);
}

/* The i-th of a stream of tasks on 50 pieces of data, of all modes. */
static uint32_t submit_any(struct live_dag *l, uint64_t *seed)
{
	static const uint32_t modes[] = {ACCESS_R,
	                                 ACCESS_R,
	                                 ACCESS_R | ACCESS_W,
	                                 ACCESS_W,
	                                 ACCESS_REDUX,
	                                 ACCESS_R | ACCESS_W | ACCESS_COMMUTE,
	                                 ACCESS_SCRATCH | ACCESS_R | ACCESS_W};
	struct data_access a[5];
	uint32_t n = 1 + random_below(seed, 5);

	for (uint32_t i = 0; i < n; i++)
		a[i] = (struct data_access){random_below(seed, 50), modes[random_below(seed, 7)]};
	return submit(l, 0, a, n);
}

/* A million tasks of which a thousand live at a time: as much memory as a hundred thousand take, and linear work. */
static void test_stream(void)
{
	enum { LIVE = 1000 };
	static uint32_t window[LIVE];
	struct live_dag *l = live_open(50, 1, NULL);
	uint64_t seed = 7;
	size_t held = 0;

	for (int i = 0; i < 1000000; i++) {
		if (i >= LIVE)
			live_dag_done(l, window[i % LIVE]);
		window[i % LIVE] = submit_any(l, &seed);
		live_dag_rank_ns(l, window[(i - i / 2) % LIVE]);
		if (i == 100000)
			held = bytes_held(l);
		if (i % 250000 == 0)
			CHECK_STR(broken(l), "");
	}
	CHECK(bytes_held(l) <= held * 2);
	CHECK(bytes_held(l) < 4000000);
	CHECK(l->visits <= (LIVE_DAG_SHARE + 2) * (l->edges_made + 2000000));
	for (int i = 0; i < LIVE; i++)
		live_dag_done(l, window[i]);
	CHECK_INT(l->nlive, 0);
	live_dag_free(l);
}

/* All submitted before any is executed, a rank asked for after each: sweeps cost no more than a constant a task. */
static void test_amortised(void)
{
	struct live_dag *l = live_open(50, 1, NULL);
	uint64_t seed = 11;

	for (int i = 0; i < 200000; i++)
		live_dag_rank_ns(l, submit_any(l, &seed));
	CHECK(l->visits <= (LIVE_DAG_SHARE + 2) * (l->edges_made + 400000));
	CHECK(l->sweeps < 100);
	live_dag_free(l);
}

/* Groups that follow one another: edges are linear in tasks, where each pair of them would be 10^10 edges. */
static void test_groups(void)
{
	enum { MEMBERS = 100000 };
	struct live_dag *l = live_open(1, 1, NULL);

	for (int i = 0; i < MEMBERS; i++)
		access_one(l, 0, ACCESS_R);
	for (int i = 0; i < MEMBERS; i++)
		access_one(l, 0, ACCESS_R | ACCESS_W | ACCESS_COMMUTE);
	for (int i = 0; i < MEMBERS; i++)
		access_one(l, 0, ACCESS_REDUX);
	CHECK(l->edges_made < 5 * MEMBERS);
	live_dag_free(l);
}

/* Data that comes and goes. */
static void test_handles(void)
{
	struct live_dag *l = live_open(2, 1, NULL);
	uint32_t t = access_one(l, 1, ACCESS_W);

	CHECK_INT(live_dag_uses(l, 1), 1);
	live_dag_done(l, t);
	live_dag_drop_handle(l, 1);
	CHECK_INT(live_dag_add_handle(l, 99, 1), 1);
	CHECK_INT(live_dag_view(l)->handle_bytes[1], 99);
	t = access_one(l, 1, ACCESS_R);
	CHECK_INT(l->nodes[t].nwaits, 0);
	live_dag_free(l);
}

static void check_copied_ranks(struct live_dag *l, struct dag *d, const uint32_t *task, const double *length)
{
	double *own = ht_alloc(d->ntasks, sizeof(*own)), *rank = ht_alloc(d->ntasks, sizeof(*rank));
	const struct rank_graph g = {d->ntasks, d->order, d->succ_first, d->succ, own, NULL, d->sends, d->nsends};

	for (uint32_t t = 0; t < d->ntasks; t++)
		own[t] = d->tasks[t].class_id < d->nclasses - 1 ? length[d->tasks[t].class_id] : 0;
	rank_upward(&g, rank);
	for (uint32_t t = 0; t < d->ntasks; t++)
		if (d->tasks[t].class_id < d->nclasses - 1)
			CHECK_NEAR(rank[t], live_dag_rank_ns(l, task ? task[t] : t), 1e-9);
	free(own);
	free(rank);
	dag_free(d);
}

/*
 * Datum 0 is written, read and then sent, so what wrote it has the rank of the highest submitted after that, which
 * sends datum 1 itself; what only has been read is not sent. Sends end with their tasks.
 */
static void test_sends(void)
{
	static const double length[] = {1, 10, 300};
	struct live_dag *l = live_open(3, 3, length);
	uint32_t first, after, reader, second, last;
	const uint32_t *task, *handle;
	struct dag *part;

	first = submit(l, 0, &(struct data_access){0, ACCESS_R | ACCESS_W}, 1);
	reader = submit(l, 2, &(struct data_access){2, ACCESS_R}, 1);
	after = submit(l, 0, &(struct data_access){0, ACCESS_R}, 1);
	live_dag_send(l, 0);
	live_dag_send(l, 2);
	CHECK_INT(live_dag_view(l)->nsends, 1);
	second = submit(l, 1, &(struct data_access){1, ACCESS_W}, 1);
	live_dag_send(l, 1);
	last = submit(l, 1, &(struct data_access){2, ACCESS_R}, 1);
	CHECK_STR(broken(l), "");
	live_dag_sweep(l);
	CHECK_NEAR(live_dag_rank_ns(l, last), 10, 1e-9);
	CHECK_NEAR(live_dag_rank_ns(l, second), 20, 1e-9);
	CHECK_NEAR(live_dag_rank_ns(l, first), 21, 1e-9);
	CHECK_NEAR(live_dag_rank_ns(l, reader), 300, 1e-9);
	CHECK_NEAR(live_dag_rank_ns(l, after), 1, 1e-9);
	check_copied_ranks(l, live_dag_snapshot(l), NULL, length);
	part = live_dag_part(l, &task, &handle);
	check_copied_ranks(l, part, task, length);
	live_dag_done(l, first);
	live_dag_done(l, second);
	CHECK_INT(l->nlive, 3);
	CHECK_STR(broken(l), "");
	live_dag_free(l);
}

/* Half of a graph is executed: the copy has the other half, with its ranks. */
static void test_snapshot(void)
{
	struct graph *g = made(graph_kinds[1]);
	struct live_dag *l = live_open(g->nhandles, g->ntypes, NULL);
	uint32_t *id = submit_all(l, g), nlive = 0;
	struct rank_graph r;
	struct dag *d;
	double *length, *rank;

	for (size_t t = 0; t < g->ntasks / 2; t++)
		live_dag_done(l, id[t]);
	live_dag_sweep(l);
	d = live_dag_snapshot(l);
	length = ht_alloc(d->ntasks, sizeof(*length));
	rank = ht_alloc(d->ntasks, sizeof(*rank));
	for (uint32_t t = 0; t < d->ntasks; t++)
		length[t] = d->tasks[t].class_id < d->nclasses - 1;
	r = (struct rank_graph){d->ntasks, d->order, d->succ_first, d->succ, length, NULL, NULL, 0};
	rank_upward(&r, rank);
	for (size_t t = g->ntasks / 2; t < g->ntasks; t++) {
		CHECK_NEAR(rank[id[t]], live_dag_rank_ns(l, id[t]), 1e-9);
		CHECK_INT(d->tasks[id[t]].class_id, g->task_type[t]);
	}
	for (uint32_t c = 0; c < d->nclasses; c++)
		nlive += d->classes[c].count;
	CHECK_INT(nlive, g->ntasks - g->ntasks / 2);
	CHECK_INT(d->tasks[id[0]].naccesses, 0);
	free(length);
	free(rank);
	dag_free(d);
	live_dag_free(l);
	free(id);
	graph_free(g);
}

static void same_neighbours(const uint32_t *task, const uint32_t *part_first, const uint32_t *part, uint32_t i,
                            const uint32_t *first, const uint32_t *list)
{
	uint32_t t = task[i];

	CHECK_INT(part_first[i + 1] - part_first[i], first[t + 1] - first[t]);
	for (uint32_t e = part_first[i]; e < part_first[i + 1]; e++)
		CHECK_INT(task[part[e]], list[first[t] + e - part_first[i]]);
}

/* The part of a snapshot that is live, by the arrays, and nothing else. */
static void test_part(void)
{
	struct graph *g = made(graph_kinds[1]);
	struct live_dag *l = live_open(g->nhandles + 100, g->ntypes, NULL);
	uint32_t *id = submit_all(l, g), last = 0;
	const struct data_access twice[] = {{0, ACCESS_R}, {0, ACCESS_W}};
	const uint32_t *task, *handle;
	struct dag *d, *part;

	for (size_t t = 0; t < g->ntasks / 2; t++)
		live_dag_done(l, id[t]);
	d = live_dag_snapshot(l);
	part = live_dag_part(l, &task, &handle);
	CHECK_INT(part->ntasks, l->nlive);
	CHECK(part->nhandles <= g->nhandles);
	CHECK_INT(part->nedges, d->nedges);
	for (uint32_t i = 0; i < part->ntasks; i++) {
		const struct dag_task *x = &part->tasks[i], *y = &d->tasks[task[i]];

		CHECK(!i || task[i] > task[i - 1]);
		CHECK_INT(task[part->order[i]], d->order[i]);
		CHECK_INT(x->class_id, y->class_id);
		CHECK_INT(x->naccesses, y->naccesses);
		CHECK_INT(x->first_access, last);
		last += x->naccesses;
		for (uint32_t a = 0; a < x->naccesses; a++) {
			CHECK_INT(handle[part->accesses[x->first_access + a].handle],
			          d->accesses[y->first_access + a].handle);
			CHECK_INT(part->accesses[x->first_access + a].mode, d->accesses[y->first_access + a].mode);
		}
		same_neighbours(task, part->succ_first, part->succ, i, d->succ_first, d->succ);
		same_neighbours(task, part->pred_first, part->pred, i, d->pred_first, d->pred);
	}
	CHECK_INT(part->naccesses, last);
	for (uint32_t h = 0; h < part->nhandles; h++)
		CHECK_INT(part->handle_bytes[h], d->handle_bytes[handle[h]]);
	last = live_dag_submit(l, &(struct live_task){.accesses = twice, .naccesses = 2});
	CHECK_INT(l->view.accesses[l->view.tasks[last].first_access].mode, ACCESS_R | ACCESS_W);
	dag_free(part);
	dag_free(d);
	live_dag_free(l);
	free(id);
	graph_free(g);
}

/* Of a task before a join not all of the many tasks after it are visited, but all count. */
static void test_many_after_a_join(void)
{
	enum { MANY = 2 * LIVE_DAG_AFTER_JOIN + 7, FEW = 3 };
	struct live_dag *l = live_open(1, 1, NULL);
	uint32_t first = access_one(l, 0, ACCESS_R);
	struct found f = {0};

	for (uint32_t i = 1; i < FEW; i++)
		access_one(l, 0, ACCESS_R);
	for (uint32_t i = 0; i < MANY; i++)
		access_one(l, 0, ACCESS_R | ACCESS_W | ACCESS_COMMUTE);
	live_dag_successors(l, first, count_successor, &f);
	CHECK_INT(f.n, MANY);
	CHECK_INT(f.visits, LIVE_DAG_AFTER_JOIN);
	CHECK_NEAR(f.nod, (double)MANY / FEW, 1e-6);
	live_dag_free(l);
}

/* When no more tasks come ranks are exact but for the last 1 / LIVE_DAG_WHOLE_SHARE of what is live. */
static void test_whole(void)
{
	enum { CHAIN = 200 };
	const struct data_access a = {0, ACCESS_R | ACCESS_W};
	struct live_dag *l = live_dag_create(0, 0);
	uint32_t first = 0, few = CHAIN / LIVE_DAG_WHOLE_SHARE;

	live_dag_set_length(l, live_dag_add_class(l, live_dag_add_type(l, "t")), 10);
	live_dag_add_handle(l, 1, 0);
	for (uint32_t i = 0; i < CHAIN; i++) {
		uint32_t t = live_dag_submit(l, &(struct live_task){.accesses = &a, .naccesses = 1});

		first = i ? first : t;
		if (i + 1 == CHAIN - 20)
			live_dag_sweep(l);
	}
	CHECK_NEAR(live_dag_rank_ns(l, first), 10 * (CHAIN - 20), 0); /* a tenth is new */
	live_dag_whole(l);
	CHECK_NEAR(live_dag_rank_ns(l, first), 10 * CHAIN, 0);
	for (uint32_t i = 0; i < few; i++)
		(void)live_dag_submit(l, &(struct live_task){.accesses = &a, .naccesses = 1});
	live_dag_whole(l);
	CHECK_NEAR(live_dag_rank_ns(l, first), 10 * CHAIN, 0);
	live_dag_free(l);
}

int main(void)
{
	RUN(test_kinds);
	RUN(test_transfers);
	RUN(test_executed);
	RUN(test_wrong_order);
	RUN(test_modes);
	RUN(test_stream);
	RUN(test_amortised);
	RUN(test_groups);
	RUN(test_handles);
	RUN(test_sends);
	RUN(test_snapshot);
	RUN(test_part);
	RUN(test_many_after_a_join);
	RUN(test_whole);
	return check_done();
}
