/* tests/unit/test_bound_bus.c - the bus bound: worked out by hand, beside all schedules, below every replay. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <time.h>

#include "core/config/config.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/metrics/bound_lp.h"
#include "core/metrics/two_sides.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tune/settings/config_make.h"

enum { MS = 1000000 };

/* What the program is solved to, and a little more. */
#define SOLVED 1e-3

/* A byte takes a ns. */
static const char *const slow_link = "cpu:1 cuda:1 link:1GB/s latency:0us";

static uint32_t type(struct dag_builder *b, int64_t cpu_ms, int64_t gpu_ms)
{
	int64_t cost[ARCH_COUNT] = COSTS(cpu_ms < 0 ? -1 : cpu_ms * MS, gpu_ms < 0 ? -1 : gpu_ms * MS);

	return dag_builder_type(b, "t", cost);
}

/* The bus bound and the mixed one; frees the graph. */
static struct bounds bounds_on(struct dag *d, const char *machine)
{
	struct machine *m = machine_parse(machine, NULL);
	struct bounds b = {.bus_ns = -2};

	CHECK(d && m && bounds_of(&b, d, m, BOUNDS_WITH_COPIES, NULL) == 0);
	dag_free(d);
	machine_free(m);
	return b;
}

/* `n` tasks that take 10 ms on a CPU and 1 ms on a GPU, and read 2 ms of data. */
static struct dag *readers(int n, int shared)
{
	struct dag_builder *b = dag_builder_create();

	type(b, 10, 1);
	for (int i = 0; i < n; i++)
		if (!i || !shared)
			dag_builder_handle(b, 2 * MS);
	for (int i = 0; i < n; i++)
		dag_builder_access(b, dag_builder_task(b, 0), shared ? 0 : (uint32_t)i, ACCESS_R);
	return dag_builder_finish(b, NULL);
}

/*
 * Data of their own: x of 12 on the GPU, whose copies end 1 ms before the last task does, 2 x + 1 = 10 (12 - x); mixed,
 * without copies, x = 10 (12 - x). One datum: the GPU starts after 2 ms, 2 + x = 10 (12 - x).
 */
static void test_copies_of_readers(void)
{
	struct bounds b = bounds_on(readers(12, 0), slow_link);

	CHECK_NEAR((double)b.mixed_ns, 120.0 / 11 * MS, 1e-6);
	CHECK_NEAR((double)b.bus_ns, 10 * (12 - 119.0 / 12) * MS, SOLVED);
	CHECK(b.bus_ns <= 10 * (12 - 119.0 / 12) * MS);
	CHECK_INT(b.largest_ns, b.bus_ns);
	CHECK(!strcmp(bounds_largest_name(&b), "bus bound"));
	b = bounds_on(readers(12, 1), slow_link);
	CHECK_NEAR((double)b.bus_ns, 10 * (12 - 118.0 / 11) * MS, SOLVED);
	/* Two links of 1 GB/s that share one of 1 GB/s: as before. The tasks on two GPUs take half as long. */
	b = bounds_on(readers(12, 0), "cpu:1 cuda:2 link:1GB/s latency:0us");
	CHECK_NEAR((double)b.bus_ns, 10 * (12 - 119.0 / 12) * MS, SOLVED);
}

/* CPU, GPU, CPU, each with what the one before has written: 5 + 2 + 1 + 2 + 5, or 5 + 10 + 5 without the GPU. */
static void test_chain(void)
{
	for (int data_ms = 2; data_ms <= 8; data_ms += 6) {
		struct dag_builder *b = dag_builder_create();
		struct bounds bounds;

		type(b, 5, -1);
		type(b, 10, 1);
		dag_builder_handle(b, (uint64_t)data_ms * MS);
		for (int i = 0; i < 3; i++) {
			dag_builder_access(b, dag_builder_task(b, i == 1), 0, ACCESS_R | ACCESS_W);
			if (i)
				dag_builder_edge(b, (uint32_t)i - 1, (uint32_t)i);
		}
		bounds = bounds_on(dag_builder_finish(b, NULL), slow_link);
		CHECK_INT(bounds.critical_path_ns, 11 * MS);
		CHECK_NEAR((double)bounds.bus_ns, (data_ms == 2 ? 15 : 20) * MS, 1e-6);
	}
}

