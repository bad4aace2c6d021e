/* tests/tool/compare_rec.c - our reading of raw FxT files against what StarPU makes of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usage: compare_rec OUTPUT_DIR FXT_FILE...
 *
 * Every task and every field that both have: name, model, submission, start, end, worker, node, footprint, priority,
 * order, iteration, dependencies, data with modes and sizes; every data handle: size, home node, name, description,
 * coordinates. Prints how much was compared, and the first differences; exit status 1 when there is one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/intern.h"
#include "core/trace/trace.h"

static int differences;
static size_t compared;

static void differ(const char *what, uint64_t id, int64_t a, int64_t b)
{
	if (differences++ < 20)
		printf("# %s of %" PRIu64 ": trace %" PRId64 ", tasks.rec %" PRId64 "\n", what, id, a, b);
}

static void same(const char *what, uint64_t id, int64_t a, int64_t b)
{
	compared++;
	if (a != b)
		differ(what, id, a, b);
}

/* tasks.rec leaves a time of 0 out. */
static int64_t time_or_zero(int64_t ns)
{
	return ns == TIME_NONE ? 0 : ns;
}

static int edge_order(const void *x, const void *y)
{
	return memcmp(x, y, 3 * sizeof(uint64_t));
}

/* (successor, predecessor, ghost) of each recorded dependency, sorted: duplicates count. */
static uint64_t (*edges_of(const struct trace *t, size_t *n))[3]
{
	uint64_t(*e)[3] = ht_alloc(t->ndeps, sizeof(*e));

	*n = 0;
	for (size_t i = 0; i < t->ndeps; i++) {
		const struct trace_task *s = &t->tasks[t->deps[i].succ], *p = &t->tasks[t->deps[i].pred];

		/*
		 * StarPU's tool leaves tags and excluded tasks out of tasks.rec, and the rank out of EndDependencies.
		 */
		if (t->deps[i].kind == DEP_TAG || t->deps[i].kind == DEP_END || t->deps[i].kind == DEP_SUBMITTED ||
		    trace_extra(t, s)->excluded)
			continue;
		e[*n][0] = s->job | (uint64_t)(unsigned)s->rank << 48;
		e[*n][1] = p->job | (uint64_t)(unsigned)p->rank << 48;
		e[*n][2] = t->deps[i].kind == DEP_GHOST;
		(*n)++;
	}
	qsort(e, *n, sizeof(*e), edge_order);
	return e;
}

static void compare_accesses(const struct trace *a, const struct trace_task *x, const struct trace *b,
                             const struct trace_task *y)
{
	same("number of data", x->job, x->naccesses, y->naccesses);
	for (uint32_t i = 0; i < x->naccesses && i < y->naccesses; i++) {
		const struct data_access *p = &a->accesses[x->first_access + i], *q = &b->accesses[y->first_access + i];

		same("data", x->job, (int64_t)a->handles[p->handle].address, (int64_t)b->handles[q->handle].address);
		same("size", x->job, (int64_t)trace_access_bytes(a, p), (int64_t)trace_access_bytes(b, q));
		same("mode", x->job, p->mode & 159, q->mode);
	}
}

static const char *model_of(const struct trace *t, const struct trace_task *x)
{
	return trace_text(t, x->codelet == TRACE_NONE ? 0 : t->codelets[x->codelet].model);
}

static void compare_task(const struct trace *a, const struct trace_task *x, const struct trace *b,
                         const struct trace_task *y)
{
	compared++;
	if (y->name && strcmp(trace_text(a, x->name), trace_text(b, y->name)) != 0 && differences++ < 20)
		printf("# name of %" PRIu64 ": \"%s\", tasks.rec \"%s\"\n", (uint64_t)x->job, trace_text(a, x->name),
		       trace_text(b, y->name));
	if (strcmp(model_of(a, x), model_of(b, y)) != 0 && differences++ < 20)
		printf("# model of %" PRIu64 ": \"%s\", tasks.rec \"%s\"\n", (uint64_t)x->job, model_of(a, x),
		       model_of(b, y));
	same("submit time", x->job, time_or_zero(x->submit_ns), time_or_zero(y->submit_ns));
	same("start time", x->job, time_or_zero(x->start_ns), time_or_zero(y->start_ns));
	same("end time", x->job, time_or_zero(x->end_ns), time_or_zero(y->end_ns));
	same("footprint", x->job, x->footprint, y->footprint);
	same("submit order", x->job, x->submit_order, y->submit_order);
	same("priority", x->job, x->priority, y->priority);
	same("iteration", x->job, trace_extra(a, x)->iteration[0], trace_extra(b, y)->iteration[0]);
	same("worker", x->job, x->worker < 0 ? -1 : a->workers[x->worker].id,
	     y->worker < 0 ? -1 : b->workers[y->worker].id);
	if (y->node >= 0)
		same("memory node", x->job, x->node, y->node);
	compare_accesses(a, x, b, y);
}

