/* tests/unit/test_verdict.c - from when on a config is worth using. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/verdict.h"
#include "tests/lib/check.h"

static void test_gain(void)
{
	CHECK_INT(verdict_gain(1000, 1001), GAIN_NONE);
	CHECK_INT(verdict_gain(1000, 1000), GAIN_NONE);
	CHECK_INT(verdict_gain(1000, 999), GAIN_UNCLEAR);
	CHECK_INT(verdict_gain(1000, 981), GAIN_UNCLEAR);
	CHECK_INT(verdict_gain(1000, 979), GAIN_CLEAR);
	CHECK_INT(verdict_gain(1000, 1), GAIN_CLEAR);
}

int main(void)
{
	RUN(test_gain);
	return check_done();
}
