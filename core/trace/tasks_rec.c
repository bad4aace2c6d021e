/* core/trace/tasks_rec.c - tasks.rec of starpu_fxt_tool, of any StarPU since 2016, into a trace. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of `Field: value` lines, separated by blank lines; a record with EndDependencies lacks its blank line in 1.4,
 * so a second JobId begins a record too. Times are ms with six decimals, that is whole ns, from the first event. Fields
 * come and went with versions: all but JobId may be absent. What a record says is in tasks_rec_record.c.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/trace/data_rec.h"
#include "core/trace/paje.h"
#include "core/trace/tasks_rec_record.h"
#include "core/trace/trace_build.h"

enum { FIRST_READ = 1 << 18 };

/*
 * The field that the line begins with, and its colon; F_COUNT: one that this program has no use for. Records have
 * fields in the order of the enum.
 */
static int field_of(const struct rec_reader *r, char *line, const char *end, char **colon)
{
	for (int i = 1; i <= F_COUNT; i++) {
		int f = (r->field + i) % F_COUNT;
		const struct rec_field_name *name = &rec_field_names[f];

		if (name->len >= (size_t)(end - line) || line[name->len] != ':' ||
		    memcmp(line, name->text, name->len) != 0)
			continue;
		*colon = line + name->len;
		return f;
	}
	*colon = strchr(line, ':');
	return F_COUNT;
}

/* `end`: that of the line. */
static int read_line(struct rec_reader *r, char *line, char *end, struct ht_err *err)
{
	struct record *rec = &r->rec;
	char *colon, *value;
	int f = field_of(r, line, end, &colon);

	if (!colon) {
		for (char *s = line; *s; s++)
			if (!isprint((unsigned char)*s))
				*s = '?';
		return ht_err_set(err, "%s:%d: expected \"Field: value\", found \"%.60s\"", r->path, r->line, line);
	}
	if (f == F_COUNT)
		return 0;
	for (value = colon + 1; *value == ' '; value++)
		;
	while (end > value && end[-1] == ' ')
		*--end = '\0';
	r->field = f;
	if ((f == F_JOB && rec->has_job) || (f == F_NAME && rec->fields[F_ENDDEPS])) {
		if (rec_record_finish(r, err) != 0)
			return -1;
	}
	if (!rec->line) {
		rec->line = r->line;
		rec->first = value;
	}
	rec->fields[f] = value;
	rec->has_job |= f == F_JOB;
	return 0;
}

/* Reads on, after the record and the line that have begun: they move to the front. Returns how much was read, or -1. */
static ssize_t read_on(struct rec_reader *r, struct ht_err *err)
{
	struct record *rec = &r->rec;
	size_t gone = rec->line ? (size_t)(rec->first - r->text) : r->at, fields[F_COUNT];
	ssize_t n;

	for (int f = 0; f < F_COUNT; f++)
		fields[f] = rec->fields[f] ? (size_t)(rec->fields[f] - r->text) - gone : 0;
	r->at -= gone;
	r->end -= gone;
	memmove(r->text, r->text + gone, r->end);
	if (r->end >= r->size / 2) {
		r->size *= 2;
		r->text = ht_realloc(r->text, r->size + 1, 1);
	}
	for (int f = 0; f < F_COUNT; f++)
		rec->fields[f] = rec->fields[f] ? r->text + fields[f] : NULL;
	rec->first = r->text;
	do
		n = read(r->fd, r->text + r->end, r->size - r->end);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return ht_err_set(err, "%s: cannot be read: %s", r->path, strerror(errno));
	r->end += (size_t)n;
	r->text[r->end] = '\0';
	return n;
}

/* The next line, whose end becomes a NUL: 1, *line and *line_end; 0: there is none; -1 on an error. */
static int next_line(struct rec_reader *r, char **line, char **line_end, struct ht_err *err)
{
	size_t seen = 0;
	char *end;

	while (!(end = memchr(r->text + r->at + seen, '\n', r->end - r->at - seen))) {
		ssize_t n;

		seen = r->end - r->at;
		n = read_on(r, err);
		if (n < 0)
			return -1;
		if (n == 0 && seen == 0)
			return 0;
		if (n == 0)
			break;
	}
	*line = r->text + r->at;
	r->line++;
	r->at = end ? (size_t)(end + 1 - r->text) : r->end;
	*line_end = end ? end : r->text + r->end;
	if (*line_end > *line && (*line_end)[-1] == '\r')
		--*line_end;
	**line_end = '\0';
	if (*line + strlen(*line) != *line_end)
		return ht_err_set(err, "%s:%d: expected \"Field: value\", found a byte 0", r->path, r->line);
	return 1;
}

static int read_records(struct rec_reader *r, struct ht_err *err)
{
	size_t records = 0;
	char *s, *end;
	int rc;

	while ((rc = next_line(r, &s, &end, err)) > 0) {
		if (*s == '#' || *s == '%' || *s == '+')
			continue;
		if (*s) {
			if (read_line(r, s, end, err) != 0)
				return -1;
			continue;
		}
		records += (size_t)r->rec.has_job;
		if (rec_record_finish(r, err) != 0)
			return -1;
	}
	if (rc < 0)
		return -1;
	records += (size_t)r->rec.has_job;
	if (rec_record_finish(r, err) != 0)
		return -1;
	return records ? 0 : ht_err_set(err, "%s: has no task records, expected tasks.rec of starpu_fxt_tool", r->path);
}

/* Without a trace of the workers themselves, the memory node distinguishes CPUs from devices. */
static void guess_workers(struct trace *t)
{
	for (size_t i = 0; i < t->ntasks; i++) {
		const struct trace_task *task = &t->tasks[i];
		struct trace_worker *w;

		if (task->worker < 0 || task->node < 0)
			continue;
		w = &t->workers[task->worker];
		if (w->arch == ARCH_NONE) {
			w->arch = task->node == 0 ? ARCH_CPU : ARCH_CUDA;
			w->node = task->node;
		}
		if (task->node >= t->nnodes)
			t->nnodes = task->node + 1;
	}
}

struct trace *trace_load_rec(const struct trace_rec_files *files, struct ht_err *err)
{
	struct rec_reader r = {.path = files->tasks,
	                       .field = F_COUNT - 1,
	                       .size = FIRST_READ,
	                       .has_homes = files->data != NULL};
	struct stat st;
	struct trace *t = NULL;

	r.fd = file_open(files->tasks, &st, err);
	if (r.fd < 0)
		return NULL;
	file_skip_mark(r.fd);
	r.text = ht_alloc(r.size + 1, 1);
	trace_build_init(&r.b, TRACE_TASKS_REC);
	if (read_on(&r, err) < 0)
		goto out;
	if (r.end == 0) {
		ht_err_set(err, "%s: is empty, expected tasks.rec of starpu_fxt_tool", files->tasks);
	} else if ((!files->data || data_rec_add(&r.b, files->data, err) == 0) && read_records(&r, err) == 0 &&
	           (!files->paje || paje_add(&r.b, files->paje, err) == 0)) {
		guess_workers(r.b.t);
		t = trace_build_finish(&r.b, files->tasks, err);
		r.b.t = NULL;
	}
out:
	if (r.b.t)
		trace_build_abort(&r.b);
	close(r.fd);
	free(r.text);
	return t;
}
