/* export/format_starvz.c - a run as the directory of tables that the first phase of StarVZ reads. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * StarVZ makes these files with starpu_fxt_tool, pj_dump and rec2csv, then reads them with starvz_phase1(); names of
 * files and columns are those of its 0.8. Tables of what a run does not have are there with their titles alone, since
 * some of its readers fail where a file is missing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/csv.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/dag/dag.h"
#include "core/execution/execution.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "export/export.h"
#include "export/gzip.h"
#include "export/starvz.h"

const struct trace_task *starvz_task(const struct starvz *s, const struct execution_task *t)
{
	return &s->run->trace->tasks[s->run->dag->tasks[t->item].trace_task];
}

void starvz_ms(struct csv *c, int64_t ns)
{
	uint64_t v = ns < 0 ? (uint64_t)-ns : (uint64_t)ns;
	char text[40];

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", v / 1000000, v % 1000000);
	csv_text(c, text);
}

void starvz_job(struct csv *c, int rank, uint64_t job)
{
	char text[40];

	if (rank >= 0)
		snprintf(text, sizeof(text), "%d_%" PRIu64, rank, job);
	else
		snprintf(text, sizeof(text), "%" PRIu64, job);
	csv_text(c, text);
}

int starvz_rank(const struct starvz *s, int worker)
{
	const struct trace *t = s->run->trace;

	return t->nranks > 1 && (size_t)worker < t->nworkers ? t->workers[worker].rank : -1;
}

/* A name of Paje: "MEMMANAGER0", of a rank "1_MEMMANAGER0"; node -1: without a number. */
static const char *named(char buf[48], int rank, const char *what, int node)
{
	size_t n = 0;

	if (rank >= 0)
		n = (size_t)snprintf(buf, 48, "%d_", rank);
	if (node >= 0)
		snprintf(buf + n, 48 - n, "%s%d", what, node);
	else
		snprintf(buf + n, 48 - n, "%s", what);
	return buf;
}

/* Predecessor, then successor: StarVZ calls the predecessor "Dependent". */
static void put_dag(const struct starvz *s, FILE *f)
{
	const struct dag *d = s->run->dag;
	const struct trace *t = s->run->trace;
	struct csv c = {.f = f};

	fputs("Dependent,JobId\n", f);
	for (uint32_t i = 0; i < d->ntasks; i++)
		for (uint32_t k = d->succ_first[i]; k < d->succ_first[i + 1]; k++) {
			const struct trace_task *a = &t->tasks[d->tasks[i].trace_task];
			const struct trace_task *b = &t->tasks[d->tasks[d->succ[k]].trace_task];

			starvz_job(&c, starvz_rank(s, a->worker), a->job);
			starvz_job(&c, starvz_rank(s, b->worker), b->job);
			csv_end(&c);
		}
}

static void put_links(const struct starvz *s, FILE *f)
{
	struct csv c = {.f = f};

	fputs("Nature,Container,Type,Start,End,Duration,Size,Origin,Dest,Key,Tag\n", f);
	for (size_t i = 0; i < s->run->trace->ncopies; i++) {
		const struct trace_copy *x = &s->run->trace->copies[i];
		int rank = s->run->trace->nranks > 1 ? x->rank : -1;
		char text[48];

		if (x->end_ns == TIME_NONE)
			continue;
		csv_text(&c, "Link");
		csv_text(&c, named(text, rank, "program", -1));
		snprintf(text, sizeof(text), "Intra-node data %s", copy_cause_names[x->cause].starpu);
		csv_text(&c, text);
		starvz_ms(&c, x->start_ns);
		starvz_ms(&c, x->end_ns);
		starvz_ms(&c, x->end_ns - x->start_ns);
		csv_int(&c, (int64_t)x->size_bytes);
		csv_text(&c, named(text, rank, "MEMMANAGER", x->from));
		csv_text(&c, named(text, rank, "MEMMANAGER", x->to));
		snprintf(text, sizeof(text), "com_%zu", i);
		csv_text(&c, text);
		csv_text(&c, "");
		csv_end(&c);
	}
}

static void put_handles(const struct starvz *s, FILE *f)
{
	struct csv c = {.f = f};

	fputs("Handle,HomeNode,MPIRank,Size,Description,Coordinates\n", f);
	for (size_t i = 0; i < s->run->trace->nhandles; i++) {
		const struct trace_handle *h = &s->run->trace->handles[i];
		char text[96] = "";
		size_t used = 0;

		snprintf(text, sizeof(text), "%" PRIx64, h->address);
		csv_text(&c, text);
		csv_int(&c, h->home_node);
		csv_int(&c, h->rank);
		csv_int(&c, (int64_t)h->size_bytes);
		csv_text(&c, trace_text(s->run->trace, h->description));
		*text = '\0';
		for (int k = 0; k < h->ncoordinates; k++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRId32, k ? " " : "",
			                         h->coordinates[k]);
		csv_text(&c, text);
		csv_end(&c);
	}
}

