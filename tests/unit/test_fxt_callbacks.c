/* tests/unit/test_fxt_callbacks.c - raw traces of tasks that callbacks of other tasks submit. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "analyze/data/submitting.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/machine_trace.h"
#include "core/trace/overheads.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"
#include "tests/lib/fxt_loaded.h"

enum { MAIN = 9, WORKER = 70, CHAIN = 20 };

static char dir[] = "/tmp/heterotune-test-XXXXXX";

static FILE *begin(char **path)
{
	FILE *f;

	*path = ht_asprintf("%s/trace", dir);
	f = fopen(*path, "wb");
	write_head(f);
	for (uint64_t w = 0; w < 2; w++)
		event(f, 1000, 0x5100, NULL, 7, U(0x100), U(w), U(w), U(0), U(w), U(0), U(WORKER + w));
	return f;
}

static void submit(FILE *f, uint64_t ns, uint64_t job, uint64_t thread)
{
	event(f, ns, 0x511a, NULL, 7, U(job), U(-1), U(-1), U(job), U(0), U(0), U(thread));
}

static void start(FILE *f, uint64_t ns, uint64_t job, uint64_t worker)
{
	event(f, ns, 0x5104, NULL, 3, U(job), U(0), U(MAIN));
	event(f, ns, 0x5102, NULL, 4, U(job), U(0), U(worker), U(0));
}

static void end(FILE *f, uint64_t ns, uint64_t job, uint64_t worker)
{
	event(f, ns, 0x5103, "cpu0_impl0", 5, U(job), U(0), U(0), U(worker), U(WORKER + worker));
}

static void done(FILE *f, uint64_t ns, uint64_t job, uint64_t worker)
{
	event(f, ns, 0x5125, NULL, 2, U(job), U(WORKER + worker));
}

static int has_dep(const struct trace *t, uint64_t pred, uint64_t succ)
{
	int n = 0;

	for (size_t i = 0; i < t->ndeps; i++)
		n += t->tasks[t->deps[i].pred].job == pred && t->tasks[t->deps[i].succ].job == succ &&
		     t->deps[i].kind == DEP_SUBMITTED;
	return n;
}

/* Between the end of task 1 and when it is done its thread submits 3, another one 4; within task 2, 5; then 6. */
static void callbacks_alone(void)
{
	char *path;
	FILE *f = begin(&path);
	struct trace *t;

	submit(f, 1001, 1, MAIN);
	submit(f, 1002, 2, MAIN);
	start(f, 1010, 1, 0);
	start(f, 1010, 2, 1);
	submit(f, 1015, 5, WORKER + 1);
	end(f, 1020, 1, 0);
	submit(f, 1021, 3, WORKER);
	submit(f, 1022, 4, MAIN);
	done(f, 1025, 1, 0);
	submit(f, 1026, 6, WORKER);
	end(f, 1030, 2, 1);
	done(f, 1031, 2, 1);
	for (uint64_t job = 3; job <= 6; job++) {
		start(f, 1030 + 10 * job, job, 0);
		end(f, 1035 + 10 * job, job, 0);
		done(f, 1036 + 10 * job, job, 0);
	}
	t = loaded(f, path);
	if (!t)
		return;
	CHECK_INT(t->ndeps, 1);
	CHECK_INT(has_dep(t, 1, 3), 1);
	for (size_t i = 0; i < t->ntasks; i++)
		CHECK_INT(trace_extra(t, &t->tasks[i])->is_released, t->tasks[i].job == 3);
	trace_free(t);
}

/* Each submits the next: the critical path has all of them, and the program is not late with any. */
static void chain(void)
{
	char *path;
	FILE *f = begin(&path);
	struct overheads_all o;
	struct submitting by;
	struct ht_err err;
	struct trace *t;
	struct dag *d;
	struct machine *m;

	submit(f, 1001, 1, MAIN);
	for (uint64_t job = 1; job <= CHAIN; job++) {
		start(f, 1000 + 100000 * job, job, job % 2);
		end(f, 91000 + 100000 * job, job, job % 2);
		if (job < CHAIN)
			submit(f, 91001 + 100000 * job, job + 1, WORKER + job % 2);
		done(f, 91002 + 100000 * job, job, job % 2);
	}
	t = loaded(f, path);
	if (!t)
		return;
	d = dag_from_trace(t, NULL, NULL, &err);
	CHECK(d != NULL);
	if (d)
		CHECK_INT(d->ntasks, CHAIN);
	CHECK_INT(t->ndeps, CHAIN - 1);
	m = machine_from_trace(t, &err);
	overheads_init(&o, OVERHEADS_MACHINE);
	overheads_measure(&o, t, m, 0);
	CHECK_INT(o.submit_ns, -1);
	submitting_init(&by, t, 1);
	CHECK_INT(by.count, 0);
	submitting_fini(&by);
	machine_free(m);
	dag_free(d);
	trace_free(t);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	RUN(callbacks_alone);
	RUN(chain);
	dir_remove(dir);
	return check_done();
}
