/* replay/cmd_replay_ranks.c - what heterotune replay says of the ranks of a run, and of its simulation of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/cmd_replay_ranks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/base/json.h"
#include "core/base/records.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/dag/dag_messages.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "replay/recorded.h"
#include "replay/scenario.h"
#include "replay/sim/simulate.h"

void replay_ranks_find(struct replay_ranks *x, const struct run *run, const struct scenario *s)
{
	int64_t first_ns, submitted_ns = INT64_MAX;

	*x = (struct replay_ranks){-1, -1};
	if (s->machine != run->machine)
		return;
	x->run_ns = trace_makespan_ns(run->trace, &first_ns);
	for (uint32_t i = 0; i < run->dag->ntasks; i++) {
		int64_t ns = run->trace->tasks[run->dag->tasks[i].trace_task].submit_ns;

		if (ns != TIME_NONE && ns < submitted_ns)
			submitted_ns = ns;
	}
	if (submitted_ns < first_ns)
		x->run_ns += first_ns - submitted_ns;
	x->schedule_ns = recorded_simulate(run->trace, run->dag, run->machine, s, NULL);
}

static const struct column columns[] = {
	{"rank", "rank", COLUMN_COUNT, 0},
	{"workers", "workers", COLUMN_COUNT, 0},
	{"tasks", "tasks", COLUMN_COUNT, 0},
	{"idle", "idle", COLUMN_SHARE, 0},
	{"sent", NULL, COLUMN_COUNT, 0},
	{"sent_bytes", "sent", COLUMN_BYTES, COLUMN_ZERO},
	{0},
};

static struct records *ranks_of(const struct run *run, const struct machine *m, const struct simulation *s)
{
	const struct dag *d = run->dag;
	struct records *x = records_create(columns);

	for (int rank = 0; rank < d->nranks; rank++) {
		int64_t workers = 0, tasks = 0, busy_ns = 0, sent = 0, bytes = 0;

		for (int w = 0; w < m->nworkers; w++) {
			if (m->nodes[m->workers[w].node].rank != rank)
				continue;
			workers++;
			busy_ns += s->worker_busy_ns[w];
		}
		for (uint32_t t = 0; t < d->ntasks; t++)
			tasks += d->tasks[t].rank == rank;
		for (uint32_t i = 0; i < d->messages->nmessages; i++) {
			if (d->messages->points[d->messages->messages[i].send].rank != rank)
				continue;
			sent++;
			bytes += (int64_t)d->messages->messages[i].size_bytes;
		}
		records_add(x, V(rank), V(workers), V(tasks),
		            V(1 - (double)busy_ns / ((double)s->makespan_ns * (double)workers)), V(sent), V(bytes));
	}
	return x;
}

static double error_of(const struct replay_ranks *x)
{
	return x->run_ns > 0 && x->schedule_ns >= 0 ? (double)x->schedule_ns / (double)x->run_ns - 1 : NAN;
}

void replay_ranks_print(const struct replay_ranks *x, const struct run *run, const struct machine *m,
                        const struct simulation *s)
{
	struct records *ranks = ranks_of(run, m, s);
	char rate[16], link[16], latency[16], took[16], schedule[16];

	putchar('\n');
	records_print(ranks, stdout);
	records_free(ranks);
	if (m->network.bytes_per_s > 0)
		printf("\na message takes %s and its bytes at %s/s; a rank's link has %s/s\n",
		       time_text(latency, m->network.latency_ns), bytes_text(rate, m->network.bytes_per_s),
		       bytes_text(link, m->network.link_bytes_per_s));
	if (isfinite(error_of(x)))
		printf("the recorded order with mean durations takes %s here, and took %s: %+.1f %%\n",
		       time_text(schedule, x->schedule_ns), time_text(took, x->run_ns), 100 * error_of(x));
}

void replay_ranks_json(struct json *j, const struct replay_ranks *x, const struct run *run, const struct machine *m,
                       const struct simulation *s)
{
	struct records *ranks = ranks_of(run, m, s);

	records_json(ranks, "ranks", j);
	records_free(ranks);
	json_time(j, "recorded_ns", x->run_ns);
	json_time(j, "recorded_schedule_ns", x->schedule_ns);
}
