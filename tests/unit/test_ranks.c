/* tests/unit/test_ranks.c - two ranks of a CPU each, and the memory of what one receives from the other: by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/ranks.h"

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/dag/dag_messages.h"
#include "core/machine/machine.h"
#include "core/run/conditions.h"
#include "core/trace/trace.h"
#include "replay/memory/network.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

enum { DATA = 10, MS = 1000000, BYTES = 3686400, CHUNK_MS = 20 };

static struct machine *two_ranks(void)
{
	struct machine *m = machine_parse("cuda:1 cpu:1", NULL);

	m->workers[0].arch = m->nodes[1].arch = ARCH_CPU;
	m->nodes[1].rank = 1;
	return m;
}

/*
 * Rank 0 writes DATA data one after the other, and sends each; rank 1 executes a task for each that it receives. Data
 * of the first rank is 0 to DATA - 1; that of the second has no memory.
 */
static struct dag *sends(void)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t type = dag_builder_type(b, "k", (const int64_t[ARCH_COUNT])COSTS(MS, -1)), from[2 * DATA],
		 to[2 * DATA];
	struct dag_messages *messages;
	struct dag *d;

	for (uint32_t h = 0; h < 2 * DATA; h++)
		dag_builder_handle(b, BYTES);
	for (uint32_t i = 0; i < DATA; i++)
		dag_builder_access(b, dag_builder_task(b, type), i, ACCESS_R | ACCESS_W);
	for (uint32_t i = 0; i < DATA; i++)
		dag_builder_access(b, dag_builder_task(b, type), DATA + i, ACCESS_R);
	d = dag_builder_finish(b, NULL);
	messages = arena_alloc(d->arena, 1, sizeof(*messages));
	messages->npoints = 2 * DATA;
	messages->nmessages = DATA;
	messages->points = arena_alloc(d->arena, 2 * DATA, sizeof(*messages->points));
	messages->messages = arena_alloc(d->arena, DATA, sizeof(*messages->messages));
	for (uint32_t i = 0; i < DATA; i++) {
		d->tasks[DATA + i].rank = 1;
		d->handle_home[DATA + i] = -1;
		messages->points[DATA + i].rank = 1;
		messages->messages[i] = (struct dag_message){.early = UINT32_MAX,
		                                             .size_bytes = BYTES,
		                                             .send = i,
		                                             .arrival = DATA + i,
		                                             .from_handle = i,
		                                             .to_handle = DATA + i};
		from[i] = i;
		to[i] = d->ntasks + i;
		from[DATA + i] = d->ntasks + DATA + i;
		to[DATA + i] = DATA + i;
	}
	csr_build(&messages->before, d->arena, d->ntasks + 2 * DATA, from, to, 2 * DATA);
	d->nranks = 2;
	d->messages = messages;
	return d;
}

/* A chunk of main memory takes so long, and the task of the datum that comes last starts between these times. */
static void check_last_start(int64_t chunk_ns, int64_t least_ns, int64_t most_ns)
{
	struct dag *d = sends();
	struct machine *m = two_ranks();
	struct conditions c;
	struct ht_err err = {""};
	struct simulate_options o = {.policy_options = "",
	                             .keep_schedule = 1,
	                             .transfers = TRANSFERS_ON,
	                             .conditions = &c};
	struct simulation *s;

	conditions_init(&c);
	c.overheads.of[ARCH_CPU].allocate_ns = chunk_ns;
	o.policy = policy_find("eager", &o.policy_options, &err);
	s = simulate_ranks(d, m, &o, &err);
	CHECK_STR(err.text, "");
	if (s) {
		CHECK(s->tasks[2 * DATA - 1].start_ns >= least_ns);
		CHECK(s->tasks[2 * DATA - 1].start_ns <= most_ns);
	}
	simulation_free(s);
	machine_free(m);
	dag_free(d);
}

/* Nine data are a chunk, and the thread of the rank's CPU, which has nothing else to do yet, allocates all. */
static void test_received_memory(void)
{
	check_last_start(0, DATA * MS, (DATA + 1) * MS);
	check_last_start(CHUNK_MS * MS, 2 * CHUNK_MS * MS, (2 * CHUNK_MS + DATA) * MS);
	check_last_start(MS / 10, DATA * MS, (DATA + 1) * MS); /* while the first is computed */
}

int main(void)
{
	RUN(test_received_memory);
	return check_done();
}
