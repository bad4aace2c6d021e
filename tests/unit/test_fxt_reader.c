/* tests/unit/test_fxt_reader.c - raw traces written by hand: versions, ranks, tags, damage. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/fxt_loaded.h"

static char dir[] = "/tmp/heterotune-test-XXXXXX";

static FILE *begin(const char *name, char **path)
{
	FILE *f;

	*path = ht_asprintf("%s/%s", dir, name);
	f = fopen(*path, "wb");
	write_head(f);
	return f;
}

static struct trace *load(const char *path, struct ht_err *err)
{
	const char *const paths[] = {path};

	err->text[0] = '\0';
	return trace_load_fxt(paths, 1, err);
}

/* Ends the file that begin() began, and reads it. */
static void starpu_1_4(void)
{
	char *path;
	FILE *f = begin("v14", &path);
	struct trace *t;

	write_14(f);
	t = loaded(f, path);
	if (!t)
		return;
	CHECK_INT(t->starpu_minor, 4);
	CHECK_INT(trace_executed(t), 2);
	CHECK_INT(trace_makespan_ns(t, NULL), 1200);
	CHECK_INT(t->defects.unordered, 1);
	CHECK_INT(t->defects.unfinished, 0);
	CHECK_INT(t->tasks[0].submit_ns, 200); /* from the first event as written */
	CHECK_INT(trace_extra(t, &t->tasks[0])->ready_ns, 300);
	CHECK_INT(trace_extra(t, &t->tasks[0])->pop_ns, 350);
	CHECK_INT(trace_extra(t, &t->tasks[0])->done_ns, 950);
	CHECK_INT(t->tasks[0].priority, 5);
	CHECK_INT(t->tasks[0].footprint, 0x617e5fe6);
	CHECK_NEAR(trace_extra(t, &t->tasks[0])->gflop, 2.0, 1e-12);
	CHECK_INT(trace_extra(t, &t->tasks[1])->iteration[1], 7);
	CHECK_STR(trace_text(t, t->codelets[0].label), "potrf");
	CHECK_STR(trace_text(t, t->codelets[0].model), "model_of_potrf");
	CHECK_INT(t->workers[0].arch, ARCH_CUDA);
	CHECK_INT(t->workers[1].binding, 3);
	CHECK_INT(t->ncopies, 1);
	CHECK_INT(t->copies[0].end_ns - t->copies[0].start_ns, 100);
	CHECK_INT(t->copies[0].begin_ns, 7);
	CHECK_STR(trace_text(t, t->handles[0].description), "M8x8x4");
	CHECK_INT(trace_extra(t, &t->tasks[0])->pusher, -1); /* thread 9 is the main one */
	CHECK_INT(trace_extra(t, &t->tasks[1])->pusher, 1);
	CHECK_INT(t->nstates, 1);
	CHECK_INT(t->nmemory, 4); /* allocations that failed and memory of no data do not count */
	for (size_t i = 0; i < t->nmemory; i++) {
		static const enum trace_memory_kind kinds[] = {MEMORY_ALLOCATED, MEMORY_EVICTING, MEMORY_EVICTED,
		                                               MEMORY_FREED};

		CHECK_INT(t->memory[i].kind, kinds[i]);
		CHECK_INT(t->memory[i].node, 1);
		CHECK_INT(t->memory[i].handle, 0);
		CHECK_INT(t->memory[i].took_ns, i == 0);
	}
	CHECK_INT(t->naccesses, 1);
	CHECK_INT(t->accesses[0].mode, ACCESS_R | ACCESS_W);
	trace_free(t);
}

/* 1.3: kinds are shifted, a body has a name of its own, names have no thread in front, sizes no maximum. */
/* What starpu_cublas_init() and starpu_execute_on_each_worker() execute is no task of the application. */
static void excluded_tasks_do_not_count(void)
{
	char *path;
	FILE *f = begin("excluded", &path);
	struct trace *t;

	event(f, 500, 0x5187, NULL, 2, U(3), U(1));
	event(f, 501, 0x511a, NULL, 7, U(3), U(-1), U(-1), U(0), U(0), U(0), U(9));
	event(f, 502, 0x512b, "execute_on_all_wrapper", 2, U(3), U(9));
	event(f, 510, 0x5102, NULL, 4, U(3), U(0), U(1), U(0));
	event(f, 900, 0x5103, "cpu0_impl0", 5, U(3), U(0), U(0), U(1), U(71));
	write_14(f);
	t = loaded(f, path);
	if (!t)
		return;
	CHECK_INT(trace_executed(t), 2);
	CHECK_INT(trace_makespan_ns(t, NULL), 1200);
	CHECK_INT(t->ncodelets, 2);
	trace_free(t);
}

