/* tests/unit/test_worker_time.c - where the time of workers went: states by hand, sums exact on any run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/worker_time.h"

#include <time.h>

#include "tests/lib/graphs.h"
#include "tests/lib/made_run.h"

static void span(struct made *x, int worker, enum trace_span_kind kind, double start_ms, double end_ms)
{
	x->spans[x->trace.nspans++] = (struct trace_span){
		.start_ns = llround(start_ms * MS),
		.end_ns = llround(end_ms * MS),
		.worker = (uint32_t)worker,
		.kind = kind,
	};
}

/* Executing, waiting, ..., tail of a worker, in ms. */
static void check_states(const struct made *x, int w, const double ms[WORKER_STATES])
{
	for (int s = 0; s < WORKER_STATES; s++) {
		CHECK_INT(x->times.workers[w].ns[s], llround(ms[s] * MS));
		if (x->times.workers[w].ns[s] != llround(ms[s] * MS))
			printf("# worker %d, %s\n", w, worker_state_names[s]);
	}
}

/*
 * CPU 0 works for 10 ms. GPU 0 executes [0,2], takes its next task at 3, whose data is on its way until 5, starts it at
 * 6 and ends at 8. Until 3 that task was ready. No four tasks are ever ready or running at once: no tail.
 */
static void test_states(void)
{
	struct made x;

	begin(&x);
	task(&x, PLAIN, CPU0, 0, 0, 0, 10);
	task(&x, PLAIN, GPU0, 0, 0, 0, 2);
	task(&x, PLAIN, GPU0, 1, 3, 6, 8);
	copy(&x, 3.5, 5);
	look(&x);
	CHECK_INT(x.times.elapsed_ns, 10 * MS);
	check_states(&x, CPU0, (const double[]){10, 0, 0, 0, 0, 0});
	check_states(&x, CPU1, (const double[]){0, 0, 0, 2, 8, 0});
	check_states(&x, GPU0, (const double[]){4, 2, 1, 1, 2, 0});
	CHECK_INT(x.times.workers[CPU1].slower_ns, 2 * MS); /* the task would take four times as long there */
	CHECK_INT(x.times.workers[GPU0].slower_ns, 0);
	CHECK_INT(x.times.workers[GPU0].tasks, 2);
	CHECK_INT(x.times.tail_ns, 0);
	done(&x);
}

/* A copy of other data, to another memory, or over before the task was taken, is waited for by nobody. */
static void test_copies(void)
{
	for (int kind = 0; kind < 4; kind++) {
		struct made x;

		begin(&x);
		task(&x, PLAIN, CPU0, 0, 0, 0, 10);
		task(&x, PLAIN, GPU0, 0, 3, 6, 8);
		copy(&x, kind == 3 ? 1 : 3.5, kind == 3 ? 2.5 : 5);
		if (kind == 1)
			x.copies[0].to = 2;
		if (kind == 2)
			x.accesses[0].mode = ACCESS_W;
		look(&x);
		CHECK_INT(x.times.workers[GPU0].ns[WORKER_WAITING], kind ? 0 : 2 * MS);
		CHECK_INT(x.times.workers[GPU0].ns[WORKER_SCHEDULING], kind ? 3 * MS : MS);
		done(&x);
	}
}

/* A fetch within [taken, started] is waiting; callbacks are the runtime; the scheduler counts when it gave a task. */
static void test_spans(void)
{
	struct made x;

	begin(&x);
	task(&x, PLAIN, CPU0, 0, 0, 0, 10);
	task(&x, PLAIN, GPU0, 0, 0, 0, 2);
	task(&x, PLAIN, GPU0, 2, 5, 7, 8);
	span(&x, GPU0, SPAN_CALLBACK, 1.5, 2.5);   /* 0.5 after the task */
	span(&x, GPU0, SPAN_SCHEDULING, 2.5, 3.5); /* gave nothing */
	span(&x, GPU0, SPAN_SCHEDULING, 4, 5);     /* gave the task */
	span(&x, GPU0, SPAN_FETCH, 4.5, 6);        /* 1 of it after the taking, and never before */
	span(&x, GPU0, SPAN_SLEEP, 2.5, 4);
	look(&x);
	check_states(&x, GPU0, (const double[]){3, 1, 0.5 + 1 + 1, 1.5, 2, 0});
	CHECK(x.times.waits_recorded);
	done(&x);
}

/* Four tasks at once until 4, fewer after; until 6 one is ready and not taken. */
static void test_tail(void)
{
	struct made x;

	begin(&x);
	task(&x, PLAIN, CPU0, 0, 0, 0, 8);
	task(&x, PLAIN, CPU1, 0, 0, 0, 3);
	task(&x, PLAIN, GPU0, 0, 0, 0, 4);
	task(&x, PLAIN, GPU1, 0, 0, 0, 1);
	task(&x, PLAIN, GPU1, 2, 3, 3, 4);
	task(&x, PLAIN, GPU0, 3, 6, 6, 7);
	look(&x);
	CHECK_INT(x.times.tail_ns, 4 * MS);
	check_states(&x, CPU0, (const double[]){8, 0, 0, 0, 0, 0});
	check_states(&x, CPU1, (const double[]){3, 0, 0, 1 + 2, 0, 2});
	check_states(&x, GPU0, (const double[]){5, 0, 0, 2, 0, 1});
	check_states(&x, GPU1, (const double[]){2, 0, 0, 1 + 2, 1, 2});
	done(&x);
}

