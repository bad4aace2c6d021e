/* tests/tool/data_check.c - how far the states of data that a run recorded agree with its copies and accesses. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usage: data_check RUN [SLACK_NS]
 *
 * Prints "NAME NUMBER" lines: struct data_check, states recorded, and of the copies their number and bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/data/data_state.h"
#include "core/base/err.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "tests/lib/data_check.h"

int main(int argc, char **argv)
{
	struct ht_err err;
	struct trace *t = argc == 2 || argc == 3 ? run_load_trace(argv[1], &err) : NULL;
	struct data_check c;
	uint64_t bytes = 0;

	if (!t) {
		fprintf(stderr, "data_check: %s\n",
		        argc == 2 || argc == 3 ? err.text : "usage: data_check RUN [SLACK_NS]");
		return 2;
	}
	data_check(t, argc == 3 ? atoll(argv[2]) : 0, &c);
	for (size_t i = 0; i < t->ncopies; i++)
		bytes += t->copies[i].size_bytes;
	printf("states %zu\npoints %" PRIu64 "\ncompared %" PRIu64 "\nexact %" PRIu64 "\n", t->nstates, c.points,
	       c.compared, c.exact);
	printf("taken %" PRIu64 "\nacquired %" PRIu64 "\nunsettled %" PRIu64 "\ndiffer %" PRIu64 "\n", c.taken,
	       c.acquired, c.unsettled, c.differ);
	printf("copies %zu\nbytes %" PRIu64 "\n", t->ncopies, bytes);
	if (c.differ)
		fprintf(stderr,
		        "data_check: handle %" PRIu32 " at %" PRId64 " ns: recorded valid=%" PRIx64 " owner=%" PRIx64
		        ", rebuilt valid=%" PRIx64 " owner=%" PRIx64 "\n",
		        c.differ_handle, c.differ_ns, c.differ_recorded.valid, c.differ_recorded.owner,
		        c.differ_rebuilt.valid, c.differ_rebuilt.owner);
	trace_free(t);
	return c.differ != 0;
}
