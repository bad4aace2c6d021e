/* tests/unit/test_finding_recording.c - findings about a recording that has defects. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/made_run.h"

static void test_recording(void)
{
	struct made x;

	begin(&x);
	healthy(&x);
	x.trace.defects = (struct trace_defects){.flushes = 2, .unordered = 7, .truncated_bytes = 1};
	look(&x);
	CHECK_INT(findings_wrong(&x.found), 2);
	CHECK_STR(x.found.items[0].name, "recording");
	CHECK_HAS(x.found.items[0].sentence, "1 byte after the last whole event");
	CHECK_HAS(x.found.items[1].sentence, "2 times threads waited");
	done(&x);
}

int main(void)
{
	RUN(test_recording);
	return check_done();
}
