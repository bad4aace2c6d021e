/* tests/unit/test_tasks_rec.c - core/trace/tasks_rec.c: records of any length, read piece by piece. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/trace/tasks_rec_write.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

enum { TASKS = 60000 };

static void write_task(FILE *f, int i, const char *line_end)
{
	fprintf(f, "Name: task%d%sJobId: %d%sSubmitOrder: %d%s", i % 7, line_end, i, line_end, i, line_end);
	if (i > 1)
		fprintf(f, "DependsOn: %d%s", i - 1, line_end);
	fprintf(f, "WorkerId: %d%sStartTime: %d.5%sEndTime: %d.000001%s", i % 3, line_end, i, line_end, i + 1,
	        line_end);
	fprintf(f, "Handles: %x %x%sModes: R RW%sSizes: 8 16%s%s", i, i + 1, line_end, line_end, line_end, line_end);
}

static struct trace *load(FILE *f, char *path)
{
	struct ht_err err = {{0}};
	struct trace *t;

	fclose(f);
	t = trace_load_rec(&(struct trace_rec_files){.tasks = path}, &err);
	if (!t)
		printf("# %s\n", err.text);
	unlink(path);
	return t;
}

/* A file of several megabytes: records lie across the ends of what is read at a time, with both ends of lines. */
static void test_pieces(void)
{
	for (int crlf = 0; crlf < 2; crlf++) {
		char path[] = "/tmp/test_tasks_rec.XXXXXX";
		FILE *f = fdopen(mkstemp(path), "w");
		struct trace *t;

		for (int i = 1; i <= TASKS; i++)
			write_task(f, i, crlf ? "\r\n" : "\n");
		t = load(f, path);
		REQUIRE(t);
		CHECK_INT(t->ntasks, TASKS);
		CHECK_INT(t->ndeps, TASKS - 1);
		CHECK_INT(t->naccesses, 2 * TASKS);
		CHECK_INT(t->nhandles, TASKS + 1);
		CHECK_INT(t->ncodelets, 7);
		for (int i = 1; i <= TASKS; i++) {
			const struct trace_task *k = &t->tasks[i - 1];

			REQUIRE(k->job == (uint64_t)i && k->submit_order == (uint32_t)i && k->naccesses == 2);
			REQUIRE(k->start_ns == i * INT64_C(1000000) + 500000);
			REQUIRE(k->end_ns == (i + 1) * INT64_C(1000000) + 1);
			REQUIRE(t->accesses[k->first_access + 1].mode == (ACCESS_R | ACCESS_W));
			REQUIRE(trace_access_bytes(t, &t->accesses[k->first_access + 1]) == 16);
			REQUIRE(t->handles[t->accesses[k->first_access].handle].address == (uint64_t)i);
		}
		trace_free(t);
	}
}

/* A record longer than any piece, and none after the last blank line: the task waits for all others. */
static void test_long_record(void)
{
	char path[] = "/tmp/test_tasks_rec.XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct trace *t;

	for (int i = 1; i <= TASKS; i++)
		write_task(f, i, "\n");
	fprintf(f, "Name: last\nJobId: %d\nDependsOn:", TASKS + 1);
	for (int i = 1; i <= TASKS; i++)
		fprintf(f, " %d", i);
	fputs("\nWorkerId: 0\nStartTime: 70000.0\nEndTime: 70001.0", f);
	t = load(f, path);
	REQUIRE(t);
	CHECK_INT(t->ntasks, TASKS + 1);
	CHECK_INT(t->ndeps, TASKS - 1 + TASKS);
	CHECK_STR(trace_text(t, t->tasks[TASKS].name), "last");
	CHECK_INT(t->tasks[TASKS].end_ns, INT64_C(70001000000));
	trace_free(t);
}