/*
 * Task 2's function returns before task 1 ends: its kernel has begun when that ends, at 2000, and StarPU says so 50 ns
 * later. Task 3's has returned between the end of task 2 and what StarPU says: it has begun then. Task 4 is alone.
 */
static void queued_kernels_begin_when_others_end(void)
{
	char *path;
	FILE *f = begin("queued", &path);
	struct trace *t;

	event(f, 1000, 0x5100, NULL, 7, U(0x101), U(0), U(0), U(1), U(0), U(0), U(70));
	for (uint64_t job = 1; job <= 4; job++) {
		event(f, 1000 + job, 0x511a, NULL, 7, U(job), U(-1), U(-1), U(job), U(0), U(0), U(9));
		event(f, 1000 + job, 0x512b, "gemm", 2, U(job), U(9));
	}
	event(f, 1500, 0x5102, NULL, 4, U(1), U(0), U(0), U(1));
	event(f, 1510, 0x5169, NULL, 2, U(70), U(1));
	event(f, 1700, 0x5169, NULL, 2, U(70), U(2));
	event(f, 2000, 0x5103, "cuda0_impl0", 5, U(1), U(0), U(0), U(0), U(70));
	event(f, 2050, 0x5102, NULL, 4, U(2), U(0), U(0), U(1));
	event(f, 2500, 0x5103, "cuda0_impl0", 5, U(2), U(0), U(0), U(0), U(70));
	event(f, 2510, 0x5169, NULL, 2, U(70), U(3));
	event(f, 2550, 0x5102, NULL, 4, U(3), U(0), U(0), U(1));
	event(f, 2900, 0x5103, "cuda0_impl0", 5, U(3), U(0), U(0), U(0), U(70));
	event(f, 3500, 0x5102, NULL, 4, U(4), U(0), U(0), U(1));
	event(f, 3510, 0x5169, NULL, 2, U(70), U(4));
	event(f, 4000, 0x5103, "cuda0_impl0", 5, U(4), U(0), U(0), U(0), U(70));
	t = loaded(f, path);
	REQUIRE(t && t->ntasks == 4);
	CHECK_INT(t->tasks[0].start_ns, 500);
	CHECK_INT(t->tasks[1].start_ns, 1000);
	CHECK_INT(t->tasks[1].end_ns, 1500);
	CHECK_INT(t->tasks[2].start_ns, 1510);
	CHECK_INT(t->tasks[3].start_ns, 2500);
	trace_free(t);
}

static void starpu_1_3(void)
{
	char *path;
	FILE *f = begin("v13", &path);
	struct trace *t;

	event(f, 10, 0x5100, NULL, 7, U(0x101), U(0), U(0), U(0), U(0), U(0), U(70));
	event(f, 11, 0x5100, NULL, 7, U(0x103), U(1), U(0), U(1), U(0), U(0), U(71));
	event(f, 12, 0x517c, "V4", 3, U(0xd0), U(64), U(-1));
	event(f, 20, 0x5102, "axpy", 5, U(1), U(0), U(0), U(0), U(1));
	event(f, 21, 0x511c, "model", 1, U(1));
	event(f, 22, 0x512b, "axpy", 1, U(1));
	event(f, 30, 0x5103, "cpu0", 5, U(1), U(64), U(1), U(0), U(70));
	event(f, 40, 0x5102, NULL, 5, U(2), U(0), U(1), U(1), U(0));
	event(f, 41, 0x512b, "a_task_with_its_own_name", 4, U(2), U(71), U(0), U(1));
	event(f, 50, 0x5103, "opencl0", 5, U(2), U(64), U(1), U(1), U(71));
	t = loaded(f, path);
	if (!t)
		return;
	CHECK_INT(t->starpu_minor, 3);
	CHECK_INT(t->workers[0].arch, ARCH_CPU);
	CHECK_INT(t->workers[1].arch, ARCH_OPENCL);
	CHECK_STR(trace_text(t, t->tasks[0].name), "axpy");
	CHECK_STR(trace_text(t, t->codelets[t->tasks[0].codelet].model), "model");
	CHECK_STR(trace_text(t, t->tasks[1].name), "a_task_with_its_own_name");
	CHECK_INT(t->handles[0].home_node, -1);
	CHECK_STR(trace_text(t, t->handles[0].description), "V4");
	trace_free(t);
}