static void compare_tasks(const struct trace *a, const struct trace *b)
{
	struct idmap jobs = {0};
	size_t na, nb;
	uint64_t(*ea)[3] = edges_of(a, &na), (*eb)[3] = edges_of(b, &nb);

	for (size_t i = 0; i < a->ntasks; i++)
		idmap_put(&jobs, a->tasks[i].job | (uint64_t)(unsigned)a->tasks[i].rank << 48, (uint32_t)i);
	for (size_t i = 0; i < b->ntasks; i++) {
		const struct trace_task *y = &b->tasks[i];
		uint32_t x = idmap_get(&jobs, y->job | (uint64_t)(unsigned)y->rank << 48);

		/* A job that only a dependency names has no record of its own in tasks.rec. */
		if (x == IDMAP_NONE)
			differ("existence", y->job, 0, 1);
		else if (trace_extra(b, y)->has_tag)
			compare_task(a, &a->tasks[x], b, y);
	}
	same("executed tasks", 0, (int64_t)trace_executed(a), (int64_t)trace_executed(b));
	same("dependencies", 0, (int64_t)na, (int64_t)nb);
	for (size_t i = 0; i < na && i < nb; i++)
		for (int k = 0; k < 3; k++)
			same("dependency", ea[i][0], (int64_t)ea[i][k], (int64_t)eb[i][k]);
	printf("# %zu tasks, %zu dependencies, %zu accesses\n", b->ntasks, nb, b->naccesses);
	idmap_fini(&jobs);
	free(ea);
	free(eb);
}

/* data.rec, one record per registration: the last one of an address is the one compared. */
static void compare_data(const struct trace *a, const char *path)
{
	struct ht_err err;
	char *text = file_read(path, (size_t)1 << 30, NULL, &err), *save = NULL;
	const struct trace_handle *h = NULL;
	struct idmap handles = {0};
	size_t n = 0;

	if (!text) {
		printf("# %s\n", err.text);
		differences++;
		return;
	}
	for (size_t i = 0; i < a->nhandles; i++)
		idmap_put(&handles, a->handles[i].address ^ (uint64_t)(unsigned)a->handles[i].rank << 48, (uint32_t)i);
	for (char *s = strtok_r(text, "\n", &save); s; s = strtok_r(NULL, "\n", &save)) {
		const char *v = strchr(s, ' ');

		if (!v)
			continue;
		v++;
		if (strncmp(s, "Handle:", 7) == 0) {
			uint64_t address = strtoull(v, NULL, 16);
			uint32_t id = idmap_get(&handles, address);

			h = id == IDMAP_NONE ? NULL : &a->handles[id];
			if (!h)
				differ("data", address, 0, 1);
			n++;
		} else if (h && a->nranks == 1 && strncmp(s, "HomeNode:", 9) == 0) {
			same("home node", h->address, h->home_node, atoi(v));
		} else if (h && a->nranks == 1 && strncmp(s, "Size:", 5) == 0) {
			same("data size", h->address, (int64_t)h->size_bytes, strtoll(v, NULL, 10));
		} else if (h && a->nranks == 1 && strncmp(s, "Description:", 12) == 0) {
			same("description", h->address, strcmp(trace_text(a, h->description), v), 0);
		} else if (h && a->nranks == 1 && strncmp(s, "Coordinates:", 12) == 0) {
			char *at = (char *)v;

			for (int i = 0; i < h->ncoordinates; i++)
				same("coordinate", h->address, h->coordinates[i], strtol(at, &at, 10));
		}
	}
	printf("# %zu data handles\n", n);
	idmap_fini(&handles);
	free(text);
}

int main(int argc, char **argv)
{
	struct ht_err err;
	struct trace *a, *b;
	char *rec, *data;

	if (argc < 3)
		return 2;
	rec = ht_asprintf("%s/tasks.rec", argv[1]);
	data = ht_asprintf("%s/data.rec", argv[1]);
	a = trace_load_fxt((const char *const *)argv + 2, argc - 2, &err);
	b = a ? trace_load_rec(&(struct trace_rec_files){.tasks = rec}, &err) : NULL;
	if (!a || !b) {
		printf("# %s\n", err.text);
		return 2;
	}
	compare_tasks(a, b);
	compare_data(a, data);
	printf("# %zu values compared, %d differ\n", compared, differences);
	trace_free(a);
	trace_free(b);
	free(rec);
	free(data);
	return differences != 0 || compared < 100;
}
