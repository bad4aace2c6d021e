/* tests/unit/test_fxt_messages.c - messages between two ranks: in the trace, and in its graph. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/dag/dag.h"
#include "core/dag/dag_messages.h"
#include "core/machine/machine.h"
#include "core/run/conditions.h"
#include "core/run/machine_trace.h"
#include "core/trace/trace.h"
#include "replay/recorded.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/fxt_file.h"

static char dir[] = "/tmp/heterotune-test-XXXXXX";

static void task(FILE *f, uint64_t start, uint64_t end, unsigned job, const char *name)
{
	event(f, 150 + job, 0x511a, NULL, 7, U(job), U(-1), U(-1), U(job), U(0), U(0), U(9));
	event(f, 151 + job, 0x512b, name, 2, U(job), U(9));
	event(f, start, 0x5102, NULL, 4, U(job), U(0), U(0), U(0));
	event(f, end, 0x5103, "cpu0", 5, U(job), U(64), U(0x11), U(0), U(70));
}

static void after(FILE *f, unsigned pred, unsigned succ)
{
	event(f, 140, 0x5113, "task", 4, U(pred), U(succ), U(0), U(1));
}

static void begin(FILE *f, int rank)
{
	write_head(f);
	event(f, 0, 0x5100, NULL, 7, U(0x100), U(0), U(0), U(0), U(0), U(0), U(70));
	event(f, 100, 0x5203, NULL, 5, U(rank), U(2), U(99), U(0), U(5));
	event(f, 110, 0x517c, "V16", 4, U(0xa0 + rank), U(64), U(64), U(0));
}

/*
 * Rank 0 makes data (1), sends it (2 before, 3 after) and overwrites it (4); rank 1 receives it (1 before, 2 after) and
 * reads it (3). Another send, with tag 8, has no receive. `minor`: as StarPU 1.3, 1.4 or 1.5 writes them.
 */
static void write_ranks(char *path[2], int minor)
{
	FILE *f;

	for (int r = 0; r < 2; r++)
		path[r] = ht_asprintf("%s/rank%d", dir, r);
	f = fopen(path[0], "wb");
	begin(f, 0);
	task(f, 200, 300, 1, "make");
	after(f, 1, 2);
	after(f, 2, 3);
	after(f, 3, 4);
	event(f, 310, 0x5204, NULL, 4, U(1), U(7), U(0), U(80));
	for (unsigned tag = 7; tag <= 8; tag++) {
		if (minor == 5)
			event(f, 312, 0x5205, NULL, 9, U(0x100), U(1), U(tag), U(64), U(2), U(3), U(0xa0), U(0), U(80));
		else if (minor == 4)
			event(f, 312, 0x5205, NULL, 8, U(0x100), U(1), U(tag), U(64), U(2), U(0xa0), U(0), U(80));
		else
			event(f, 312, 0x5205, NULL, 6, U(1), U(tag), U(64), U(2), U(80), U(0xa0));
	}
	event(f, 390, 0x521c, NULL, 3, U(1), U(7), U(80));
	task(f, 400, 500, 4, "overwrite");
	fclose(f);
	f = fopen(path[1], "wb");
	begin(f, 1);
	after(f, 1, 2);
	after(f, 2, 3);
	event(f, 320, 0x5206, NULL, 3, U(0), U(7), U(80));
	if (minor == 5)
		event(f, 380, 0x521b, NULL, 6, U(0), U(7), U(1), U(2), U(0xa1), U(80));
	else
		event(f, 380, 0x521b, NULL, 5, U(0), U(7), U(2), U(80), U(0xa1));
	task(f, 420, 450, 3, "read");
	fclose(f);
}

static struct trace *load(int minor)
{
	struct ht_err err = {{0}};
	struct trace *t;
	char *path[2];

	write_ranks(path, minor);
	t = trace_load_fxt((const char *const *)path, 2, &err);
	CHECK_STR(err.text, "");
	free(path[0]);
	free(path[1]);
	return t;
}

