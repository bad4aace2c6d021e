/* tests/unit/test_overheads.c - what threads take for their own work: measured in a made trace, and replayed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/conditions.h"
#include "core/trace/overheads.h"

#include <stdlib.h>

#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

enum { MOST = 4 * DELAY_SLICES, US = 1000, MS = 1000 * US, EACH = 12, CPU = 0, GPU = 1 };

static struct trace_task tasks[MOST];
static struct trace_span spans[MOST];
static struct trace_extra extras[MOST];
static struct trace_copy copies[MOST];
static struct trace_memory memory[MOST];
static struct trace_codelet codelet;
static struct trace_worker workers[2];
static struct trace trace;
static struct machine *machine;

static void begin(void)
{
	workers[CPU] = (struct trace_worker){.arch = ARCH_CPU, .node = 0, .tid = 70};
	workers[GPU] = (struct trace_worker){.arch = ARCH_OPENCL, .node = 1, .tid = 71};
	trace = (struct trace){.source = TRACE_FXT,
	                       .nranks = 1,
	                       .tasks = tasks,
	                       .extras = extras,
	                       .spans = spans,
	                       .copies = copies,
	                       .memory = memory,
	                       .workers = workers,
	                       .nworkers = 2,
	                       .codelets = &codelet,
	                       .ncodelets = 1,
	                       .nnodes = 2};
	machine = machine_parse("cpu:1 opencl:1 link:1GB/s", NULL);
}

/* The application waits once, and submits one after the other before and after that. */
static struct trace_task *task(int worker, int64_t ready, int64_t pop, int64_t start, int64_t end, int64_t done)
{
	struct trace_task *x = &tasks[trace.ntasks];

	*x = (struct trace_task){.job = trace.ntasks + 1,
	                         .worker = worker,
	                         .node = (int16_t)worker,
	                         .submit_ns = (int64_t)trace.ntasks * 700 + (trace.ntasks > 3 ? 900 * MS : 0),
	                         .start_ns = start,
	                         .end_ns = end,
	                         .naccesses = 2,
	                         .parallel = 1};
	extras[trace.ntasks++] = (struct trace_extra){.ready_ns = ready, .pop_ns = pop, .done_ns = done, .pusher = -1};
	return x;
}

static void copy(int from, int to, int64_t start_ns, int64_t end_ns)
{
	copies[trace.ncopies++] = (struct trace_copy){.start_ns = start_ns,
	                                              .end_ns = end_ns,
	                                              .from = (int16_t)from,
	                                              .to = (int16_t)to,
	                                              .size_bytes = 1000,
	                                              .begin_ns = 300};
}

/*
 * A task every ms: it takes half of it, pushes two that come later 5 and 7 us after, calls back for 3 us, is done after
 * 12; the next one is taken 2 us after that, within 1 us in the scheduler, and starts 8 us later.
 */
static void chain(int worker)
{
	for (int i = 0; i < EACH; i++) {
		int64_t start = i * MS, end = start + MS / 2, done = end + 12 * US;
		int64_t pop = i ? (i - 1) * MS + MS / 2 + 14 * US : 0;
		struct trace_task *x = task(worker, i < 2 ? 0 : (i - 1) * MS, pop, i ? pop + 8 * US : start, end, done);

		if (i == 5)
			x->start_ns += 400 * US; /* its core was given to another thread, which is left out */
		spans[trace.nspans++] = (struct trace_span){.worker = (uint32_t)worker,
		                                            .kind = SPAN_CALLBACK,
		                                            .start_ns = end + 8 * US,
		                                            .end_ns = end + 11 * US};
		spans[trace.nspans++] = (struct trace_span){.worker = (uint32_t)worker,
		                                            .kind = SPAN_SCHEDULING,
		                                            .start_ns = pop - 600,
		                                            .end_ns = pop + 400};
	}
	for (int i = 0; i < EACH; i++) { /* what they push, not known when it was taken */
		task(worker, i * MS + MS / 2 + 5 * US, TIME_NONE, 100 * MS, 100 * MS, 100 * MS);
		task(worker, i * MS + MS / 2 + 7 * US, TIME_NONE, 100 * MS, 100 * MS, 100 * MS);
		extras[trace.ntasks - 2].pusher = extras[trace.ntasks - 1].pusher = worker;
	}
}

