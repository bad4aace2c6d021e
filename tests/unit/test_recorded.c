/* tests/unit/test_recorded.c - the recorded order: replayed it takes what the run took; and in a simulation. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/intern.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"
#include "replay/recorded.h"
#include "replay/scenario.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"
#include "tests/lib/invariants.h"

static struct trace *make_trace(size_t ntasks, size_t ndeps, int ncpu, int ncuda)
{
	struct trace *t = ht_alloc(1, sizeof(*t));

	t->arena = arena_create();
	t->strings = intern_create(t->arena);
	t->host = "";
	t->nworkers = (size_t)(ncpu + ncuda);
	t->workers = ht_alloc(t->nworkers, sizeof(*t->workers));
	for (int w = ncpu; w < ncpu + ncuda; w++)
		t->workers[w].arch = ARCH_CUDA;
	t->ncodelets = 1;
	t->codelets = ht_alloc(1, sizeof(*t->codelets));
	t->codelets[0].label = t->codelets[0].name = intern_str(t->strings, "x");
	t->ntasks = ntasks;
	t->tasks = ht_alloc(ntasks, sizeof(*t->tasks));
	t->extras = ht_alloc(ntasks, sizeof(*t->extras));
	t->ndeps = ndeps;
	t->deps = ht_alloc(ndeps, sizeof(*t->deps));
	return t;
}

static void set_task(struct trace *t, size_t i, int worker, const int64_t times[5])
{
	struct trace_task *x = &t->tasks[i];

	x->job = 100 + i;
	x->worker = worker;
	x->name = t->codelets[0].name;
	x->submit_ns = times[0];
	t->extras[i] = (struct trace_extra)TRACE_EXTRA_NONE;
	t->extras[i].ready_ns = times[1];
	t->extras[i].pop_ns = times[2];
	x->start_ns = times[3];
	x->end_ns = times[4];
	x->parallel = 1;
}

static int64_t sum(const int64_t ns[ARCH_COUNT])
{
	int64_t total = 0;

	for (int a = 0; a < ARCH_COUNT; a++)
		total += ns[a];
	return total;
}

/* What holds for every recording, exactly. */
static void check_sums(const struct trace *t, const struct dag *d, const struct recorded *r)
{
	int64_t first, critical = r->critical_execution_ns;

	CHECK_INT(trace_makespan_ns(t, &first), r->run_makespan_ns);
	CHECK_INT(r->makespan_ns, r->run_makespan_ns);
	CHECK(r->bare_ns <= r->makespan_ns);
	for (int g = 0; g < GAP_COUNT; g++) {
		CHECK(r->without_ns[g] <= r->makespan_ns && r->without_ns[g] >= r->bare_ns);
		CHECK(sum(r->critical_gap_ns[g]) <= sum(r->gap_ns[g]));
		critical += sum(r->critical_gap_ns[g]);
	}
	CHECK_INT(critical, r->makespan_ns);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		CHECK_INT(r->tasks[i].start_ns, t->tasks[d->tasks[i].trace_task].start_ns - first);
		CHECK_INT(r->tasks[i].end_ns, t->tasks[d->tasks[i].trace_task].end_ns - first);
	}
}

/*
 * Times: submit ready pop start end. Task 1 waits for 0, then 5 for the main thread, 2 to be ready, 3 to be taken and 4
 * for its data; task 2 is taken while 1 runs, and starts 2 before 1 ends; task 3 has no times of its own.
 */
static void test_by_hand(void)
{
	static const int64_t times[4][5] = {
		{900, 901, 902, 1000, 1010},
		{1015, 1017, 1020, 1024, 1044},
		{1016, 1017, 1025, 1042, 1060},
		{TIME_NONE, TIME_NONE, TIME_NONE, 1070, 1075},
	};
	struct trace *t = make_trace(4, 2, 1, 1);
	struct recorded *r;
	struct dag *d;

	set_task(t, 0, 0, times[0]);
	set_task(t, 1, 1, times[1]);
	set_task(t, 2, 1, times[2]);
	set_task(t, 3, 0, times[3]);
	t->deps[0] = (struct trace_dep){.pred = 0, .succ = 1};
	t->deps[1] = (struct trace_dep){.pred = 2, .succ = 3};
	d = dag_from_trace(t, NULL, NULL, NULL);
	r = recorded_replay(t, d, NULL);
	CHECK(r != NULL);
	check_sums(t, d, r);
	CHECK_INT(r->makespan_ns, 75);
	CHECK_INT(r->gap_ns[GAP_SUBMISSION][ARCH_CUDA], 5);
	CHECK_INT(r->gap_ns[GAP_OTHER][ARCH_CUDA], 2);
	CHECK_INT(r->gap_ns[GAP_SCHEDULING][ARCH_CUDA], 3);
	CHECK_INT(r->gap_ns[GAP_TRANSFER][ARCH_CUDA], 4);
	CHECK_INT(r->gap_ns[GAP_UNRECORDED][ARCH_CPU], 10);
	CHECK_INT(sum(r->gap_ns[GAP_TRANSFER]), 4);
	CHECK_INT(r->overlap_ns, 2);
	CHECK_INT(r->critical_tasks, 4);
	CHECK_INT(r->critical_execution_ns, 10 + 20 - 2 + 18 + 5);
	CHECK_INT(r->bare_ns, 51);
	CHECK_INT(r->without_ns[GAP_SUBMISSION], 70);
	CHECK_INT(r->without_ns[GAP_UNRECORDED], 65);
	recorded_free(r);
	dag_free(d);
	trace_free(t);
}