/* Accesses of one task in two records, others between them: they come together, in their order. */
static void test_accesses_in_pieces(void)
{
	char path[] = "/tmp/test_tasks_rec.XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct trace *t;

	fputs("JobId: 1\nHandles: a b\n\nJobId: 2\nHandles: c\n\nJobId: 1\nHandles: d\n\n", f);
	t = load(f, path);
	REQUIRE(t);
	CHECK_INT(t->ntasks, 2);
	CHECK_INT(t->tasks[0].naccesses, 3);
	CHECK_INT(t->tasks[1].naccesses, 1);
	CHECK_INT(t->handles[t->accesses[t->tasks[0].first_access].handle].address, 0xa);
	CHECK_INT(t->handles[t->accesses[t->tasks[0].first_access + 2].handle].address, 0xd);
	CHECK_INT(t->handles[t->accesses[t->tasks[1].first_access].handle].address, 0xc);
	trace_free(t);
}

/* Sizes of accesses stay with them, also where they are moved, and are kept only where data has several. */
static void test_sizes(void)
{
	char path[] = "/tmp/test_tasks_rec.XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct trace *t;

	fputs("JobId: 1\nHandles: a b\nSizes: 8 16\n\nJobId: 2\nHandles: a\nSizes: 8\n\n", f);
	t = load(f, path);
	REQUIRE(t);
	CHECK(!t->access_bytes);
	CHECK_INT(trace_access_bytes(t, &t->accesses[1]), 16);
	CHECK_INT(trace_access_bytes(t, &t->accesses[2]), 8);
	trace_free(t);

	strcpy(path, "/tmp/test_tasks_rec.XXXXXX");
	f = fdopen(mkstemp(path), "w");
	fputs("JobId: 1\nHandles: a b\nSizes: 8 16\n\nJobId: 2\nHandles: a\nSizes: 24\n\n"
	      "JobId: 1\nHandles: b a\nSizes: 16 32\n\n",
	      f);
	t = load(f, path);
	REQUIRE(t);
	for (uint32_t i = 0; i < 4; i++) {
		static const uint64_t sizes[] = {8, 16, 16, 32};

		CHECK_INT(trace_access_bytes(t, &t->accesses[t->tasks[0].first_access + i]), sizes[i]);
	}
	CHECK_INT(trace_access_bytes(t, &t->accesses[t->tasks[1].first_access]), 24);
	CHECK_INT(t->handles[0].size_bytes, 32); /* as of the last one */
	trace_free(t);
}

/* What few tasks have: the others, before and after it, have nothing. */
static void test_extras(void)
{
	char path[] = "/tmp/test_tasks_rec.XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct trace *t;

	fputs("JobId: 1\n\nJobId: 2\nTag: 1f\nIteration: 3 4\nGFlop: 2.5\n\nJobId: 3\n\n", f);
	t = load(f, path);
	REQUIRE(t);
	CHECK_INT(trace_extra(t, &t->tasks[1])->tag, 0x1f);
	CHECK_INT(trace_extra(t, &t->tasks[1])->iteration[1], 4);
	CHECK_NEAR(trace_extra(t, &t->tasks[1])->gflop, 2.5, 1e-12);
	for (int i = 0; i < 3; i += 2) {
		CHECK(!trace_extra(t, &t->tasks[i])->has_tag);
		CHECK_INT(trace_extra(t, &t->tasks[i])->iteration[0], -1);
		CHECK_INT(trace_extra(t, &t->tasks[i])->done_ns, TIME_NONE);
	}
	trace_free(t);
}

