/* tests/unit/test_problem_hash.c - each member that a replay may read makes another problem. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/problem_hash.h"

#include "core/dag/dag.h"
#include "core/dag/dag_messages.h"
#include "core/machine/machine.h"
#include "core/run/conditions.h"
#include "replay/scenario.h"
#include "tests/lib/check.h"

/*
 * Every struct is filled in by place, with all of its members: where one is added, this file does not compile, and the
 * new member wants a line in problem_hash.c, a value here and a row below.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"

enum { TASKS = 2, EDGES = 1, CLASSES = 1, DEVICES = 1, TYPES = 1, ACCESSES = 2, HANDLES = 2 };

static struct dag_task tasks[TASKS] = {{0, 0, 5, 0, 0, 1}, {0, 1, 4, 1, 1, 1}};
static int64_t submit_ns[TASKS] = {0, 70};
static uint32_t succ_first[TASKS + 1] = {0, 1, 1}, succ[EDGES] = {1};
static uint32_t pred_first[TASKS + 1] = {0, 0, 1}, pred[EDGES] = {0}, order[TASKS] = {0, 1};
static uint8_t succ_times[EDGES] = {1}, pred_times[EDGES] = {1};
static struct dag_class classes[CLASSES] = {
	{0, 0xf00, 2, {900, 300}, {9, 3}, {COST_RUN, COST_MODEL}, {950, 310}, {50, 60}, 7, 1, 4, 0, 0, 0}};
static struct dag_device devices[DEVICES] = {{ARCH_CUDA, 0}};
static int64_t device_cost_ns[CLASSES * DEVICES] = {310};
static struct dag_type types[TYPES] = {{"potrf", "potrf", "chol_potrf", 3, 3, 0, 0, 2, 2}};
static struct data_access accesses[ACCESSES] = {{0, 1}, {1, 2}};
static uint64_t handle_bytes[HANDLES] = {4096, 8192};
static int32_t handle_home[HANDLES] = {0, -1};
static struct dag_point points[] = {{0, 0}, {30, 1}};
static struct dag_message message = {4096, 0, 1, 0, 1, UINT32_MAX, 5};
static uint32_t point_succ_first[] = {0, 1, 1, 1, 2}, point_succ[] = {2, 1};
static struct dag_messages messages = {
	points, 2, &message, 1, {4, 2, point_succ_first, point_succ, NULL, NULL, NULL, NULL}};
static struct dag_wait waits[] = {{1, 0, 1, 1, 10, 20}};
static uint32_t wait_tasks[] = {0};
static struct dag_invalidated invalidated[] = {{1, 2}};
static struct dag dag = {tasks,      submit_ns,      TASKS,       succ_first, succ,        pred_first, pred,
                         succ_times, pred_times,     EDGES,       order,      classes,     CLASSES,    devices,
                         DEVICES,    device_cost_ns, types,       TYPES,      NULL,        0,          accesses,
                         ACCESSES,   handle_bytes,   handle_home, HANDLES,    2,           &messages,  waits,
                         1,          wait_tasks,     NULL,        0,          invalidated, 1,          NULL};

static struct machine_worker workers[] = {{ARCH_CPU, 0, 0, 3, "CPU 0"}, {ARCH_CUDA, 0, 1, 4, "CUDA 0.0"}};
static struct machine_node nodes[] = {{ARCH_CPU, 0, 0, 0}, {ARCH_CUDA, 0, 1 << 30, 0}};
static struct machine_link links[] = {{0, 1, 6e9, 1000, 0, 1}, {1, 0, 5e9, 1000, 1, 1}};
static struct machine_segment segments[] = {{"bridge", 7e9, 100}, {"bridge back", 8e9, 100}};
static int crossings[] = {0, 1};
static struct machine machine = {"here", workers,          2,   nodes, 2, links, 2, segments, 2, crossings,
                                 2,      {1e8, 1e9, 5000}, NULL};

#define DELAYS \
	{ \
		{1, {3, 4}}, \
		{ \
			2, \
			{ \
				5, 6 \
			} \
		} \
	}
#define OVERHEADS \
	{ \
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, DELAYS \
	}
static struct conditions conditions = {
	0, {1, 2}, 4, {{OVERHEADS, OVERHEADS, OVERHEADS}, {{1, 2, 3, 4, 5, 6, 7, 8}}, {-1, 20}, 30, {{0}}}};

static int64_t gap_ns[TASKS] = {0, 70};
static struct scenario scenario = {
	&dag, &machine, &conditions, {0}, TRANSFERS_ON, 0, {3, 1, 5, gap_ns}, "on", {NULL}, 0, {NULL}, 0, 0, 0};

/* What the scenario hands on; the rest is of the trial, or does not change a makespan. */
static const struct simulate_options options = {NULL,         NULL, NULL, NULL, 0,    0,   NULL,
                                                TRANSFERS_ON, 0,    NULL, 0,    NULL, NULL};

