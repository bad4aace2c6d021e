/* tests/unit/test_plot_causes.c - what idle time counts as, part by part. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/plots/plot_causes.h"

#include "tests/lib/graphs.h"
#include "tests/lib/made_run.h"

/* A letter for each ms: x executes, w waits, s scheduling, r a task is ready, l takes longer here, - none ready. */
static const char *states(const struct made *x, uint32_t worker, double part_ms, char text[32])
{
	static const char letters[CAUSES] = {
		[WORKER_EXECUTING] = 'x', [WORKER_WAITING] = 'w', [WORKER_SCHEDULING] = 's', [WORKER_READY] = 'r',
		[WORKER_STARVED] = '-',   [WORKER_TAIL] = 't',    [CAUSE_SLOWER] = 'l'};
	const struct worker_times *t = &x->times;
	int n = 0;

	for (size_t i = t->first[worker]; i < t->first[worker + 1]; i++) {
		struct worker_segment s = worker_segment(t, worker, i);

		for (int64_t from = s.start_ns, to; from < s.end_ns; from = to) {
			int state = causes_part(t, worker, &s, from, llround(part_ms * MS), &to);

			for (int64_t at = from; at < to; at += MS)
				text[n++] = letters[state];
		}
	}
	text[n] = '\0';
	return text;
}

/*
 * CPU 0 executes all the time; GPU 0 in [0,2], waits for data in [3,5] and executes [6,8]. Its second task is ready in
 * [1,3], and takes longer on CPU 1, which never has one.
 */
static void test_parts(void)
{
	struct made x;
	char text[32];

	begin(&x);
	task(&x, PLAIN, CPU0, 0, 0, 0, 10);
	task(&x, PLAIN, GPU0, 0, 0, 0, 2);
	task(&x, PLAIN, GPU0, 1, 3, 6, 8);
	copy(&x, 3, 5);
	look(&x);
	CHECK_STR(states(&x, CPU0, 1, text), "xxxxxxxxxx");
	CHECK_STR(states(&x, GPU0, 1, text), "xxrwwsxx--");
	CHECK_STR(states(&x, CPU1, 1, text), "-ll-------");
	CHECK_STR(states(&x, CPU1, 2, text), "llll------"); /* half of a part is enough */
	CHECK_STR(states(&x, CPU1, 10, text), "----------");
	done(&x);
}

int main(void)
{
	RUN(test_parts);
	return check_done();
}