/* Numbers of any form that strtoull() takes. */
static void test_numbers(void)
{
	char path[] = "/tmp/test_tasks_rec.XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct trace *t;

	fputs("JobId: 00000000000000000012\nFootprint: DEADbeef\nPriority: -0000000000000000000005\n"
	      "Handles: 0x7fff00001234 00007fff00001235 FFFFFFFFFFFFFFF0\nSizes: +8 1 17592186044416\n\n",
	      f);
	t = load(f, path);
	REQUIRE(t);
	CHECK_INT(t->tasks[0].job, 12);
	CHECK_INT(t->tasks[0].footprint, 0xdeadbeef);
	CHECK_INT(t->tasks[0].priority, -5);
	CHECK_INT(t->tasks[0].naccesses, 3);
	CHECK(t->handles[0].address == 0x7fff00001234 && t->handles[1].address == 0x7fff00001235);
	CHECK(t->handles[2].address == UINT64_C(0xfffffffffffffff0));
	CHECK_INT(trace_access_bytes(t, &t->accesses[0]), 8);
	CHECK_INT(trace_access_bytes(t, &t->accesses[2]), INT64_C(17592186044416));
	trace_free(t);
}

/* Ways to access data, and jobs of several ranks; a time that is 0 is left out by StarPU. */
static void test_modes_and_ranks(void)
{
	static const uint32_t modes[] = {ACCESS_R | ACCESS_W, ACCESS_SCRATCH, ACCESS_REDUX, ACCESS_MPI_REDUX,
	                                 ACCESS_R | ACCESS_W | ACCESS_COMMUTE};
	char path[] = "/tmp/test_tasks_rec.XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct trace *t;

	fputs("JobId: 0_7\nHandles: 1 2 3 4 5\nModes: RW S X X-mpi RWC\nWorkerId: 0\nSubmitTime: -0.25\nEndTime: 2\n\n"
	      "JobId: 2_7\nDependsOn: 2_8\nWorkerId: 0\nStartTime: 1\nEndTime: 2\n\nJobId: 2_8\n\n",
	      f);
	t = load(f, path);
	REQUIRE(t);
	CHECK_INT(t->nranks, 3);
	CHECK_INT(t->ntasks, 3);
	CHECK_INT(t->tasks[1].rank, 2);
	CHECK_INT(t->tasks[1].job, 7);
	CHECK_INT(t->ndeps, 1);
	CHECK_INT(t->tasks[t->deps[0].pred].job, 8);
	CHECK_INT(t->tasks[0].submit_ns, -250000);
	CHECK_INT(t->tasks[0].start_ns, 0);
	for (uint32_t i = 0; i < 5; i++)
		CHECK_INT(t->accesses[t->tasks[0].first_access + i].mode, modes[i]);
	trace_free(t);
}