#pragma GCC diagnostic pop

static uint64_t problem(void)
{
	return problem_hash_scenario(problem_hash_graph(problem_hash_begin(), &dag, &machine), &scenario);
}

/* What is changed: a number's lowest bit; a text; a number of entries, of which there is one less. */
struct member {
	const char *name;
	enum { A_NUMBER, A_TEXT, A_COUNT } kind;
	void *at;
};

#define NUMBER(x) \
	{ \
#x, A_NUMBER, &(x) \
	}
#define TEXT(x) \
	{ \
#x, A_TEXT, &(x) \
	}
#define COUNT(x) \
	{ \
#x, A_COUNT, &(x) \
	}
#define OVERHEAD(x) NUMBER(conditions.overheads.of[ARCH_CUDA].x)

static const struct member members[] = {
	NUMBER(tasks[1].class_id),
	NUMBER(tasks[1].trace_task),
	NUMBER(tasks[1].priority),
	NUMBER(submit_ns[1]),
	NUMBER(tasks[1].rank),
	NUMBER(tasks[1].first_access),
	NUMBER(tasks[1].naccesses),
	NUMBER(succ_first[1]),
	NUMBER(succ[0]),
	NUMBER(pred_first[1]),
	NUMBER(pred[0]),
	NUMBER(order[1]),
	NUMBER(succ_times[0]),
	NUMBER(pred_times[0]),
	NUMBER(classes[0].codelet),
	NUMBER(classes[0].footprint),
	NUMBER(classes[0].count),
	NUMBER(classes[0].cost_ns[ARCH_CUDA]),
	NUMBER(classes[0].deviation_ns[ARCH_CUDA]),
	NUMBER(classes[0].source[ARCH_CUDA]),
	NUMBER(classes[0].model_ns[ARCH_CUDA]),
	NUMBER(classes[0].warm_up_ns[ARCH_CUDA]),
	NUMBER(classes[0].company_ns),
	NUMBER(classes[0].company_least),
	NUMBER(classes[0].company_most),
	NUMBER(devices[0].arch),
	NUMBER(devices[0].devid),
	NUMBER(device_cost_ns[0]),
	NUMBER(invalidated[0].handle),
	NUMBER(invalidated[0].accesses),
	COUNT(dag.ninvalidated),
	TEXT(types[0].name),
	TEXT(types[0].codelet),
	TEXT(types[0].model),
	NUMBER(types[0].where),
	NUMBER(types[0].declared),
	NUMBER(types[0].has_no_model),
	NUMBER(types[0].synchronous),
	NUMBER(types[0].asynchronous),
	NUMBER(types[0].count),
	NUMBER(accesses[1].handle),
	NUMBER(accesses[1].mode),
	NUMBER(handle_bytes[1]),
	NUMBER(handle_home[1]),
	NUMBER(dag.nranks),
	NUMBER(points[1].submit_ns),
	NUMBER(points[1].rank),
	NUMBER(message.size_bytes),
	NUMBER(message.send),
	NUMBER(message.arrival),
	NUMBER(message.from_handle),
	NUMBER(message.to_handle),
	NUMBER(message.early),
	NUMBER(message.trace_message),
	NUMBER(point_succ_first[1]),
	NUMBER(point_succ[1]),
	NUMBER(waits[0].before),
	NUMBER(waits[0].handle),
	NUMBER(waits[0].until_ns),
	NUMBER(waits[0].after_ns),
	NUMBER(wait_tasks[0]),
	TEXT(machine.name),
	NUMBER(workers[1].arch),
	NUMBER(workers[1].devid),
	NUMBER(workers[1].node),
	NUMBER(workers[1].binding),
	TEXT(workers[1].name),
	NUMBER(nodes[1].arch),
	NUMBER(nodes[1].devid),
	NUMBER(nodes[1].capacity_bytes),
	NUMBER(nodes[1].rank),
	NUMBER(machine.network.bytes_per_s),
	NUMBER(machine.network.link_bytes_per_s),
	NUMBER(machine.network.latency_ns),
	NUMBER(links[1].from),
	NUMBER(links[1].to),
	NUMBER(links[1].bytes_per_s),
	NUMBER(links[1].latency_ns),
	NUMBER(links[1].first_crossing),
	NUMBER(links[1].ncrossings),
	TEXT(segments[1].name),
	NUMBER(segments[1].bytes_per_s),
	NUMBER(segments[1].latency_ns),
	NUMBER(crossings[1]),
	NUMBER(conditions.simulated),
	NUMBER(conditions.pipeline[ARCH_CUDA]),
	NUMBER(conditions.synchronous),
	OVERHEAD(end_ns),
	OVERHEAD(push_ns),
	OVERHEAD(callback_ns),
	OVERHEAD(look_ns),
	OVERHEAD(nodes),
	OVERHEAD(list_ns),
	OVERHEAD(ask_ns),
	OVERHEAD(queue_ns),
	OVERHEAD(copy_ns),
	OVERHEAD(allocate_ns),
	OVERHEAD(allocates_each),
	OVERHEAD(delays[COPIES_OUT].samples),
	OVERHEAD(delays[COPIES_OUT].ns[DELAY_SLICES - 1]),
	NUMBER(conditions.overheads.samples[ARCH_CUDA][OVERHEAD_ALLOCATE]),
	NUMBER(conditions.overheads.pop_ns[ARCH_CUDA]),
	NUMBER(conditions.overheads.submit_ns),
	NUMBER(scenario.transfers),
	NUMBER(scenario.ignore_submission),
	NUMBER(scenario.window.most),
	NUMBER(scenario.window.least),
	NUMBER(scenario.window.after_ns),
	NUMBER(gap_ns[1]),
	/* Numbers of entries: one less is another problem, too. */
	COUNT(dag.ntasks),
	COUNT(dag.nwaits),
	COUNT(waits[0].count),
	COUNT(dag.nedges),
	COUNT(dag.nclasses),
	COUNT(dag.ndevices),
	COUNT(dag.ntypes),
	COUNT(dag.naccesses),
	COUNT(dag.nhandles),
	COUNT(messages.npoints),
	COUNT(messages.nmessages),
	COUNT(messages.before.nedges),
	COUNT(machine.nworkers),
	COUNT(machine.nnodes),
	COUNT(machine.nlinks),
	COUNT(machine.nsegments),
	COUNT(machine.ncrossings),
};
enum { MEMBERS = sizeof(members) / sizeof(*members) };