/* Two tasks on one worker, the first depends on the second. */
static void test_contradiction(void)
{
	static const int64_t times[2][5] = {{0, 0, 0, 10, 20}, {0, 0, 0, 30, 40}};
	struct trace *t = make_trace(2, 1, 1, 0);
	struct ht_err err = {""};
	struct dag *d;

	set_task(t, 0, 0, times[0]);
	set_task(t, 1, 0, times[1]);
	t->deps[0] = (struct trace_dep){.pred = 1, .succ = 0};
	d = dag_from_trace(t, NULL, NULL, NULL);
	CHECK(recorded_replay(t, d, &err) == NULL);
	CHECK_HAS(err.text, "recorded before one that it depends on");
	dag_free(d);
	trace_free(t);
}

/* A simulated schedule written down as a recording: no gap but those that the worker waited for the policy. */
static void test_of_simulation(void)
{
	struct dag *made = graph_layers(3, 10, 20, 1000), *d;
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);
	struct simulate_options o = {.policy = &policy_eager, .policy_options = "", .keep_schedule = 1};
	struct simulation *s = simulate(made, m, &o, NULL);
	struct trace *t = make_trace(made->ntasks, made->nedges, 3, 2);
	size_t n = 0;
	struct recorded *r;

	for (uint32_t i = 0; i < made->ntasks; i++) {
		const struct execution_task *x = &s->tasks[i];

		set_task(t, i, x->worker, (int64_t[]){0, x->ready_ns, x->start_ns, x->start_ns, x->end_ns});
		for (uint32_t k = made->pred_first[i]; k < made->pred_first[i + 1]; k++)
			t->deps[n++] = (struct trace_dep){.pred = made->pred[k], .succ = i};
	}
	d = dag_from_trace(t, NULL, NULL, NULL);
	r = recorded_replay(t, d, NULL);
	CHECK(r != NULL);
	check_sums(t, d, r);
	CHECK_INT(r->makespan_ns, s->makespan_ns);
	CHECK_INT(r->bare_ns, s->makespan_ns);
	for (int g = 0; g < GAP_COUNT; g++)
		CHECK_INT(sum(r->gap_ns[g]), 0);
	recorded_free(r);
	simulation_free(s);
	dag_free(d);
	dag_free(made);
	trace_free(t);
	machine_free(m);
}

static void check_recording(const char *folder)
{
	const char *data = getenv("HETEROTUNE_DATA");
	char *rec = ht_asprintf("%s/chameleon-potrf-titanx/%s/tasks.rec", data, folder);
	char *paje = ht_asprintf("%s/chameleon-potrf-titanx/%s/paje.trace", data, folder);
	struct ht_err err = {""};
	struct trace *t = trace_load_rec(&(struct trace_rec_files){.tasks = rec, .paje = paje}, &err);
	struct dag *d = t ? dag_from_trace(t, NULL, NULL, &err) : NULL;
	struct recorded *r = d ? recorded_replay(t, d, &err) : NULL;

	CHECK_STR(err.text, "");
	CHECK(r != NULL);
	if (r) {
		CHECK(dag_check(d) == NULL);
		CHECK_INT(d->ntasks, 364); /* 12 x 12 tiles */
		CHECK_INT(d->ntypes, 4);
		check_sums(t, d, r);
		printf("# %s: run %" PRId64 " us, bare %" PRId64 ", unrecorded %" PRId64 " of which critical %" PRId64
		       "\n",
		       folder, r->run_makespan_ns / 1000, r->bare_ns / 1000, sum(r->gap_ns[GAP_UNRECORDED]) / 1000,
		       sum(r->critical_gap_ns[GAP_UNRECORDED]) / 1000);
	}
	recorded_free(r);
	dag_free(d);
	trace_free(t);
	free(rec);
	free(paje);
}

