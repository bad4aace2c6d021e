/* tests/lib/data_check.h - the states of data that StarPU recorded, against those rebuilt from copies and accesses. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_DATA_CHECK_H
#define TESTS_DATA_CHECK_H

#include "analyze/data/data_state.h"

/*
 * The two sources against each other, at every instant at which one of them changes the state of a datum, or a task
 * that uses it starts. A point is a datum at such an instant, with all its nodes: `exact` have the same state on each.
 * `taken` lie between the push and the start of a task that writes the datum, and StarPU's state is that the task has
 * taken it already. `acquired`: the application has taken it for itself, which is not recorded with the data it asks
 * for, and no task has used it since. The others differ.
 *
 * On a real machine a thread records a change some time after it made it, and two changes one after the other: a point
 * that changes again within slack_ns is left out as `unsettled`. 0 is right for simulated time.
 */
struct data_check {
	uint64_t points, compared; /* compared: nodes */
	uint64_t exact, taken, acquired, unsettled, differ;
	int64_t differ_ns; /* of the first that differs */
	uint32_t differ_handle;
	struct data_place differ_recorded, differ_rebuilt;
};
void data_check(const struct trace *t, int64_t slack_ns, struct data_check *c);

#endif
