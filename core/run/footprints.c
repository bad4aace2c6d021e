/* core/run/footprints.c - tasks that their models distinguish by more than their data. */
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
};

/* "JOB<TAB>OF DATA<TAB>FOOTPRINT". -1: it is something else. */
static int parse(char *text, struct line *line)
{
	char *of_data = strchr(text, '\t'), *footprint = of_data ? strchr(of_data + 1, '\t') : NULL;
	uint64_t data, own;
	int64_t job;

	if (!footprint)
		return -1;
	*of_data++ = *footprint++ = '\0';
	if (number_parse_int(text, 0, (INT64_C(1) << TRACE_JOB_BITS) - 1, &job) != 0 ||
	    number_parse_hex(of_data, UINT32_MAX, &data) != 0 || number_parse_hex(footprint, UINT32_MAX, &own) != 0) {
		of_data[-1] = footprint[-1] = '\t'; /* as it was, to be shown */
		return -1;
	}
	*line = (struct line){(uint64_t)job, (uint32_t)data, (uint32_t)own};
	return 0;
}

enum state { UNNAMED, NAMED, CONTESTED };

struct loading {
	struct trace *t;
	struct idmap of_job, known;
	uint32_t *of_data; /* per task, what the trace has */
	uint8_t *state;
	size_t cap;
};

static void take(struct loading *l, const struct line *line)
{
	uint32_t i = idmap_get(&l->of_job, line->job);
	struct trace_task *task = i == IDMAP_NONE ? NULL : &l->t->tasks[i];

	if (!task || l->of_data[i] != line->of_data || l->state[i] == CONTESTED)
		return;
	if (l->state[i] == NAMED && task->footprint != line->footprint) {
		l->state[i] = CONTESTED;
		task->footprint = line->of_data;
		return;
	}
	l->state[i] = NAMED;
	task->footprint = line->footprint;
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
	                    .state = ht_alloc(t->ntasks, sizeof(*l.state))};
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
			                "%s:%d: expected a job, the footprint of its data and its own, found \"%.40s\"",
			                path, number, text);
	}
	if (rc == 0 && ferror(f))
		rc = ht_err_set(err, "%s: cannot be read: %s", path, strerror(errno));
	if (t->nfootprints)
		qsort(t->footprints, t->nfootprints, sizeof(*t->footprints), trace_footprint_order);
	free(text);
	free(l.of_data);
	free(l.state);
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