static void starpu_1_5(void)
{
	char *path;
	FILE *f = begin("v15", &path);
	struct trace *t;

	write_15(f);
	t = loaded(f, path);
	REQUIRE(t);
	CHECK_INT(t->starpu_minor, 5);
	CHECK_INT(t->workers[1].arch, ARCH_SYCL);
	CHECK_INT(trace_executed(t), 2); /* the one without a codelet is not */
	CHECK_INT(trace_makespan_ns(t, NULL), 900);
	CHECK_INT(t->tasks[0].end_ns - t->tasks[0].start_ns, 500);
	CHECK_INT(t->tasks[1].start_ns, TIME_NONE);
	CHECK_INT(t->tasks[1].end_ns, TIME_NONE);
	CHECK_INT(trace_extra(t, &t->tasks[1])->done_ns, 952);
	CHECK_INT(t->ndeps, 1);
	CHECK_INT(t->defects.unmatched, 0);
	CHECK_INT(t->defects.orphan_accesses, 0);
	CHECK_INT(t->nhandles, 3);
	CHECK_STR(trace_text(t, t->handles[0].description), "M16x8x4");
	CHECK_STR(trace_text(t, t->handles[1].description), "M8x8x4");
	CHECK_STR(trace_text(t, t->handles[1].name), "A");
	CHECK_INT(t->handles[1].size_bytes, 256);
	CHECK_INT(t->handles[1].home_node, -1);
	CHECK_INT(t->handles[1].ncoordinates, 2);
	CHECK_INT(t->handles[1].coordinates[0], 4);
	CHECK_INT(t->handles[1].unregister_ns, 1310);
	CHECK_INT(t->accesses[0].handle, 1);
	CHECK_STR(trace_text(t, t->handles[2].name), "B");
	CHECK_STR(trace_text(t, t->handles[2].description), "V4");
	CHECK_INT(t->handles[2].ncoordinates, 0);
	CHECK_INT(t->handles[2].epoch, 1);
	trace_free(t);
}

/* Which StarPU wrote a file is known by its first body, or by that of another rank where it has none. */
static void versions_are_known_by_the_first_body(void)
{
	static const struct {
		const char *text;
		int n;
		uint64_t fifth, sixth;
		int minor;
	} bodies[] = {
		{NULL, 4, 0, 0, 4},   /* 1.4 */
		{NULL, 5, 70, 0, 4},  /* 1.4 before its first release */
		{NULL, 5, 0, 0, 3},   /* 1.3, a task without a name */
		{"gemm", 5, 1, 0, 3}, /* 1.3: a name of one word has as many parameters as 1.5 */
		{"a_long_name", 5, 1, 0, 3},
		{NULL, 6, 1, 0, 3},  /* 1.3, an empty name */
		{NULL, 6, 70, 0, 5}, /* 1.5 */
		{NULL, 6, 70, 1, 5},
		{NULL, 6, 1, 1, 5}, /* 1.5: nothing to run, by the first thread of a container */
	};
	struct ht_err err = {{0}};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		char *path[2];
		struct trace *t;
		FILE *f = begin("idle_rank", &path[0]);

		event(f, 5, 0x5203, NULL, 4, U(0), U(2), U(99), U(5));
		fclose(f);
		f = begin("body", &path[1]);
		event(f, 5, 0x5203, NULL, 4, U(1), U(2), U(99), U(5));
		event(f, 10, 0x5102, bodies[i].text, bodies[i].n, U(1), U(0), U(0), U(0), bodies[i].fifth,
		      bodies[i].sixth);
		fclose(f);
		t = trace_load_fxt((const char *const *)path, 2, &err);
		CHECK_STR(err.text, "");
		CHECK(t && t->starpu_minor == bodies[i].minor);
		trace_free(t);
		free(path[0]);
		free(path[1]);
	}
}

