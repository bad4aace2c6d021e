/* core/trace/tasks_rec_record.c - a record of a tasks.rec, once its lines are read, into the trace. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/tasks_rec_record.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/number.h"
#include "core/trace/tasks_rec_write.h"
#include "core/trace/trace_build.h"

enum { MAX_WORKER = 4096, MAX_MS = TIME_LIMIT / 1000000 };

#define FIELD(name) \
	{ \
		name, sizeof(name) - 1 \
	}

const struct rec_field_name rec_field_names[F_COUNT] = {
	FIELD("Name"),        FIELD("Model"),      FIELD("JobId"),
	FIELD("SubmitOrder"), FIELD("Priority"),   FIELD("DependsOn"),
	FIELD("DepLabels"),   FIELD("Tag"),        FIELD("WorkerId"),
	FIELD("MemoryNode"),  FIELD("SubmitTime"), FIELD("StartTime"),
	FIELD("EndTime"),     FIELD("Footprint"),  FIELD("GFlop"),
	FIELD("Iteration"),   FIELD("Handles"),    FIELD("Modes"),
	FIELD("Sizes"),       FIELD("MPIRank"),    FIELD("EndDependencies"),
	FIELD("Control"),
};

static unsigned digit_of(char c)
{
	unsigned digit = (unsigned char)c - (unsigned)'0', letter = ((unsigned char)c | 0x20u) - (unsigned)'a';

	return digit <= 9 ? digit : letter < 6 ? letter + 10 : UINT_MAX;
}

/* Of the few characters between two numbers: strspn() and strcspn() take longer to begin. */
static char *skip_blanks(char *s)
{
	while (*s == ' ')
		s++;
	return s;
}

static size_t word_length(const char *s)
{
	size_t len = 0;

	while (s[len] && s[len] != ' ')
		len++;
	return len;
}

/* strtoull() of a number in the usual form, without a sign and with few digits; most of a file is such numbers. */
static uint64_t read_number(const char *text, char **end, unsigned base)
{
	enum { FEW = 15 };
	const char *s = text;
	uint64_t v = 0;

	for (; s - text < FEW && digit_of(*s) < base; s++)
		v = v * base + digit_of(*s);
	if (s == text || isalnum((unsigned char)*s))
		return strtoull(text, end, (int)base);
	*end = (char *)s;
	return v;
}

/* "12" or, with several ranks, "1_12". */
static int parse_job(char **s, int *rank, uint64_t *job)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = read_number(*s, &end, 10);
	if (end == *s || **s == '-' || errno)
		return -1;
	if (*end == '_') {
		if (v >= TRACE_RANKS)
			return -1;
		*rank = (int)v;
		*s = end + 1;
		v = read_number(*s, &end, 10);
		if (end == *s || errno)
			return -1;
	}
	*job = v;
	*s = end;
	return v >> 47 ? -1 : 0;
}

static int bad(const struct rec_reader *r, const struct record *rec, enum field f, const char *expected,
               struct ht_err *err)
{
	return ht_err_set(err, "%s:%d: %s: expected %s, found \"%.60s\"", r->path, rec->line, rec_field_names[f].text,
	                  expected, rec->fields[f]);
}

/* Of a number that has to be below `limit`. */
static int bad_index(const struct rec_reader *r, const struct record *rec, enum field f, const char *what, int limit,
                     struct ht_err *err)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "a %s below %d", what, limit);
	return bad(r, rec, f, expected, err);
}

/* "4524.574686" as whole ns, without a detour over binary fractions. */
static int parse_ms(const char *s, int64_t *ns)
{
	uint64_t whole = 0, frac = 0, scale = 1000000;
	int neg = *s == '-';

	s += neg;
	if (!isdigit((unsigned char)*s))
		return -1;
	for (; isdigit((unsigned char)*s); s++) {
		whole = whole * 10 + (uint64_t)(*s - '0');
		if (whole > MAX_MS)
			return -1;
	}
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++)
			if (scale > 1) {
				scale /= 10;
				frac += (uint64_t)(*s - '0') * scale;
			}
	*ns = (int64_t)(whole * 1000000 + frac);
	if (neg)
		*ns = -*ns;
	return *s ? -1 : 0;
}