/* The other worker of a parallel task executes it, too; where it is not known, nothing is said. */
static void test_parallel(void)
{
	struct made x;

	begin(&x);
	task(&x, PLAIN, CPU0, 0, 0, 0, 10);
	x.tasks[0].parallel = 2;
	span(&x, CPU1, SPAN_PARALLEL, 1, 10);
	look(&x);
	CHECK(!x.times.unknown);
	check_states(&x, CPU1, (const double[]){9, 0, 0, 0, 1, 0});
	x.trace.nspans = 0;
	look_again(&x);
	CHECK(x.times.unknown && !worker_times_check(&x.times));
	done(&x);
}

/* What is ready in one rank is nothing to the workers of another. */
static void test_ranks(void)
{
	struct made x;

	begin(&x);
	x.workers[2].rank = x.workers[3].rank = 1;
	task(&x, PLAIN, CPU0, 0, 0, 0, 4);
	task(&x, PLAIN, CPU0, 0, 4, 4, 8);
	task(&x, PLAIN, GPU0, 8, 8, 8, 10);
	look(&x);
	check_states(&x, CPU1, (const double[]){0, 0, 0, 4, 0, 6}); /* rank 0: two tasks until 4 */
	check_states(&x, GPU1, (const double[]){0, 0, 0, 0, 10, 0});
	done(&x);
}

/* Whatever tasks, copies and spans overlap how: the states of a worker add up to the nanosecond. */
static void test_sums(void)
{
	uint64_t seed = 7;

	for (int round = 0; round < 300; round++) {
		struct made x;

		begin(&x);
		for (int i = 0; i < 20; i++) {
			double t[4];

			for (int k = 0; k < 4; k++)
				t[k] = (double)(graph_random(&seed) % 1000) / 37 + (k ? t[k - 1] * (round & 1) : 0);
			task(&x, i % 2 ? PLAIN : GPUISH, (int)(graph_random(&seed) % 4), t[0], fmax(t[0], t[1]),
			     fmax(t[2], fmax(t[0], t[1])), fmax(t[3], fmax(t[2], fmax(t[0], t[1]))));
			copy(&x, t[1], t[1] + (double)(graph_random(&seed) % 100) / 7);
		}
		for (int i = 0; i < 40; i++) {
			int w = (int)(graph_random(&seed) % 4);
			enum trace_span_kind kind = (enum trace_span_kind)(graph_random(&seed) % SPAN_PARALLEL);
			double at = i * 1.3 + (double)(graph_random(&seed) % 100) / 100;

			span(&x, w, kind, at, at + 0.2);
		}
		look(&x); /* checks the sums */
		CHECK(x.times.elapsed_ns > 0 && x.times.nsegments > 0);
		done(&x);
	}
}

/* One datum is copied to a GPU again and again, while CPU tasks read it where it always is. */
static void test_many_copies(void)
{
	enum { MANY = 60000 };
	struct trace_task *tasks = ht_alloc(MANY, sizeof(*tasks));
	struct trace_extra *extras = ht_alloc(MANY, sizeof(*extras));
	struct trace_copy *copies = ht_alloc(MANY, sizeof(*copies));
	struct timeline *tl;
	struct made x;
	clock_t from;

	begin(&x);
	x.trace.tasks = tasks;
	x.trace.extras = extras;
	x.trace.copies = copies;
	x.trace.ntasks = x.trace.ncopies = MANY;
	x.trace.nhandles = x.trace.naccesses = 1;
	x.accesses[0] = (struct data_access){.mode = ACCESS_R};
	for (int i = 0; i < MANY; i++) {
		copies[i] = (struct trace_copy){.start_ns = i, .end_ns = i + 1, .size_bytes = 8, .to = 1};
		tasks[i] = (struct trace_task){.job = (uint64_t)i + 1, .parallel = 1, .naccesses = 1};
		tasks[i].start_ns = MANY + 10 * i + 5;
		tasks[i].end_ns = MANY + 10 * i + 10;
		extras[i] = (struct trace_extra)TRACE_EXTRA_NONE;
		extras[i].ready_ns = extras[i].pop_ns = MANY + 10 * i;
		dag_builder_task(x.builder, PLAIN);
	}
	end(&x);
	tl = timeline_create(&x.trace, x.dag, NULL);
	REQUIRE(tl);
	from = clock();
	worker_times_init(&x.times, tl, &x.trace, x.dag);
	CHECK(clock() - from < CLOCKS_PER_SEC); /* 0.1 s; 4 s where each task looks at all copies before it */
	CHECK_INT(x.times.workers[CPU0].ns[WORKER_WAITING], 0);
	CHECK_INT(x.times.workers[CPU0].ns[WORKER_EXECUTING], 5 * MANY);
	timeline_free(tl);
	done(&x);
	free(tasks);
	free(extras);
	free(copies);
}

int main(void)
{
	RUN(test_states);
	RUN(test_copies);
	RUN(test_spans);
	RUN(test_tail);
	RUN(test_parallel);
	RUN(test_ranks);
	RUN(test_sums);
	RUN(test_many_copies);
	return check_done();
}
