/* core/trace_paje.c - what tasks.rec lacks, from the paje.trace beside it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Only two kinds of lines are read: containers (worker aliases `<rank>_w<id>`, named CPU3 or CUDA0_1, inside a thread
 * inside a memory node) and the variable nready. Their numbers are looked up in the header, since they differ between
 * versions.
 */
#include "core/trace_paje.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/err.h"
#include "core/outfile.h"
#include "core/trace_build.h"

#define MAX_FILE ((size_t)16 << 30)

enum { MAX_FIELDS = 8, MAX_ID = 4096, MAX_NODE = 64 };

struct paje {
	struct trace_builder *b;
	const char *path;
	int line;
	char *create, *set; /* event numbers of PajeCreateContainer and PajeSetVariable */
	struct container {
		char *alias;
		int node, binding;
	} *threads;
	size_t nthreads, cap;
};

/* Cuts a line at blanks; a quoted field may hold some. */
static int split(char *s, char *fields[MAX_FIELDS])
{
	int n = 0;

	while (n < MAX_FIELDS && *(s += strspn(s, " \t\r"))) {
		size_t len;

		if (*s == '"') {
			s++;
			len = strcspn(s, "\"");
		} else {
			len = strcspn(s, " \t\r");
		}
		fields[n++] = s;
		s += len;
		if (*s)
			*s++ = '\0';
	}
	return n;
}

/* "%EventDef PajeCreateContainer 7" */
static void read_definition(struct paje *p, char *fields[], int n)
{
	if (n < 3 || strcmp(fields[0], "%EventDef") != 0)
		return;
	if (strcmp(fields[1], "PajeCreateContainer") == 0)
		p->create = fields[2];
	else if (strcmp(fields[1], "PajeSetVariable") == 0)
		p->set = fields[2];
}

/* "[rank_]PREFIXnumber" -> number, -1 when it is not one. */
static int numbered(const char *alias, const char *prefix, int *rank)
{
	char *end;
	long v;

	*rank = 0;
	if (isdigit((unsigned char)*alias)) {
		v = strtol(alias, &end, 10);
		if (*end != '_' || v < 0 || v >= 1 << 15)
			return -1;
		*rank = (int)v;
		alias = end + 1;
	}
	if (strncmp(alias, prefix, strlen(prefix)) != 0 || !isdigit((unsigned char)alias[strlen(prefix)]))
		return -1;
	v = strtol(alias + strlen(prefix), &end, 10);
	return *end || v < 0 || v >= MAX_ID ? -1 : (int)v;
}

/* The number that s begins with, -1 when there is none that could be of a device or a core. */
static int small_number(const char *s)
{
	long v = isdigit((unsigned char)*s) ? strtol(s, NULL, 10) : -1;

	return v >= 0 && v < MAX_ID ? (int)v : -1;
}

/* "CUDA1_0": architecture and device. */
static int read_worker_name(const char *name, enum arch *a, int *devid)
{
	int len = 0;

	while (name[len] && !isdigit((unsigned char)name[len]) && name[len] != ' ')
		len++;
	*a = arch_parse(name, len);
	if (*a == ARCH_NONE)
		return -1;
	name += len + (name[len] == ' ');
	*devid = small_number(name);
	return 0;
}

static int read_container(struct paje *p, char *f[], int n, struct ht_err *err)
{
	struct trace_worker *w;
	uint32_t index;
	enum arch a;
	int rank, id, devid;

	if (n < 6)
		return 0;
	if (strcmp(f[3], "T") == 0) {
		struct container *t = VEC_PUSH(p->threads, p->nthreads, p->cap);

		t->alias = f[2];
		t->node = numbered(f[4], "mn", &rank);
		t->binding = small_number(f[5] + (f[5][0] == 'T'));
		return 0;
	}
	if (strcmp(f[3], "W") != 0)
		return 0;
	id = numbered(f[2], "w", &rank);
	if (id < 0 || read_worker_name(f[5], &a, &devid) != 0)
		return ht_err_set(err,
		                  "%s:%d: expected a worker such as \"w3 W thread CPU0\", found \"%.40s ... %.40s\"",
		                  p->path, p->line, f[2], f[5]);
	index = trace_build_worker(p->b, rank, (uint32_t)id);
	w = &p->b->t->workers[index];
	w->arch = a;
	w->devid = devid;
	for (size_t i = 0; i < p->nthreads; i++)
		if (strcmp(p->threads[i].alias, f[4]) == 0 && p->threads[i].node < MAX_NODE) {
			w->node = p->threads[i].node;
			w->binding = p->threads[i].binding;
			if (w->node >= p->b->t->nnodes)
				p->b->t->nnodes = w->node + 1;
		}
	return 0;
}

static void read_variable(struct paje *p, char *f[], int n)
{
	struct trace_sample *s;
	double ms, value;

	if (n < 5 || strcmp(f[3], "nready") != 0)
		return;
	ms = strtod(f[1], NULL);
	value = strtod(f[4], NULL);
	if (!isfinite(ms) || fabs(ms) > TIME_LIMIT / 1e6 || !(value >= 0 && value < 1e9))
		return;
	s = VEC_PUSH(p->b->t->ready, p->b->t->nready, p->b->cap_ready);
	s->ns = llround(ms * 1e6);
	s->value = (int32_t)value;
}

/* Tasks recorded without their memory node ran on that of their worker. */
static void place_tasks(struct trace *t)
{
	for (size_t i = 0; i < t->ntasks; i++)
		if (t->tasks[i].node < 0 && t->tasks[i].worker >= 0)
			t->tasks[i].node = t->workers[t->tasks[i].worker].node;
}

int paje_add(struct trace_builder *b, const char *path, struct ht_err *err)
{
	struct paje p = {.b = b, .path = path, .create = "", .set = ""};
	size_t len, workers = 0;
	char *text = file_read(path, MAX_FILE, &len, err);
	int rc = -1;

	if (!text)
		return -1;
	for (char *s = text, *next; s < text + len; s = next) {
		char *end = memchr(s, '\n', (size_t)(text + len - s)), *f[MAX_FIELDS];
		int n;

		p.line++;
		next = end ? end + 1 : text + len;
		if (end)
			*end = '\0';
		n = split(s, f);
		if (n == 0)
			continue;
		if (*f[0] == '%')
			read_definition(&p, f, n);
		else if (strcmp(f[0], p.create) == 0 && read_container(&p, f, n, err) != 0)
			goto out;
		else if (strcmp(f[0], p.set) == 0)
			read_variable(&p, f, n);
	}
	for (size_t i = 0; i < b->t->nworkers; i++)
		workers += b->t->workers[i].arch != ARCH_NONE;
	if (!workers) {
		ht_err_set(err, "%s: names no worker, expected paje.trace of starpu_fxt_tool", path);
		goto out;
	}
	place_tasks(b->t);
	rc = 0;
out:
	free(p.threads);
	free(text);
	return rc;
}
