/* export/format_starvz.c - a run as the directory of tables that the first phase of StarVZ reads. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * StarVZ makes these files with starpu_fxt_tool, pj_dump and rec2csv, then reads them with starvz_phase1(); names of
 * files and columns are those of its 0.8. Tables of what a run does not have are there with their titles alone, since
 * some of its readers fail where a file is missing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/alloc.h"
#include "core/base/csv.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/stats.h"
#include "core/dag/dag.h"
#include "core/execution/execution.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "export/export.h"

/* Times of StarVZ are milliseconds of the trace. */
struct starvz {
	const struct run *run;
	const struct execution *e;
};

/* What was recorded of a task. */
static const struct trace_task *task_of(const struct starvz *s, const struct execution_task *t)
{
	return &s->run->trace->tasks[s->run->dag->tasks[t->item].trace_task];
}

static void put_field(struct csv *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put_field(struct csv *c, const char *fmt, ...)
{
	char text[96];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	csv_text(c, text);
}

/* Milliseconds of `ns`, which is a time of the trace or a length. */
static void put_ms(struct csv *c, int64_t ns)
{
	uint64_t v = ns < 0 ? (uint64_t)-ns : (uint64_t)ns;

	put_field(c, "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", v / 1000000, v % 1000000);
}

enum { JOB_TEXT = 32 };

/* A job, with its rank in front where there are several: "1347", "0_1347". */
static const char *job_text(char buf[JOB_TEXT], int rank, uint64_t job)
{
	if (rank >= 0)
		snprintf(buf, JOB_TEXT, "%d_%" PRIu64, rank, job);
	else
		snprintf(buf, JOB_TEXT, "%" PRIu64, job);
	return buf;
}

static void put_job(struct csv *c, int rank, uint64_t job)
{
	char buf[JOB_TEXT];

	csv_text(c, job_text(buf, rank, job));
}

/* The rank of a worker; -1 where there is one rank. */
static int rank_of(const struct starvz *s, int worker)
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

			put_job(&c, rank_of(s, a->worker), a->job);
			put_job(&c, rank_of(s, b->worker), b->job);
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
		put_field(&c, "Intra-node data %s", copy_cause_names[x->cause].starpu);
		put_ms(&c, x->start_ns);
		put_ms(&c, x->end_ns);
		put_ms(&c, x->end_ns - x->start_ns);
		csv_int(&c, (int64_t)x->size_bytes);
		csv_text(&c, named(text, rank, "MEMMANAGER", x->from));
		csv_text(&c, named(text, rank, "MEMMANAGER", x->to));
		put_field(&c, "com_%zu", i);
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

		put_field(&c, "%" PRIx64, h->address);
		csv_int(&c, h->home_node);
		csv_int(&c, h->rank);
		csv_int(&c, (int64_t)h->size_bytes);
		csv_text(&c, trace_text(s->run->trace, h->description));
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
				if (s->run->machine->workers[w].node != n || rank_of(s, w) != of)
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

static void put_head(struct csv *c, const char *resource, int64_t start_ns, int64_t end_ns, int depth)
{
	csv_text(c, "State");
	csv_text(c, resource);
	csv_text(c, "Worker State");
	put_ms(c, start_ns);
	put_ms(c, end_ns);
	put_ms(c, end_ns - start_ns);
	csv_int(c, depth);
}

/*
 * Descriptions of the data a task uses, as StarPU joins them ("M960x960x8_M960x960x8" of states, with blanks in
 * tasks.rec).
 */
static void put_parameters(struct csv *c, const struct trace *t, const struct trace_task *task, char separator)
{
	char text[512] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < task->naccesses && used < sizeof(text) - 1; i++) {
		uint32_t handle = t->accesses[task->first_access + i].handle;
		const char *s = handle == TRACE_NONE ? "" : trace_text(t, t->handles[handle].description);

		if (used)
			text[used++] = separator;
		for (; *s && used < sizeof(text) - 1; s++)
			text[used++] = *s == ' ' || *s == '\t' ? '_' : *s;
	}
	text[used] = '\0';
	csv_text(c, text);
}

