/* tests/unit/test_simulate_transfers.c - simulations in which copies take time: by hand, and properties. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/conditions.h"
#include "core/trace/overheads.h"
#include "replay/memory/network.h"
#include "replay/sim/jitter.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/play.h"
#include "tune/settings/config_make.h"

#define GB   INT64_C(1000000000)
#define SEC  INT64_C(1000000000)
#define LAT  INT64_C(10000) /* of machine_parse() */
#define COST (*of_machine())
/* A poll of a GPU thread that finds nothing; and the time from the first pop of a task until its data is there. */
#define ROUND  COST.look_ns
#define COPIED (3 * ROUND + COST.ask_ns + COST.allocate_ns + COST.queue_ns + LAT + SEC + COST.queue_ns)

static const struct overheads *of_machine(void)
{
	static struct overheads_all o;

	overheads_init(&o, OVERHEADS_MACHINE);
	return &o.of[ARCH_CUDA];
}

static const char *const policies_to_try[] = {
	"eager",
	"eager:drivers=blocking",
	"heteroprio",
	"heteroprio:variant=paper",
};

enum { NPOLICIES = sizeof(policies_to_try) / sizeof(*policies_to_try) };

static struct simulation *moved(const struct dag *d, const struct machine *m, const struct config *c,
                                const char *policy)
{
	return play(d, m, policy, (struct simulate_options){.config = c, .transfers = TRANSFERS_ON});
}

/* Costs on a CPU and on a GPU; -1: cannot. */
static uint32_t kind(struct dag_builder *b, const char *name, int64_t cpu, int64_t gpu)
{
	int64_t cost[ARCH_COUNT] = COSTS(cpu, gpu);

	return dag_builder_type(b, name, cost);
}

/* The link between two nodes of what was simulated. */
static const struct link_use *use(const struct simulation *s, int from, int to)
{
	for (int i = 0; i < s->nlinks; i++) {
		if (s->links[i].from == from && s->links[i].to == to)
			return &s->links[i];
	}
	return NULL;
}

/* A task with 1 GB over 1 GB/s: the copy, then the kernel; a CPU has it; what is written is not copied. */
static void test_one_task(void)
{
	const struct {
		const char *name;
		int64_t cpu, gpu;
		uint32_t mode;
		int64_t begin, moved;
	} cases[] = {
		{"read on a GPU", -1, 1000, ACCESS_R, COPIED, GB},
		{"updated on a GPU", -1, 1000, ACCESS_R | ACCESS_W, COPIED, GB},
		{"written on a GPU", -1, 1000, ACCESS_W, 2 * ROUND + COST.ask_ns + COST.allocate_ns + COST.queue_ns, 0},
		{"scratch on a GPU", -1, 1000, ACCESS_R | ACCESS_W | ACCESS_SCRATCH,
	         2 * ROUND + COST.ask_ns + COST.allocate_ns + COST.queue_ns, 0},
		{"read on a CPU", 1000, -1, ACCESS_R, COST.look_ns + COST.ask_ns, 0},
	};
	struct machine *m = machine_parse("cpu:1 cuda:1 link:1GB/s", NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dag_builder *b = dag_builder_create();
		struct dag *d;
		struct simulation *s;
		uint32_t h = dag_builder_handle(b, GB);
		uint32_t t = dag_builder_task(b, kind(b, "k", cases[i].cpu, cases[i].gpu));

		dag_builder_access(b, t, h, cases[i].mode);
		d = dag_builder_finish(b, NULL);
		s = moved(d, m, NULL, "eager");
		CHECK(s != NULL);
		if (s) {
			if (s->makespan_ns != cases[i].begin + 1000)
				printf("# %s\n", cases[i].name);
			CHECK_INT(s->tasks[0].start_ns, cases[i].begin);
			CHECK_INT(s->makespan_ns, cases[i].begin + 1000);
			CHECK_INT(s->bytes_moved, cases[i].moved);
			CHECK_INT(s->wait_ns[ARCH_CPU], 0);
			CHECK_INT(s->wait_ns[ARCH_CUDA], cases[i].gpu < 0 ? 0 : cases[i].begin - ROUND - COST.ask_ns);
			CHECK_INT(use(s, 0, 1)->bytes, cases[i].moved);
			CHECK_INT(use(s, 0, 1)->busy_ns, cases[i].moved ? LAT + SEC : 0);
		}
		simulation_free(s);
		dag_free(d);
	}
	machine_free(m);
}

