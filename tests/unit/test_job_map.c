/* tests/unit/test_job_map.c - core/trace/job_map.h: keys that follow each other, and any others. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/job_map.h"
#include "tests/lib/check.h"

enum { KEYS = 10000 };

/* Every key has its value, and its neighbours have none. */
static void check_keys(uint64_t step)
{
	struct job_map m = {0};

	for (uint64_t i = 0; i < KEYS; i++) {
		CHECK_INT(job_map_get(&m, i * step), IDMAP_NONE);
		job_map_put(&m, i * step, (uint32_t)(KEYS - i));
	}
	for (uint64_t i = KEYS; i-- > 0;) {
		CHECK_INT(job_map_get(&m, i * step), KEYS - i);
		if (step > 1)
			CHECK_INT(job_map_get(&m, i * step + 1), IDMAP_NONE);
	}
	job_map_put(&m, 0, 7);
	CHECK_INT(job_map_get(&m, 0), 7);
	job_map_fini(&m);
	CHECK_INT(job_map_get(&m, 0), IDMAP_NONE);
}

static void test_following(void)
{
	check_keys(1);
}

static void test_scattered(void)
{
	check_keys(3);
	check_keys(16);
	check_keys(UINT64_C(1) << 40 | 1);
}

int main(void)
{
	RUN(test_following);
	RUN(test_scattered);
	return check_done();
}
