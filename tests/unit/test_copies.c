/* tests/unit/test_copies.c - what was copied over which link and why, and what locality formulas name: by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/copies.h"

#include <stdlib.h>

#include "analyze/data/bmd.h"
#include "analyze/data/data_state.h"
#include "analyze/data/timeline.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

enum { MOST = 8 };

static struct trace_copy copies[MOST];
static struct trace_task tasks[MOST];
static struct trace_extra extras[MOST];
static struct data_access accesses[MOST];
static struct trace_codelet codelet;
static struct trace_worker workers[2] = {{.arch = ARCH_CPU, .node = 0}, {.arch = ARCH_CUDA, .node = 1}};
static struct trace_handle handle;
static struct trace trace;
static struct machine *machine;
static struct data_state *state;

static void begin(void)
{
	struct ht_err err;

	handle = (struct trace_handle){.size_bytes = 1000, .register_ns = 0, .unregister_ns = TIME_NONE};
	trace = (struct trace){.tasks = tasks,
	                       .extras = extras,
	                       .accesses = accesses,
	                       .copies = copies,
	                       .handles = &handle,
	                       .nhandles = 1,
	                       .workers = workers,
	                       .nworkers = 2,
	                       .codelets = &codelet,
	                       .ncodelets = 1,
	                       .nnodes = 2};
	machine = machine_parse("cpu:1 cuda:1 link:1GB/s", &err);
	CHECK(machine != NULL);
}

static void add_copy(int from, int to, int64_t start, int64_t end, enum copy_cause cause, uint64_t bytes)
{
	copies[trace.ncopies++] = (struct trace_copy){.start_ns = start,
	                                              .end_ns = end,
	                                              .size_bytes = bytes,
	                                              .from = (int16_t)from,
	                                              .to = (int16_t)to,
	                                              .cause = (uint8_t)cause};
}

static void add_task(int worker, int pusher, uint32_t mode, int64_t ready, int64_t pop, int64_t start, int64_t stop)
{
	accesses[trace.naccesses] = (struct data_access){.mode = mode};
	extras[trace.ntasks] = (struct trace_extra){.ready_ns = ready, .pop_ns = pop, .pusher = pusher};
	tasks[trace.ntasks++] = (struct trace_task){.worker = worker,
	                                            .node = worker,
	                                            .submit_ns = 0,
	                                            .start_ns = start,
	                                            .end_ns = stop,
	                                            .parallel = 1,
	                                            .first_access = (uint32_t)trace.naccesses++,
	                                            .naccesses = 1};
}

static void build(void)
{
	state = data_state_best(&trace);
}

static void end(void)
{
	data_state_free(state);
	machine_free(machine);
}

static void sums_and_busy_time(void)
{
	struct copies x;
	char name[96];
	uint32_t *order;

	begin();
	add_copy(0, 1, 10, 30, COPY_FETCH, 1000);
	add_copy(0, 1, 20, 40, COPY_TASK_PREFETCH, 1000); /* overlaps the first */
	add_copy(0, 1, 22, 24, COPY_PREFETCH, 1000);      /* within both */
	add_copy(1, 0, 50, 60, COPY_IDLE_FETCH, 500);
	add_copy(1, 0, 70, TIME_NONE, COPY_FETCH, 100);
	add_copy(0, 0, 80, 90, COPY_FETCH, 1000); /* over no link */
	build();
	copies_init(&x, &trace, machine, state);
	CHECK_INT(x.count, 2);
	CHECK_INT(x.at[0].copies, 3);
	CHECK_INT(x.at[0].bytes, 3000);
	CHECK_INT(x.at[0].group_bytes[COPY_GROUP_FETCH], 1000);
	CHECK_INT(x.at[0].group_bytes[COPY_GROUP_PREFETCH], 2000);
	CHECK_INT(x.at[0].busy_ns, 30);
	CHECK_NEAR(x.at[0].bytes_per_s, 1e9, 1e-12);
	/* Three copies of one version: the first to end brings it, the others bring it again. */
	CHECK_INT(x.at[0].again_bytes, 2000);
	CHECK_INT(x.at[1].group_bytes[COPY_GROUP_IDLE], 500);
	CHECK_INT(x.at[1].busy_ns, 10);
	CHECK_INT(x.all.bytes, 3600);
	order = copies_by_bytes(&x);
	CHECK(order[0] == 0 && order[1] == 1);
	CHECK_STR(link_name(machine, &x.at[0], name), "main memory > cuda 0");
	CHECK_STR(machine_node_name(machine, 7, name), "node 7");
	free(order);
	copies_fini(&x);
	end();
}

