/* replay/target.c - the machine that a run is replayed on: its own, another one, or one of other numbers. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/target.h"

#include <stdio.h>

#include "core/base/err.h"
#include "core/config/starpu_env.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "replay/sim/simulate.h"
#include "replay/what_if.h"

static int check_costs(const struct target *t, const struct run *run, struct ht_err *err)
{
	arch_mask unknown = machine_archs(t->machine) & (arch_mask)~machine_archs(run->machine);

	for (uint32_t c = 0; unknown && c < run->dag->nclasses; c++) {
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (run->dag->classes[c].cost_ns[a] >= 0)
				unknown &= (arch_mask) ~(1u << a);
		}
	}
	if (!unknown)
		return 0;
	return ht_err_set(err, "the run and its models do not tell what any task takes on %s",
	                  arch_name((enum arch)__builtin_ctz(unknown)));
}

static void move_data(const struct target *t, struct run *run)
{
	struct dag *d = run->dag;

	for (uint32_t i = 0; i < d->nhandles; i++) {
		if (d->handle_home[i] >= 0 && d->handle_home[i] < run->machine->nnodes)
			d->handle_home[i] = machine_node_like(t->machine, run->machine, d->handle_home[i]);
	}
}

int target_open(struct target *t, struct run *run, const struct what_if *w, struct ht_err *err)
{
	*t = (struct target){.machine = run->machine};
	if (w->machine) {
		t->machine = t->given = machine_open(w->machine, err);
		if (!t->given)
			return ht_err_wrap(err, "--machine");
	}
	if (w->scale) {
		t->machine = t->scaled = machine_scale(t->machine, w->scale, err);
		if (!t->scaled)
			return ht_err_wrap(err, "--scale");
	}
	if (w->capacity) {
		t->machine = t->limited = machine_limit(t->machine, w->capacity, err);
		if (!t->limited)
			return ht_err_wrap(err, "--capacity");
	}
	if (t->machine == run->machine)
		return 0;
	move_data(t, run);
	return check_costs(t, run, err) < 0 ? ht_err_wrap(err, "--machine") : 0;
}

struct machine *target_started(const struct machine *m, const struct starpu_env *s)
{
	int wanted = s->value[STARPU_ENV_CPUS];
	char text[32];

	if (!wanted || wanted >= machine_workers_of(m, ARCH_CPU))
		return NULL;
	snprintf(text, sizeof(text), "cpu=%d", wanted);
	return machine_scale(m, text, NULL);
}

void target_set_startup(const struct starpu_env *s, struct simulate_options *how)
{
	how->no_prefetch = s->value[STARPU_ENV_NO_PREFETCH];
	if (how->pipeline == PIPELINE_OF_RUN && s->value[STARPU_ENV_PIPELINE])
		how->pipeline = s->value[STARPU_ENV_PIPELINE];
}

void target_start(struct target *t, const struct starpu_env *s, struct simulate_options *how)
{
	target_set_startup(s, how);
	t->started = target_started(t->machine, s);
	if (t->started)
		t->machine = t->started;
}

void target_fini(struct target *t)
{
	machine_free(t->given);
	machine_free(t->scaled);
	machine_free(t->limited);
	machine_free(t->started);
}
