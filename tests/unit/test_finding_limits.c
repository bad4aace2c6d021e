/* tests/unit/test_finding_limits.c - findings about what binds a run: its graph, data, ready tasks, end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/dag_build.h"
#include "tests/lib/made_run.h"

/* Twenty tasks one after the other: nothing else is ever ready. */
static void test_chain(void)
{
	const struct finding *starvation;
	struct made x;

	begin(&x);
	for (int i = 0; i < 20; i++) {
		uint32_t t = task(&x, PLAIN, GPU0, i, i, i, i + 1);

		if (i)
			dag_builder_edge(x.builder, t - 1, t);
	}
	look(&x);
	CHECK(found(&x, "critical-path") != NULL);
	CHECK_NEAR(found(&x, "critical-path") ? found(&x, "critical-path")->severity : 1, 0, 1e-9);
	starvation = found(&x, "starvation");
	CHECK_NEAR(evidence(starvation, "worker_share"), 0.5, 1e-9);
	CHECK_NEAR(evidence(starvation, "speed_share"), 0.4 + 0.2, 1e-9);
	CHECK_HAS(starvation ? starvation->advice : "", "no order of tasks gives them more");
	CHECK(!found(&x, "area") && !found(&x, "ready") && !found(&x, "transfers") && !found(&x, "tail"));
	done(&x);
}

/* The same where the program waits after each: the graph is not to blame. Waits at its end do not count. */
static void test_waits_often(void)
{
	static struct trace_wait waits[20];
	struct made x;

	for (size_t n = 9; n <= 10; n++) {
		begin(&x);
		for (int i = 0; i < 20; i++)
			x.tasks[task(&x, PLAIN, GPU0, i, i, i, i + 1)].submit_ns = i * (int64_t)MS;
		for (size_t i = 0; i < 20; i++)
			waits[i].start_ns = i < n ? 0 : 20 * (int64_t)MS;
		x.trace.waits = waits;
		x.trace.nwaits = 20;
		look(&x);
		REQUIRE(found(&x, "starvation") != NULL);
		CHECK_HAS(found(&x, "starvation")->advice,
		          n == 10 ? "waits 10 times for tasks, of which there are 20" : "the graph is too narrow");
		done(&x);
	}
}

/* Twenty tasks of 1 ms that add to one piece of data, on two GPUs; the area alone needs 20 / (2 + 2 / 4) = 8 ms. */
static void test_commuting(void)
{
	struct made x;

	for (int commutes = 0; commutes < 2; commutes++) {
		begin(&x);
		dag_builder_handle(x.builder, 8);
		for (int i = 0; i < 20; i++)
			dag_builder_access(x.builder, task(&x, PLAIN, i % 2 ? GPU1 : GPU0, 0, i, i, i + 1), 0,
			                   ACCESS_R | (commutes ? ACCESS_W | ACCESS_COMMUTE : 0));
		look(&x);
		CHECK_INT(found(&x, "commuting") != NULL, commutes);
		if (commutes) {
			CHECK_NEAR(evidence(found(&x, "commuting"), "exclusion_bound_ns"), 20 * MS, 1e-9);
			CHECK_NEAR(found(&x, "commuting")->severity, 0.6, 1e-6);
		}
		done(&x);
	}
}

/* Each task is taken 1 ms before it starts, with nothing else to do; its data arrives when it starts. */
static void test_transfers(void)
{
	struct made x;

	begin(&x);
	for (int i = 0; i < 10; i++) {
		task(&x, GPUISH, GPU0, 2 * i, 2 * i, 2 * i + 1, 2 * i + 2);
		copy(&x, 2 * i + 0.5, 2 * i + 1);
		task(&x, GPUISH, GPU1, 2 * i, 2 * i, 2 * i + 1, 2 * i + 2);
		copy(&x, 2 * i + 0.2, 2 * i + 1);
	}
	look(&x);
	CHECK(found(&x, "transfers") != NULL && !found(&x, "scheduling"));
	CHECK_NEAR(evidence(found(&x, "transfers"), "worker_time_ns"), 18 * MS,
	           1e-9); /* the first are before the run */
	CHECK(!found(&x, "ready"));
	done(&x);
}

/* 12 MB and 24 MB over links of 2 GB/s, the host's no wider: 18 of 20 ms. */
static void test_links(void)
{
	struct made x;

	begin(&x);
	machine_free(x.machine);
	x.machine = machine_parse("cpu:2 cuda:2 link:2GB/s", NULL);
	healthy(&x);
	copy(&x, 1, 15);
	copy(&x, 2, 19);
	x.copies[0].to = 1;
	x.copies[0].size_bytes = 12000000;
	x.copies[1].from = 2;
	x.copies[1].size_bytes = 24000000;
	look(&x);
	CHECK(found(&x, "links") != NULL);
	CHECK_NEAR(evidence(found(&x, "links"), "least_ns"), 18 * MS, 1e-9);
	CHECK_INT(findings_wrong(&x.found), 0);
	x.copies[1].size_bytes = 12000000;
	look_again(&x);
	CHECK(!found(&x, "links"));
	done(&x);
}