/* The hash with the member changed, which is put back. */
static uint64_t problem_with_another(const struct member *m)
{
	const char **text = m->at, *old = m->kind == A_TEXT ? *text : NULL;
	unsigned char *byte = m->at;
	int *count = m->at;
	uint64_t h;

	if (m->kind == A_TEXT)
		*text = "another";
	else if (m->kind == A_COUNT)
		--*count;
	else
		*byte ^= 1;
	h = problem();
	if (m->kind == A_TEXT)
		*text = old;
	else if (m->kind == A_COUNT)
		++*count;
	else
		*byte ^= 1;
	return h;
}

static void each_member_counts(void)
{
	uint64_t before = problem(), seen[MEMBERS];

	for (int i = 0; i < MEMBERS; i++) {
		seen[i] = problem_with_another(&members[i]);
		if (seen[i] == before)
			printf("# %s does not count\n", members[i].name);
		CHECK(seen[i] != before);
		for (int k = 0; k < i; k++)
			CHECK(seen[k] != seen[i]);
	}
	CHECK(problem() == before);
}

/* Without multiplicities of edges, without gaps of submission, without a scenario. */
static void absence_counts(void)
{
	uint64_t before = problem();

	dag.succ_times = NULL;
	CHECK(problem() != before);
	dag.succ_times = succ_times;
	scenario.window.gap_ns = NULL;
	CHECK(problem() != before);
	scenario.window.gap_ns = gap_ns;
	CHECK(problem() == before);
	CHECK(problem_hash_scenario(1, NULL) != problem_hash_scenario(1, &scenario));
}

/* What scenario_set() hands to a simulation is what is hashed. */
static void the_scenario_sets_no_more(void)
{
	struct simulate_options set = options, plain = options;

	set.transfers = plain.transfers = TRANSFERS_OFF;
	scenario_set(&scenario, &set);
	CHECK(set.conditions == &conditions && set.window == &scenario.window);
	CHECK_INT(set.transfers, TRANSFERS_ON);
	CHECK_INT(set.ignore_submission, 0);
	set.conditions = NULL;
	set.window = NULL;
	set.transfers = TRANSFERS_OFF;
	CHECK(memcmp(&set, &plain, sizeof(set)) == 0);
}

int main(void)
{
	RUN(each_member_counts);
	RUN(absence_counts);
	RUN(the_scenario_sets_no_more);
	return check_done();
}