static int read_times(struct rec_reader *r, const struct record *rec, struct trace_task *t, struct ht_err *err)
{
	const struct {
		enum field f;
		int64_t *at;
	} times[] = {
		{F_SUBMIT, &t->submit_ns},
		{F_START, &t->start_ns},
		{F_END, &t->end_ns},
	};

	for (int i = 0; i < 3; i++)
		if (rec->fields[times[i].f] && parse_ms(rec->fields[times[i].f], times[i].at) != 0)
			return bad(r, rec, times[i].f, "a time in ms, of at most 13 days", err);
	if (t->end_ns != TIME_NONE && t->start_ns == TIME_NONE && rec->fields[F_WORKER])
		t->start_ns = 0; /* StarPU leaves out a time that is 0 */
	if (t->start_ns != TIME_NONE && t->end_ns != TIME_NONE && t->end_ns < t->start_ns)
		return bad(r, rec, F_END, "a time that is not before StartTime", err);
	return 0;
}

/* "3", or "3 4": an iteration of a loop and of the loop in it. */
static int parse_iteration(char *text, int32_t iteration[2])
{
	char *blank = strchr(text, ' ');
	int64_t v[2] = {-1, -1};
	int rc;

	if (blank)
		*blank = '\0';
	rc = number_parse_int(text, INT32_MIN, INT32_MAX, &v[0]);
	if (blank) {
		*blank = ' ';
		rc |= number_parse_int(blank + 1, INT32_MIN, INT32_MAX, &v[1]);
	}
	iteration[0] = (int32_t)v[0];
	iteration[1] = (int32_t)v[1];
	return rc;
}

static int read_numbers(struct rec_reader *r, const struct record *rec, struct trace_task *t, struct ht_err *err)
{
	char *const *f = rec->fields;
	uint64_t hex;
	int64_t v;

	if (f[F_ORDER]) {
		if (number_parse_int(f[F_ORDER], 0, UINT32_MAX - 1, &v) != 0)
			return bad(r, rec, F_ORDER, "a count", err);
		t->submit_order = (uint32_t)v;
	}
	if (f[F_PRIORITY]) {
		if (number_parse_int(f[F_PRIORITY], INT32_MIN, INT32_MAX, &v) != 0)
			return bad(r, rec, F_PRIORITY, "a whole number", err);
		t->priority = (int32_t)v;
	}
	if (f[F_NODE]) {
		if (number_parse_int(f[F_NODE], 0, TRACE_NODES - 1, &v) != 0)
			return bad_index(r, rec, F_NODE, "memory node", TRACE_NODES, err);
		t->node = (int16_t)v;
	}
	if (f[F_FOOTPRINT]) {
		if (number_parse_hex(f[F_FOOTPRINT], UINT32_MAX, &hex) != 0)
			return bad(r, rec, F_FOOTPRINT, "a 32-bit hexadecimal number", err);
		t->footprint = (uint32_t)hex;
	}
	return 0;
}

static int read_extra(struct rec_reader *r, const struct record *rec, uint32_t task, struct ht_err *err)
{
	char *const *f = rec->fields;
	struct trace_extra *x;

	if (!f[F_TAG] && !f[F_GFLOP] && !f[F_ITERATION])
		return 0;
	x = trace_build_extra(&r->b, task);
	if (f[F_TAG]) {
		if (number_parse_hex(f[F_TAG], UINT64_MAX, &x->tag) != 0)
			return bad(r, rec, F_TAG, "a 64-bit hexadecimal number", err);
		x->has_tag = 1;
	}
	if (f[F_GFLOP] && (number_parse(f[F_GFLOP], &x->gflop) != 0 || x->gflop < 0))
		return bad(r, rec, F_GFLOP, "a number of operations", err);
	if (f[F_ITERATION] && parse_iteration(f[F_ITERATION], x->iteration) != 0)
		return bad(r, rec, F_ITERATION, "one or two whole numbers", err);
	return 0;
}