static void both_ends_make_a_message(void)
{
	for (int minor = 3; minor <= 5; minor++) {
		struct trace *t = load(minor);
		const struct trace_message *m;

		REQUIRE(t && t->nmessages == 1);
		m = t->messages;
		CHECK_INT(m->from, 0);
		CHECK_INT(m->to, 1);
		CHECK_INT(m->tag, 7);
		CHECK_INT(m->size_bytes, 64);
		CHECK_INT(m->post_ns, 310);
		CHECK_INT(m->receive_ns, 320);
		CHECK_INT(m->arrive_ns, 380);
		CHECK_INT(t->tasks[m->send].job, 2);
		CHECK_INT(t->tasks[m->send].rank, 0);
		CHECK_INT(t->tasks[m->arrival].job, 2);
		CHECK_INT(t->tasks[m->arrival].rank, 1);
		CHECK_INT(t->handles[m->from_handle].address, 0xa0);
		CHECK_INT(t->handles[m->to_handle].address, 0xa1);
		CHECK_INT(t->defects.unmatched, 1);
		trace_free(t);
	}
}

static void one_file_has_no_messages(void)
{
	struct ht_err err = {{0}};
	struct trace *t;
	char *path[2];

	write_ranks(path, 4);
	t = trace_load_fxt((const char *const *)path, 1, &err);
	REQUIRE(t);
	CHECK_INT(t->nmessages, 0);
	CHECK_INT(t->defects.unmatched, 0);
	trace_free(t);
	free(path[0]);
	free(path[1]);
}

static int has_edge(const struct csr *g, uint32_t from, uint32_t to)
{
	for (uint32_t i = g->succ_first[from]; i < g->succ_first[from + 1]; i++)
		if (g->succ[i] == to)
			return 1;
	return 0;
}

static uint32_t task_of(const struct dag *d, const struct trace *t, const char *name)
{
	for (uint32_t i = 0; i < d->ntasks; i++)
		if (!strcmp(trace_text(t, t->tasks[d->tasks[i].trace_task].name), name))
			return i;
	CHECK(0);
	return 0;
}

/* The reader waits for the writer of the other rank; what the data goes through is two points. */
static void graph_of_ranks(void)
{
	struct ht_err err = {{0}};
	struct trace *t = load(4);
	struct dag *d = t ? dag_from_trace(t, NULL, NULL, &err) : NULL;
	uint32_t make, overwrite, read, send, arrival;

	REQUIRE(d);
	make = task_of(d, t, "make");
	overwrite = task_of(d, t, "overwrite");
	read = task_of(d, t, "read");
	CHECK_INT(d->nranks, 2);
	CHECK_INT(d->tasks[read].rank, 1);
	CHECK_INT(d->nedges, 2);
	CHECK_INT(dag_nsucc(d, make), 2);
	CHECK_INT(dag_npred(d, overwrite), 1);
	CHECK_INT(dag_npred(d, read), 1);
	REQUIRE(d->messages && d->messages->nmessages == 1);
	send = d->ntasks + d->messages->messages[0].send;
	arrival = d->ntasks + d->messages->messages[0].arrival;
	CHECK_INT(d->messages->npoints, 2);
	CHECK_INT(d->messages->points[send - d->ntasks].rank, 0);
	CHECK_INT(d->messages->points[arrival - d->ntasks].rank, 1);
	CHECK_INT(d->messages->before.nedges, 3);
	CHECK(has_edge(&d->messages->before, make, send));
	CHECK(has_edge(&d->messages->before, send, overwrite));
	CHECK(has_edge(&d->messages->before, arrival, read));
	dag_free(d);
	trace_free(t);
}

/*
 * With 1 byte a ns and a latency of 1000: read and overwrite wait for the message, and at once they do not. The threads
 * that communicate push both tasks, which may take time.
 */
