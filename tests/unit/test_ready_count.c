/* tests/unit/test_ready_count.c - how many tasks are ready over the time of a predicted execution. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "replay/ready_count.h"
#include "replay/sim/simulate.h"
#include "tests/lib/check.h"

static void intervals_have_their_share(void)
{
	/* Ready from 0 to 25, 5 to 5, 15 to 40; the makespan is 40 in 4 intervals of 10. */
	const struct execution_task tasks[] = {
		{.ready_ns = 0, .start_ns = 25, .end_ns = 30},
		{.ready_ns = 5, .start_ns = 5, .end_ns = 10},
		{.ready_ns = 15, .start_ns = 40, .end_ns = 40},
	};
	const double ready[] = {1, 1.5, 1.5, 1};
	const uint32_t pushed[] = {2, 1, 0, 0}, popped[] = {1, 0, 1, 1};
	struct ready_interval x[4];

	ready_count(tasks, 3, 40, 4, x);
	for (int i = 0; i < 4; i++) {
		CHECK(x[i].from_ns == 10 * i && x[i].to_ns == 10 * i + 10);
		CHECK(fabs(x[i].ready - ready[i]) < 1e-12);
		CHECK(x[i].pushed == pushed[i] && x[i].popped == popped[i]);
	}
}

/* Whatever the tasks: every one is pushed and popped once, and the means add up to what the tasks waited. */
static void sums_are_what_tasks_waited(void)
{
	enum { TASKS = 1000, N = 7 };
	static struct execution_task tasks[TASKS];
	struct ready_interval x[N];
	uint64_t state = 1;
	int64_t makespan = 10007, waited = 0;
	uint32_t pushed = 0, popped = 0;
	double sum = 0;

	for (int i = 0; i < TASKS; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		tasks[i].ready_ns = (int64_t)(state >> 33) % (makespan + 1);
		state = state * 6364136223846793005u + 1442695040888963407u;
		tasks[i].start_ns = tasks[i].ready_ns + (int64_t)(state >> 33) % (makespan - tasks[i].ready_ns + 1);
		waited += tasks[i].start_ns - tasks[i].ready_ns;
	}
	ready_count(tasks, TASKS, makespan, N, x);
	for (int i = 0; i < N; i++) {
		sum += x[i].ready * (double)(x[i].to_ns - x[i].from_ns);
		pushed += x[i].pushed;
		popped += x[i].popped;
		CHECK(x[i].ready >= 0 && (i == 0 || x[i].from_ns == x[i - 1].to_ns));
	}
	CHECK(pushed == TASKS && popped == TASKS);
	CHECK(x[N - 1].to_ns == makespan);
	CHECK(fabs(sum - (double)waited) < 1e-6 * (double)waited);
}

static void no_time_and_no_tasks(void)
{
	const struct execution_task task = {0};
	struct ready_interval x[3];

	ready_count(&task, 1, 0, 3, x);
	CHECK(x[0].pushed + x[1].pushed + x[2].pushed == 1);
	CHECK(x[0].ready == 0 && x[2].ready == 0 && x[2].to_ns == 0);
	ready_count(&task, 0, 10, 3, x);
	CHECK(x[0].pushed == 0 && x[2].to_ns == 10);
}

int main(void)
{
	RUN(intervals_have_their_share);
	RUN(sums_are_what_tasks_waited);
	RUN(no_time_and_no_tasks);
	return check_done();
}
