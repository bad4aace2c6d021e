/* generate/write.c - a made graph and its execution as a run directory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/write.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/version.h"
#include "core/machine/machine.h"
#include "core/run/manifest.h"
#include "core/run/run_writer.h"
#include "core/trace/data_rec.h"
#include "core/trace/tasks_rec_write.h"
#include "core/trace/trace.h"
#include "generate/execute.h"
#include "generate/graph.h"

enum { MODEL_SAMPLES = 100 }; /* StarPU itself believes a model from 10 on */

static const char *const HOST = "generated";

struct graph_writer {
	const struct graph *g;
	const struct executed *tasks;
	const struct machine *m;
	const char *how;
	struct run_writer to;
};

static const char *model_of(const struct graph_type *t)
{
	return *t->model ? t->model : t->name;
}

/* Where the application waits. */
static void write_wait(FILE *f, const struct graph_writer *w, uint32_t t, const uint64_t *depends_on, uint32_t n)
{
	const struct executed *x = &w->tasks[t];

	if (graph_waits(w->g, t) == GRAPH_WAIT_FOR_DATA)
		tasks_rec_write_acquire(f, (uint64_t)t + 1, x->submit_ns, depends_on, n);
	else
		tasks_rec_write_barrier(f, (uint64_t)t + 1, x->submit_ns, x->end_ns);
}

static void write_task(FILE *f, const struct graph_writer *w, uint32_t t)
{
	const struct graph *g = w->g;
	const struct graph_type *type = &g->types[g->task_type[t]];
	const struct executed *x = &w->tasks[t];
	uint32_t npred = g->pred_first[t + 1] - g->pred_first[t], n = g->access_first[t + 1] - g->access_first[t];
	uint64_t *depends_on = ht_alloc(npred, sizeof(*depends_on));

	for (uint32_t k = 0; k < npred; k++)
		depends_on[k] = (uint64_t)g->pred[g->pred_first[t] + k] + 1;
	if (graph_waits(g, t) != GRAPH_NO_WAIT) {
		write_wait(f, w, t, depends_on, npred);
		free(depends_on);
		return;
	}
	tasks_rec_write(f, &(struct rec_task){
				   .name = type->name,
				   .model = model_of(type),
				   .job = (uint64_t)t + 1,
				   .submit_order = t + 1,
				   .priority = g->priority ? g->priority[t] : (int32_t)g->depth[t],
				   .worker = x->worker,
				   .node = w->m->workers[x->worker].node,
				   .submit_ns = x->submit_ns,
				   .start_ns = x->start_ns,
				   .end_ns = x->end_ns,
				   .footprint = type->footprint,
				   .depends_on = depends_on,
				   .ndepends = npred,
				   .accesses = g->accesses + g->access_first[t],
				   .naccesses = n,
				   .handle_bytes = g->handle_bytes,
			   });
	free(depends_on);
}

static int write_tasks(const struct graph_writer *w, struct ht_err *err)
{
	struct outfile out;

	if (run_writer_open(&w->to, &out, "tasks.rec", err) != 0)
		return -1;
	for (uint32_t t = 0; t < w->g->ntasks; t++)
		write_task(out.f, w, t);
	return outfile_commit(&out, err);
}

/* What tasks.rec lacks of data: where it is before the first task. */
static int write_data(const struct graph_writer *w, struct ht_err *err)
{
	struct outfile out;

	if (run_writer_open(&w->to, &out, "data.rec", err) != 0)
		return -1;
	for (size_t i = 0; i < w->g->nhandles; i++)
		if (w->g->handle_home[i] >= 0)
			data_rec_write(out.f, (uint32_t)i, w->g->handle_home[i], w->g->handle_bytes[i]);
	return outfile_commit(&out, err);
}

/* And of the rest: workers without a task, and the architecture of each. Names as in traces of StarPU. */
static int write_workers(const struct graph_writer *w, struct ht_err *err)
{
	static const char *const names[ARCH_COUNT] = {
		"CPU", "CUDA", "OPENCL", "MIC", "FPGA", "MPI_MS", "TCPIP_MS", "HIP", "SYCL",
	};
	struct outfile out;

	if (run_writer_open(&w->to, &out, "paje.trace", err) != 0)
		return -1;
	fputs("%EventDef PajeCreateContainer 7\n% Time date\n% Alias string\n% Type string\n% Container string\n"
	      "% Name string\n%EndEventDef\n",
	      out.f);
	for (int n = 0; n < w->m->nnodes; n++)
		fprintf(out.f, "7 0.0 mn%d Mn p MEMNODE%d\n", n, n);
	for (int i = 0; i < w->m->nworkers; i++) {
		const struct machine_worker *x = &w->m->workers[i];

		fprintf(out.f, "7 0.0 t%d T mn%d T%d\n", i, x->node, x->binding < 0 ? i : x->binding);
		fprintf(out.f, "7 0.0 w%d W t%d %s%d\n", i, i, names[x->arch], x->devid);
	}
	return outfile_commit(&out, err);
}