/* Tags: task 1 has tag 7, task 2 tag 8, and 8 depends on 7, said before either tag is given to its task. */
static void tags_are_dependencies(void)
{
	char *path;
	FILE *f = begin("tags", &path);
	struct trace *t;
	int found = 0;

	event(f, 1, 0x5112, NULL, 2, U(8), U(7));
	event(f, 2, 0x5111, NULL, 2, U(7), U(1));
	event(f, 3, 0x5111, NULL, 2, U(8), U(2));
	event(f, 4, 0x5102, NULL, 4, U(1), U(2), U(0), U(0));
	event(f, 5, 0x5103, "cpu0", 5, U(1), U(2), U(0), U(0), U(1));
	t = loaded(f, path);
	if (!t)
		return;
	CHECK_INT(t->contexts, 1 << 2);
	/* 1 -> node of tag 7 -> 2 */
	for (size_t i = 0; i < t->ndeps; i++)
		for (size_t j = 0; j < t->ndeps; j++)
			found += t->tasks[t->deps[i].pred].job == 1 && t->deps[i].succ == t->deps[j].pred &&
			         t->tasks[t->deps[j].succ].job == 2 && t->tasks[t->deps[i].succ].kind == TASK_INTERNAL;
	CHECK_INT(found, 1);
	trace_free(t);
}

/* Two ranks whose clocks differ by 10^9 ns meet at their barrier. */
static void ranks_meet_at_their_barrier(void)
{
	struct ht_err err = {{0}};
	char *path[2];
	struct trace *t;

	for (int r = 0; r < 2; r++) {
		uint64_t clock = r ? 1000000000 : 0;
		FILE *f = begin(r ? "rank1" : "rank0", &path[r]);

		event(f, clock + (r ? 50 : 0), 0x5100, NULL, 7, U(0x100), U(0), U(0), U(0), U(0), U(0), U(70));
		event(f, clock + 100, 0x5203, NULL, 4, U(r), U(2), U(99), U(5));
		event(f, clock + 200, 0x5102, NULL, 4, U(1), U(0), U(0), U(0));
		event(f, clock + 300, 0x5103, "cpu0", 5, U(1), U(0), U(0), U(0), U(70));
		fclose(f);
	}
	t = trace_load_fxt((const char *const *)path, 2, &err);
	CHECK_STR(err.text, "");
	if (t) {
		CHECK_INT(t->nranks, 2);
		CHECK_INT(trace_executed(t), 2);
		CHECK_INT(t->tasks[0].start_ns, 200);
		CHECK_INT(t->tasks[1].start_ns, 200);
		CHECK_INT(t->tasks[1].rank, 1);
		CHECK_INT(t->nworkers, 2);
		trace_free(t);
	}
	path[1] = strcpy(path[1], path[0]);
	CHECK(trace_load_fxt((const char *const *)path, 2, &err) == NULL);
	CHECK_HAS(err.text, "both of MPI rank 0");
	free(path[0]);
	free(path[1]);
}

/*
 * Ranks of one host have one clock, which counts for both from the first event of the first of them: their barriers, a
 * microsecond apart as preemption makes them, are not brought together. Those of two hosts are, and those of one name
 * whose barriers are further apart, as of hosts that were started at different times.
 */
static void ranks_of_one_host_have_one_clock(void)
{
	static const struct {
		const char *host;
		uint64_t later_ns; /* of the second rank's barrier, by its clock */
		int64_t start_ns;  /* of its task */
	} cases[] = {{"here", 1000, 1200}, {"there", 1000, 200}, {"here", UINT64_C(20000000000), 200}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ht_err err = {{0}};
		char *path[2];
		struct trace *t;

		for (int r = 0; r < 2; r++) {
			uint64_t clock = r ? cases[i].later_ns : 0;
			FILE *f;

			path[r] = ht_asprintf("%s/%s", dir, r ? "rank1" : "rank0");
			f = fopen(path[r], "wb");
			write_head_of(f, r ? cases[i].host : "here");
			event(f, clock, 0x5100, NULL, 7, U(0x100), U(0), U(0), U(0), U(0), U(0), U(70));
			event(f, clock + 100, 0x5203, NULL, 4, U(r), U(2), U(99), U(5));
			event(f, clock + 200, 0x5102, NULL, 4, U(1), U(0), U(0), U(0));
			event(f, clock + 300, 0x5103, "cpu0", 5, U(1), U(0), U(0), U(0), U(70));
			fclose(f);
		}
		t = trace_load_fxt((const char *const *)path, 2, &err);
		CHECK_STR(err.text, "");
		REQUIRE(t);
		CHECK_STR(t->host, "here");
		CHECK_INT(t->tasks[0].start_ns, 200);
		CHECK_INT(t->tasks[1].start_ns, cases[i].start_ns);
		trace_free(t);
		free(path[0]);
		free(path[1]);
	}
}

