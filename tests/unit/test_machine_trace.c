/* tests/unit/test_machine_trace.c - the machine that a trace shows: workers, nodes of ranks, and their network. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/machine_trace.h"

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/intern.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

enum { LATENCY_NS = 2000, NS_PER_KB = 100 };

static struct trace_message message(int from, int to, int64_t post_ns, uint64_t kb)
{
	return (struct trace_message){.post_ns = post_ns,
	                              .receive_ns = TIME_NONE,
	                              .arrive_ns = post_ns + LATENCY_NS + (int64_t)kb * NS_PER_KB,
	                              .size_bytes = kb * 1000,
	                              .from = from,
	                              .to = to};
}

static struct machine *machine_of(const struct trace_worker *workers, size_t nworkers, struct trace_message *messages,
                                  size_t nmessages, struct ht_err *err)
{
	struct trace t = {.host = "here",
	                  .workers = (struct trace_worker *)workers,
	                  .nworkers = nworkers,
	                  .messages = messages,
	                  .nmessages = nmessages,
	                  .arena = arena_create()};
	struct machine *m;

	t.strings = intern_create(t.arena);
	m = machine_from_trace(&t, err);
	intern_free(t.strings);
	arena_free(t.arena);
	return m;
}

/* Nodes of a rank follow those of the rank before; a worker without a known node is in its rank's main memory. */
static void ranks_have_nodes_of_their_own(void)
{
	static const struct trace_worker workers[] = {{.arch = ARCH_CPU, .devid = -1, .binding = 3},
	                                              {.arch = ARCH_CUDA, .id = 1, .devid = 0, .node = 1},
	                                              {.arch = ARCH_CPU, .rank = 1, .node = -1, .devid = -1},
	                                              {.arch = ARCH_CUDA, .rank = 1, .id = 1, .devid = 0, .node = 2}};
	static const int node[] = {0, 1, 2, 4};
	struct ht_err err = {""};
	struct machine *m = machine_of(workers, 4, NULL, 0, &err);

	CHECK_STR(err.text, "");
	REQUIRE(m);
	CHECK_STR(m->name, "here");
	CHECK_INT(m->nworkers, 4);
	CHECK_INT(m->nnodes, 5);
	for (int i = 0; i < 4; i++) {
		CHECK_INT(m->workers[i].node, node[i]);
		CHECK_INT(m->nodes[node[i]].arch, workers[i].arch);
	}
	CHECK_INT(m->workers[0].binding, 3);
	CHECK(!(m->network.bytes_per_s > 0));
	machine_free(m);
}

static void too_many_are_refused(void)
{
	const struct trace_worker far = {.arch = ARCH_CUDA, .node = MACHINE_MAX_NODES};
	struct ht_err err = {""};

	CHECK(!machine_of(NULL, 0, NULL, 0, &err));
	CHECK_HAS(err.text, "the trace names 0 workers, expected 1 to ");
	CHECK(!machine_of(&far, 1, NULL, 0, &err));
	CHECK_HAS(err.text, "memory nodes, expected at most ");
}

/*
 * Latency and bandwidth are the line through the medians of those that had their links alone, in any order; one that
 * took no time by its clocks is left out, and two that share a link show what it holds.
 */
static void messages_measure_the_network(void)
{
	static const struct trace_worker worker = {.arch = ARCH_CPU};
	struct trace_message messages[] = {
		message(0, 1, 9000000, 8), message(0, 1, 0, 4),       message(1, 0, 1000000, 4),
		message(0, 1, 2000000, 8), message(1, 0, 3000000, 8), message(0, 1, 4000000, 2),
		message(0, 1, 5000000, 8), message(0, 1, 5000000, 8), message(0, 1, 6000000, 4),
	};
	const size_t n = sizeof(messages) / sizeof(*messages);
	struct ht_err err = {""};
	struct machine *m;

	messages[8].arrive_ns = messages[8].post_ns - 1;
	messages[2].receive_ns = messages[2].post_ns - 5; /* was waited for: its start is when it was sent */
	messages[6].arrive_ns += 1000;                    /* both that share a link take longer */
	messages[7].arrive_ns += 1000;
	m = machine_of(&worker, 1, messages, n, &err);
	REQUIRE(m);
	CHECK_INT(m->network.latency_ns, LATENCY_NS);
	CHECK_NEAR(m->network.bytes_per_s, 1e12 / NS_PER_KB, 1e-9);
	/* 16 kB in the 3.8 us of two that overlap are less than the line; the link holds the line's at least. */
	CHECK_NEAR(m->network.link_bytes_per_s, 1e12 / NS_PER_KB, 1e-9);
	machine_free(m);
	/* Of one size there is no line: all of the time is bandwidth. */
	m = machine_of(&worker, 1, &messages[1], 1, &err);
	REQUIRE(m);
	CHECK_INT(m->network.latency_ns, 0);
	CHECK_NEAR(m->network.bytes_per_s, 4000 / 2400e-9, 1e-9);
	machine_free(m);
	/* Two that share a link, and nothing alone: what it held together is more than either's. */
	m = machine_of(&worker, 1, &messages[6], 2, &err);
	REQUIRE(m);
	CHECK_NEAR(m->network.bytes_per_s, 8000 / 3800e-9, 1e-9);
	CHECK_NEAR(m->network.link_bytes_per_s, 16000 / 3800e-9, 1e-9);
	machine_free(m);
}

int main(void)
{
	RUN(ranks_have_nodes_of_their_own);
	RUN(too_many_are_refused);
	RUN(messages_measure_the_network);
	return check_done();
}
