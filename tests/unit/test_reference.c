/* tests/unit/test_reference.c - what the replay of another scheduler is compared with, and what is said of it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/reference.h"
#include "tests/lib/check.h"

enum { MS = 1000000 };

static void which_of_the_two(void)
{
	static const struct {
		int64_t order, run, reference;
	} cases[] = {
		{100, 100, 100}, {90, 100, 90},   {50, 100, 50},  {101, 100, 101}, /* within the noise */
		{103, 100, 100}, {324, 180, 180}, {-1, 100, 100}, {0, 100, 100},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK_INT(reference_of(cases[i].order * MS, cases[i].run * MS), cases[i].reference * MS);
}

static void says_why_they_differ(void)
{
	char text[REFERENCE_TEXT];

	CHECK_STR(reference_text(text, 324 * MS, 180 * MS),
	          "the run took 180 ms, and its order replayed with mean durations takes 324 ms: durations vary, and "
	          "its scheduler saw what they were");
	CHECK_STR(reference_text(text, 300 * MS, 324 * MS),
	          "the run took 324 ms, and its order replayed with mean durations takes 300 ms: the rest is what "
	          "replays leave out");
	CHECK_STR(reference_text(text, 95 * MS, 100 * MS), "");
	CHECK_STR(reference_text(text, 105 * MS, 100 * MS), "");
	CHECK_STR(reference_text(text, -1, 100 * MS), "");
	CHECK_STR(reference_text(text, 100 * MS, 0), "");
}

int main(void)
{
	RUN(which_of_the_two);
	RUN(says_why_they_differ);
	return check_done();
}