/* The sentence names the line of the record, the field and what it says. */
static void test_bad_fields(void)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"JobId: job\n\n", "JobId: expected a job number, found \"job\""},
		{"JobId: -1\n\n", "JobId: expected a job number"},
		{"JobId: 140737488355328\n\n", "JobId: expected a job number"},
		{"JobId: 99999_1\n\n", "JobId: expected a job number"},
		{"JobId: 1_x\n\n", "JobId: expected a job number"},
		{"JobId: 5\nName: b\n\n", "JobId: expected one record a task, found \"5\""},
		{"JobId: 5\nSubmitOrder: 2\n\n", "JobId: expected one record a task"},
		{"JobId: 5\nWorkerId: 1\n\n", "JobId: expected one record a task"},
		{"JobId: 5\nStartTime: 3\n\n", "JobId: expected one record a task"},
		{"JobId: 5\nEndTime: 3\n\n", "JobId: expected one record a task"},
		{"JobId: 1\nSubmitOrder: -1\n\n", "SubmitOrder: expected a count"},
		{"JobId: 1\nPriority: high\n\n", "Priority: expected a whole number"},
		{"JobId: 1\nMemoryNode: 64\n\n", "MemoryNode: expected a memory node below 64"},
		{"JobId: 1\nFootprint: 100000000\n\n", "Footprint: expected a 32-bit hexadecimal number"},
		{"JobId: 1\nTag: x\n\n", "Tag: expected a 64-bit hexadecimal number"},
		{"JobId: 1\nGFlop: -1\n\n", "GFlop: expected a number of operations"},
		{"JobId: 1\nIteration: 1 x\n\n", "Iteration: expected one or two whole numbers"},
		{"JobId: 1\nWorkerId: 4096\n\n", "WorkerId: expected a worker number below 4096"},
		{"JobId: 1\nWorkerId: 0\nStartTime: 2\nEndTime: 1\n\n",
	         "EndTime: expected a time that is not before StartTime"},
		{"JobId: 1\nSubmitTime: 1e3\n\n", "SubmitTime: expected a time in ms"},
		{"JobId: 1\nSubmitTime: 99999999999999\n\n", "SubmitTime: expected a time in ms"},
		{"JobId: 1\nDependsOn: 2 x\n\n", "DependsOn: expected job numbers"},
		{"JobId: 1\nHandles: xyz\n\n", "Handles: expected hexadecimal addresses"},
		{"JobId: 1\nHandles: 1\nSizes: 17592186044417\n\n", "Sizes: expected sizes in bytes"},
	};
	struct ht_err err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char path[] = "/tmp/test_tasks_rec.XXXXXX", line[40];
		FILE *f = fdopen(mkstemp(path), "w");

		fputs("JobId: 5\nName: a\nSubmitOrder: 1\nWorkerId: 0\nStartTime: 1\nEndTime: 2\n\n", f);
		fputs(cases[i].text, f);
		fclose(f);
		CHECK(!trace_load_rec(&(struct trace_rec_files){.tasks = path}, &err));
		snprintf(line, sizeof(line), "%s:8: ", path);
		CHECK_HAS(err.text, line);
		CHECK_HAS(err.text, cases[i].sentence);
		unlink(path);
	}
	CHECK(!trace_load_rec(&(struct trace_rec_files){.tasks = "/nowhere/tasks.rec"}, &err));
	CHECK_HAS(err.text, "/nowhere/tasks.rec: cannot be");
	CHECK(!trace_load_rec(&(struct trace_rec_files){.tasks = "/"}, &err));
	CHECK_HAS(err.text, "/: is a directory, expected a file");
}

/*
 * Tasks 1 and 2 write the same datum and 3 reads it, all submitted at once; the application says after the first, and
 * after the last, that it will not use it soon, in the way of starpu_fxt_tool. What is written of that graph says so
 * again.
 */
static void test_wont_use(void)
{
	static const char said[] = "Control: WontUse\nJobId: %d\nSubmitOrder: %d\nSubmitTime: 0.5\nHandles: 1\n"
				   "MPIRank: -1\n\n";

	for (int again = 0; again < 2; again++) {
		static uint32_t modes[3];
		char path[] = "/tmp/test_tasks_rec.XXXXXX";
		FILE *f = fdopen(mkstemp(path), "w");
		struct trace *t;
		struct dag *d;

		for (uint32_t i = 0; i < 3; i++) {
			const struct data_access access = {.mode = again ? modes[i] : i < 2 ? ACCESS_W : ACCESS_R};

			tasks_rec_write(f, &(struct rec_task){.name = "t",
			                                      .model = "",
			                                      .job = i + 1,
			                                      .submit_order = i + 1,
			                                      .end_ns = 1000,
			                                      .accesses = &access,
			                                      .naccesses = 1,
			                                      .handle_bytes = &(uint64_t){8}});
			if (!again && i != 1)
				fprintf(f, said, 10 + (int)i, (int)i + 1);
		}
		t = load(f, path);
		REQUIRE(t);
		CHECK_INT(t->ntasks, 3);
		CHECK_INT(t->nwont_use, 2);
		CHECK_INT(t->wont_use[0].handle, 0);
		CHECK_INT(t->wont_use[0].order, 1);
		CHECK_INT(t->handles[0].home_node, 0);
		d = dag_from_trace(t, NULL, NULL, NULL);
		REQUIRE(d);
		for (uint32_t i = 0; i < 3; i++)
			modes[i] = d->accesses[d->tasks[i].first_access].mode;
		CHECK_INT(modes[0], ACCESS_W | ACCESS_WONT_USE);
		CHECK_INT(modes[1], ACCESS_W | ACCESS_WONT_USE);
		CHECK_INT(modes[2], ACCESS_R);
		dag_free(d);
		trace_free(t);
	}
}