static void flushes_gaps_and_missing_ends_are_counted(void)
{
	char *path;
	FILE *f = begin("defects", &path);
	struct trace *t;

	event(f, 1, 0xfffe, NULL, 2, U(0x7fcfffff), U(1));
	event(f, 2, 0x511a, NULL, 7, U(1), U(-1), U(-1), U(1), U(0), U(0), U(9));
	event(f, 3, 0xfff5, NULL, 0);
	event(f, 900, 0xfff4, NULL, 0); /* the first in the next buffer, whose other events are earlier */
	event(f, 4, 0xfffe, NULL, 2, U(1), U(1));
	event(f, 5, 0xfffe, NULL, 2, U(0x7fcfffff), U(1));
	event(f, 6, 0x5103, "cpu0", 5, U(4), U(0), U(0), U(0), U(1));
	fwrite("half an event", 1, 13, f);
	t = loaded(f, path);
	if (!t)
		return;
	CHECK_INT(t->defects.flushes, 1);
	CHECK_INT(t->nflush_ends, 1);
	CHECK_INT(t->flush_ends[0], 899);
	CHECK_INT(t->defects.unordered, 0);
	CHECK_INT(t->defects.unfinished, 1);
	CHECK_INT(t->defects.profiling_gaps, 1);
	CHECK_INT(t->defects.unmatched, 1);
	CHECK_INT(t->defects.truncated_bytes, 13);
	trace_free(t);
}

static void out_of_range_is_an_error(void)
{
	static const struct {
		unsigned code;
		uint64_t p[4];
		const char *says;
	} bad[] = {
		{0x5102, {1, 0, 5000, 0}, "worker number below 4096, found 5000"},
		{0x5102, {1, 0, 0, 64}, "memory node below 64, found 64"},
		{0x5133, {0, 1000, 1, 1}, "memory node below 64, found 1000"},
		{0x5182, {0xabc, 99, 0, 0}, "memory node below 64, found 99"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ht_err err;
		char *path;
		FILE *f = begin("range", &path);

		event(f, 7, bad[i].code, NULL, 4, bad[i].p[0], bad[i].p[1], bad[i].p[2], bad[i].p[3]);
		fclose(f);
		CHECK(load(path, &err) == NULL);
		CHECK_HAS(err.text, bad[i].says);
		CHECK_HAS(err.text, "range: event 0x");
		free(path);
	}
}

/* A clock that jumps: sums of its times would not fit into 64 bits. */
static void far_times_are_refused(void)
{
	static const uint64_t far[] = {
		(uint64_t)1 << 52,
		INT64_MAX,
		(uint64_t)INT64_MAX + 1,
		(uint64_t)INT64_MAX + 1000,
	};
	struct ht_err err;
	struct trace *t;
	char *path;
	FILE *f;

	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		f = begin("far", &path);
		event(f, 1000, 0x5102, NULL, 4, U(1), U(0), U(0), U(0));
		event(f, far[i], 0x5103, "cpu0", 5, U(1), U(0), U(0), U(0), U(1));
		fclose(f);
		CHECK(load(path, &err) == NULL);
		CHECK_HAS(err.text, "far: byte 92: expected a time within 13 days of the first event, found ");
		free(path);
	}
	/* The clock itself may stand anywhere. */
	f = begin("far", &path);
	event(f, UINT64_MAX - 500, 0x5102, NULL, 4, U(1), U(0), U(0), U(0));
	event(f, UINT64_MAX - 100, 0x5103, "cpu0", 5, U(1), U(0), U(0), U(0), U(1));
	fclose(f);
	t = load(path, &err);
	CHECK_STR(err.text, "");
	CHECK(t && trace_makespan_ns(t, NULL) == 400);
	trace_free(t);
	free(path);
}