/* Two tasks that read different data, 1 GB each, on one GPU or on two. */
static struct simulation *two_readers(const char *machine, int64_t cost)
{
	struct machine *m = machine_parse(machine, NULL);
	struct dag_builder *b = dag_builder_create();
	uint32_t type = kind(b, "k", -1, cost);
	struct simulation *s;
	struct dag *d;

	for (int i = 0; i < 2; i++) {
		uint32_t h = dag_builder_handle(b, GB);

		dag_builder_access(b, dag_builder_task(b, type), h, ACCESS_R);
	}
	d = dag_builder_finish(b, NULL);
	s = moved(d, m, NULL, "eager");
	dag_free(d);
	machine_free(m);
	return s;
}

static void test_pipeline(void)
{
	/* The second copy goes while the first kernel runs, and takes less: the kernels follow each other. */
	struct simulation *s = two_readers("cpu:1 cuda:1 link:1GB/s", 2 * SEC);
	int64_t begin = COPIED;

	CHECK_INT(s->tasks[0].start_ns, begin);
	CHECK_INT(s->tasks[1].start_ns, begin + 2 * SEC);
	CHECK_INT(s->makespan_ns, begin + 4 * SEC);
	simulation_free(s);
	/* A kernel of half a second leaves the other half to wait for. The thread starts it, allocates, then copies. */
	s = two_readers("cpu:1 cuda:1 link:1GB/s", SEC / 2);
	CHECK_INT(s->tasks[1].start_ns, 2 * begin);
	CHECK_INT(s->wait_ns[ARCH_CUDA], 2 * begin - SEC / 2 - ROUND - COST.ask_ns);
	simulation_free(s);
	/* Two GPUs share the host's link, after one has waited for the other to allocate. */
	s = two_readers("cpu:1 cuda:2 link:1GB/s", SEC);
	CHECK_INT(s->tasks[0].start_ns, begin + SEC - COST.allocate_ns);
	CHECK_INT(s->tasks[1].start_ns, begin + SEC);
	simulation_free(s);
}

/*
 * A synchronous codelet is executed by the thread of its device: what it has taken before ends first, and the next task
 * is taken, and its copy begun, when it has ended.
 */
static void test_synchronous(void)
{
	struct machine *m = machine_parse("cuda:1 link:1GB/s", NULL);
	struct dag_builder *b = dag_builder_create();
	uint32_t quick = kind(b, "quick", -1, 2 * SEC), held = kind(b, "held", -1, SEC / 2);
	struct simulation *s;
	struct dag *d;

	for (int i = 0; i < 3; i++)
		dag_builder_access(b, dag_builder_task(b, i == 1 ? held : quick), dag_builder_handle(b, GB), ACCESS_R);
	d = dag_builder_finish(b, NULL);
	d->types[held].synchronous = 1 << ARCH_CUDA;
	s = moved(d, m, NULL, "eager");
	CHECK(s != NULL);
	if (s) {
		CHECK_INT(s->tasks[0].start_ns, COPIED);
		CHECK(s->tasks[1].start_ns >= COPIED + 2 * SEC && s->tasks[1].start_ns < COPIED + 2 * SEC + SEC / 1000);
		CHECK(s->tasks[2].start_ns >= COPIED + 2 * SEC + SEC / 2 + LAT + SEC);
		CHECK(s->tasks[2].start_ns < COPIED + 2 * SEC + SEC / 2 + LAT + SEC + SEC / 1000);
	}
	simulation_free(s);
	dag_free(d);
	machine_free(m);
}