/* The same without a copy: it is the runtime that takes so long. */
static void test_scheduling(void)
{
	struct made x;

	begin(&x);
	for (int i = 0; i < 10; i++) {
		task(&x, GPUISH, GPU0, 2 * i, 2 * i, 2 * i + 1, 2 * i + 2);
		task(&x, GPUISH, GPU1, 2 * i, 2 * i, 2 * i + 1, 2 * i + 2);
	}
	look(&x);
	CHECK(found(&x, "scheduling") != NULL && !found(&x, "transfers"));
	CHECK_NEAR(evidence(found(&x, "scheduling"), "worker_time_ns"), 18 * MS, 1e-9);
	done(&x);
}

/* The second GPU has nothing to do although everything is ready from the start; the CPUs are right to keep out. */
static void test_ready(void)
{
	struct made x;

	begin(&x);
	for (int i = 0; i < 20; i++)
		task(&x, GPUISH, GPU0, 0, i, i, i + 1);
	look(&x);
	CHECK(found(&x, "ready") != NULL);
	CHECK_NEAR(evidence(found(&x, "ready"), "worker_time_ns"), 19 * MS, 1e-9);
	CHECK(!found(&x, "transfers") && !found(&x, "faster-elsewhere"));
	done(&x);
}

/* GPUs work, CPUs of a fifth of the machine's speed or more look on. */
static void test_faster_elsewhere(void)
{
	struct made x;

	begin(&x);
	for (int i = 0; i < 20; i++) {
		task(&x, PLAIN, GPU0, 0, i, i, i + 1);
		task(&x, PLAIN, GPU1, 0, i, i, i + 1);
	}
	look(&x);
	CHECK(!found(&x, "faster-elsewhere")); /* 19 of 20 ms of a fifth */
	CHECK_INT(x.idle.arch[ARCH_CPU].faster_elsewhere_ns, 2 * 19 * MS);
	CHECK_INT(x.idle.arch[ARCH_CPU].starved_ns + x.idle.arch[ARCH_CPU].tail_ns, 2 * MS);
	CHECK_INT(findings_wrong(&x.found), 0);
	done(&x);
	begin(&x);
	for (int w = 0; w < 2; w++)
		x.workers[2 + w].arch = ARCH_CUDA;
	machine_free(x.machine);
	x.machine = machine_parse("cpu:3 cuda:1", NULL);
	x.workers[2].arch = ARCH_CPU;
	for (int i = 0; i < 40; i++)
		task(&x, PLAIN, GPU1, 0, i, i, i + 1);
	look(&x);
	CHECK(found(&x, "faster-elsewhere") != NULL);
	CHECK_INT(findings_wrong(&x.found), 0);
	done(&x);
}

/* One task is ready: of two idle GPUs one should have had it, a CPU is right to leave it; the other GPU has none. */
static void test_surplus(void)
{
	struct made x;

	begin(&x);
	task(&x, PLAIN, CPU0, 0, 0, 0, 20);
	task(&x, PLAIN, GPU0, 0, 10, 10, 11);
	look(&x);
	CHECK_INT(x.idle.arch[ARCH_CUDA].suited_ns, 10 * MS);
	CHECK_INT(x.idle.arch[ARCH_CUDA].faster_elsewhere_ns, 0);
	CHECK_INT(x.idle.arch[ARCH_CUDA].surplus_ns, 10 * MS);
	CHECK_INT(x.idle.arch[ARCH_CPU].suited_ns, 0);
	CHECK_INT(x.idle.arch[ARCH_CPU].faster_elsewhere_ns, 10 * MS);
	CHECK_INT(x.idle.arch[ARCH_CPU].surplus_ns, 0);
	CHECK(found(&x, "starvation") != NULL && !found(&x, "faster-elsewhere"));
	done(&x);
}

static void test_tail(void)
{
	struct made x;

	begin(&x);
	healthy(&x);
	for (int i = 20; i < 30; i++)
		task(&x, GPUISH, GPU1, i, i, i, i + 1);
	look(&x);
	CHECK(found(&x, "tail") != NULL);
	CHECK_NEAR(evidence(found(&x, "tail"), "tail_ns"), 10 * MS, 1e-9);
	done(&x);
}

/* Which workers were idle while tasks ran on several workers is not known: nothing is said. */
static void test_parallel(void)
{
	struct made x;

	begin(&x);
	for (int i = 0; i < 20; i++)
		task(&x, GPUISH, GPU0, 0, i, i, i + 1);
	x.tasks[3].parallel = 2;
	look(&x);
	CHECK(!found(&x, "ready") && !found(&x, "faster-elsewhere") && !found(&x, "tail") && !found(&x, "starvation"));
	done(&x);
}

int main(void)
{
	RUN(test_chain);
	RUN(test_waits_often);
	RUN(test_commuting);
	RUN(test_transfers);
	RUN(test_links);
	RUN(test_scheduling);
	RUN(test_ready);
	RUN(test_faster_elsewhere);
	RUN(test_surplus);
	RUN(test_tail);
	RUN(test_parallel);
	return check_done();
}