/* Two out of three times the application waits for a millisecond before it submits the next task. */
static void submission(void)
{
	static struct trace_wait waits[3 * EACH];
	struct overheads_all o;
	int64_t ns = 0;
	size_t n = 0;

	begin();
	chain(CPU);
	for (size_t i = 0; i < trace.ntasks; i++) {
		tasks[i].submit_ns = ns;
		if (i % 3)
			waits[n++] = (struct trace_wait){.start_ns = ns + 300, .end_ns = ns + MS, .task = TRACE_NONE};
		ns += 700 + (i % 3 ? MS : 0);
	}
	for (int is_recorded = 0; is_recorded < 2; is_recorded++) {
		trace.waits = waits;
		trace.nwaits = is_recorded ? n : 0;
		overheads_init(&o, OVERHEADS_MACHINE);
		overheads_measure(&o, &trace, machine, 0);
		CHECK_INT(o.submit_ns, is_recorded ? 700 : MS + 700);
	}
	machine_free(machine);
}

static void threads(void)
{
	struct overheads_all o;

	begin();
	chain(CPU);
	overheads_init(&o, OVERHEADS_MACHINE);
	overheads_measure(&o, &trace, machine, 0);
	CHECK_INT(o.of[ARCH_CPU].end_ns, 5 * US);
	CHECK_INT(o.of[ARCH_CPU].push_ns, 2 * US);
	CHECK_INT(o.samples[ARCH_CPU][OVERHEAD_PUSH], EACH);
	CHECK_INT(o.of[ARCH_CPU].callback_ns, 3 * US * EACH / (3 * EACH)); /* a third of the tasks have one */
	CHECK_INT(o.of[ARCH_CPU].look_ns, 2 * US);
	CHECK_INT(o.of[ARCH_CPU].ask_ns, 4 * US); /* two data */
	CHECK_INT(o.pop_ns[ARCH_CPU], 1 * US);
	CHECK_INT(overheads_wake_ns(&o, ARCH_CPU), 1 * US);
	CHECK_INT(o.submit_ns, 700);
	/* Of the GPU it has nothing: it polls as CPUs do. */
	CHECK_INT(o.of[ARCH_OPENCL].look_ns, 2 * US);
	CHECK_INT(o.samples[ARCH_OPENCL][OVERHEAD_LOOK], 0);
	CHECK_INT(o.of[ARCH_OPENCL].push_ns, 1000);
	CHECK_INT(o.samples[ARCH_OPENCL][OVERHEAD_PUSH], 0);
	CHECK_INT(o.pop_ns[ARCH_OPENCL], -1);
	CHECK_INT(overheads_wake_ns(&o, ARCH_OPENCL), 1 * US);
	o.samples[ARCH_OPENCL][OVERHEAD_LOOK] = OVERHEADS_ENOUGH; /* of its own */
	CHECK_INT(overheads_wake_ns(&o, ARCH_OPENCL), 2 * US);
	machine_free(machine);
}

/* Four pushes of twelve took 4 us more: the mean of ten, without the two longest, is of two of these. */
static void medians(void)
{
	struct overheads_all o;

	begin();
	chain(CPU);
	for (int i = 0; i < 4; i++)
		extras[EACH + 2 * i + 1].ready_ns += 4 * US;
	overheads_init(&o, OVERHEADS_MACHINE);
	CHECK_INT(overheads_typical_ns(&o, ARCH_CPU, OVERHEAD_PUSH), 1000);
	overheads_measure(&o, &trace, machine, 0);
	CHECK_INT(o.of[ARCH_CPU].push_ns, 2800);
	CHECK_INT(overheads_typical_ns(&o, ARCH_CPU, OVERHEAD_PUSH), 2 * US);
	CHECK_INT(overheads_typical_ns(&o, ARCH_CPU, OVERHEAD_CALLBACK), 1 * US); /* a third of the tasks have one */
	CHECK_INT(overheads_typical_ns(&o, ARCH_OPENCL, OVERHEAD_PUSH), 1000);
	machine_free(machine);
}

