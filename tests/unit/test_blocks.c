/* tests/unit/test_blocks.c - tasks that share a block are neighbours, none is lost, and blocks are few. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/blocks.h"

#include "core/execution/execution.h"
#include "core/execution/execution_waits.h"
#include "core/run/run.h"
#include "tests/lib/made_run.h"

static struct execution *execution_of(struct made *x, struct run *r)
{
	static char path[] = "run.ht";

	end(x);
	*r = (struct run){
		.path = path, .trace = &x->trace, .machine = x->machine, .dag = x->dag, .scheduler = "", .command = ""};
	return execution_of_run(r);
}

static void few_tasks_stay_as_they_are(void)
{
	struct made x;
	struct run r;
	struct execution *e;
	struct blocks b;

	begin(&x);
	healthy(&x);
	e = execution_of(&x, &r);
	blocks_init(&b, e, 1000);
	CHECK_INT(b.n, e->ntasks);
	CHECK_INT(b.slice_ns, 0);
	for (size_t i = 0; i < b.n; i++) {
		CHECK_INT(b.at[i].task, i);
		CHECK_INT(b.at[i].count, 1);
		CHECK_INT(b.at[i].start_ns, e->tasks[i].start_ns);
	}
	blocks_fini(&b);
	execution_free(e);
	done(&x);
}

static void neighbours_share_a_block(void)
{
	struct made x;
	struct run r;
	struct execution *e;
	struct blocks b;
	uint32_t tasks = 0;

	begin(&x);
	healthy(&x);
	e = execution_of(&x, &r);
	blocks_init(&b, e, 24);
	CHECK(b.n <= 24 && b.n >= 4);
	CHECK(b.slice_ns > 0);
	for (size_t i = 0; i < b.n; i++) {
		const struct block *k = &b.at[i];
		const struct execution_task *t = &e->tasks[k->task];

		tasks += k->count;
		CHECK(i == 0 || k->start_ns >= b.at[i - 1].start_ns);
		CHECK(t->start_ns >= k->start_ns && t->end_ns <= k->end_ns);
		CHECK(k->count == 1 || k->end_ns - k->start_ns <= b.slice_ns);
		CHECK(k->after == EXECUTION_NONE || (k->after < b.n && k->after != i));
	}
	CHECK_INT(tasks, e->ntasks);
	blocks_fini(&b);
	execution_free(e);
	done(&x);
}

int main(void)
{
	RUN(few_tasks_stay_as_they_are);
	RUN(neighbours_share_a_block);
	return check_done();
}