/* The application waits for one task before the third, and for all before the fourth. */
static void test_waits(void)
{
	const struct data_access access = {.mode = ACCESS_R | ACCESS_W};
	char path[] = "/tmp/test_tasks_rec.XXXXXX";
	FILE *f = fdopen(mkstemp(path), "w");
	struct trace *t;
	struct dag *d;

	for (uint32_t i = 0; i < 4; i++) {
		if (i == 2)
			tasks_rec_write_acquire(f, 10, 1500, &(uint64_t){2}, 1);
		if (i == 3)
			tasks_rec_write_barrier(f, 11, 7000, 8000);
		tasks_rec_write(f, &(struct rec_task){.name = "t",
		                                      .model = "",
		                                      .job = i + 1,
		                                      .submit_order = i + 1,
		                                      .submit_ns = (int64_t[]){0, 1000, 6000, 9000}[i],
		                                      .start_ns = (int64_t[]){500, 3000, 6500, 9500}[i],
		                                      .end_ns = (int64_t[]){2500, 5000, 8000, 10000}[i],
		                                      .accesses = &access,
		                                      .naccesses = 1,
		                                      .handle_bytes = &(uint64_t){8}});
	}
	t = load(f, path);
	REQUIRE(t);
	CHECK_INT(t->nwaits, 1);
	d = dag_from_trace(t, NULL, NULL, NULL);
	REQUIRE(d);
	CHECK_INT(d->ntasks, 4);
	CHECK_INT(d->nwaits, 2);
	CHECK_INT(d->waits[0].before, 2);
	CHECK_INT(d->waits[0].count, 1);
	CHECK_INT(d->wait_tasks[d->waits[0].first], 1);
	CHECK_INT(d->waits[0].handle, 0);
	CHECK_INT(d->waits[0].after_ns, 1000);
	CHECK_INT(d->waits[1].before, 3);
	CHECK_INT(d->waits[1].count, 2); /* of the second task it has known */
	CHECK_INT(d->waits[1].handle, DAG_NO_HANDLE);
	dag_free(d);
	trace_free(t);
}

static void test_bad_control(void)
{
	static const char *const records[] = {
		"Control: WontUse\nJobId: x\nHandles: 1\n\n",
		"Control: WontUse\nJobId: 1\nHandles: no\n\n",
		"Control: WontUse\nJobId: 1\nSubmitOrder: -1\nHandles: 1\n\n",
		"Control: WontUse\nJobId: 1\nSubmitTime: soon\nHandles: 1\n\n",
		"Control: WaitForAll\nJobId: 1\nSubmitTime: soon\nEndTime: 2\n\n",
		"Control: WaitForAll\nJobId: x\nSubmitTime: 1\nEndTime: 2\n\n",
		"Control: WaitForAll\nJobId: 1\nSubmitTime: 1\nEndTime: soon\n\n",
		"Control: WaitForAll\nJobId: 1\nSubmitTime: 3\nEndTime: 2\n\n",
	};

	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
		char path[] = "/tmp/test_tasks_rec.XXXXXX";
		FILE *f = fdopen(mkstemp(path), "w");

		write_task(f, 1, "\n");
		fputs(records[i], f);
		CHECK(!load(f, path));
	}
}

int main(void)
{
	RUN(test_pieces);
	RUN(test_long_record);
	RUN(test_accesses_in_pieces);
	RUN(test_sizes);
	RUN(test_extras);
	RUN(test_numbers);
	RUN(test_modes_and_ranks);
	RUN(test_bad_fields);
	RUN(test_wont_use);
	RUN(test_waits);
	RUN(test_bad_control);
	return check_done();
}
