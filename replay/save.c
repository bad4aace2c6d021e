/* replay/save.c - a predicted schedule as a run, for every command that reads one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/save.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/version.h"
#include "core/dag/dag.h"
#include "core/execution/execution.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/run/manifest.h"
#include "core/run/run_writer.h"
#include "core/trace/data_rec.h"
#include "core/trace/tasks_rec_write.h"
#include "core/trace/trace.h"
#include "replay/sim/simulate.h"
#include "replay/view.h"

struct saver {
	const struct run *run;
	const struct machine *m;
	const struct execution_task *tasks;
	const struct simulation *simulation;
	const char *how, *scheduler;
	const struct run_writer *to;
};

/* The recorded numbers of the tasks. */
static uint64_t *jobs_of(const struct run *r)
{
	uint64_t *jobs = ht_alloc(r->dag->ntasks, sizeof(*jobs));

	for (uint32_t i = 0; i < r->dag->ntasks; i++)
		jobs[i] = r->trace->tasks[r->dag->tasks[i].trace_task].job;
	return jobs;
}

static int64_t submitted_ns(const struct saver *s, uint32_t i)
{
	const struct execution_task *x = &s->tasks[i];

	return x->submit_ns < x->start_ns ? x->submit_ns : x->start_ns;
}

static void save_task(FILE *f, const struct saver *s, const uint64_t *jobs, uint32_t i)
{
	const struct dag *d = s->run->dag;
	const struct dag_task *t = &d->tasks[i];
	const struct execution_task *x = &s->tasks[i];
	uint64_t *depends_on = ht_alloc(dag_npred(d, i), sizeof(*depends_on));

	for (uint32_t k = 0; k < dag_npred(d, i); k++)
		depends_on[k] = jobs[d->pred[d->pred_first[i] + k]];
	tasks_rec_write(f, &(struct rec_task){
				   .name = d->types[dag_type_of(d, i)].codelet,
				   .model = d->types[dag_type_of(d, i)].model,
				   .job = jobs[i],
				   .submit_order = i + 1,
				   .priority = t->priority,
				   .worker = x->worker,
				   .node = s->m->workers[x->worker].node,
				   .footprint = dag_class_data_footprint(&d->classes[t->class_id]),
				   .submit_ns = submitted_ns(s, i),
				   .start_ns = x->start_ns,
				   .end_ns = x->end_ns,
				   .depends_on = depends_on,
				   .ndepends = dag_npred(d, i),
				   .accesses = d->accesses + t->first_access,
				   .naccesses = t->naccesses,
				   .handle_bytes = d->handle_bytes,
			   });
	free(depends_on);
}

/* Whether the application waits for all tasks that it has submitted; `waited`: for how many, this time included. */
static int is_barrier(const struct dag_wait *w, uint32_t waited)
{
	return w->handle == DAG_NO_HANDLE && waited == w->before;
}

/*
 * A wait of the application for data or for all tasks, under a number that no task has. Those of replays in which the
 * application did not wait are left out, and those for single tasks, of which the files say nothing.
 */
static void save_wait(FILE *f, const struct saver *s, const uint64_t *jobs, const struct dag_wait *w, uint64_t job,
                      uint32_t waited)
{
	int64_t next_ns = submitted_ns(s, w->before), start_ns = submitted_ns(s, w->before - 1) + w->until_ns;
	uint64_t *depends_on = ht_alloc(w->count + 1, sizeof(*depends_on));
	int was_waited = 1;

	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t task = s->run->dag->wait_tasks[w->first + i];

		depends_on[i] = jobs[task];
		was_waited &= s->tasks[task].end_ns <= next_ns;
	}
	/* What is submitted when it begins would come before it. */
	if (start_ns >= next_ns)
		start_ns = next_ns - 1;
	if (was_waited && start_ns >= submitted_ns(s, w->before - 1)) {
		if (is_barrier(w, waited))
			tasks_rec_write_barrier(f, job, start_ns, next_ns);
		else if (w->handle != DAG_NO_HANDLE)
			tasks_rec_write_acquire(f, job, start_ns, depends_on, w->count);
	}
	free(depends_on);
}

