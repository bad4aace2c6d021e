/* tests/unit/test_ready.c - queues of tasks whose data moves, beside rows that are searched task by task. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "core/base/mix.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "sched/policy.h"
#include "sched/queue/ready.h"
#include "tests/lib/check.h"

enum { TASKS = 60, HANDLES = 12, NODES = 3, STEPS = 40000 };

/* A handle has `bytes`; a node has all of it, expects it, has memory for it, or nothing. */
struct world {
	struct policy_world world;
	struct dag d;
	struct dag_task tasks[TASKS];
	struct data_access accesses[2 * TASKS];
	struct machine *m;
	uint64_t bytes[HANDLES];
	int has[HANDLES][NODES];
	int asked;
};

enum { NOTHING, MEMORY, COMING, ALL };

static void lacks(void *ctx, uint32_t task, int worker, struct policy_missing *missing)
{
	struct world *w = ctx;

	w->asked++;
	*missing = (struct policy_missing){0};
	for (uint32_t i = 2 * task; i < 2 * task + 2; i++) {
		uint32_t handle = w->accesses[i].handle;
		int has = w->has[handle][w->m->workers[worker].node];

		missing->invalid_bytes += has < ALL ? w->bytes[handle] : 0;
		missing->unrequested_bytes += has < COMING ? w->bytes[handle] : 0;
		missing->unallocated_bytes += has < MEMORY ? w->bytes[handle] : 0;
	}
}

static void world_open(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->m = machine_parse("cpu:1 cuda:2", NULL);
	w->d = (struct dag){.ntasks = TASKS,
	                    .tasks = w->tasks,
	                    .naccesses = 2 * TASKS,
	                    .accesses = w->accesses,
	                    .nhandles = HANDLES};
	for (uint32_t h = 0; h < HANDLES; h++)
		w->bytes[h] = h % 3 + 1;
	for (uint32_t t = 0; t < TASKS; t++) {
		w->tasks[t].first_access = 2 * t;
		w->tasks[t].naccesses = 2;
		w->accesses[2 * t].handle = t % HANDLES;
		w->accesses[2 * t + 1].handle = (t * 7 + t / HANDLES) % HANDLES; /* of some tasks the same */
	}
	w->world = (struct policy_world){.dag = &w->d, .machine = w->m, .missing = lacks, .ctx = w};
}

/* A queue as a plain row: those of a priority in the order in which they are tried. */
struct row {
	uint32_t tasks[TASKS], count;
};

static void row_put(struct row *r, uint32_t task, int front)
{
	memmove(r->tasks + front, r->tasks, (front ? r->count : 0) * sizeof(*r->tasks));
	r->tasks[front ? 0 : r->count] = task;
	r->count++;
}

static uint32_t row_take(struct row *r, struct world *w, const int32_t *priority, int worker)
{
	struct policy_missing least, x;
	uint32_t best = 0, task;

	if (!r->count)
		return POLICY_NO_TASK;
	for (uint32_t i = 0; i < r->count; i++) {
		lacks(w, r->tasks[i], worker, &x);
		if (!i || priority[r->tasks[i]] > priority[r->tasks[best]] ||
		    (priority[r->tasks[i]] == priority[r->tasks[best]] && ready_lacks_less(&x, &least))) {
			best = i;
			least = x;
		}
	}
	task = r->tasks[best];
	memmove(r->tasks + best, r->tasks + best + 1, (--r->count - best) * sizeof(*r->tasks));
	return task;
}

static void test_against_rows(void)
{
	struct world w;
	int32_t priority[TASKS];
	struct row rows[NODES] = {{.count = 0}};
	unsigned char in[TASKS] = {0};
	struct ready *r;
	int wrong = 0, taken = 0;

	world_open(&w);
	r = ready_create(&w.world, priority);
	for (int i = 0; i < NODES; i++)
		CHECK_INT(ready_queue(r, i), i);
	for (uint64_t i = 1; i <= STEPS; i++) {
		uint64_t draw = mix64(i * MIX_GAMMA);
		int queue = (int)(draw >> 8 & 0xff) % NODES, kind = (int)(draw & 3), front = draw >> 16 & 1;
		uint32_t task = (uint32_t)(draw >> 20 & 0xffff) % TASKS, handle = task % HANDLES, got;

		if (kind == 0) {
			w.has[handle][queue] = (int)(draw >> 40 & 3);
			ready_moved(r, handle, UINT64_C(1) << w.m->workers[queue].node);
		} else if (kind == 1) {
			got = ready_take(r, queue);
			wrong += got != row_take(&rows[queue], &w, priority, queue);
			in[got == POLICY_NO_TASK ? task : got] &= got == POLICY_NO_TASK;
			taken += got != POLICY_NO_TASK;
		} else if (!in[task]) {
			in[task] = 1;
			priority[task] = (int32_t)(draw >> 44 & 3);
			row_put(&rows[queue], task, front);
			(front ? ready_put_front : ready_put)(r, queue, task);
		}
		wrong += ready_waiting(r, queue) != rows[queue].count;
	}
	CHECK_INT(wrong, 0);
	CHECK(taken > STEPS / 10);
	ready_free(r);
	machine_free(w.m);
}

/* Tasks are looked at when they come and when their data has moved, not whenever a worker asks. */
static void test_looks_once(void)
{
	struct world w;
	struct ready *r;

	world_open(&w);
	r = ready_create(&w.world, NULL);
	ready_queue(r, 1);
	for (uint32_t t = 0; t < TASKS; t++)
		ready_put(r, 0, t);
	CHECK_INT(ready_take(r, 0), 0); /* two handles of a byte, as others after it */
	CHECK_INT(w.asked, TASKS);
	w.has[5][w.m->workers[2].node] = ALL;
	ready_moved(r, 5, UINT64_C(1) << w.m->workers[2].node); /* another node */
	for (int i = 0; i < 10; i++)
		ready_take(r, 0);
	CHECK_INT(w.asked, TASKS);
	ready_free(r);
	machine_free(w.m);
}

/* A world that does not say what tasks lack. */
static void test_by_priority(void)
{
	static const int32_t priority[] = {1, 3, 3, 2};
	static const uint32_t order[] = {2, 1, 3, 0};
	struct world w;
	struct ready *r;

	world_open(&w);
	w.world.missing = NULL;
	r = ready_create(&w.world, NULL);
	ready_queue(r, 0);
	for (uint32_t t = 0; t < 4; t++) {
		w.tasks[t].priority = priority[t];
		(t == 2 ? ready_put_front : ready_put)(r, 0, t);
	}
	ready_moved(r, 0, ~UINT64_C(0));
	for (uint32_t t = 0; t < 4; t++)
		CHECK_INT(ready_take(r, 0), order[t]);
	CHECK_INT(ready_take(r, 0), POLICY_NO_TASK);
	ready_free(r);
	machine_free(w.m);
}

int main(void)
{
	RUN(test_against_rows);
	RUN(test_looks_once);
	RUN(test_by_priority);
	return check_done();
}