/* No data, no device, no link: no copy takes time. */
static void test_no_copies(void)
{
	CHECK_INT(bounds_on(graph_layers(1, 4, 5, 1000), slow_link).bus_ns, -1);
	CHECK_INT(bounds_on(readers(3, 0), "cpu:2").bus_ns, -1);
	CHECK(bounds_on(readers(3, 0), slow_link).bus_ns > 0);
}

/* Two that read what another one writes: in between, afterwards, or nobody knows when. */
static struct dag *ordered(uint32_t first_mode, int edges)
{
	struct dag_builder *b = dag_builder_create();

	type(b, 1, 1);
	dag_builder_handle(b, 8);
	for (uint32_t t = 0; t < 4; t++)
		dag_builder_access(b, dag_builder_task(b, 0), 0, t == 0 ? first_mode : t == 3 ? ACCESS_W : ACCESS_R);
	for (uint32_t t = 1; t <= 2; t++) {
		dag_builder_edge(b, 0, t);
		if (edges)
			dag_builder_edge(b, t, 3);
	}
	if (edges < 0)
		dag_builder_edge(b, 0, 3);
	return dag_builder_finish(b, NULL);
}

static int count(struct dag *d, uint32_t *nreaders)
{
	struct machine *m = machine_parse(slow_link, NULL);
	struct two_sides x;
	int n;

	two_sides_init(&x, d, m);
	n = (int)x.nversions;
	*nreaders = 0;
	for (int i = 0; i < n; i++)
		*nreaders += x.versions[i].nreaders;
	two_sides_fini(&x);
	dag_free(d);
	machine_free(m);
	return n;
}

static void test_what_is_certain(void)
{
	uint32_t nreaders;

	/* What task 0 writes, for both readers; with ACCESS_R also what it reads. */
	CHECK_INT(count(ordered(ACCESS_W, 1), &nreaders), 1);
	CHECK_INT(nreaders, 2);
	CHECK_INT(count(ordered(ACCESS_R | ACCESS_W, 1), &nreaders), 2);
	CHECK_INT(nreaders, 3);
	/* Nothing puts the readers, or task 0 itself, before task 3: they may get what that writes. */
	CHECK_INT(count(ordered(ACCESS_W, 0), &nreaders), 0);
	/* A part of a reduction: nobody knows where the sum is. */
	CHECK_INT(count(ordered(ACCESS_REDUX, 1), &nreaders), 0);
}

/* A task that reads what all others have written; `step` 2: every second one had ended when it was submitted. */
static struct dag *gathering(uint32_t n, uint32_t step)
{
	struct dag_builder *b = dag_builder_create();

	type(b, 1, 1);
	for (uint32_t t = 0; t < n; t++) {
		dag_builder_handle(b, 8);
		dag_builder_access(b, dag_builder_task(b, 0), t, ACCESS_W);
	}
	dag_builder_task(b, 0);
	for (uint32_t t = 0; t < n; t++)
		dag_builder_access(b, n, t, ACCESS_R);
	for (uint32_t t = 0; t < n; t += step)
		dag_builder_edge(b, t, n);
	return dag_builder_finish(b, NULL);
}

static void test_many_predecessors(void)
{
	enum { MANY = 160000 };
	uint32_t nreaders;
	clock_t from = clock();

	CHECK_INT(count(gathering(MANY, 1), &nreaders), MANY);
	CHECK_INT(count(gathering(MANY, 2), &nreaders), MANY / 2);
	CHECK(clock() - from < 3 * CLOCKS_PER_SEC); /* 0.3 s, and 15 s where each search looks at all of them */
}