static void put_entity(FILE *f, const char *parent, const char *name, const char *type, const char *nature)
{
	struct csv c = {.f = f};

	csv_text(&c, parent);
	csv_text(&c, name);
	csv_text(&c, type);
	csv_text(&c, nature);
	csv_end(&c);
}

/* The tree of containers, from which StarVZ takes the rows of its pictures. */
static void put_entities(const struct starvz *s, FILE *f)
{
	const struct trace *t = s->run->trace;
	char program[48], node[48], thread[48];

	fputs("Parent,Name,Type,Nature\n", f);
	put_entity(f, "0", "0", "0", "Container");
	put_entity(f, "0", "root", "MPI Program", "Container");
	for (int rank = 0; rank < t->nranks || rank == 0; rank++) {
		int of = t->nranks > 1 ? rank : -1, last = -1;

		named(program, of, "program", -1);
		put_entity(f, "root", program, "Program", "Container");
		put_entity(f, program, named(node, of, "scheduler", -1), "Scheduler State", "Container");
		put_entity(f, node, "Number of Ready Tasks", "Number of Ready Tasks", "Variable");
		put_entity(f, node, "Number of Submitted Uncompleted Tasks", "Number of Submitted Uncompleted Tasks",
		           "Variable");
		for (int n = 0; n < s->run->machine->nnodes; n++)
			for (int w = 0; w < s->run->machine->nworkers; w++) {
				if (s->run->machine->workers[w].node != n || starvz_rank(s, w) != of)
					continue;
				if (n != last)
					put_entity(f, program, named(node, of, "MEMNODE", n), "Memory Node",
					           "Container");
				last = n;
				put_entity(f, node, named(thread, of, "T", w), "Thread", "Container");
				put_entity(f, thread, s->e->workers[w], "Worker", "Container");
				put_entity(f, s->e->workers[w], "Worker State", "Worker State", "State");
			}
	}
}

static void put_no_states(const struct starvz *s, FILE *f)
{
	(void)s;
	fputs("Nature,ResourceId,Type,Start,End,Duration,Depth,Value\n", f);
}

static const struct starvz_file {
	const char *name;
	void (*put)(const struct starvz *s, FILE *f);
} files[] = {
	{"entities.csv", put_entities},
	{"dag.csv.gz", put_dag},
	{"paje.worker_state.csv.gz", starvz_states},
	{"paje.variable.csv.gz", starvz_variables},
	{"paje.link.csv.gz", put_links},
	{"paje.memory_state.csv.gz", put_no_states},
	{"paje.comm_state.csv.gz", put_no_states},
	{"paje.other_state.csv.gz", put_no_states},
	{"rec.tasks.csv.gz", starvz_tasks},
	{"rec.data_handles.csv.gz", put_handles},
};

static int write_file(const struct starvz *s, const struct starvz_file *file, const char *dir, struct ht_err *err)
{
	char *path = ht_asprintf("%s/%s", dir, file->name);
	struct outfile o = {0};
	FILE *f = NULL;
	int rc = outfile_open(&o, path, err);

	if (rc != 0)
		goto out;
	f = strstr(file->name, ".gz") ? gzip_open(o.f) : o.f;
	if (f)
		file->put(s, f);
	if (!f || (f != o.f && fclose(f) != 0)) {
		rc = ht_err_set(err, "%s: cannot be written: %s", path, strerror(errno));
		outfile_abort(&o);
		goto out;
	}
	rc = outfile_commit(&o, err);
out:
	free(path);
	return rc;
}

static int write_files(const struct export_source *source, const char *dir, struct ht_err *err)
{
	struct starvz s = {.run = source->run};
	struct execution *e;
	int rc = 0;

	s.e = e = execution_of_run(source->run);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && rc == 0; i++)
		rc = write_file(&s, &files[i], dir, err);
	execution_free(e);
	return rc;
}

/* Into a directory that is there, or one that appears when all files are in it. */
static int write_starvz(const struct export_source *source, const char *out, struct ht_err *err)
{
	char *dir, *path;
	int rc;

	if (strcmp(out, "-") == 0)
		return ht_err_set(err, "starvz is a directory of tables: name it with --output DIR");
	if (file_exists(out))
		return dir_create(out, err) != 0 ? -1 : write_files(source, out, err);
	path = path_absolute(out); /* without '/' at its end */
	dir = dir_create_beside(path, err);
	rc = dir ? write_files(source, dir, err) : -1;
	if (rc == 0 && rename(dir, path) != 0)
		rc = ht_err_set(err, "%s: cannot be made: %s", out, strerror(errno));
	if (rc != 0 && dir)
		dir_remove(dir);
	free(dir);
	free(path);
	return rc;
}

const struct export_format format_starvz = {
	.name = "starvz",
	.summary = "a directory of tables (CSV) with StarVZ's names of files and columns",
	.from = EXPORT_RUN,
	.write = write_starvz,
};