/* X and Y are coordinates of the first data that it writes, as in starpu_fxt.c of StarPU 1.4. */
static void put_coordinates(struct csv *c, const struct trace *t, const struct trace_task *task)
{
	int32_t x = 0, y = 0;

	for (uint32_t i = 0; i < task->naccesses; i++) {
		const struct data_access *a = &t->accesses[task->first_access + i];

		if (!(a->mode & ACCESS_W))
			continue;
		if (a->handle != TRACE_NONE) {
			const struct trace_handle *h = &t->handles[a->handle];

			x = h->ncoordinates >= 1 ? h->coordinates[0] : 0;
			y = h->ncoordinates >= 2 ? h->coordinates[1] : 0;
		}
		break;
	}
	csv_int(c, x);
	csv_int(c, y);
}

static void put_state(struct csv *c, const struct starvz *s, const struct execution_task *x)
{
	const struct trace *t = s->run->trace;
	const struct trace_task *task = task_of(s, x);
	const struct trace_extra *extra = trace_extra(t, task);
	int rank = rank_of(s, x->worker);

	put_head(c, s->e->workers[x->worker], task->start_ns, task->end_ns, x->lane);
	csv_text(c, s->e->types[x->type]);
	put_field(c, "%" PRIu64, extra->size_bytes);
	put_parameters(c, t, task, '_');
	put_field(c, "%08" PRIx32, trace_data_footprint(t, task->footprint));
	put_field(c, "%016" PRIx64, extra->has_tag ? extra->tag : 0);
	put_job(c, rank, task->job);
	put_job(c, rank, task->submit_order);
	csv_num(c, extra->gflop);
	put_coordinates(c, t, task);
	csv_int(c, extra->iteration[0]);
	csv_int(c, extra->iteration[1]);
	csv_end(c);
}

static void put_span(struct csv *c, const struct starvz *s, const struct trace_span *x)
{
	static const char *const names[SPAN_COUNT] = {
		[SPAN_SLEEP] = "Sleeping",    [SPAN_SCHEDULING] = "Scheduling",     [SPAN_FETCH] = "FetchingInput",
		[SPAN_CALLBACK] = "Callback", [SPAN_PUSH_OUTPUT] = "PushingOutput",
	};

	if (x->kind >= SPAN_COUNT || !names[x->kind] || x->start_ns == TIME_NONE || x->end_ns == TIME_NONE)
		return;
	put_head(c, s->e->workers[x->worker], x->start_ns, x->end_ns, 0);
	csv_text(c, names[x->kind]);
	for (int i = 0; i < 11; i++)
		csv_text(c, "");
	csv_end(c);
}

static void put_states(const struct starvz *s, FILE *f)
{
	struct csv c = {.f = f};

	fputs("Nature,ResourceId,Type,Start,End,Duration,Depth,Value,Size,Params,Footprint,Tag,JobId,SubmitOrder,GFlop,X,Y,"
	      "Iteration,Subiteration\n",
	      f);
	for (size_t i = 0; i < s->e->ntasks; i++)
		put_state(&c, s, &s->e->tasks[i]);
	for (size_t i = 0; i < s->run->trace->nspans; i++)
		put_span(&c, s, &s->run->trace->spans[i]);
}

/* In the letters of starpu_fxt_tool (src/debug/traces/starpu_fxt.c of 1.4). */
static void put_mode(FILE *f, uint32_t mode)
{
	static const struct {
		uint32_t bit;
		char letter;
	} letters[] = {
		{ACCESS_R, 'R'}, {ACCESS_W, 'W'}, {ACCESS_SCRATCH, 'S'}, {ACCESS_REDUX, 'X'}, {ACCESS_COMMUTE, 'C'},
	};

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (mode & letters[i].bit)
			putc(letters[i].letter, f);
}