/* Bytes on the links are those of the caches, in whole tiles; and the schedule is legal. */
static int legal_moves(const struct dag *d, const struct machine *m, const struct simulation *s)
{
	uint64_t bytes = 0;
	int bad = 0;

	for (int i = 0; i < s->nlinks; i++) {
		bytes += s->links[i].bytes;
		bad += s->links[i].bytes != s->links[i].transfers * 960 * 960 * 8;
		bad += s->links[i].busy_ns < (int64_t)((double)s->links[i].bytes / m->links[i].bytes_per_s * 1e9);
		bad += s->links[i].busy_ns > s->makespan_ns;
	}
	for (int a = 0; a < ARCH_COUNT; a++)
		bad += s->wait_ns[a] < 0;
	return !bad && bytes == (uint64_t)s->bytes_moved && legal(d, m, s);
}

static int same(const struct dag *d, const struct simulation *a, const struct simulation *b)
{
	for (uint32_t t = 0; t < d->ntasks; t++) {
		if (a->tasks[t].start_ns != b->tasks[t].start_ns || a->tasks[t].worker != b->tasks[t].worker)
			return 0;
	}
	for (int i = 0; i < a->nlinks; i++) {
		if (a->links[i].bytes != b->links[i].bytes || a->links[i].busy_ns != b->links[i].busy_ns)
			return 0;
	}
	return a->makespan_ns == b->makespan_ns && a->wait_ns[ARCH_CUDA] == b->wait_ns[ARCH_CUDA];
}

static void test_properties(void)
{
	struct machine *m = machine_parse("cpu:6 cuda:3 link:6GB/s", NULL);
	struct dag *d = graph_cholesky(12, 300);
	struct config *c = config_from_dag(d, m, NULL);

	for (int p = 0; p < NPOLICIES; p++) {
		struct simulation *s = moved(d, m, c, policies_to_try[p]);
		struct simulation *again = moved(d, m, c, policies_to_try[p]);

		CHECK(s && again && legal_moves(d, m, s) && same(d, s, again));
		CHECK(s && s->bytes_moved > 0 && s->wait_ns[ARCH_CUDA] > 0);
		simulation_free(s);
		simulation_free(again);
	}
	config_free(c);
	dag_free(d);
	machine_free(m);
}

/* Without links, or without data, copies take no time: only the threads that drive devices do. */
static void test_nothing_to_copy(void)
{
	struct machine *m = machine_parse("cpu:4", NULL), *gpu = machine_parse("cpu:1 cuda:1", NULL);
	struct dag *d = graph_cholesky(8, 1000), *bare = graph_layers(3, 4, 8, 1000);
	struct simulate_options o = {.policy = &policy_eager, .policy_options = ""};
	struct simulation *off = simulate(d, m, &o, NULL), *on = moved(d, m, NULL, "eager");

	CHECK(!simulate_has_transfers(d, m) && !simulate_has_transfers(bare, gpu) && simulate_has_transfers(d, gpu));
	CHECK(off && on && off->bytes_moved == 0 && on->bytes_moved == 0 && on->nlinks == 0 && off->links == NULL);
	CHECK(off && on && on->executed[ARCH_CPU] == d->ntasks && on->wait_ns[ARCH_CPU] == 0);
	simulation_free(off);
	simulation_free(on);
	dag_free(d);
	dag_free(bare);
	machine_free(m);
	machine_free(gpu);
}

/* 38 thousand tasks, 4 GPUs: what a task costs does not depend on the size of the graph. */
static void test_cost(void)
{
	struct machine *m = machine_parse("cpu:20 cuda:4 link:10GB/s", NULL);
	struct dag *d = graph_cholesky(60, 300);
	struct config *c = config_from_dag(d, m, NULL);
	clock_t begin = clock();
	struct simulation *s = moved(d, m, c, "heteroprio");
	double rate = d->ntasks / ((double)(clock() - begin) / CLOCKS_PER_SEC);

	printf("# %.0f tasks/s with transfers\n", rate);
	CHECK(s && legal_moves(d, m, s));
	CHECK(rate > 20000); /* ten times less than a slow machine has under sanitizers */
	simulation_free(s);
	config_free(c);
	dag_free(d);
	machine_free(m);
}

