/* replay/scenario.c - what a replay assumes: machine, homes of data, submission, copies that take time or not. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/starpu_env.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

/* "window=N"; 0: it is not that. */
static uint32_t window_of(const char *text)
{
	char *end;
	unsigned long n;

	if (strncmp(text, "window=", 7) || text[7] < '0' || text[7] > '9')
		return 0;
	n = strtoul(text + 7, &end, 10);
	return *end || n > UINT32_MAX ? 0 : (uint32_t)n;
}

int scenario_check(const struct scenario_options *o, struct ht_err *err)
{
	if (strcmp(o->submission, "recorded") && strcmp(o->submission, "none") && !window_of(o->submission))
		return ht_err_set(err,
		                  "--submission is recorded, none, or window=N with a number of tasks of at least 1, "
		                  "found \"%s\"",
		                  o->submission);
	if (o->transfers && strcmp(o->transfers, "on") != 0 && strcmp(o->transfers, "off") != 0)
		return ht_err_set(err, "--transfers is on or off, found \"%s\"", o->transfers);
	if (o->capacity && o->transfers && strcmp(o->transfers, "off") == 0)
		return ht_err_set(err, "--capacity is for replays with copies: leave out --transfers off");
	return 0;
}

int scenario_asks(const struct scenario_options *o)
{
	return o->machine || o->scale || o->capacity || o->transfers || o->conditions ||
	       strcmp(o->submission, "recorded") != 0;
}

static int check_costs(const struct scenario *s, const struct run *run, struct ht_err *err)
{
	arch_mask unknown = machine_archs(s->machine) & (arch_mask)~machine_archs(run->machine);

	for (uint32_t c = 0; unknown && c < run->dag->nclasses; c++)
		unknown &= (arch_mask)~dag_class_archs(&run->dag->classes[c]);
	if (!unknown)
		return 0;
	return ht_err_set(err, "the run and its models do not say what any task takes on %s",
	                  arch_name((enum arch)__builtin_ctz(unknown)));
}

/* A node of the run's machine becomes the one like it, or main memory. */
static void move_data(struct scenario *s, const struct run *run)
{
	const struct dag *d = run->dag;
	int32_t *home;

	if (d->nranks > 1) /* homes are nodes of their ranks, which another machine has, too */
		return;
	home = ht_alloc(d->nhandles, sizeof(*home));
	for (uint32_t i = 0; i < d->nhandles; i++) {
		home[i] = d->handle_home[i];
		if (home[i] >= 0 && home[i] < run->machine->nnodes)
			home[i] = machine_node_like(s->machine, run->machine, home[i]);
	}
	s->dag = s->dags[s->ndags++] = dag_with_homes(d, home);
	free(home);
}

/* Takes `m`; NULL: it could not be made. */
static int use(struct scenario *s, struct machine *m, const char *option, struct ht_err *err)
{
	if (!m)
		return ht_err_wrap(err, "%s", option);
	s->machine = s->made[s->nmade++] = m;
	return 0;
}

static int open_machine(struct scenario *s, const struct run *run, const struct scenario_options *o, struct ht_err *err)
{
	if (o->machine && use(s, machine_open(o->machine, err), "--machine", err) != 0)
		return -1;
	if (o->scale && use(s, machine_scale(s->machine, o->scale, err), "--scale", err) != 0)
		return -1;
	if (o->capacity && use(s, machine_limit(s->machine, o->capacity, err), "--capacity", err) != 0)
		return -1;
	if (!s->nmade)
		return 0;
	move_data(s, run);
	return check_costs(s, run, err) != 0 ? ht_err_wrap(err, "--machine") : 0;
}

static void find_transfers(struct scenario *s)
{
	int on;

	s->has_copies = simulate_has_transfers(s->dag, s->machine);
	on = s->transfers_option ? !strcmp(s->transfers_option, "on") : s->has_copies || s->has_threads;
	s->transfers = on ? TRANSFERS_ON : TRANSFERS_OFF;
}

static void find_submission(struct scenario *s, const char *when, const struct run *run)
{
	s->ignore_submission = !strcmp(when, "none");
	if (s->ignore_submission || run->dag->nranks > 1)
		return;
	window_find(&s->window, run->trace, run->dag);
	if (window_of(when)) {
		s->window.most = window_of(when);
		s->window.least = s->window.most - 1;
		s->window.after_ns = 0;
	}
}

