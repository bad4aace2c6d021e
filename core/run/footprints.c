/* core/run/footprints.c - tasks that differ from others of their codelet with such data. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/footprints.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/intern.h"
#include "core/base/number.h"
#include "core/trace/trace.h"

struct line {
	uint64_t job;
	uint32_t of_data, footprint;
	arch_mask where; /* 0: that of the codelet */
};

/* "JOB<TAB>OF DATA<TAB>FOOTPRINT", and "<TAB>ARCH+ARCH". -1: it is something else. */
static int parse(char *text, struct line *line)
{
	char *tabs[3] = {NULL}, *at = text; /* the last one: there may be none */
	uint64_t of_data, footprint;
	int64_t job;
	int bad;

	for (int i = 0; i < 3 && (tabs[i] = strchr(at, '\t')); i++)
		at = tabs[i] + 1;
	if (!tabs[1])
		return -1;
	for (int i = 0; i < 3 && tabs[i]; i++)
		*tabs[i] = '\0';
	line->where = 0;
	bad = number_parse_int(text, 0, (INT64_C(1) << TRACE_JOB_BITS) - 1, &job) != 0 ||
	      number_parse_hex(tabs[0] + 1, UINT32_MAX, &of_data) != 0 ||
	      number_parse_hex(tabs[1] + 1, UINT32_MAX, &footprint) != 0 ||
	      (tabs[2] && arch_parse_set(tabs[2] + 1, (int)strlen(tabs[2] + 1), &line->where) != 0);
	for (int i = 0; bad && i < 3 && tabs[i]; i++)
		*tabs[i] = '\t'; /* as it was, to be shown */
	line->job = (uint64_t)job;
	line->of_data = (uint32_t)of_data;
	line->footprint = (uint32_t)footprint;
	return bad ? -1 : 0;
}

enum state { UNNAMED, NAMED, CONTESTED };

struct loading {
	struct trace *t;
	struct idmap of_job, known;
	uint32_t *of_data; /* per task, what the trace has */
	uint8_t *state;
	arch_mask *where; /* per task; 0: nothing is said */
	size_t cap, capnarrowed;
};

static void take(struct loading *l, const struct line *line)
{
	uint32_t i = idmap_get(&l->of_job, line->job);
	struct trace_task *task = i == IDMAP_NONE ? NULL : &l->t->tasks[i];

	if (!task || l->of_data[i] != line->of_data || l->state[i] == CONTESTED)
		return;
	if (l->state[i] == NAMED && (task->footprint != line->footprint || l->where[i] != line->where)) {
		l->state[i] = CONTESTED;
		task->footprint = line->of_data;
		l->where[i] = 0;
		return;
	}
	l->state[i] = NAMED;
	l->where[i] = line->where;
	task->footprint = line->footprint;
	if (line->footprint == line->of_data)
		return;
	if (idmap_get(&l->known, line->footprint) != IDMAP_NONE)
		return;
	idmap_put(&l->known, line->footprint, 0);
	*VEC_PUSH(l->t->footprints, l->t->nfootprints, l->cap) = (struct trace_footprint){line->footprint,
	                                                                                  line->of_data};
}

static int read_lines(struct trace *t, FILE *f, const char *path, struct ht_err *err)
{
	struct loading l = {.t = t,
	                    .of_data = ht_alloc(t->ntasks, sizeof(*l.of_data)),
	                    .state = ht_alloc(t->ntasks, sizeof(*l.state)),
	                    .where = ht_alloc(t->ntasks, sizeof(*l.where))};
	size_t size = 0;
	char *text = NULL;
	int number = 0, rc = 0;

	for (uint32_t i = 0; i < t->ntasks; i++) {
		idmap_put(&l.of_job, t->tasks[i].job, i);
		l.of_data[i] = t->tasks[i].footprint;
	}
	while (rc == 0 && getline(&text, &size, f) >= 0) {
		struct line line;

		number++;
		text[strcspn(text, "\r\n")] = '\0';
		if (parse(text, &line) == 0)
			take(&l, &line);
		else
			rc = ht_err_set(err,
			                "%s:%d: expected a job, the footprint of its data, its own, and possibly "
			                "architectures, found \"%.40s\"",
			                path, number, text);
	}
	for (uint32_t i = 0; i < t->ntasks; i++)
		if (l.where[i])
			*VEC_PUSH(t->narrowed, t->nnarrowed, l.capnarrowed) = (struct trace_narrowed){i, l.where[i]};
	if (rc == 0 && ferror(f))
		rc = ht_err_set(err, "%s: cannot be read: %s", path, strerror(errno));
	if (t->nfootprints)
		qsort(t->footprints, t->nfootprints, sizeof(*t->footprints), trace_footprint_order);
	free(text);
	free(l.of_data);
	free(l.state);
	free(l.where);
	idmap_fini(&l.of_job);
	idmap_fini(&l.known);
	return rc;
}

int footprints_load(struct trace *t, const char *path, struct ht_err *err)
{
	FILE *f = file_open_stream(path, err);
	int rc;

	if (!f)
		return -1;
	rc = t->nranks > 1 ? 0 : read_lines(t, f, path, err);
	fclose(f);
	return rc;
}