static int devices_of(const struct machine *m, enum arch a)
{
	int most = 0;

	for (int i = 0; i < m->nworkers && a != ARCH_CPU; i++)
		if (m->workers[i].arch == a && m->workers[i].devid > most)
			most = m->workers[i].devid;
	return most + 1;
}

/* The models of a graph: types whose model is the same are entries of one. */
struct models {
	uint32_t *next;  /* per type: the next one of its model, each of another footprint; LAST: none */
	uint64_t *bytes; /* per type: those of its first task, as its footprint is */
	uint8_t *state;  /* per type: it has tasks, and is at the head of a list */
};

#define LAST UINT32_MAX
enum { NO_TASKS, HAS_TASKS, IS_HEAD };

static void write_entry(FILE *f, const struct graph_type *t, double mean_us, uint64_t bytes)
{
	char mean[32], sum[32], sum2[32];

	fprintf(f, "%08" PRIx32 " %" PRIu64 " 0 %s 0 %s %s %d\n", t->footprint, bytes, number_text(mean, mean_us),
	        number_text(sum, mean_us * MODEL_SAMPLES), number_text(sum2, mean_us * mean_us * MODEL_SAMPLES),
	        MODEL_SAMPLES);
}

/* A device has one implementation, no regression, a row a type: codelets/45 of StarPU 1.4 (perfmodel_history.c). */
static int write_model(const struct graph_writer *w, uint32_t first, const struct models *m, struct ht_err *err)
{
	const struct graph_type *types = w->g->types;
	char *name = ht_asprintf("sampling/codelets/45/%s.%s", model_of(&types[first]), HOST);
	uint32_t entries[ARCH_COUNT] = {0};
	struct outfile out;
	int rc = strchr(model_of(&types[first]), '/') ?
	                 ht_err_set(err, "the model \"%s\" has a name that no file can have", model_of(&types[first])) :
	                 run_writer_open(&w->to, &out, name, err);
	int ncombinations = 0;

	free(name);
	if (rc != 0)
		return -1;
	for (int a = 0; a < ARCH_COUNT; a++) {
		for (uint32_t i = first; i != LAST; i = m->next[i])
			entries[a] += types[i].cost_us[a] >= 0;
		ncombinations += entries[a] ? devices_of(w->m, (enum arch)a) : 0;
	}
	fprintf(out.f, "# version, combinations\n45\n%d\n", ncombinations);
	for (int a = 0; a < ARCH_COUNT; a++)
		for (int d = 0; entries[a] && d < devices_of(w->m, (enum arch)a); d++) {
			fprintf(out.f,
			        "# device: number, type, id, cores\n1\n%d\n%d\n1\n# implementations, entries\n1\n%u\n",
			        a, d, (unsigned)entries[a]);
			fputs("# sumlnx sumlnx2 sumlny sumlnxlny alpha beta n minx maxx\n0 0 0 0 nan nan 0 0 0\n# a b c\nnan nan nan\n"
			      "# not multiple-regression-base\n0\n# hash size flops mean (us) dev (us) sum sum2 n\n",
			      out.f);
			for (uint32_t i = first; i != LAST; i = m->next[i])
				if (types[i].cost_us[a] >= 0)
					write_entry(out.f, &types[i], graph_cost_us(w->g, i, (enum arch)a, d),
					            m->bytes[i]);
		}
	return outfile_commit(&out, err);
}

/* At the end of the list of its model, unless its footprint is in it. */
static void enlist(const struct graph *g, struct models *m, uint32_t type)
{
	uint32_t last = 0;

	while (last < g->ntypes &&
	       (m->state[last] != IS_HEAD || strcmp(model_of(&g->types[last]), model_of(&g->types[type])) != 0))
		last++;
	if (last == g->ntypes) {
		m->state[type] = IS_HEAD;
		return;
	}
	while (g->types[last].footprint != g->types[type].footprint && m->next[last] != LAST)
		last = m->next[last];
	if (g->types[last].footprint != g->types[type].footprint)
		m->next[last] = type;
}

