/* tests/unit/test_report_messages.c - tables of MPI ranks, and of their memories. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "analyze/data/data_state.h"
#include "analyze/data/timeline.h"
#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/json.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
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

/* Each rank has memories of its own, which it numbers from 0: the first has one, the second a GPU, too. */
static void memories_of_ranks(void)
{
	struct machine *m = machine_parse("cpu:1 cuda:2", NULL);
	struct trace_handle handles[] = {
		{.size_bytes = 100, .unregister_ns = TIME_NONE},
		{.size_bytes = 30, .unregister_ns = TIME_NONE, .rank = 1},
	};
	struct data_change changes[] = {{1, 0, 0, DATA_ALLOCATED},
	                                {2, 1, 0, DATA_ALLOCATED},
	                                {3, 1, 1, DATA_ALLOCATED},
	                                {4, 1, 1, DATA_FREED}};
	struct data_state state = {.changes = changes, .nchanges = 4};
	struct trace trace = {.handles = handles, .nmemory = 1, .nnodes = 2, .nranks = 2};
	struct timeline timeline = {.origin_ns = 0};
	struct run run = {.trace = &trace, .machine = m};
	struct report r = {.run = &run, .timeline = &timeline};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	m->nodes[1].arch = ARCH_CPU; /* of rank 1, as the GPU after it */
	m->nodes[1].rank = m->nodes[2].rank = 1;
	memories_init(&r.memories, &trace, &state);
	report_table_csv(&report_memories, &r, f);
	fclose(f);
	CHECK_STR(text, "name,size_bytes,peak_bytes,peak_ns,evictions\n0: main memory,,100,1,0\n"
	                "1: main memory,,30,2,0\n1: cuda 1,,30,3,1\n");
	free(text);
	memories_fini(&r.memories);
	machine_free(m);
}

int main(void)
{
	RUN(workers_of_unknown_times);
	RUN(memories_of_ranks);
	return check_done();
}