enum { MS = 1000000 };

static struct trace_copy copy_at(int from, int to, double start_ms, double end_ms, uint64_t bytes)
{
	return (struct trace_copy){.start_ns = llround(start_ms * MS),
	                           .end_ns = llround(end_ms * MS),
	                           .size_bytes = bytes,
	                           .handle = TRACE_NONE,
	                           .from = (int16_t)from,
	                           .to = (int16_t)to};
}

/* A run from 10 to 110 ms on a machine of 1 GB/s links; node 0 is main memory, 1 and 2 are GPUs. */
static void count_all(struct copies *x, struct trace_copy *of, size_t n, int nranks)
{
	struct machine *m = machine_parse("cpu:1 cuda:2 link:1GB/s", NULL);
	struct trace_task task = {.start_ns = 10 * MS, .end_ns = 110 * MS, .worker = 0, .parallel = 1};
	struct trace t = {.tasks = &task, .ntasks = 1, .copies = of, .ncopies = n, .nranks = nranks};

	copies_init(x, &t, m, NULL);
	machine_free(m);
}

static void copies_of_the_run(void)
{
	struct trace_copy list[] = {
		copy_at(0, 1, 0, 5, 999),       /* before the run */
		copy_at(0, 1, 4, 10, 999),      /* until it begins */
		copy_at(0, 1, 0, 20, 2000000),  /* half of it */
		copy_at(0, 1, 15, 30, 5000000), /* overlaps by 5 ms */
		copy_at(0, 1, 17, 25, 1000000), /* within */
		copy_at(1, 0, 40, 50, 4000000),
		copy_at(0, 1, 100, 120, 2000000), /* half of it */
		copy_at(0, 1, 110, 120, 999),     /* from its end on */
		copy_at(0, 2, 105, TIME_NONE / 1e6, 7),
	};
	struct copies x;

	list[8].end_ns = TIME_NONE;
	count_all(&x, list, 9, 1);
	CHECK_INT(x.count, 3);
	CHECK(x.at[0].from == 0 && x.at[0].to == 1 && x.at[1].to == 2 && x.at[2].from == 1);
	CHECK_INT(x.at[0].run.copies, 4);
	CHECK_INT(x.at[0].run.bytes, 8000000);
	CHECK_INT(x.at[0].run.group_bytes[COPY_GROUP_FETCH], 8000000);
	CHECK_INT(x.at[0].run.busy_ns, (20 + 10) * MS);
	CHECK_INT(x.at[1].run.busy_ns, 0);
	CHECK_INT(x.at[2].run.busy_ns, 10 * MS);
	CHECK_INT(x.at[0].run.least_ns, 8 * MS);
	CHECK_INT(x.host_bytes, 12000007);
	CHECK_INT(x.host_least_ns, 12000007);
	CHECK_INT(x.least_ns, x.host_least_ns);
	copies_fini(&x);
}

/* Each rank has nodes of its own, from 0, and a link of its devices to the host. */
static void links_of_ranks(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:3 link:1GB/s", NULL);
	struct trace_copy list[] = {copy_at(0, 1, 20, 30, 100), copy_at(1, 0, 20, 30, 50), copy_at(0, 1, 40, 50, 80)};
	struct trace_task task = {.start_ns = 10 * MS, .end_ns = 110 * MS, .worker = 0, .parallel = 1};
	struct trace t = {.tasks = &task, .ntasks = 1, .copies = list, .ncopies = 3, .nranks = 2};
	struct copies x;
	char name[96];

	m->nodes[2].rank = m->nodes[3].rank = list[2].rank = 1;
	for (int i = 0; i < m->nlinks; i++)
		if (m->links[i].from == 2 && m->links[i].to == 3)
			m->links[i].bytes_per_s = 2e8;
	copies_init(&x, &t, m, NULL);
	CHECK_INT(x.count, 3);
	CHECK_INT(x.at[0].run.least_ns, 100);
	CHECK_INT(x.at[2].run.least_ns, 400);
	CHECK_NEAR(x.at[2].bytes_per_s, 2e8, 1);
	CHECK_STR(link_name(m, &x.at[1], name), "0: cuda 0 > main memory");
	CHECK_STR(link_name(m, &x.at[2], name), "1: cuda 1 > cuda 2");
	CHECK_INT(x.host_bytes, 150);
	CHECK_INT(x.host_least_ns, 150);
	CHECK_INT(x.least_ns, 400);
	copies_fini(&x);
	machine_free(m);
}

