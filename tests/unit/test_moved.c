/* tests/unit/test_moved.c - a policy is notified of every change of what its tasks lack. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "replay/memory/memory.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/graphs.h"

enum { NODES = 3 };

/* dmdas, and what each waiting task lacked at each node when that was last looked at. */
struct watcher {
	struct policy_world world;
	void *dmdas;
	struct watched {
		int waits;
		struct policy_missing lacks[NODES];
		uint64_t notified; /* a bit a node */
	} * tasks;
};

static int changes, missed;

static struct policy_missing lacks(const struct watcher *w, uint32_t task, int node)
{
	struct policy_missing x = {0};

	for (int i = 0; i < w->world.machine->nworkers; i++) {
		if (w->world.machine->workers[i].node == node)
			w->world.missing(w->world.ctx, task, i, &x);
	}
	return x;
}

static void *watcher_create(const struct policy *self, const struct policy_world *world, const char *options,
                            struct ht_err *err)
{
	struct watcher *w = ht_alloc(1, sizeof(*w));

	(void)self;
	w->world = *world;
	w->dmdas = policy_dmdas.create(&policy_dmdas, world, options, err);
	w->tasks = ht_alloc(world->dag->ntasks, sizeof(*w->tasks));
	return w;
}

static void watcher_free(void *state)
{
	struct watcher *w = state;

	policy_dmdas.free(w->dmdas);
	free(w->tasks);
	free(w);
}

static void watcher_push(void *state, uint32_t task, int releaser)
{
	struct watcher *w = state;

	policy_dmdas.push(w->dmdas, task, releaser);
	w->tasks[task].waits = 1;
	for (int n = 0; n < w->world.machine->nnodes; n++)
		w->tasks[task].lacks[n] = lacks(w, task, n);
}

static void look(struct watcher *w, uint32_t task)
{
	struct watched *t = &w->tasks[task];

	for (int n = 0; n < w->world.machine->nnodes; n++) {
		struct policy_missing now = lacks(w, task, n);

		if (memcmp(&now, &t->lacks[n], sizeof(now)) != 0) {
			changes++;
			missed += !(t->notified >> n & 1);
		}
		t->lacks[n] = now;
	}
	t->notified = 0;
}

static uint32_t watcher_pop(void *state, int worker)
{
	struct watcher *w = state;
	uint32_t task;

	for (uint32_t t = 0; t < w->world.dag->ntasks; t++) {
		if (w->tasks[t].waits)
			look(w, t);
	}
	task = policy_dmdas.pop(w->dmdas, worker);
	if (task != POLICY_NO_TASK)
		w->tasks[task].waits = 0;
	return task;
}

static void watcher_started(void *state, uint32_t task, int worker)
{
	policy_dmdas.started(((struct watcher *)state)->dmdas, task, worker);
}

static void watcher_done(void *state, uint32_t task, int worker)
{
	policy_dmdas.done(((struct watcher *)state)->dmdas, task, worker);
}

static void watcher_moved(void *state, uint32_t handle, uint64_t nodes)
{
	struct watcher *w = state;
	const struct dag *d = w->world.dag;

	policy_dmdas.moved(w->dmdas, handle, nodes);
	for (uint32_t t = 0; t < d->ntasks; t++) {
		for (uint32_t i = 0; i < d->tasks[t].naccesses; i++) {
			if (d->accesses[d->tasks[t].first_access + i].handle == handle)
				w->tasks[t].notified |= nodes;
		}
	}
}

static const struct policy watcher = {
	.name = "watcher",
	.summary = "dmdas, watched",
	.create = watcher_create,
	.free = watcher_free,
	.push = watcher_push,
	.pop = watcher_pop,
	.started = watcher_started,
	.done = watcher_done,
	.moved = watcher_moved,
};

/* `fitting`: how many of the largest tasks a GPU's memory holds; 0: any number. */
static uint64_t evictions_of(uint64_t seed, int fitting, enum simulate_transfers transfers)
{
	struct simulate_options o = {.policy = &watcher, .policy_options = "", .transfers = transfers};
	struct machine *m = machine_parse("cuda:2 cpu:3", NULL);
	struct dag *d = graph_of_data(seed, 100000);
	struct simulation *s;
	uint64_t evictions = 0;

	CHECK_INT(m->nnodes, NODES);
	for (int n = 1; n < m->nnodes; n++)
		m->nodes[n].capacity_bytes = fitting * graph_largest_task(d);
	s = simulate(d, m, &o, NULL);
	CHECK(s != NULL);
	for (int n = 0; s && s->memory && n < m->nnodes; n++)
		evictions += s->memory[n].evictions;
	simulation_free(s);
	dag_free(d);
	machine_free(m);
	return evictions;
}

static void test_notifications(void)
{
	uint64_t evictions = 0;

	for (uint64_t seed = 1; seed <= 6; seed++) {
		evictions_of(seed, 0, TRANSFERS_OFF);
		evictions_of(seed, 0, TRANSFERS_ON);
		evictions += evictions_of(seed, 2, TRANSFERS_ON);
	}
	CHECK(evictions > 100);
	CHECK(changes > 1000);
	CHECK_INT(missed, 0);
}

int main(void)
{
	RUN(test_notifications);
	return check_done();
}