/* Three fields of words, one each for each access: addresses, modes, bytes. */
static void put_accesses(struct csv *c, const struct trace *t, const struct trace_task *task)
{
	const struct data_access *a = &t->accesses[task->first_access];

	csv_text(c, "");
	for (uint32_t i = 0; i < task->naccesses; i++)
		fprintf(c->f, "%s%" PRIx64, i ? " " : "",
		        a[i].handle == TRACE_NONE ? 0 : t->handles[a[i].handle].address);
	csv_text(c, "");
	for (uint32_t i = 0; i < task->naccesses; i++) {
		fputs(i ? " " : "", c->f);
		put_mode(c->f, a[i].mode);
	}
	csv_text(c, "");
	for (uint32_t i = 0; i < task->naccesses; i++)
		fprintf(c->f, "%s%" PRIu64, i ? " " : "", trace_access_bytes(t, &a[i]));
}

static void put_time(struct csv *c, int64_t ns)
{
	if (ns == TIME_NONE)
		csv_text(c, "");
	else
		put_ms(c, ns);
}

static void put_task_row(struct csv *c, const struct starvz *s, uint32_t i)
{
	const struct dag *d = s->run->dag;
	const struct trace *t = s->run->trace;
	const struct trace_task *task = &t->tasks[d->tasks[i].trace_task];
	const struct trace_extra *extra = trace_extra(t, task);
	char job[JOB_TEXT];

	csv_text(c, d->types[dag_type_of(d, i)].name);
	csv_text(c, trace_text(t, t->codelets[task->codelet].model));
	csv_text(c, job_text(job, rank_of(s, task->worker), task->job));
	csv_int(c, task->submit_order);
	csv_int(c, task->priority);
	put_field(c, "%" PRIx64, extra->has_tag ? extra->tag : 0);
	csv_int(c, t->workers[task->worker].id);
	csv_int(c, task->node);
	put_time(c, task->submit_ns);
	put_time(c, task->start_ns);
	put_time(c, task->end_ns);
	put_field(c, "%" PRIx32, trace_data_footprint(t, task->footprint));
	put_parameters(c, t, task, ' ');
	put_accesses(c, t, task);
	csv_int(c, t->nranks > 1 ? task->rank : -1);
	csv_text(c, "");
	for (uint32_t k = d->pred_first[i]; k < d->pred_first[i + 1]; k++) {
		const struct trace_task *pred = &t->tasks[d->tasks[d->pred[k]].trace_task];

		fprintf(c->f, "%s%s", k > d->pred_first[i] ? " " : "",
		        job_text(job, rank_of(s, pred->worker), pred->job));
	}
	csv_int(c, extra->iteration[0]);
	csv_num(c, extra->gflop);
	csv_end(c);
}

static void put_tasks(const struct starvz *s, FILE *f)
{
	struct csv c = {.f = f};

	fputs("Name,Model,JobId,SubmitOrder,Priority,Tag,WorkerId,MemoryNode,SubmitTime,StartTime,EndTime,Footprint,"
	      "Parameters,Handles,Modes,Sizes,MPIRank,DependsOn,Iteration,GFlop\n",
	      f);
	for (uint32_t i = 0; i < s->run->dag->ntasks; i++)
		put_task_row(&c, s, i);
}

struct variable {
	struct csv *c;
	const char *resource, *type;
};

/* How many of n have gone up and not yet down; both arrays get sorted. A row for each time at which that changes. */
static void put_count(const struct variable *v, int64_t *up, int64_t *down, size_t n)
{
	int64_t now = 0, since = 0;
	size_t u = 0, d = 0;

	stats_sort_i64(up, n);
	stats_sort_i64(down, n);
	while (d < n) {
		int64_t ns = u < n && up[u] < down[d] ? up[u] : down[d], was = now;

		for (; u < n && up[u] == ns; u++)
			now++;
		for (; d < n && down[d] == ns; d++)
			now--;
		if (now == was)
			continue;
		if (was) {
			csv_text(v->c, "Variable");
			csv_text(v->c, v->resource);
			csv_text(v->c, v->type);
			put_ms(v->c, since);
			put_ms(v->c, ns);
			put_ms(v->c, ns - since);
			csv_int(v->c, was);
			csv_end(v->c);
		}
		since = ns;
	}
}