/* Too few samples, and a run that StarPU simulated: all is as it was. */
static void constants(void)
{
	for (int simulated = 0; simulated < 2; simulated++) {
		struct overheads_all o, before;

		begin();
		chain(CPU);
		if (simulated)
			workers[CPU].tid = UINT64_C(0x7f0000000000);
		else
			trace.ntasks = trace.nspans = 4;
		overheads_init(&o, OVERHEADS_SIMGRID);
		before = o;
		overheads_measure(&o, &trace, machine, 0);
		CHECK(memcmp(o.of, before.of, sizeof(o.of)) == 0);
		CHECK(memcmp(o.samples, before.samples, sizeof(o.samples)) == 0);
		machine_free(machine);
	}
	{
		struct overheads_all o;

		overheads_init(&o, OVERHEADS_SIMGRID);
		CHECK_INT(o.of[ARCH_CPU].look_ns, 1000);
		CHECK_INT(o.of[ARCH_CUDA].look_ns, 2000);
		CHECK_INT(o.of[ARCH_OPENCL].allocates_each, 1);
		CHECK_INT(o.of[ARCH_CUDA].allocates_each, 0);
		overheads_init(&o, OVERHEADS_MACHINE);
		CHECK_INT(o.of[ARCH_OPENCL].allocates_each, 0);
	}
}

/*
 * 1000 bytes take the link 1 us. Every ms two go in: the first takes 20 us, 1 us more in each eighth of all, and the
 * other is done 1 us after it. One goes out that takes 51 us, and one that takes half a ms, for the driver executes a
 * task in between.
 */
static void copy_late(int times)
{
	begin();
	for (int i = 0; i < times; i++) {
		int64_t ns = i * MS, more = i / (times / 8) * US;

		copy(0, 1, ns, ns + 20 * US + more);
		copy(0, 1, ns + 1 * US, ns + 21 * US + more);
		copy(1, 0, ns + 100 * US, ns + 151 * US);
		copy(1, 0, ns + 200 * US, ns + 700 * US);
		task(GPU, 0, ns + 210 * US, ns + 220 * US, ns + 690 * US, ns + 695 * US);
		memory[trace.nmemory++] = (struct trace_memory){.node = 1,
		                                                .kind = MEMORY_ALLOCATED,
		                                                .took_ns = (uint32_t)(40 * US + more)};
	}
}

static void late_copies(void)
{
	struct overheads_all o;
	const struct overheads_delays *in = &o.of[ARCH_OPENCL].delays[COPIES_IN];
	const struct overheads_delays *out = &o.of[ARCH_OPENCL].delays[COPIES_OUT];

	copy_late(DELAY_SLICES);
	overheads_init(&o, OVERHEADS_MACHINE);
	overheads_measure(&o, &trace, machine, 1 << ARCH_OPENCL);
	CHECK_INT(in->samples, 2 * DELAY_SLICES);
	CHECK_INT(in->ns[0], 0);
	CHECK_INT(in->ns[DELAY_SLICES / 2 - 1], 0);
	CHECK_INT(in->ns[DELAY_SLICES / 2], 19 * US);
	CHECK_INT(in->ns[DELAY_SLICES - 1], 26 * US);
	CHECK_INT(out->samples, DELAY_SLICES);
	CHECK_INT(out->ns[0], 50 * US);
	CHECK_INT(out->ns[DELAY_SLICES - 1], 50 * US);
	CHECK_INT(o.of[ARCH_OPENCL].copy_ns, 300);
	CHECK_INT(o.of[ARCH_OPENCL].allocate_ns, 43500);
	CHECK_INT(o.of[ARCH_OPENCL].allocates_each, 1);
	CHECK_INT(o.of[ARCH_OPENCL].queue_ns, 0); /* within its synchronous tasks */
	/* A driver that does not wait for its tasks observes the end of a copy: the long ones count. */
	overheads_init(&o, OVERHEADS_MACHINE);
	overheads_measure(&o, &trace, machine, 0);
	CHECK_INT(out->samples, 2 * DELAY_SLICES);
	CHECK_INT(out->ns[DELAY_SLICES - 1], (500 - 1) * US);
	CHECK_INT(o.of[ARCH_OPENCL].queue_ns, 10000);
	machine_free(machine);
}

