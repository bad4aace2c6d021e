/* tests/unit/test_fxt_repeats.c - raw traces of tasks that are executed more than once. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/fxt_loaded.h"

enum { SUBMIT = 0x511a, PUSH = 0x5104, START = 0x5102, END = 0x5103, DONE = 0x5125, DEP = 0x5113, WAIT = 0x5178 };

static char dir[] = "/tmp/heterotune-test-XXXXXX";

static FILE *begin(char **path)
{
	FILE *f;

	*path = ht_asprintf("%s/trace", dir);
	f = fopen(*path, "wb");
	write_head(f);
	event(f, 1000, 0x5100, NULL, 7, U(0x100), U(0), U(0), U(0), U(0), U(0), U(70));
	event(f, 1000, 0x5100, NULL, 7, U(0x100), U(1), U(1), U(0), U(1), U(0), U(71));
	return f;
}

static void submit(FILE *f, uint64_t ns, uint64_t job, uint64_t order)
{
	event(f, ns, SUBMIT, NULL, 7, U(job), U(-1), U(-1), U(order), U(5), U(0), U(9));
}

/* From its push, a nanosecond before it starts, to its end. */
static void execute(FILE *f, uint64_t ns, uint64_t end_ns, uint64_t job, uint64_t worker)
{
	event(f, ns - 1, PUSH, NULL, 3, U(job), U(5), U(9));
	event(f, ns, START, NULL, 4, U(job), U(0), U(worker), U(0));
	event(f, end_ns, END, "cpu0_impl0", 5, U(job), U(0), U(0), U(worker), U(70 + worker));
}

static void done(FILE *f, uint64_t ns, uint64_t job)
{
	event(f, ns, DONE, NULL, 2, U(job), U(70));
}

static int has_dep(const struct trace *t, uint32_t pred, uint32_t succ)
{
	int n = 0;

	for (size_t i = 0; i < t->ndeps; i++)
		n += t->deps[i].pred == pred && t->deps[i].succ == succ;
	return n;
}

/* The number of the execution that began then. */
static uint32_t at(const struct trace *t, int64_t start_ns)
{
	for (uint32_t i = 0; i < t->ntasks; i++)
		if (t->tasks[i].start_ns == start_ns - 1000)
			return i;
	CHECK(0);
	return 0;
}

/* The second time from its own callback, before it is done. */
static void submitted_again(void)
{
	char *path;
	FILE *f = begin(&path);
	struct trace *t;

	submit(f, 1010, 1, 1);
	execute(f, 1020, 1030, 1, 0);
	submit(f, 1031, 1, 2);
	event(f, 1032, PUSH, NULL, 3, U(1), U(5), U(70));
	done(f, 1035, 1);
	event(f, 1040, START, NULL, 4, U(1), U(0), U(1), U(0));
	event(f, 1060, END, "cpu0_impl0", 5, U(1), U(0), U(0), U(1), U(71));
	done(f, 1065, 1);
	submit(f, 1070, 2, 3);
	execute(f, 1080, 1090, 2, 0);
	done(f, 1091, 2);
	submit(f, 1100, 1, 4);
	event(f, 1101, WAIT, NULL, 2, U(1), U(9));
	execute(f, 1110, 1150, 1, 0);
	done(f, 1151, 1);
	t = loaded(f, path);
	if (!t)
		return;
	CHECK_INT(trace_executed(t), 4);
	CHECK_INT(t->defects.unfinished, 0);
	CHECK_INT(t->tasks[at(t, 1020)].end_ns, 30);
	CHECK_INT(trace_extra(t, &t->tasks[at(t, 1020)])->done_ns, 35);
	CHECK_INT(t->tasks[at(t, 1040)].submit_ns, 31);
	CHECK_INT(t->tasks[at(t, 1040)].submit_order, 2);
	CHECK_INT(trace_extra(t, &t->tasks[at(t, 1040)])->ready_ns, 32);
	CHECK_INT(trace_extra(t, &t->tasks[at(t, 1040)])->done_ns, 65);
	CHECK_INT(t->tasks[at(t, 1110)].submit_order, 4);
	CHECK_INT(t->tasks[at(t, 1110)].priority, 5);
	CHECK_INT(t->tasks[at(t, 1020)].job, 1);
	CHECK_INT(t->tasks[at(t, 1040)].job, 3);
	CHECK_INT(t->tasks[at(t, 1110)].job, 4);
	CHECK_INT(t->nwaits, 1);
	CHECK_INT(t->waits[0].task, at(t, 1110));
	CHECK_INT(has_dep(t, at(t, 1020), at(t, 1040)), 1);
	CHECK_INT(has_dep(t, at(t, 1040), at(t, 1110)), 1);
	CHECK_INT(t->ndeps, 2);
	trace_free(t);
}

