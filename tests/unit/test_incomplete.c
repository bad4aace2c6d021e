/* tests/unit/test_incomplete.c - a sentence for what a run lacks, and none where nothing is known to be missing. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/incomplete.h"

#include "core/run/run.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

static void how_it_ended(void)
{
	static const struct {
		const char *status, *interrupted;
		uint64_t unfinished;
		const char *text;
	} cases[] = {
		{"0", "", 0, NULL},
		{"", "", 0, NULL},
		{"3", "", 0, "its program ended with status 3: the recording may not be complete"},
		{"134", "", 0, "signal 6 (Aborted) ended its program: the recording may not be complete"},
		{"0", "2", 0, "signal 2 (Interrupt) came while its program ran: the recording may not be complete"},
		{"0", "", 1, "1 task was never seen to end: the recording is not complete"},
		{"130", "2", 1635,
	         "signal 2 (Interrupt) came while its program ran, and 1635 tasks were never seen to end: the "
	         "recording is not complete"},
		{"x", "999", 0, NULL},
		{"-1", "-2", 0, NULL},
		{"99999999999", "4294967298", 0, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct manifest_entry entries[] = {{"status", cases[i].status}, {"interrupted", cases[i].interrupted}};
		struct trace t = {.defects.unfinished = cases[i].unfinished};
		struct run r = {.manifest = {.entries = entries, .count = 2}, .trace = &t};
		char text[INCOMPLETE_TEXT];
		const char *got = run_incomplete(&r, text);

		CHECK((got != NULL) == (cases[i].text != NULL));
		if (got && cases[i].text)
			CHECK_STR(got, cases[i].text);
	}
}

static void a_prediction(void)
{
	struct manifest_entry entries[] = {{"predicted_from", "lu.ht"}};
	struct trace t = {0};
	struct run r = {.manifest = {.entries = entries, .count = 1}, .trace = &t};
	char text[INCOMPLETE_TEXT];

	CHECK_STR(run_incomplete(&r, text), "is a prediction, and nothing in it was measured: use lu.ht instead");
}

static void ranks_are_missing(void)
{
	struct trace t = {.defects.missing_ranks = 2};
	struct run r = {.trace = &t};
	char text[INCOMPLETE_TEXT];

	CHECK_STR(run_incomplete(&r, text), "2 MPI ranks are missing: the recording is not complete");
	t.defects.unfinished = 7; /* of those that are there: what the others did is more */
	CHECK_STR(run_incomplete(&r, text), "2 MPI ranks are missing: the recording is not complete");
}

int main(void)
{
	RUN(how_it_ended);
	RUN(a_prediction);
	RUN(ranks_are_missing);
	return check_done();
}
