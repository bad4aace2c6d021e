/* tests/unit/test_report_messages.c - the table of MPI ranks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/json.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

/* Where it is not known what workers did, they are there all the same, and nothing is said of their tasks. */
static void workers_of_unknown_times(void)
{
	struct trace_worker workers[3] = {{.rank = 0}, {.rank = 1}, {.rank = 1}};
	struct trace trace = {.workers = workers, .nworkers = 3, .nranks = 2};
	struct worker_time times[3] = {{.tasks = 0}};
	struct message_rank ranks[2] = {{.sent = 0}};
	struct report r = {.times = {.unknown = 1, .nworkers = 3, .trace = &trace, .workers = times, .elapsed_ns = 9},
	                   .messages = {.ranks = ranks, .nranks = 2},
	                   .makespan_ns = 9};
	char *text = NULL;
	size_t size;
	struct json j = {.f = open_memstream(&text, &size)};

	json_open(&j, NULL, '{');
	report_table_json(&report_ranks, &r, "ranks", &j);
	json_close(&j, '}');
	fclose(j.f);
	CHECK_HAS(text, "\"workers\": 2");
	CHECK_HAS(text, "\"tasks\": null");
	CHECK_HAS(text, "\"executing\": null");
	free(text);
}

int main(void)
{
	RUN(workers_of_unknown_times);
	return check_done();
}
