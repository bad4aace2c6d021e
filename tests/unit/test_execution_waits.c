/* tests/unit/test_execution_waits.c - what each task waited for last, and the chain that ends last. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

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

/*
 * CPU0: a 0-4, c 5-9; GPU0: b 0-1, d 4.5-5.5, e 7-8. c and d wait for a, e for the program, f on GPU1 for nothing.
 */
static void the_latest_of_three(void)
{
	struct made x;
	struct run r;
	struct execution *e;
	struct execution_wait *w;
	uint32_t a, c, d, *chain;
	size_t n;

	begin(&x);
	a = task(&x, PLAIN, CPU0, 0, 0, 0, 4);
	task(&x, PLAIN, GPU0, 0, 0, 0, 1);
	task(&x, PLAIN, GPU1, 0, 0, 0.25, 1);
	d = task(&x, PLAIN, GPU0, 4, 4, 4.5, 5.5);
	c = task(&x, PLAIN, CPU0, 4, 4, 5, 9);
	task(&x, PLAIN, GPU0, 6, 6, 7, 8);
	x.tasks[5].submit_ns = 6 * MS;
	dag_builder_edge(x.builder, a, c);
	dag_builder_edge(x.builder, a, d);
	e = execution_of(&x, &r);
	w = execution_waits(e);
	CHECK_INT(w[0].cause, CAUSE_SUBMISSION);
	CHECK_INT(w[0].after, EXECUTION_NONE);
	CHECK_INT(w[2].after, EXECUTION_NONE);
	CHECK_INT(w[3].cause, CAUSE_TASK);
	CHECK_INT(w[3].after, 0);
	CHECK_INT(w[3].since_ns, 4 * MS);
	/* c has its predecessor and its worker in one: the dependency is what counts. */
	CHECK_INT(w[4].cause, CAUSE_TASK);
	CHECK_INT(w[4].after, 0);
	CHECK_INT(w[5].cause, CAUSE_SUBMISSION);
	CHECK_INT(w[5].after, 3);
	CHECK_INT(w[5].since_ns, 6 * MS);
	chain = execution_chain(e, w, &n);
	CHECK_INT((int)n, 2);
	CHECK_INT(chain[0], 0);
	CHECK_INT(chain[1], 4);
	free(chain);
	free(w);
	execution_free(e);
	done(&x);
}

/* A worker that was busy until after the last predecessor had ended is what its next task waited for. */
static void a_busy_worker(void)
{
	struct made x;
	struct run r;
	struct execution *e;
	struct execution_wait *w;
	uint32_t a, b;

	begin(&x);
	a = task(&x, PLAIN, CPU0, 0, 0, 0, 2);
	task(&x, PLAIN, CPU1, 0, 0, 0, 4);
	b = task(&x, PLAIN, CPU1, 2, 2, 4, 8);
	dag_builder_edge(x.builder, a, b);
	e = execution_of(&x, &r);
	w = execution_waits(e);
	CHECK_INT(w[2].cause, CAUSE_WORKER);
	CHECK_INT(w[2].after, 1);
	CHECK_INT(w[2].since_ns, 4 * MS);
	free(w);
	execution_free(e);
	done(&x);
}

/* On a pipelined device a task starts before the one before it, or its predecessor, has ended: that is no wait. */
static void leads_are_no_waits(void)
{
	struct made x;
	struct run r;
	struct execution *e;
	struct execution_wait *w;
	uint32_t a, b, *chain;
	size_t n;

	begin(&x);
	a = task(&x, PLAIN, GPU0, 0, 0, 0, 4);
	b = task(&x, PLAIN, GPU0, 0, 0, 3, 6);
	dag_builder_edge(x.builder, a, b);
	e = execution_of(&x, &r);
	w = execution_waits(e);
	CHECK_INT(w[1].cause, CAUSE_TASK);
	CHECK_INT(w[1].since_ns, 3 * MS);
	chain = execution_chain(e, w, &n);
	CHECK_INT((int)n, 2);
	free(chain);
	free(w);
	execution_free(e);
	done(&x);
}

int main(void)
{
	RUN(the_latest_of_three);
	RUN(a_busy_worker);
	RUN(leads_are_no_waits);
	return check_done();
}