/* Barriers at the ends of time, which no clock of a machine shows. */
static void clocks_of_ranks_that_drift_apart(void)
{
	struct ht_err err = {{0}};
	char *path[2];

	for (int r = 0; r < 2; r++) {
		FILE *f = begin(r ? "rank1" : "rank0", &path[r]);

		event(f, 50, 0x5100, NULL, 7, U(0x100), U(0), U(0), U(0), U(0), U(0), U(70));
		event(f, 100, 0x5203, NULL, 4, U(r), U(2), U(99), U(5));
		event(f, r ? (uint64_t)1 << 62 : 200, 0x5203, NULL, 4, U(r), U(2), U(99), U(5));
		fclose(f);
	}
	CHECK(trace_load_fxt((const char *const *)path, 2, &err) == NULL);
	CHECK_HAS(err.text, "its clock drifts by");
	free(path[0]);
	free(path[1]);
}

/* A directory may have what is left of an earlier execution with more ranks. */
static void ranks_of_two_executions(void)
{
	struct ht_err err = {{0}};
	char *path[2];

	for (int r = 0; r < 2; r++) {
		FILE *f = begin(r ? "rank1" : "rank0", &path[r]);

		event(f, 50, 0x5100, NULL, 7, U(0x100), U(0), U(0), U(0), U(0), U(0), U(70));
		event(f, 100, 0x5203, NULL, 4, U(r), U(2), U(99 + r), U(5));
		fclose(f);
	}
	CHECK(trace_load_fxt((const char *const *)path, 2, &err) == NULL);
	CHECK_HAS(err.text, "rank1 are of two executions: expected the ranks of one");
	free(path[0]);
	free(path[1]);
}

/* Traces of two programs that know no MPI are not its ranks; those of MPI without a barrier are. */
static void programs_without_mpi_are_no_ranks(void)
{
	for (int mpi = 0; mpi < 2; mpi++) {
		struct ht_err err = {{0}};
		char *path[2];
		struct trace *t;

		for (int r = 0; r < 2; r++) {
			FILE *f = begin(r ? "second" : "first", &path[r]);

			event(f, 50, 0x5100, NULL, 7, U(0x100), U(0), U(0), U(0), U(0), U(0), U(70));
			if (mpi || !r)
				event(f, 60, 0x5201, NULL, 3, U(r), U(2), U(70));
			fclose(f);
		}
		t = trace_load_fxt((const char *const *)path, 2, &err);
		CHECK(!t == !mpi);
		if (!mpi)
			CHECK_HAS(err.text, "second has no event of StarPU-MPI, so it and ");
		trace_free(t);
		free(path[0]);
		free(path[1]);
	}
}

/* Codelets without a model whose tasks all have names: labels are found in linear time, and stay unique. */
static void many_names(void)
{
	enum { NAMES = 200000 };
	struct ht_err err;
	char *path, name[16];
	FILE *f = begin("names", &path);
	struct trace *t;

	for (uint64_t i = 1; i <= NAMES; i++) {
		snprintf(name, sizeof(name), "t%d", (int)i);
		event(f, 10 * i, 0x5102, NULL, 4, i, U(0), U(0), U(0));
		event(f, 10 * i, 0x512b, name, 2, i, U(1));
		event(f, 10 * i + 5, 0x5103, "cpu0", 5, i, U(0), U(0), U(0), U(1));
	}
	fclose(f);
	t = load(path, &err);
	CHECK(t && t->ncodelets == NAMES);
	if (t)
		CHECK_STR(trace_text(t, t->codelets[NAMES - 1].label), "t200000");
	trace_free(t);
	free(path);
}