int64_t scenario_submitted_ns(const struct scenario *s, const struct dag *d)
{
	int64_t last = 0;

	if (s->ignore_submission || s->window.most || d->nwaits || d->nranks > 1)
		return 0;
	for (uint32_t i = 0; i < d->ntasks; i++)
		last = dag_submit_ns(d, i) > last ? dag_submit_ns(d, i) : last;
	return last;
}

void scenario_share_conditions(struct scenario *s, const struct run *generated, const struct run *recorded)
{
	if (!run_is_generated(generated))
		return;
	s->completed = recorded->conditions;
	s->conditions = &s->completed;
	s->dag = s->dags[s->ndags++] = dag_with_drivers_of(s->dag, recorded->dag);
	s->has_threads |= recorded->trace->source == TRACE_FXT;
	find_transfers(s);
}

/* What threads and copies take on one machine says nothing of another, and SimGrid's are not those of any. */
static int check_conditions(const struct run *run, const struct run *other, struct ht_err *err)
{
	if (run_is_generated(run))
		return 0;
	if (!machine_names_match(run->machine->name, other->machine->name))
		return ht_err_set(err, "recorded on %s, and the run on %s", other->machine->name, run->machine->name);
	if (run->conditions.simulated != other->conditions.simulated)
		return ht_err_set(err, other->conditions.simulated ? "simulated, and the run is not" :
		                                                     "not simulated, and the run is");
	return 0;
}

static int complete_conditions(struct scenario *s, const struct run *run, const char *path, struct ht_err *err)
{
	struct run *other = run_open(path, err);

	if (!other)
		return ht_err_wrap(err, "--conditions");
	if (check_conditions(run, other, err) != 0) {
		run_free(other);
		return ht_err_wrap(err, "--conditions %s", path);
	}
	if (run_is_generated(run)) {
		scenario_share_conditions(s, run, other);
	} else {
		s->completed = run->conditions;
		conditions_complete(&s->completed, &other->conditions);
		s->conditions = &s->completed;
	}
	run_free(other);
	return 0;
}

int scenario_open(struct scenario *s, const struct run *run, const struct scenario_options *o, struct ht_err *err)
{
	*s = (struct scenario){.dag = run->dag,
	                       .machine = run->machine,
	                       .conditions = &run->conditions,
	                       .transfers_option = o->transfers,
	                       .has_threads = run->trace->source == TRACE_FXT};
	if (open_machine(s, run, o, err) != 0 ||
	    (o->conditions && complete_conditions(s, run, o->conditions, err) != 0))
		return -1;
	if (!o->machine && machine_ranks(run->machine) < run->dag->nranks)
		return ht_err_set(err,
		                  "the recording has no worker of MPI rank %d: its trace, or the beginning, is missing",
		                  machine_ranks(run->machine));
	if (run->dag->nranks > 1 && window_of(o->submission))
		return ht_err_set(err, "--submission window=N is for one rank, and the run has %d", run->dag->nranks);
	find_transfers(s);
	find_submission(s, o->submission, run);
	return 0;
}

struct machine *scenario_started(const struct machine *m, const struct starpu_env *env)
{
	int wanted = env->value[STARPU_ENV_CPUS], counts[ARCH_COUNT];

	machine_counts(m, counts);
	if (!wanted || wanted >= counts[ARCH_CPU])
		return NULL;
	counts[ARCH_CPU] = wanted;
	return machine_resize(m, counts, NULL);
}

void scenario_start(struct scenario *s, const struct starpu_env *env)
{
	struct machine *started = scenario_started(s->machine, env);

	if (started) {
		s->machine = s->made[s->nmade++] = started;
		find_transfers(s);
	}
}

void scenario_set(const struct scenario *s, struct simulate_options *how)
{
	if (!s)
		return;
	how->conditions = s->conditions;
	how->transfers = s->transfers;
	how->ignore_submission = s->ignore_submission;
	how->window = &s->window;
}

void scenario_set_env(const struct starpu_env *env, struct simulate_options *how)
{
	how->no_prefetch = env->value[STARPU_ENV_NO_PREFETCH];
	if (how->pipeline == PIPELINE_OF_RUN && env->value[STARPU_ENV_PIPELINE])
		how->pipeline = env->value[STARPU_ENV_PIPELINE];
}

void scenario_fini(struct scenario *s)
{
	window_fini(&s->window);
	while (s->ndags)
		dag_free(s->dags[--s->ndags]);
	for (int i = 0; i < s->nmade; i++)
		machine_free(s->made[i]);
}
