/* tests/unit/test_palette.c - every type has a group, also one without tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/execution/palette.h"
#include "tests/lib/check.h"

/* `used` types have tasks, and two more have none. */
static void check_groups(uint32_t used)
{
	struct palette_type types[PALETTE_MAX + 4] = {0};
	struct palette p;

	for (uint32_t i = 0; i < used + 2; i++)
		types[i] = (struct palette_type){"t", i < used ? 1 : -1};
	palette_init(&p, types, used + 2);
	CHECK_INT(p.ngroups, used <= PALETTE_MAX ? used : PALETTE_MAX + 1);
	for (uint32_t i = 0; i < used + 2; i++)
		CHECK(p.group_of[i] < p.ngroups);
	palette_fini(&p);
}

static void types_without_tasks(void)
{
	check_groups(1);
	check_groups(PALETTE_MAX);
	check_groups(PALETTE_MAX + 2);
}

int main(void)
{
	RUN(types_without_tasks);
	return check_done();
}