static void unknown_links(void)
{
	struct trace_copy list[] = {copy_at(0, 1, 20, 30, 10), copy_at(0, 1, 40, 50, 10)};
	struct copies x;

	list[1].rank = 1;
	count_all(&x, list, 2, 2);
	CHECK_INT(x.count, 2);
	CHECK_INT(x.at[0].run.least_ns, 10);
	CHECK_INT(x.at[1].run.least_ns, -1); /* the machine has one rank */
	CHECK_INT(x.all.run.bytes, 20);
	copies_fini(&x);
	list[0].from = 9; /* a node that the machine does not have */
	count_all(&x, list, 1, 1);
	CHECK_INT(x.at[0].run.least_ns, -1);
	CHECK_INT(x.least_ns, -1);
	copies_fini(&x);
	count_all(&x, list, 0, 1);
	CHECK(!x.count && x.least_ns == -1);
	copies_fini(&x);
}

/*
 * The datum is on node 0 when the first task is pushed there. Fetched to be written, it is on node 1 alone by the pop:
 * all formulas name another node. The second task is pushed, popped and run on node 1.
 */
static void node_named_at_push_and_pop(void)
{
	struct ht_err err;
	struct dag dag = {0};
	struct timeline *tl;
	struct bmd b;

	begin();
	add_task(1, 0, ACCESS_R | ACCESS_W, 10, 25, 30, 40);
	add_task(1, 1, ACCESS_R, 50, 60, 70, 80);
	add_copy(0, 1, 12, 20, COPY_TASK_PREFETCH, 1000);
	build();
	tl = timeline_create(&trace, NULL, &err);
	CHECK(tl != NULL);
	if (!tl)
		return;
	bmd_init(&b, tl, &dag, machine, state, 4);
	CHECK_INT(b.paper.tasks, 2);
	CHECK_INT(b.source, DATA_REBUILT);
	CHECK(b.pushers_recorded && b.has_transfers);
	for (int f = 0; f < LOCALITY_FORMULAS; f++) {
		CHECK_INT(b.paper.changed[f], 1);
		CHECK_INT(b.starpu.changed[f], 1);
		CHECK_INT(b.ran_there[f], 1);
		CHECK_NEAR(bmd_ratio(&b, &b.paper, (enum locality_formula)f), 0.5, 1e-12);
	}
	CHECK_INT(b.chosen[LOCALITY_LS_SDH], 2); /* all equal, both times */
	CHECK_INT(b.chosen_changed, 1);
	/* Slices of 20 ns of 80: push; pop; push; pop, at its very begin. */
	CHECK_INT(b.slices[0].chosen[LOCALITY_LS_SDH], 1);
	CHECK_INT(b.slices[0].so_far.tasks, 0);
	CHECK_INT(b.slices[1].so_far.tasks, 1);
	CHECK_INT(b.slices[2].so_far.changed[LOCALITY_MC], 1);
	CHECK_INT(b.slices[2].chosen[LOCALITY_LS_SDH], 1);
	CHECK_INT(b.slices[3].so_far.tasks, 2);
	bmd_fini(&b);
	timeline_free(tl);
	end();
}

/* Data that is on both nodes by the pop: the printed formulas stay with the pusher's node, StarPU's code goes along. */
static void ties(void)
{
	struct ht_err err;
	struct dag dag = {0};
	struct timeline *tl;
	struct bmd b;

	begin();
	machine->nlinks = 0;
	add_copy(0, 1, 12, 20, COPY_TASK_PREFETCH, 1000);
	add_task(1, -1, ACCESS_R, 10, 25, 30, 40); /* the main thread is on node 0 */
	build();
	tl = timeline_create(&trace, NULL, &err);
	CHECK(tl != NULL);
	if (!tl)
		return;
	bmd_init(&b, tl, &dag, machine, state, 0);
	CHECK_INT(b.paper.changed[LOCALITY_LARU], 1);
	CHECK(isnan(bmd_ratio(&b, &b.paper, LOCALITY_MC)));
	for (int f = LOCALITY_FIRST_AUTOMATIC; f < LOCALITY_FORMULAS; f++) {
		CHECK_INT(b.paper.changed[f], 0);
		CHECK_INT(b.starpu.changed[f], 1);
	}
	bmd_fini(&b);
	timeline_free(tl);
	end();
}

int main(void)
{
	RUN(sums_and_busy_time);
	RUN(copies_of_the_run);
	RUN(links_of_ranks);
	RUN(unknown_links);
	RUN(node_named_at_push_and_pop);
	RUN(ties);
	return check_done();
}