/* 16 copies went in and 8 out: each direction has what was seen of both. */
static void few_late_copies(void)
{
	struct overheads_all o;

	copy_late(8);
	overheads_init(&o, OVERHEADS_MACHINE);
	overheads_measure(&o, &trace, machine, 1 << ARCH_OPENCL);
	for (int d = 0; d < COPIES_DIRECTIONS; d++) {
		const struct overheads_delays *x = &o.of[ARCH_OPENCL].delays[d];

		CHECK_INT(x->samples, 24);
		CHECK_INT(x->ns[0], 0);
		CHECK_INT(x->ns[DELAY_SLICES / 2], 23 * US);
		CHECK_INT(x->ns[DELAY_SLICES - 1], 50 * US);
	}
	machine_free(machine);
}

/* `n` tasks of a GPU, 1 ms each, that read 1 MB of their own, which takes 1 ms and a latency; or of a CPU without. */
static struct dag *readers(int n, enum arch arch)
{
	int64_t cost[ARCH_COUNT] = COSTS(-1, -1);
	struct dag_builder *b = dag_builder_create();
	uint32_t type;

	cost[arch] = MS;
	type = dag_builder_type(b, "k", cost);
	for (int i = 0; i < n; i++) {
		uint32_t h = arch == ARCH_CPU ? 0 : dag_builder_handle(b, 1000000), t = dag_builder_task(b, type);

		if (arch != ARCH_CPU)
			dag_builder_access(b, t, h, ACCESS_R);
		else if (i)
			dag_builder_edge(b, t - 1, t);
	}
	return dag_builder_finish(b, NULL);
}

/* `of_run`: the pipeline that the run had; `pipeline`: the one that is asked for. */
static int64_t play_of_run(const struct dag *d, const struct overheads *each, int8_t of_run, int pipeline,
                           enum simulate_transfers on)
{
	struct machine *m = machine_parse("cpu:1 opencl:1 link:1GB/s", NULL);
	struct conditions all;
	struct simulate_options o = {.policy = &policy_eager,
	                             .policy_options = "",
	                             .transfers = on,
	                             .conditions = &all,
	                             .pipeline = pipeline};
	struct simulation *s;
	int64_t ns;

	conditions_init(&all);
	all.pipeline[ARCH_OPENCL] = of_run;
	overheads_set(&all.overheads, each);
	s = simulate(d, m, &o, NULL);
	ns = s ? s->makespan_ns : -1;
	simulation_free(s);
	machine_free(m);
	return ns;
}

static int64_t play(const struct dag *d, const struct overheads *each, int pipeline, enum simulate_transfers on)
{
	return play_of_run(d, each, PIPELINE_OF_RUN, pipeline, on);
}

/* What is between two tasks of a chain on a CPU. */
static void replayed_threads(void)
{
	static const struct overheads none,
		some = {.end_ns = 5 * US, .push_ns = 2 * US, .callback_ns = 3 * US, .look_ns = 4 * US};
	struct dag *d = readers(11, ARCH_CPU);

	CHECK_INT(play(d, &none, PIPELINE_OF_RUN, TRANSFERS_ON), 11 * MS);
	CHECK_INT(play(d, &some, PIPELINE_OF_RUN, TRANSFERS_ON), 11 * MS + 10 * 14 * US + 4 * US);
	dag_free(d);
}

/* The latency of every copy is what was measured, but not while the driver waits for a kernel. */
static void replayed_delays(void)
{
	struct overheads late = {0};
	struct dag *d = readers(32, ARCH_OPENCL);
	int64_t usual, delayed, copied = MS + 10 * US;

	for (int i = 0; i < DELAY_SLICES; i++)
		late.delays[COPIES_IN].ns[i] = i * US;
	usual = play(d, &late, PIPELINE_NONE, TRANSFERS_ON);
	CHECK_INT(usual, 32 * (copied + MS));
	late.delays[COPIES_IN].samples = DELAY_SLICES; /* all slices, once */
	delayed = play(d, &late, PIPELINE_NONE, TRANSFERS_ON);
	CHECK_INT(delayed, usual - 32 * 10 * US + (DELAY_SLICES - 1) * DELAY_SLICES / 2 * US);
	dag_free(d);
	for (int i = 0; i < DELAY_SLICES - 1; i++)
		late.delays[COPIES_IN].ns[i] = 0;
	for (uint32_t n = 15; n <= 16; n++) { /* the highest is the 16th, so that short runs have it */
		d = readers(n, ARCH_OPENCL);
		CHECK_INT(play(d, &late, PIPELINE_NONE, TRANSFERS_ON),
		          n * 2 * MS + (n == 16 ? (DELAY_SLICES - 1) * US : 0));
		dag_free(d);
	}
}