/* 1 before 2, both of which StarPU submits again, three times; 2 was submitted first. 3 waits for the last of 2. */
static void regenerated(void)
{
	char *path;
	FILE *f = begin(&path);
	struct trace *t;
	struct ht_err err;
	struct dag *d;

	event(f, 1001, DEP, "task", 4, U(1), U(2), U(0), U(1));
	event(f, 1002, DEP, "task", 4, U(2), U(3), U(0), U(1));
	submit(f, 1010, 2, 1);
	submit(f, 1011, 1, 2);
	for (uint64_t i = 0; i < 3; i++) {
		execute(f, 1100 + 100 * i, 1120 + 100 * i, 1, 0);
		done(f, 1125 + 100 * i, 1);
		execute(f, 1130 + 100 * i, 1180 + 100 * i, 2, 1);
		done(f, 1185 + 100 * i, 2);
	}
	submit(f, 1390, 3, 3);
	execute(f, 1400, 1420, 3, 0);
	done(f, 1425, 3);
	t = loaded(f, path);
	if (!t)
		return;
	CHECK_INT(trace_executed(t), 7);
	for (int64_t i = 0; i < 3; i++) {
		CHECK_INT(has_dep(t, at(t, 1100 + 100 * i), at(t, 1130 + 100 * i)), 1);
		CHECK_INT(has_dep(t, at(t, 1130 + 100 * i), at(t, i < 2 ? 1200 + 100 * i : 1400)), 1);
	}
	CHECK_INT(has_dep(t, at(t, 1130), at(t, 1400)), 0);
	CHECK_INT(t->tasks[at(t, 1200)].submit_ns, 125); /* by StarPU, when it was done */
	CHECK_INT(t->tasks[at(t, 1230)].submit_ns, 185);
	d = dag_from_trace(t, NULL, NULL, &err);
	CHECK(d != NULL);
	if (d)
		CHECK_INT(d->ntasks, 7);
	dag_free(d);
	trace_free(t);
}

/* It waits for what it submitted: StarPU pushes it again when that has ended, and its successor waits for its end. */
static void continued(void)
{
	char *path;
	FILE *f = begin(&path);
	struct trace *t;

	event(f, 1001, DEP, "task", 4, U(1), U(3), U(0), U(1));
	submit(f, 1010, 1, 1);
	submit(f, 1011, 3, 2);
	execute(f, 1100, 1120, 1, 0);
	submit(f, 1110, 2, 3);
	done(f, 1125, 1);
	execute(f, 1130, 1180, 2, 1);
	done(f, 1185, 2);
	execute(f, 1200, 1240, 1, 0);
	done(f, 1245, 1);
	execute(f, 1250, 1260, 3, 0);
	done(f, 1265, 3);
	t = loaded(f, path);
	if (!t)
		return;
	CHECK_INT(trace_executed(t), 4);
	CHECK_INT(t->tasks[at(t, 1200)].submit_ns, 199);
	CHECK_INT(has_dep(t, at(t, 1100), at(t, 1200)), 1);
	CHECK_INT(has_dep(t, at(t, 1200), at(t, 1250)), 1);
	trace_free(t);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	RUN(submitted_again);
	RUN(regenerated);
	RUN(continued);
	dir_remove(dir);
	return check_done();
}