static void test_recordings(void)
{
	if (!getenv("HETEROTUNE_DATA"))
		SKIP("HETEROTUNE_DATA is not set");
	check_recording("dmda");
	check_recording("ws");
}

/*
 * a -> c, b alone; two cpus. Recorded: a on 0 at 5, b on 1 at 7, c on 1 at 40. The graph says 10 ns each: a 0-10, b
 * 0-10, c 10-20. With b and c on worker 0 after a: 30. c submitted at 25: 35. A cost that is not there: cannot.
 */
static void test_simulate_recording(void)
{
	struct trace_worker workers[] = {{.arch = ARCH_CPU}, {.arch = ARCH_CPU}, {.arch = ARCH_CUDA}};
	struct trace_task tasks[] = {
		{.start_ns = 5, .end_ns = 20, .worker = 0},
		{.start_ns = 7, .end_ns = 30, .worker = 1},
		{.start_ns = 40, .end_ns = 50, .worker = 1},
	};
	struct trace t = {.tasks = tasks, .ntasks = 3, .workers = workers, .nworkers = 3};
	struct dag_builder *b = dag_builder_create();
	int64_t cost[ARCH_COUNT] = COSTS(10, -1);
	struct machine *m = machine_parse("cpu:2 cuda:1", NULL);
	struct ht_err err = {""};
	struct dag *d;

	dag_builder_type(b, "a", cost);
	for (int i = 0; i < 3; i++)
		dag_builder_task(b, 0);
	dag_builder_edge(b, 0, 2);
	d = dag_builder_finish(b, NULL);
	CHECK_INT(recorded_simulate(&t, d, m, NULL, &err), 20);
	tasks[1].worker = tasks[2].worker = 0;
	CHECK_INT(recorded_simulate(&t, d, m, NULL, &err), 30);
	d->submit_ns[2] = 25;
	CHECK_INT(recorded_simulate(&t, d, m, NULL, &err), 35);
	CHECK_STR(err.text, "");
	tasks[2].worker = 2;
	CHECK_INT(recorded_simulate(&t, d, m, NULL, &err), -1);
	CHECK_STR(err.text, "a task of a ran on cuda, where its duration is not known");
	tasks[2].worker = 0;
	tasks[2].start_ns = 1; /* before its predecessor, on the same worker */
	CHECK_INT(recorded_simulate(&t, d, m, NULL, &err), -1);
	tasks[2].worker = -1;
	CHECK_INT(recorded_simulate(&t, d, m, NULL, &err), -1);
	CHECK_STR(err.text, "a task ran on none of the machine's 3 workers");
	dag_free(d);
	machine_free(m);
}

/* Both workers executed first what was submitted last, of two pairs that add to the same data. */
static void test_commuting(void)
{
	struct trace_worker workers[] = {{.arch = ARCH_CPU}, {.arch = ARCH_CPU}};
	struct trace_task tasks[] = {
		{.start_ns = 10, .end_ns = 20, .worker = 1},
		{.start_ns = 0, .end_ns = 10, .worker = 0},
		{.start_ns = 10, .end_ns = 20, .worker = 0},
		{.start_ns = 0, .end_ns = 10, .worker = 1},
	};
	struct trace t = {.tasks = tasks, .ntasks = 4, .workers = workers, .nworkers = 2};
	struct dag_builder *b = dag_builder_create();
	int64_t cost[ARCH_COUNT] = COSTS(10, -1);
	struct machine *m = machine_parse("cpu:2", NULL);
	struct ht_err err = {""};
	struct dag *d;

	dag_builder_type(b, "a", cost);
	dag_builder_handle(b, 8);
	dag_builder_handle(b, 8);
	for (uint32_t i = 0; i < 4; i++)
		dag_builder_access(b, dag_builder_task(b, 0), i / 2, ACCESS_R | ACCESS_W | ACCESS_COMMUTE);
	d = dag_builder_finish(b, NULL);
	CHECK_INT(recorded_simulate(&t, d, m, NULL, &err), 20);
	CHECK_STR(err.text, "");
	dag_free(d);
	machine_free(m);
}