/* Copies and kernels overlap from a pipeline of two on; one copy is under way at a time. */
static void pipelines(void)
{
	static const struct overheads none;
	static const struct {
		int pipeline, copies, kernels; /* that nothing else overlaps */
	} cases[] = {{PIPELINE_NONE, 8, 8},  {1, 8, 8}, {2, 8, 1}, {3, 8, 1}, {PIPELINE_MOST, 8, 1},
	             {PIPELINE_OF_RUN, 8, 1}};
	struct dag *d = readers(8, ARCH_OPENCL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK_INT(play(d, &none, cases[i].pipeline, TRANSFERS_ON),
		          cases[i].copies * (MS + 10 * US) + cases[i].kernels * MS);
	CHECK_INT(play_of_run(d, &none, PIPELINE_NONE, PIPELINE_OF_RUN, TRANSFERS_ON), 8 * (2 * MS + 10 * US));
	CHECK_INT(play_of_run(d, &none, PIPELINE_NONE, 2, TRANSFERS_ON), 8 * (MS + 10 * US) + MS);
	dag_free(d);
}

/* A deeper one holds more copied tasks back: with kernels four times as long as copies, until it is full. */
static void deep_pipeline(void)
{
	static const struct overheads none;
	struct dag *d = readers(8, ARCH_OPENCL);

	d->classes[0].cost_ns[ARCH_OPENCL] = 4 * MS;
	for (int n = 2; n <= PIPELINE_MOST; n++)
		CHECK_INT(play(d, &none, n, TRANSFERS_ON), MS + 10 * US + 8 * 4 * MS);
	dag_free(d);
}

/*
 * Threads allocate main memory for data of which nine are a chunk: the second to the ninth wait for the first; the next
 * two chunks come one after the other; memory that StarPU has kept is not allocated. Without CUDA nothing is pinned.
 */
static void main_memory(void)
{
	struct trace_handle handles[] = {{.size_bytes = 3686400}, {.rank = 1, .size_bytes = 8 << 20}};
	struct overheads_all o;

	begin();
	trace.handles = handles;
	for (int i = 0; i < 27; i++)
		memory[trace.nmemory++] = (struct trace_memory){.ns = (100 + i / 9 * 20) * MS,
		                                                .took_ns = 20 * MS - (uint32_t)(i % 9) * US};
	for (int i = 0; i < 9; i++)
		memory[trace.nmemory++] = (struct trace_memory){.ns = 141 * MS, .again = 1};
	memory[trace.nmemory++] = (struct trace_memory){.handle = 1, .ns = 105 * MS, .took_ns = 5 * MS};
	overheads_init(&o, OVERHEADS_SIMGRID);
	CHECK_INT(o.of[ARCH_CPU].allocate_ns, 0);
	overheads_measure_main_memory(&o, &trace, machine);
	CHECK_INT(o.of[ARCH_CPU].allocate_ns, 0);
	machine_free(machine);
	machine = machine_parse("cpu:1 cuda:1", NULL);
	overheads_measure_main_memory(&o, &trace, machine);
	CHECK_INT(o.of[ARCH_CPU].allocate_ns, 20 * MS); /* 65 ms for three chunks and a quarter */
	CHECK_INT(o.samples[ARCH_CPU][OVERHEAD_ALLOCATE], 4);
	machine_free(machine);
}

int main(void)
{
	RUN(main_memory);
	RUN(threads);
	RUN(submission);
	RUN(medians);
	RUN(constants);
	RUN(late_copies);
	RUN(few_late_copies);
	RUN(replayed_threads);
	RUN(replayed_delays);
	RUN(pipelines);
	RUN(deep_pipeline);
	return check_done();
}
