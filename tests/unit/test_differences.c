/* tests/unit/test_differences.c - rows of two recordings meet by name and architecture. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyze/report/report.h"
#include "compare/differences.h"
#include "core/base/alloc.h"
#include "core/metrics/metrics.h"
#include "tests/lib/check.h"

enum { TYPES = 40000, CUDA_OF = 7 };

/* Type i of the first is type TYPES - 1 - i of the second, and takes as much more there as its number. */
static void types_by_name(void)
{
	static char names[TYPES][8];
	struct report r[2] = {{.times.unknown = 1}, {.times.unknown = 1}};
	struct metrics metrics[2] = {{.ntypes = TYPES}, {.ntypes = TYPES}};
	struct differences x;
	clock_t from;

	for (int i = 0; i < 2; i++) {
		metrics[i].types = ht_alloc(TYPES, sizeof(*metrics[i].types));
		r[i].input.executed = ht_alloc(TYPES, sizeof(*r[i].input.executed));
		r[i].metrics = &metrics[i];
	}
	for (uint32_t t = 0; t < TYPES; t++) {
		uint32_t other = TYPES - 1 - t;

		snprintf(names[t], sizeof(names[t]), "t%u", t);
		metrics[0].types[t].name = metrics[1].types[other].name = names[t];
		r[0].input.executed[t][ARCH_CPU] = (struct metrics_executed){.count = 2, .mean_ns = 10};
		r[1].input.executed[other][ARCH_CPU] = (struct metrics_executed){.count = 1, .mean_ns = 20 + t};
	}
	r[1].input.executed[TYPES - 1 - CUDA_OF][ARCH_CUDA] = (struct metrics_executed){.count = 1, .mean_ns = 1e9};
	from = clock();
	differences_init(&x, &r[0], &r[1]);
	CHECK(clock() - from < CLOCKS_PER_SEC); /* 0.02 s; 6 s where each row is compared with all before it */
	REQUIRE(x.count[DIFFERENCE_TYPE] == TYPES + 1);
	CHECK_STR(x.at[DIFFERENCE_TYPE][0].name, "t7");
	CHECK_INT(x.at[DIFFERENCE_TYPE][0].arch, ARCH_CUDA);
	CHECK_INT(x.at[DIFFERENCE_TYPE][0].count[0], 0);
	for (uint32_t k = 1; k <= TYPES; k++) {
		const struct difference *row = &x.at[DIFFERENCE_TYPE][k];

		CHECK_STR(row->name, names[TYPES - k]);
		CHECK(row->count[0] == 2 && row->count[1] == 1 && row->value[0] == 20 &&
		      row->value[1] == 20 + TYPES - k);
	}
	differences_fini(&x);
	for (int i = 0; i < 2; i++) {
		free(metrics[i].types);
		free(r[i].input.executed);
	}
}

/* Where one of them does not know what its workers did, nothing is said of them: it is not 0. */
static void states_that_both_know(void)
{
	struct metrics none = {0};
	struct report r[2] = {{.metrics = &none}, {.metrics = &none}};
	struct differences x;

	for (int i = 0; i < 2; i++)
		r[i].times.arch_workers[ARCH_CPU] = 2;
	for (int known = 0; known < 2; known++) {
		r[0].times.unknown = !known;
		differences_init(&x, &r[0], &r[1]);
		CHECK_INT(x.count[DIFFERENCE_WORKER], known ? WORKER_STATES : 0);
		differences_fini(&x);
	}
}

int main(void)
{
	RUN(types_by_name);
	RUN(states_that_both_know);
	return check_done();
}