/* Worker 0 executed c before a. It cannot have waited for a before it submitted c: 20. */
static void test_contradicted_window(void)
{
	struct trace_worker workers[] = {{.arch = ARCH_CPU}, {.arch = ARCH_CPU}};
	struct trace_task tasks[] = {
		{.start_ns = 10, .end_ns = 20, .worker = 0},
		{.start_ns = 0, .end_ns = 10, .worker = 1},
		{.start_ns = 0, .end_ns = 10, .worker = 0},
	};
	int64_t cost[ARCH_COUNT] = COSTS(10, -1), gap_ns[3] = {0};
	struct trace t = {.tasks = tasks, .ntasks = 3, .workers = workers, .nworkers = 2};
	struct scenario waits = {.window = {.most = 1, .least = 0, .gap_ns = gap_ns}};
	struct dag_builder *b = dag_builder_create();
	struct machine *m = machine_parse("cpu:2", NULL);
	struct ht_err err = {""};
	struct dag *d;

	dag_builder_type(b, "a", cost);
	for (int i = 0; i < 3; i++)
		dag_builder_task(b, 0);
	d = dag_builder_finish(b, NULL);
	CHECK_INT(recorded_simulate(&t, d, m, &waits, &err), 20);
	tasks[2].start_ns = 30; /* an order that the window allows: a, b and c one after the other */
	CHECK_INT(recorded_simulate(&t, d, m, &waits, &err), 30);
	dag_free(d);
	machine_free(m);
}

/* Tasks of 10 ns, whose median waited 30 ns for StarPU; of a few tasks that says nothing. */
static void test_task_size(void)
{
	struct recorded r = {.critical_execution_ns = 400,
	                     .critical_tasks = 40,
	                     .critical_wait_ns = 30,
	                     .critical_gap_ns = {[GAP_SCHEDULING] = {[ARCH_CPU] = 1000000}}};
	struct task_size typical = task_size_make(10, 2, 5), s = recorded_task_size(&r, &typical);

	CHECK_INT(s.task_ns, 10);
	CHECK_INT(s.worker_ns, 30);
	CHECK_INT(s.submit_ns, 5);
	CHECK_INT(s.longer, 32); /* 35 ns are a tenth of 350 */
	typical = task_size_make(10, 100, 5);
	CHECK_INT(recorded_task_size(&r, &typical).worker_ns, 100);
	typical = task_size_make(10, 2, 5);
	r.critical_tasks = TASK_SIZE_LEAST - 1;
	CHECK_INT(recorded_task_size(&r, &typical).longer, 1);
	r.critical_tasks = 40;
	r.critical_wait_ns = 1000001; /* workers that start a task together */
	CHECK_INT(recorded_task_size(&r, &typical).longer, 1);
}

/* The fixed point of it: a schedule of the simulator, taken for a recording, takes what the simulator said. */
static void test_simulated_schedule(void)
{
	struct machine *m = machine_parse("cpu:3 cuda:2", NULL);
	struct trace_worker *workers = ht_alloc((size_t)m->nworkers, sizeof(*workers));
	struct ht_err err = {""};

	for (int i = 0; i < m->nworkers; i++)
		workers[i].arch = m->workers[i].arch;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct dag *d = graph_layers(seed, 12, 12, 100);
		struct simulate_options o = {.policy = &policy_eager, .policy_options = "", .keep_schedule = 1};
		struct simulation *s = simulate(d, m, &o, &err);
		struct trace_task *tasks = ht_alloc(d->ntasks, sizeof(*tasks));
		struct trace t = {.tasks = tasks,
		                  .ntasks = d->ntasks,
		                  .workers = workers,
		                  .nworkers = (size_t)m->nworkers};

		CHECK(s != NULL);
		for (uint32_t i = 0; s && i < d->ntasks; i++)
			tasks[i] = (struct trace_task){.start_ns = s->tasks[i].start_ns,
			                               .end_ns = s->tasks[i].end_ns,
			                               .worker = s->tasks[i].worker};
		if (s)
			CHECK_INT(recorded_simulate(&t, d, m, NULL, &err), s->makespan_ns);
		simulation_free(s);
		free(tasks);
		dag_free(d);
	}
	free(workers);
	machine_free(m);
}

int main(void)
{
	RUN(test_by_hand);
	RUN(test_contradiction);
	RUN(test_of_simulation);
	RUN(test_recordings);
	RUN(test_simulate_recording);
	RUN(test_commuting);
	RUN(test_contradicted_window);
	RUN(test_task_size);
	RUN(test_simulated_schedule);
	return check_done();
}
