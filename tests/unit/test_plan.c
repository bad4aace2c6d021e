/* tests/unit/test_plan.c - the knobs of the policy placement. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "sched/placement/plan.h"
#include "tests/lib/check.h"

static void test_knobs_text(void)
{
	static const char text[] =
		"rank=hops,least=0.25,transfers=2,windows=12,objective=volume,balance=3,effort=2,seed=7,"
		"distribute=no,prefetch=all,q=1.25,b=2,s=0.75,f=0.5,r=2";
	struct placement_knobs k;
	char *again;

	CHECK_INT(placement_knobs_read(&k, text, NULL), 0);
	again = placement_knobs_text(&k);
	CHECK_STR(again, text);
	free(again);
}

/* Knobs by which a plan is departed from change no owner, and those of the cut may. */
static void test_cut_alike(void)
{
	static const char *const cut[] = {"rank=hops",        "least=0.7", "transfers=2", "windows=5",
	                                  "objective=volume", "balance=3", "effort=2",    "seed=9"};
	static const char *const others[] = {
		"distribute=yes", "prefetch=all", "ahead=2", "q=3", "b=3", "s=3", "f=3", "r=3"};
	struct placement_knobs plain, k;

	CHECK_INT(placement_knobs_read(&plain, "", NULL), 0);
	for (size_t i = 0; i < sizeof(cut) / sizeof(*cut); i++) {
		CHECK_INT(placement_knobs_read(&k, cut[i], NULL), 0);
		CHECK_INT(placement_knobs_cut_alike(&plain, &k), 0);
		CHECK_INT(placement_knobs_cut_alike(&k, &k), 1);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		CHECK_INT(placement_knobs_read(&k, others[i], NULL), 0);
		CHECK_INT(placement_knobs_cut_alike(&plain, &k), 1);
	}
}

int main(void)
{
	RUN(test_knobs_text);
	RUN(test_cut_alike);
	return check_done();
}