/* Lists of the types that have one model, each footprint once: of types that can run on all that it can, if any. */
static void find_models(const struct graph_writer *w, struct models *m)
{
	const struct graph *g = w->g;

	for (uint32_t t = 0; t < g->ntasks; t++) {
		uint32_t type = g->task_type[t];

		for (uint32_t k = g->access_first[t]; m->state[type] == NO_TASKS && k < g->access_first[t + 1]; k++)
			m->bytes[type] += g->handle_bytes[g->accesses[k].handle];
		m->state[type] = HAS_TASKS;
	}
	for (uint32_t i = 0; i < g->ntypes; i++)
		m->next[i] = LAST;
	for (int narrowed = 0; narrowed < 2; narrowed++)
		for (uint32_t i = 0; i < g->ntypes; i++)
			if (m->state[i] == HAS_TASKS && (g->types[i].narrowed != 0) == narrowed)
				enlist(g, m, i);
}

static int write_models(const struct graph_writer *w, struct ht_err *err)
{
	struct models m = {.next = ht_alloc(w->g->ntypes, sizeof(*m.next)),
	                   .bytes = ht_alloc(w->g->ntypes, sizeof(*m.bytes)),
	                   .state = ht_alloc(w->g->ntypes, 1)};
	char *dir = ht_asprintf("%s/sampling/codelets/45", w->to.dir);
	int rc = dir_create(dir, err);

	find_models(w, &m);
	for (uint32_t i = 0; i < w->g->ntypes && rc == 0; i++)
		if (m.state[i] == IS_HEAD && w->g->types[i].wait == GRAPH_NO_WAIT)
			rc = write_model(w, i, &m, err);
	free(dir);
	free(m.next);
	free(m.bytes);
	free(m.state);
	return rc;
}

/* A model says what tasks of a codelet without one take, too: where.tsv says that StarPU has none. */
static int write_where(const struct graph_writer *w, struct ht_err *err)
{
	const struct graph *g = w->g;
	struct outfile out;
	uint32_t first = 0;

	while (first < g->ntypes && !g->types[first].has_no_model)
		first++;
	if (first == g->ntypes)
		return 0;
	if (run_writer_open(&w->to, &out, "where.tsv", err) != 0)
		return -1;
	for (uint32_t i = first; i < g->ntypes; i++) {
		arch_mask where = 0;

		if (!g->types[i].has_no_model)
			continue;
		for (int a = 0; a < ARCH_COUNT; a++)
			where |= (arch_mask)((g->types[i].cost_us[a] >= 0) << a);
		run_writer_where(out.f, g->types[i].name, (int)strlen(g->types[i].name), where, 1);
	}
	return outfile_commit(&out, err);
}

/* Those that can run on less than others of their type, if any. */
static int write_narrowed(const struct graph_writer *w, struct ht_err *err)
{
	const struct graph *g = w->g;
	struct outfile out;
	uint32_t first = 0;

	while (first < g->ntasks && !g->types[g->task_type[first]].narrowed)
		first++;
	if (first == g->ntasks)
		return 0;
	if (run_writer_open(&w->to, &out, "footprints.tsv", err) != 0)
		return -1;
	for (uint32_t t = first; t < g->ntasks; t++) {
		const struct graph_type *type = &g->types[g->task_type[t]];

		if (type->narrowed)
			run_writer_narrowed(out.f, (uint64_t)t + 1, type->footprint, type->narrowed);
	}
	return outfile_commit(&out, err);
}

static int write_manifest(const struct graph_writer *w, struct ht_err *err)
{
	struct outfile out;

	if (run_writer_open(&w->to, &out, "manifest", err) != 0)
		return -1;
	manifest_put(out.f, "format", MANIFEST_FORMAT);
	manifest_put(out.f, "heterotune", HETEROTUNE_VERSION);
	manifest_put(out.f, "generated", w->how);
	manifest_put(out.f, "scheduler", "list");
	manifest_put(out.f, "models_host", HOST);
	if (w->g->best_ns)
		fprintf(out.f, "known_makespan_ns: %" PRId64 "\n", w->g->best_ns);
	return outfile_commit(&out, err);
}

int write_run(const struct graph *g, const struct executed *tasks, const struct machine *m, const char *how,
              const char *path, struct ht_err *err)
{
	struct graph_writer w = {g, tasks, m, how, {0}};
	int rc = run_writer_begin(&w.to, path, "-o", err);

	if (rc == 0 && (write_tasks(&w, err) != 0 || write_data(&w, err) != 0 || write_workers(&w, err) != 0 ||
	                write_models(&w, err) != 0 || write_where(&w, err) != 0 || write_narrowed(&w, err) != 0 ||
	                run_writer_machine(&w.to, m, err) != 0 || write_manifest(&w, err) != 0))
		rc = -1;
	return run_writer_end(&w.to, rc, err);
}
