/* core/trace/paje.c - what tasks.rec lacks, from the paje.trace beside it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read are containers (worker aliases `<rank>_w<id>`, named CPU3 or CUDA0_1, inside a thread inside a memory node), the
 * variable nready, states of workers, and links that are copies (trace_paje_states.h). The numbers of these events are
 * looked up in the header, since they differ between versions.
 */
#include "core/trace/paje.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/trace/paje_states.h"
#include "core/trace/trace_build.h"

#define MAX_FILE ((size_t)16 << 30)

enum { MAX_EVENTS = 256, MAX_FIELDS = 8, MAX_ID = 4096 };

enum paje_event { OTHER, CREATE, VARIABLE, SET_STATE, PUSH_STATE, POP_STATE, LINK, LINK_END, EVENTS };

struct paje {
	struct trace_builder *b;
	const char *path;
	int line;
	struct paje_states *states;
	uint8_t events[MAX_EVENTS]; /* enum paje_event by its number; one may have several, with more fields after */
	struct container {
		char *alias;
		int node, binding;
	} * threads;
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

/* The number that s begins with, -1 when there is none that could be of a device or a core. */
static int small_number(const char *s)
{
	long v = isdigit((unsigned char)*s) ? strtol(s, NULL, 10) : -1;

	return v >= 0 && v < MAX_ID ? (int)v : -1;
}

/* "%EventDef PajeCreateContainer 7" */
static void read_definition(struct paje *p, char *fields[], int n)
{
	static const char *const names[EVENTS] = {
		"",
		"PajeCreateContainer",
		"PajeSetVariable",
		"PajeSetState",
		"PajePushState",
		"PajePopState",
		"PajeStartLink",
		"PajeEndLink",
	};
	int number;

	if (n < 3 || strcmp(fields[0], "%EventDef") != 0)
		return;
	number = small_number(fields[2]);
	for (uint8_t i = 0; number >= 0 && number < MAX_EVENTS && i < EVENTS; i++)
		if (strcmp(fields[1], names[i]) == 0)
			p->events[number] = i;
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

/* "CUDA1_0": architecture and device; "1_CUDA1_0" where there are several ranks. */
static int read_worker_name(const char *name, enum arch *a, int *devid)
{
	size_t rank = strspn(name, "0123456789");
	int len = 0;

	if (rank && name[rank] == '_')
		name += rank + 1;
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
		t->node = t->node < TRACE_NODES ? t->node : -1;
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
		if (strcmp(p->threads[i].alias, f[4]) == 0) {
			w->node = p->threads[i].node;
			w->binding = p->threads[i].binding;
			if (w->node >= p->b->t->nnodes)
				p->b->t->nnodes = w->node + 1;
		}
	paje_states_bind(p->states, f[2], index);
	paje_states_bind(p->states, f[4], index);
	return 0;
}

/* 0: not a time. */
static int read_time(const char *text, int64_t *ns)
{
	char *end;
	double ms = strtod(text, &end);

	if (end == text || *end || !isfinite(ms) || fabs(ms) > TIME_LIMIT / 1e6)
		return 0;
	*ns = llround(ms * 1e6);
	return 1;
}

static void read_variable(struct paje *p, char *f[], int64_t ns)
{
	double value = strtod(f[4], NULL);

	if (strcmp(f[3], "nready") == 0 && value >= 0 && value < 1e9)
		*VEC_PUSH(p->b->t->ready, p->b->t->nready,
		          p->b->cap_ready) = (struct trace_sample){.ns = ns, .value = (int32_t)value};
}

/* Fields: time, type, container, bytes, memory manager, key. */
static void read_link(struct paje *p, enum paje_event e, char *f[], int64_t ns)
{
	int rank, node = numbered(f[5], "mm", &rank);
	double bytes = strtod(f[4], NULL);

	if (node < 0 || node >= TRACE_NODES || !(bytes >= 0 && bytes < 1e18))
		return;
	if (e == LINK)
		paje_states_copy(p->states, f[2], f[6], node, rank, (uint64_t)bytes, ns);
	else
		paje_states_copied(p->states, f[6], node, ns);
}

static int read_event(struct paje *p, char *f[], int n, struct ht_err *err)
{
	static const int fields[EVENTS] = {0, 0, 5, 5, 5, 4, 7, 7};
	int number = small_number(f[0]);
	enum paje_event e = number >= 0 && number < MAX_EVENTS ? (enum paje_event)p->events[number] : OTHER;
	int64_t ns;

	if (e == OTHER || n < fields[e])
		return 0;
	if (e == CREATE)
		return read_container(p, f, n, err);
	if (!read_time(f[1], &ns))
		return 0;
	switch (e) {
	case VARIABLE: read_variable(p, f, ns); break;
	case SET_STATE: paje_states_set(p->states, f[2], f[3], f[4], ns); break;
	case PUSH_STATE: paje_states_push(p->states, f[2], f[3], f[4], ns); break;
	case POP_STATE: paje_states_pop(p->states, f[2], f[3], ns); break;
	default: read_link(p, e, f, ns);
	}
	return 0;
}

int paje_add(struct trace_builder *b, const char *path, struct ht_err *err)
{
	struct paje p = {.b = b, .path = path};
	size_t len, workers = 0;
	char *text = file_read(path, MAX_FILE, NULL, err);
	int rc = -1;

	if (!text)
		return -1;
	len = strlen(text);
	p.states = paje_states_create(b);
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
		else if (read_event(&p, f, n, err) != 0)
			goto out;
	}
	for (size_t i = 0; i < b->t->nworkers; i++)
		workers += b->t->workers[i].arch != ARCH_NONE;
	if (!workers) {
		ht_err_set(err, "%s: names no worker, expected paje.trace of starpu_fxt_tool", path);
		goto out;
	}
	/* Tasks recorded without their memory node ran on that of their worker. */
	for (size_t i = 0; i < b->t->ntasks; i++)
		if (b->t->tasks[i].node < 0 && b->t->tasks[i].worker >= 0)
			b->t->tasks[i].node = b->t->workers[b->t->tasks[i].worker].node;
	rc = 0;
out:
	paje_states_free(p.states);
	free(p.threads);
	free(text);
	return rc;
}