static void replay_of_ranks(void)
{
	static const int64_t ends[3][3] = {{100, 200, 130}, {100, 1264, 1194}, {100, 1269, 1199}};
	struct conditions conditions = {0};
	struct simulate_options o = {.policy = &policy_eager,
	                             .ignore_submission = 1,
	                             .keep_schedule = 1,
	                             .conditions = &conditions};
	struct ht_err err = {{0}};
	struct trace *t = load(4);
	struct dag *d = t ? dag_from_trace(t, NULL, NULL, &err) : NULL;
	struct machine *m = t ? machine_from_trace(t, &err) : NULL;

	REQUIRE(d && m);
	CHECK_INT(machine_ranks(m), 2);
	CHECK(machine_check(m) == NULL);
	/* 70 ns from the send at 310, a receive at 320: 60 for 64 bytes. */
	CHECK_INT((int64_t)m->network.bytes_per_s, 1066666666);
	m->network = (struct machine_network){1e9, 1e9, 1000};
	for (int on = 0; on < 3; on++) {
		static const char *const names[] = {"make", "overwrite", "read"};
		struct simulation *s;

		conditions.overheads.of[ARCH_CPU].push_ns = on == 2 ? 5 : 0;
		o.transfers = on ? TRANSFERS_ON : TRANSFERS_OFF;
		s = simulate(d, m, &o, &err);
		CHECK_STR(err.text, "");
		REQUIRE(s);
		for (int i = 0; i < 3; i++)
			CHECK_INT(s->tasks[task_of(d, t, names[i])].end_ns, ends[on][i]);
		CHECK_INT(s->tasks[task_of(d, t, "read")].worker, 1);
		CHECK_INT(s->makespan_ns, ends[on][1]);
		CHECK_INT(s->worker_busy_ns[0], 200);
		CHECK_INT(s->worker_busy_ns[1], 30);
		simulation_free(s);
	}
	CHECK(recorded_simulate(t, d, m, NULL, &err) > 0);
	machine_free(m);
	m = machine_parse("cpu:2", &err);
	CHECK(m && !simulate(d, m, &o, &err));
	CHECK_HAS(err.text, "the graph is of 2 ranks");
	machine_free(m);
	dag_free(d);
	trace_free(t);
}

/* What the first task sends is still sent. */
static void prefix_of_ranks(void)
{
	struct ht_err err = {{0}};
	struct trace *t = load(4);
	struct dag *d = t ? dag_from_trace(t, NULL, NULL, &err) : NULL, *first;

	REQUIRE(d);
	first = dag_prefix(d, 1);
	CHECK_INT(first->ntasks, 1);
	CHECK_INT(first->nedges, 0);
	CHECK_INT(first->messages->before.nedges, 1);
	CHECK_INT(first->messages->nmessages, 1);
	dag_free(first);
	dag_free(d);
	trace_free(t);
}

/* StarPU's own: a thread releases what was acquired. */
static void release(FILE *f, uint64_t ns, unsigned job, unsigned thread)
{
	event(f, ns, 0x511a, NULL, 7, U(job), U(-1), U(-1), U(0), U(0), U(2), U(thread));
}

/*
 * The data of rank 0 is there before rank 1 can receive it (1 before, 2 after): it arrives in data of StarPU-MPI's own
 * (job 5), which is read (6 before, 7 after) and unregistered (8 and 9); then one thread releases what is read (3).
 * Another one has other data. Or `sends`: the program's own data is sent on, and received again.
 */
static struct trace *load_early(int sends)
{
	struct ht_err err = {{0}};
	struct trace *t;
	char *path[2];
	FILE *f;

