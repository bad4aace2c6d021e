/* tests/unit/test_class_groups.c - classes are in one group where they take about the same on each place. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/placement/class_groups.h"
#include "sched/placement/places.h"
#include "tests/lib/check.h"

static void test_groups(void)
{
	/* Eighths of a power of 2 begin at 64, 72, 80, 88, 96, 104, ... */
	int64_t cost[][2] = {{100, 10}, {103, 10}, {104, 10}, {100, -1}, {100, 0}, {100, 10}};
	const struct places p = {.n = 2, .cost_ns = cost[0]};
	const uint32_t expected[] = {0, 0, 1, 2, 3, 0};
	struct class_groups g = {0};

	CHECK(!class_groups_has(&g, 0));
	for (uint32_t c = 0; c < 6; c++) {
		class_groups_find(&g, &p, c);
		CHECK(class_groups_has(&g, c));
		CHECK_INT(class_groups_of(&g, c), expected[c]);
	}
	CHECK_INT(g.n, 4);
	CHECK(!class_groups_has(&g, 6));
	cost[0][0] = 104; /* the group stays what it was, for class 1 */
	class_groups_find(&g, &p, 0);
	CHECK_INT(class_groups_of(&g, 0), 1);
	class_groups_find(&g, &p, 1);
	CHECK_INT(class_groups_of(&g, 1), 0);
	CHECK_INT(g.n, 4);
	class_groups_fini(&g);
}

int main(void)
{
	RUN(test_groups);
	return check_done();
}