/* Tasks with up to three data, one of them written, and all dependencies that StarPU makes of that. */
static struct dag *random_graph(uint64_t seed, uint32_t ntasks, uint32_t nhandles, int64_t unit_ns)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t *writer = ht_alloc(nhandles, sizeof(*writer));
	uint8_t *reads = ht_alloc((size_t)ntasks * nhandles, 1); /* since the last write */

	for (int i = 0; i < 3; i++) {
		int64_t cpu = (1 + graph_random(&seed) % 20) * unit_ns, gpu = (1 + graph_random(&seed) % 6) * unit_ns;
		int64_t cost[ARCH_COUNT] = COSTS(cpu, i == 2 ? -1 : gpu);

		dag_builder_type(b, (const char *[]){"a", "b", "c"}[i], cost);
	}
	for (uint32_t h = 0; h < nhandles; h++)
		dag_builder_handle(b, (graph_random(&seed) % 8) * (uint64_t)unit_ns);
	for (uint32_t i = 0; i < ntasks; i++) {
		uint32_t t = dag_builder_task(b, graph_random(&seed) % 7 * 3 / 7), at = graph_random(&seed) % nhandles;

		for (uint32_t k = graph_random(&seed) % 3; k > 0; k--) {
			uint32_t h = (at + k) % nhandles;

			dag_builder_access(b, t, h, ACCESS_R);
			if (writer[h])
				dag_builder_edge(b, writer[h] - 1, t);
			reads[h * (size_t)ntasks + t] = 1;
		}
		dag_builder_access(b, t, at, graph_random(&seed) % 3 ? ACCESS_R | ACCESS_W : ACCESS_W);
		if (writer[at])
			dag_builder_edge(b, writer[at] - 1, t);
		for (uint32_t r = 0; r < t; r++) {
			if (reads[at * (size_t)ntasks + r])
				dag_builder_edge(b, r, t);
			reads[at * (size_t)ntasks + r] = 0;
		}
		writer[at] = t + 1;
	}
	free(writer);
	free(reads);
	return dag_builder_finish(b, NULL);
}

/* Tasks in an order on sides, each as early as it can: a schedule, with one copy at a time. */
struct tiny {
	const struct dag *d;
	uint32_t sides, done; /* sets of tasks */
	uint8_t valid[8];     /* per datum: the sides */
	int64_t ready[8][2];  /* when it is there */
	int64_t end[8], free[2], bus;
};

static int64_t shortest(const struct tiny *before, int64_t least);

/* The shortest schedule that goes on with task t, if it is shorter than `least`. */
static int64_t shortest_with(const struct tiny *before, uint32_t t, int64_t least)
{
	struct tiny x = *before;
	const struct dag *d = x.d;
	int s = x.sides >> t & 1;
	int64_t start = x.free[s], cost = dag_cost(d, t, s ? ARCH_CUDA : ARCH_CPU);

	for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
		start = x.end[d->pred[k]] > start ? x.end[d->pred[k]] : start;
	for (uint32_t i = 0; i < d->tasks[t].naccesses; i++) {
		const struct data_access *a = &d->accesses[d->tasks[t].first_access + i];

		if (!(a->mode & ACCESS_R))
			continue;
		if (!(x.valid[a->handle] >> s & 1)) {
			int64_t from = x.ready[a->handle][!s] > x.bus ? x.ready[a->handle][!s] : x.bus;

			x.bus = x.ready[a->handle][s] = from + (int64_t)d->handle_bytes[a->handle];
			x.valid[a->handle] = 3;
		}
		start = x.ready[a->handle][s] > start ? x.ready[a->handle][s] : start;
	}
	x.free[s] = x.end[t] = start + cost;
	x.done |= 1u << t;
	for (uint32_t i = 0; i < d->tasks[t].naccesses; i++) {
		const struct data_access *a = &d->accesses[d->tasks[t].first_access + i];

		if (a->mode & ACCESS_W) {
			x.valid[a->handle] = (uint8_t)(1 << s);
			x.ready[a->handle][s] = x.end[t];
		}
	}
	return x.end[t] < least ? shortest(&x, least) : least;
}

static int64_t shortest(const struct tiny *x, int64_t least)
{
	const struct dag *d = x->d;

	if (x->done == (1u << d->ntasks) - 1) {
		int64_t last = x->free[0] > x->free[1] ? x->free[0] : x->free[1];

		return last < least ? last : least;
	}
	for (uint32_t t = 0; t < d->ntasks; t++) {
		int ready = !(x->done >> t & 1);

		for (uint32_t k = d->pred_first[t]; k < d->pred_first[t + 1]; k++)
			ready &= x->done >> d->pred[k] & 1;
		if (ready)
			least = shortest_with(x, t, least);
	}
	return least;
}

static int can_be_on(const struct dag *d, uint32_t sides)
{
	for (uint32_t t = 0; t < d->ntasks; t++)
		if (dag_cost(d, t, sides >> t & 1 ? ARCH_CUDA : ARCH_CPU) < 0)
			return 0;
	return 1;
}