static uint32_t parse_mode(const char *s, size_t len)
{
	uint32_t mode = 0;

	for (size_t i = 0; i < len; i++)
		switch (s[i]) {
		case 'R': mode |= ACCESS_R; break;
		case 'W': mode |= ACCESS_W; break;
		case 'S': mode |= ACCESS_SCRATCH; break;
		case 'C': mode |= ACCESS_COMMUTE; break;
		case 'X':
			if (len - i >= 5 && memcmp(s + i, "X-mpi", 5) == 0) {
				mode |= ACCESS_MPI_REDUX;
				i += 4;
			} else {
				mode |= ACCESS_REDUX;
			}
		}
	return mode;
}

/* Handles, Modes and Sizes are three lists of one length. */
static int read_data(struct rec_reader *r, const struct record *rec, uint32_t task, int rank, struct ht_err *err)
{
	char *h = rec->fields[F_HANDLES], *m = rec->fields[F_MODES], *s = rec->fields[F_SIZES];

	while (h && *(h = skip_blanks(h))) {
		char *end;
		uint64_t address = read_number(h, &end, 16), size = 0;
		uint32_t handle;
		size_t len = 0;

		if (end == h)
			return bad(r, rec, F_HANDLES, "hexadecimal addresses", err);
		h = end;
		if (m) {
			m = skip_blanks(m);
			len = word_length(m);
		}
		if (s && *(s = skip_blanks(s))) {
			size = read_number(s, &end, 10);
			if (end == s || (*end && *end != ' ') || size > TRACE_MAX_BYTES)
				return bad(r, rec, F_SIZES, "sizes in bytes, 16 TiB at most", err);
			s = end;
		}
		handle = trace_build_handle(&r->b, rank, address);
		trace_build_access(&r->b, task, handle, m ? parse_mode(m, len) : 0, size);
		r->b.t->handles[handle].size_bytes = size;
		if (m)
			m += len;
	}
	return 0;
}

static int read_deps(struct rec_reader *r, const struct record *rec, enum field f, uint32_t task, int rank,
                     struct ht_err *err)
{
	char *s = rec->fields[f], *labels = f == F_DEPENDS ? rec->fields[F_LABELS] : NULL;

	while (s && *(s += strspn(s, " ,"))) {
		enum trace_dep_kind kind = f == F_ENDDEPS ? DEP_END : DEP_TASK;
		uint64_t job;
		int from = rank;

		if (parse_job(&s, &from, &job) != 0)
			return bad(r, rec, f, "job numbers", err);
		if (labels) {
			labels = skip_blanks(labels);
			if (strncmp(labels, "ghost", 5) == 0)
				kind = DEP_GHOST;
			labels += word_length(labels);
		}
		trace_build_dep(&r->b, trace_build_task(&r->b, from, job), task, kind);
	}
	return 0;
}

/* The id of a text that is often that of the task before. */
static uint32_t intern_again(struct rec_reader *r, const char *text, uint32_t *before)
{
	if (strcmp(trace_text(r->b.t, *before), text) != 0)
		*before = intern_str(r->b.t->strings, text);
	return *before;
}

/* The application waits for all that it has submitted (starpu_task_wait_for_all()). */
static int read_barrier(struct rec_reader *r, const struct record *rec, struct ht_err *err)
{
	char *job = rec->fields[F_JOB];
	struct trace_wait x = {.start_ns = TIME_NONE, .end_ns = TIME_NONE, .task = TRACE_NONE};
	int rank = 0;
	uint64_t number;

	if (parse_job(&job, &rank, &number) != 0 || *job)
		return bad(r, rec, F_JOB, "a job number", err);
	if (!rec->fields[F_SUBMIT])
		return 0;
	if (parse_ms(rec->fields[F_SUBMIT], &x.start_ns) != 0)
		return bad(r, rec, F_SUBMIT, "a time in ms, of at most 13 days", err);
	if (rec->fields[F_END] && (parse_ms(rec->fields[F_END], &x.end_ns) != 0 || x.end_ns < x.start_ns))
		return bad(r, rec, F_END, "a time in ms that is not before SubmitTime", err);
	x.rank = rank;
	*VEC_PUSH(r->b.t->waits, r->b.t->nwaits, r->b.cap_waits) = x;
	return 0;
}