/* StarPU calls all tasks of starpu_task_build() the same: those of two models, and one of a codelet without a name. */
static void built_tasks_have_no_name(void)
{
	char *path;
	FILE *f = begin("built", &path);
	struct trace *t;

	event(f, 1000, 0x5100, NULL, 7, U(0x100), U(0), U(0), U(0), U(0), U(0), U(71));
	for (uint64_t i = 0; i < 5; i++) {
		event(f, 1100 + 100 * i, 0x512b, "task_build", 2, U(i + 1), U(9));
		if (i < 4)
			event(f, 1110 + 100 * i, 0x511c, i % 2 ? "trsm" : "gemm", 2, U(i + 1), U(9));
		event(f, 1120 + 100 * i, 0x5102, NULL, 4, U(i + 1), U(0), U(0), U(0));
		event(f, 1150 + 100 * i, 0x5103, "cpu0_impl0", 5, U(i + 1), U(0), U(0), U(0), U(71));
	}
	t = loaded(f, path);
	if (!t)
		return;
	CHECK_INT(t->ncodelets, 3);
	CHECK_STR(trace_text(t, t->codelets[0].label), "gemm");
	CHECK_STR(trace_text(t, t->codelets[0].name), "gemm");
	CHECK_STR(trace_text(t, t->codelets[1].label), "trsm");
	CHECK_STR(trace_text(t, t->codelets[2].label), "unknown");
	CHECK_INT(trace_nameless(t), 1);
	trace_free(t);
}

/* The block of events is as long as its header at least, or has no length yet: the program was killed. */
static void events_block_length(void)
{
	static const struct {
		uint64_t size_bytes;
		const char *error;
	} cases[] = {{0, ""}, {1, "found 1"}, {8, "found 8"}, {15, "found 15"}, {UINT64_MAX, ""}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ht_err err;
		char *path;
		FILE *f = begin("length", &path);
		struct trace *t;

		write_14(f);
		fseek(f, 4 + 16, SEEK_SET);
		fwrite(&cases[i].size_bytes, sizeof(uint64_t), 1, f);
		fclose(f);
		t = load(path, &err);
		CHECK((t != NULL) == (*cases[i].error == '\0'));
		CHECK_HAS(err.text, cases[i].error);
		trace_free(t);
		free(path);
	}
}

/* Whatever happens to the bytes: an error with a sentence, or a trace that holds together. */
static void survives_damage(void (*write)(FILE *))
{
	struct ht_err err;
	char *path, *bytes;
	size_t size;
	FILE *f = begin("damage", &path);
	uint32_t seed = 12345;
	int loaded = 0;

	write(f);
	fclose(f);
	bytes = file_read(path, 1 << 20, &size, &err);
	for (int i = 0; i < 4000; i++) {
		char *copy = ht_strndup(bytes, size);
		size_t len = size;
		struct trace *t;

		seed = seed * 1664525 + 1013904223;
		if (i % 4 == 0)
			len = (seed >> 8) % (size + 1);
		else
			for (int k = 0; k <= i % 3; k++) {
				seed = seed * 1664525 + 1013904223;
				copy[(seed >> 8) % size] ^= (char)(1 << (seed & 7));
			}
		f = fopen(path, "wb");
		fwrite(copy, 1, len, f);
		fclose(f);
		t = load(path, &err);
		CHECK(t ? trace_check(t) == NULL : err.text[0] != '\0');
		loaded += t != NULL;
		trace_free(t);
		free(copy);
	}
	CHECK(loaded > 400 && loaded < 4000);
	free(bytes);
	free(path);
}

static void damage_is_survived(void)
{
	survives_damage(write_14);
	survives_damage(write_15);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 2;
	RUN(starpu_1_4);
	RUN(excluded_tasks_do_not_count);
	RUN(queued_kernels_begin_when_others_end);
	RUN(starpu_1_3);
	RUN(starpu_1_5);
	RUN(versions_are_known_by_the_first_body);
	RUN(tags_are_dependencies);
	RUN(ranks_meet_at_their_barrier);
	RUN(ranks_of_one_host_have_one_clock);
	RUN(far_times_are_refused);
	RUN(clocks_of_ranks_that_drift_apart);
	RUN(ranks_of_two_executions);
	RUN(programs_without_mpi_are_no_ranks);
	RUN(many_names);
	RUN(built_tasks_have_no_name);
	RUN(flushes_gaps_and_missing_ends_are_counted);
	RUN(out_of_range_is_an_error);
	RUN(events_block_length);
	RUN(damage_is_survived);
	dir_remove(dir);
	return check_done();
}