/* What an assignment takes on the CPU, on the GPU and on the link. */
static void add_times(const struct dag *d, const struct two_sides *two, uint32_t sides, double times[3])
{
	for (uint32_t t = 0; t < d->ntasks; t++)
		times[sides >> t & 1] += (double)dag_cost(d, t, sides >> t & 1 ? ARCH_CUDA : ARCH_CPU);
	for (uint32_t i = 0; i < two->nversions; i++) {
		const struct version *v = &two->versions[i];
		uint32_t from = v->producer == TWO_SIDES_NOBODY ? 0 : sides >> v->producer & 1, crosses = 0;

		for (uint32_t k = v->first_reader; k < v->first_reader + v->nreaders; k++)
			crosses |= from != (sides >> two->readers[k].task & 1);
		times[2] += crosses ? (double)v->bytes : 0;
	}
}

/* Not above the shortest of all schedules, and not below the program with a column for each assignment. */
static void test_all_schedules(void)
{
	struct machine *m = machine_parse(slow_link, NULL);
	int above_mixed = 0;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct dag *d = random_graph(seed, 6, 4, MS);
		double times[64][3] = {{0}}, weights[3], shares[64], value;
		int64_t least = INT64_MAX;
		struct two_sides two;
		struct bounds b;
		int n = 0;

		two_sides_init(&two, d, m);
		for (uint32_t sides = 0; sides < 1u << d->ntasks; sides++) {
			struct tiny x = {.d = d, .sides = sides};

			if (!can_be_on(d, sides))
				continue;
			memset(x.valid, 1, sizeof(x.valid));
			least = shortest(&x, least);
			add_times(d, &two, sides, times[n++]);
		}
		CHECK_INT(bounds_of(&b, d, m, BOUNDS_WITH_COPIES, NULL), 0);
		CHECK_INT(bound_game(&times[0][0], 3, n, &value, weights, shares, NULL), 0);
		CHECK(b.largest_ns <= least);
		CHECK(b.bus_ns < 0 || (double)b.bus_ns >= value * (1 - SOLVED));
		above_mixed += (double)b.bus_ns > 1.01 * (double)b.mixed_ns;
		two_sides_fini(&two);
		dag_free(d);
	}
	CHECK(above_mixed > 20);
	machine_free(m);
}

static void check_replays(struct dag *d, struct machine *m)
{
	struct config *c = config_from_dag(d, m, NULL);
	struct bounds b;

	REQUIRE(c && bounds_of(&b, d, m, BOUNDS_WITH_COPIES, NULL) == 0 && b.bus_ns >= b.mixed_ns);
	for (int i = 0; policies[i]; i++) {
		struct simulate_options o = {.config = c, .transfers = TRANSFERS_ON, .policy_options = ""};
		struct simulation *s;

		o.policy = policies[i];
		s = simulate(d, m, &o, NULL);
		CHECK(s && s->makespan_ns >= b.bus_ns);
		if (s && s->makespan_ns < b.bus_ns)
			printf("# %s: %" PRId64 " < %" PRId64 "\n", policies[i]->name, s->makespan_ns, b.bus_ns);
		simulation_free(s);
	}
	config_free(c);
	dag_free(d);
	machine_free(m);
}

static void test_below_every_replay(void)
{
	static const char *const machines[] = {"cpu:3 cuda:2 link:1GB/s", "cpu:1 cuda:1 link:4GB/s latency:200us",
	                                       "cuda:3 cpu:2 link:2GB/s"};

	for (uint64_t seed = 1; seed <= 9; seed++)
		check_replays(random_graph(seed, 120, 12 + (uint32_t)seed, 100000),
		              machine_parse(machines[seed % 3], NULL));
	for (int64_t scale = 10; scale <= 1000; scale *= 10)
		check_replays(graph_cholesky(6, scale), machine_parse("cuda:4 cpu:20", NULL));
}

int main(void)
{
	RUN(test_copies_of_readers);
	RUN(test_chain);
	RUN(test_no_copies);
	RUN(test_what_is_certain);
	RUN(test_many_predecessors);
	RUN(test_all_schedules);
	RUN(test_below_every_replay);
	return check_done();
}