/* A record of no task: the application waits, or will not use data soon (starpu_data_wont_use()). */
static int read_control(struct rec_reader *r, const struct record *rec, struct ht_err *err)
{
	char *const *f = rec->fields;
	char *job = f[F_JOB], *handle = f[F_HANDLES], *end;
	struct trace_wont_use x = {0};
	int64_t order = 0;
	uint64_t number;
	int rank = 0;

	if (strcmp(f[F_CONTROL], TASKS_REC_BARRIER) == 0)
		return read_barrier(r, rec, err);
	if (strcmp(f[F_CONTROL], "WontUse") != 0 || !handle)
		return 0;
	if (parse_job(&job, &rank, &number) != 0 || *job)
		return bad(r, rec, F_JOB, "a job number", err);
	if (f[F_SUBMIT] && parse_ms(f[F_SUBMIT], &x.ns) != 0)
		return bad(r, rec, F_SUBMIT, "a time in ms, of at most 13 days", err);
	if (f[F_ORDER] && number_parse_int(f[F_ORDER], 0, UINT32_MAX - 1, &order) != 0)
		return bad(r, rec, F_ORDER, "a count", err);
	number = read_number(handle, &end, 16);
	if (end == handle || *end)
		return bad(r, rec, F_HANDLES, "a hexadecimal address", err);
	x.order = (uint32_t)order;
	x.handle = trace_build_handle(&r->b, rank, number);
	if (!r->has_homes) /* most data's, and without one nothing happens */
		r->b.t->handles[x.handle].home_node = 0;
	*VEC_PUSH(r->b.t->wont_use, r->b.t->nwont_use, r->b.cap_wont_use) = x;
	return 0;
}

/*
 * starpu_fxt_tool writes one record a task (task_dump() of starpu_fxt.c, 1.3 and 1.4). A second one may add accesses
 * and dependencies; what says again what the task is, or when it was executed, is of another task.
 */
static int is_other_task(const struct record *rec, const struct trace_task *t)
{
	char *const *f = rec->fields;

	return (f[F_NAME] && t->name) || (f[F_ORDER] && t->submit_order) || (f[F_WORKER] && t->worker >= 0) ||
	       (f[F_START] && t->start_ns != TIME_NONE) || (f[F_END] && t->end_ns != TIME_NONE);
}

int rec_record_finish(struct rec_reader *r, struct ht_err *err)
{
	struct record *rec = &r->rec;
	char *const *f = rec->fields;
	struct trace_task *t;
	uint32_t id;
	uint64_t job;
	int rank = 0, rc = -1;
	char *s = f[F_JOB];

	if (!rec->has_job || f[F_CONTROL]) {
		rc = rec->has_job ? read_control(r, rec, err) : 0;
		goto out;
	}
	if (parse_job(&s, &rank, &job) != 0 || *s) {
		bad(r, rec, F_JOB, "a job number", err);
		goto out;
	}
	id = trace_build_task(&r->b, rank, job);
	t = &r->b.t->tasks[id];
	if (is_other_task(rec, t)) {
		bad(r, rec, F_JOB, "one record a task", err);
		goto out;
	}
	if (rank >= r->b.t->nranks)
		r->b.t->nranks = rank + 1;
	if (f[F_NAME])
		t->name = intern_again(r, f[F_NAME], &r->name);
	if (f[F_MODEL])
		t->model = intern_again(r, f[F_MODEL], &r->model);
	if (read_times(r, rec, t, err) != 0 || read_numbers(r, rec, t, err) != 0 || read_extra(r, rec, id, err) != 0)
		goto out;
	if (f[F_WORKER]) {
		int64_t w;

		if (number_parse_int(f[F_WORKER], 0, MAX_WORKER - 1, &w) != 0) {
			bad_index(r, rec, F_WORKER, "worker number", MAX_WORKER, err);
			goto out;
		}
		t->worker = (int32_t)trace_build_worker(&r->b, rank, (uint32_t)w);
	} else if (!f[F_ORDER] && !f[F_NAME]) {
		t->kind = TASK_INTERNAL;
	} else if (f[F_NAME] && strcmp(f[F_NAME], TRACE_ACQUIRE) == 0) {
		t->kind = TASK_ACQUIRE;
	}
	rc = read_deps(r, rec, F_DEPENDS, id, rank, err) || read_deps(r, rec, F_ENDDEPS, id, rank, err) ||
	                     read_data(r, rec, id, rank, err) ?
	             -1 :
	             0;
out:
	*rec = (struct record){0};
	return rc;
}