static void put_rank(const struct starvz *s, struct csv *c, int rank)
{
	const struct execution *e = s->e;
	int64_t *up = ht_alloc(e->ntasks, sizeof(*up)), *down = ht_alloc(e->ntasks, sizeof(*down));
	char name[32] = "scheduler";
	size_t n = 0;

	if (rank >= 0)
		snprintf(name, sizeof(name), "%d_scheduler", rank);
	for (size_t i = 0; i < e->ntasks; i++) {
		const struct trace_task *t = task_of(s, &e->tasks[i]);

		if (rank_of(s, e->tasks[i].worker) != rank || t->submit_ns == TIME_NONE)
			continue;
		up[n] = t->submit_ns < t->end_ns ? t->submit_ns : t->end_ns;
		down[n++] = t->end_ns;
	}
	put_count(&(struct variable){c, name, "Number of Submitted Uncompleted Tasks"}, up, down, n);
	n = 0;
	for (size_t i = 0; i < e->ntasks; i++) {
		if (rank_of(s, e->tasks[i].worker) != rank)
			continue;
		up[n] = e->tasks[i].ready_ns + e->origin_ns;
		down[n++] = e->tasks[i].start_ns - e->tasks[i].held_ns + e->origin_ns;
	}
	put_count(&(struct variable){c, name, "Number of Ready Tasks"}, up, down, n);
	free(up);
	free(down);
}

static void put_variables(const struct starvz *s, FILE *f)
{
	struct csv c = {.f = f};
	int ranks = s->run->trace->nranks;

	fputs("Nature,ResourceId,Type,Start,End,Duration,Value\n", f);
	for (int rank = 0; rank < ranks && ranks > 1; rank++)
		put_rank(s, &c, rank);
	if (ranks <= 1)
		put_rank(s, &c, -1);
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
	{"paje.worker_state.csv.gz", put_states},
	{"paje.variable.csv.gz", put_variables},
	{"paje.link.csv.gz", put_links},
	{"paje.memory_state.csv.gz", put_no_states},
	{"paje.comm_state.csv.gz", put_no_states},
	{"paje.other_state.csv.gz", put_no_states},
	{"rec.tasks.csv.gz", put_tasks},
	{"rec.data_handles.csv.gz", put_handles},
};

enum { GZIP_BUFFER = 1 << 16 };

static ssize_t gzip_some(void *cookie, const char *data, size_t len)
{
	return gzwrite(cookie, data, (unsigned int)len);
}

static int gzip_end(void *cookie)
{
	int status;

	errno = 0;
	status = gzclose(cookie);
	if (status != Z_OK && errno == 0)
		errno = EIO;
	return status == Z_OK ? 0 : -1;
}

/*
 * What is written to the result is compressed into `to`, which stays open and has to be empty so far. fclose() the
 * result before `to`: it fails, with errno, if anything could not be written. NULL: no memory or no descriptor left.
 */
static FILE *gzip_open(FILE *to)
{
	int fd = dup(fileno(to));
	gzFile z = fd < 0 ? NULL : gzdopen(fd, "wb");
	FILE *f = z ? fopencookie(z, "w", (cookie_io_functions_t){.write = gzip_some, .close = gzip_end}) : NULL;

	if (f)
		setvbuf(f, NULL, _IOFBF, GZIP_BUFFER);
	else if (z)
		gzclose(z);
	else if (fd >= 0)
		close(fd);
	return f;
}

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