static void save_waits(FILE *f, const struct saver *s, const uint64_t *jobs)
{
	const struct dag *d = s->run->dag;
	uint64_t job = 0;
	uint32_t waited = 0;

	for (uint32_t i = 0; i < d->ntasks; i++)
		job = jobs[i] > job ? jobs[i] : job;
	for (uint32_t i = 0; i < d->nwaits; i++) {
		waited += d->waits[i].count;
		save_wait(f, s, jobs, &d->waits[i], ++job, waited);
	}
}

static int save_tasks(const struct saver *s, struct ht_err *err)
{
	struct outfile out;
	uint64_t *jobs;

	if (run_writer_open(s->to, &out, "tasks.rec", err) != 0)
		return -1;
	jobs = jobs_of(s->run);
	for (uint32_t i = 0; i < s->run->dag->ntasks; i++)
		save_task(out.f, s, jobs, i);
	save_waits(out.f, s, jobs);
	free(jobs);
	return outfile_commit(&out, err);
}

/* Where data is before the first task: on this machine. */
static int save_data(const struct saver *s, struct ht_err *err)
{
	const struct dag *d = s->run->dag;
	struct outfile out;

	if (run_writer_open(s->to, &out, "data.rec", err) != 0)
		return -1;
	for (uint32_t i = 0; i < d->nhandles; i++)
		if (d->handle_home[i] >= 0 && d->handle_home[i] < s->run->machine->nnodes)
			data_rec_write(out.f, i, machine_node_like(s->m, s->run->machine, d->handle_home[i]),
			               d->handle_bytes[i]);
	return outfile_commit(&out, err);
}

static int save_execution(const struct saver *s, struct ht_err *err)
{
	struct execution *e;
	struct outfile out;

	if (run_writer_open(s->to, &out, "paje.trace", err) != 0)
		return -1;
	e = view_execution(s->run, s->m, s->tasks, s->simulation);
	execution_paje.write(e, out.f);
	execution_free(e);
	return outfile_commit(&out, err);
}

static int save_models(const struct saver *s, struct ht_err *err)
{
	static const struct {
		const char *name;
		int (*copy)(const char *from, const char *to, struct ht_err *err);
	} parts[] = {{"sampling", dir_copy}, {"lengths.tsv", file_copy}, {"footprints.tsv", file_copy}};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(parts) / sizeof(*parts); i++) {
		char *from = ht_asprintf("%s/%s", s->run->path, parts[i].name);
		char *to = ht_asprintf("%s/%s", s->to->dir, parts[i].name);

		if (file_exists(from))
			rc = parts[i].copy(from, to, err);
		free(from);
		free(to);
	}
	return rc;
}

static int save_where(const struct saver *s, struct ht_err *err)
{
	struct outfile out;

	if (run_writer_open(s->to, &out, "where.tsv", err) != 0)
		return -1;
	for (uint32_t i = 0; i < s->run->dag->ntypes; i++) {
		const struct dag_type *t = &s->run->dag->types[i];

		if (t->where && !strpbrk(t->name, "\t\n"))
			run_writer_where(out.f, t->name, (int)strlen(t->name), t->where, t->has_no_model);
	}
	return outfile_commit(&out, err);
}

static int save_manifest(const struct saver *s, struct ht_err *err)
{
	static const char *const kept[] = {"command", "host", "models_host"};
	struct outfile out;

	if (run_writer_open(s->to, &out, "manifest", err) != 0)
		return -1;
	manifest_put(out.f, "format", MANIFEST_FORMAT);
	manifest_put(out.f, "heterotune", HETEROTUNE_VERSION);
	manifest_put(out.f, "predicted", s->how);
	manifest_put(out.f, "predicted_from", s->run->path);
	manifest_put(out.f, "scheduler", s->scheduler);
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		const char *value = manifest_get(&s->run->manifest, kept[i]);

		if (*value)
			manifest_put(out.f, kept[i], value);
	}
	return outfile_commit(&out, err);
}

int save_run(const struct run_writer *to, const struct run *run, const struct machine *m,
             const struct execution_task *tasks, const struct simulation *simulation, const char *how,
             const char *scheduler, struct ht_err *err)
{
	const struct saver s = {run, m, tasks, simulation, how, scheduler, to};

	return save_tasks(&s, err) != 0 || save_data(&s, err) != 0 || save_execution(&s, err) != 0 ||
	                       run_writer_machine(to, m, err) != 0 || save_models(&s, err) != 0 ||
	                       save_where(&s, err) != 0 || save_manifest(&s, err) != 0 ?
	               -1 :
	               0;
}