/* CPUs that a policy has nothing for sleep without asking it: what happens is the same. */
static void test_idle_together(void)
{
	static const char *const settings[] = {"drivers=blocking", "drivers=polling", "variant=paper"};
	struct machine *m = machine_parse("cuda:3 cpu:12", NULL);
	struct policy asked = policy_heteroprio;
	struct conditions conditions;

	asked.is_empty = NULL;
	conditions_init(&conditions);
	for (int i = 0; i < 12; i++) {
		struct dag *d = graph_cholesky(4 + i % 6, 1000);
		struct ht_err err = {""};
		struct config *c = config_from_dag(d, m, &err);
		struct simulate_options o = {.policy = &policy_heteroprio,
		                             .policy_options = settings[i % 3],
		                             .config = c,
		                             .conditions = &conditions,
		                             .keep_schedule = 1,
		                             .transfers = TRANSFERS_ON};
		struct simulation *together, *alone;

		conditions.simulated = i / 3 % 2;
		overheads_init(&conditions.overheads, conditions.simulated ? OVERHEADS_SIMGRID : OVERHEADS_MACHINE);
		c->lists[ARCH_CPU] = (struct config_list){{POTRF, TRSM, SYRK, GEMM}, 4};
		c->lists[ARCH_CUDA] = (struct config_list){{TRSM, SYRK, GEMM}, 3};
		for (int b = TRSM; b <= GEMM; b++) { /* CPUs look, and often may take nothing */
			c->buckets[b].fastest = ARCH_CUDA;
			c->buckets[b].slow_factor[ARCH_CPU] = i;
		}
		together = simulate(d, m, &o, &err);
		o.policy = &asked;
		alone = simulate(d, m, &o, &err);
		CHECK_STR(err.text, "");
		CHECK_INT(together->makespan_ns, alone->makespan_ns);
		CHECK(!memcmp(together->tasks, alone->tasks, d->ntasks * sizeof(*alone->tasks)));
		simulation_free(together);
		simulation_free(alone);
		config_free(c);
		dag_free(d);
	}
	machine_free(m);
}

/* Where nothing varies but how soon threads wake up, so does the schedule, and not by much. */
static void test_wakes(void)
{
	struct machine *m = machine_parse("cuda:2 cpu:2 link:6GB/s", NULL);
	struct dag *d = graph_cholesky(8, 1000);
	struct simulation *plain = play(d, m, "dmda", (struct simulate_options){.transfers = TRANSFERS_ON});
	int differ = 0;

	for (uint64_t seed = 1; plain && seed <= 10; seed++) {
		struct jitter *j = jitter_create(d, &(struct jitter_options){JITTER_GIVEN, 1e-9, seed});
		struct simulate_options o = {.transfers = TRANSFERS_ON, .jitter = j};
		struct simulation *s = play(d, m, "dmda", o);

		CHECK(s && fabs((double)s->makespan_ns / (double)plain->makespan_ns - 1) < 0.2);
		differ += s && fabs((double)s->makespan_ns / (double)plain->makespan_ns - 1) > 1e-5;
		simulation_free(s);
		jitter_free(j);
	}
	CHECK(differ > 0);
	simulation_free(plain);
	machine_free(m);
	dag_free(d);
}

int main(void)
{
	RUN(test_one_task);
	RUN(test_pipeline);
	RUN(test_synchronous);
	RUN(test_properties);
	RUN(test_idle_together);
	RUN(test_nothing_to_copy);
	RUN(test_cost);
	RUN(test_wakes);
	return check_done();
}