	write_ranks(path, 4);
	f = fopen(path[1], "wb");
	begin(f, 1);
	after(f, 1, 2);
	after(f, 2, 3);
	for (unsigned job = 5; job < 9; job++)
		after(f, job, job + 1);
	event(f, 111, 0x517c, "V16", 4, U(0xa5), U(64), U(-1), U(-1)); /* has no memory yet */
	event(f, 320, 0x5206, NULL, 3, U(0), U(7), U(80));
	event(f, 330, 0x517c, "V16", 4, U(0xb1), U(64), U(-1), U(-1));
	event(f, 380, 0x521b, NULL, 5, U(0), U(7), U(5), U(80), U(0xb1));
	if (sends)
		event(f, 381, 0x5205, NULL, 8, U(0x100), U(0), U(9), U(64), U(6), U(0xb1), U(0), U(80));
	release(f, 382, 5, 80);
	release(f, 384, 7, 70);
	release(f, 385, 9, 70);
	release(f, 386, 11, 80);
	release(f, 387, 2, 70);
	release(f, 388, 12, 70);
	event(f, 400, 0x511b, NULL, 4, U(3), U(0xa5), U(64), U(1));
	task(f, 420, 450, 3, "read");
	fclose(f);
	t = trace_load_fxt((const char *const *)path, 2, &err);
	CHECK_STR(err.text, "");
	free(path[0]);
	free(path[1]);
	return t;
}

static void early_messages(void)
{
	struct ht_err err = {{0}};
	struct trace *t = load_early(0);
	struct dag *d = t ? dag_from_trace(t, NULL, NULL, &err) : NULL;
	const struct dag_message *m;

	REQUIRE(d && t->nmessages == 1 && d->messages->nmessages == 1);
	CHECK_INT(t->tasks[t->messages[0].arrival].job, 2);
	CHECK_INT(t->messages[0].to_handle, TRACE_NONE);
	m = d->messages->messages;
	CHECK(has_edge(&d->messages->before, d->ntasks + m->arrival, task_of(d, t, "read")));
	REQUIRE(m->to_handle < t->nhandles && m->early < t->nhandles);
	CHECK_INT(t->handles[m->to_handle].address, 0xa5);
	CHECK_INT(t->handles[m->early].address, 0xb1);
	dag_free(d);
	trace_free(t);
	t = load_early(1);
	REQUIRE(t && t->nmessages == 1);
	CHECK_INT(t->tasks[t->messages[0].arrival].job, 5);
	CHECK_INT(t->messages[0].early, TRACE_NONE);
	trace_free(t);
}

/* 1000 after the first task has ended, and 64 for its bytes; but not before the receiver has memory for it. */
static void replay_of_early_messages(void)
{
	struct conditions conditions = {0};
	struct simulate_options o = {.policy = &policy_eager,
	                             .ignore_submission = 1,
	                             .keep_schedule = 1,
	                             .transfers = TRANSFERS_ON,
	                             .conditions = &conditions};
	struct ht_err err = {{0}};
	struct trace *t = load_early(0);
	struct dag *d = t ? dag_from_trace(t, NULL, NULL, &err) : NULL;
	struct machine *m = t ? machine_from_trace(t, &err) : NULL;

	REQUIRE(d && m);
	m->network = (struct machine_network){1e9, 1e9, 1000};
	for (int pins = 0; pins < 2; pins++) {
		struct simulation *s;

		conditions.overheads.of[ARCH_CPU].allocate_ns = pins ? 5000 : 0;
		s = simulate(d, m, &o, &err);
		CHECK_STR(err.text, "");
		REQUIRE(s);
		CHECK_INT(s->tasks[task_of(d, t, "read")].end_ns, pins ? 6094 : 1194);
		simulation_free(s);
	}
	machine_free(m);
	dag_free(d);
	trace_free(t);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	RUN(both_ends_make_a_message);
	RUN(one_file_has_no_messages);
	RUN(graph_of_ranks);
	RUN(replay_of_ranks);
	RUN(prefix_of_ranks);
	RUN(early_messages);
	RUN(replay_of_early_messages);
	dir_remove(dir);
	return check_done();
}
