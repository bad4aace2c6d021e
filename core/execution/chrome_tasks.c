/* core/execution/chrome_tasks.c - tasks as slices of workers, with what a viewer can ask of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/dag/dag.h"
#include "core/execution/chrome.h"
#include "core/execution/execution.h"
#include "core/execution/execution_waits.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

/* The begin of a type's events, and the type as an argument. */
static char **type_heads(const struct execution *e)
{
	char **heads = ht_alloc(e->ntypes, sizeof(*heads));

	for (uint32_t i = 0; i < e->ntypes; i++) {
		size_t size;
		FILE *f = open_memstream(&heads[i], &size);

		if (!f)
			continue;
		fputs(",\n{\"ph\":\"X\",\"name\":", f);
		json_quoted(f, e->types[i]);
		fprintf(f, ",\"cat\":\"task\",\"pid\":%d,\"tid\":", CHROME_WORKERS);
		fclose(f);
	}
	return heads;
}

/* "R 12 (7340032), RW 15 (7340032)": access, the number of the data in the trace, bytes. */
static void put_data(FILE *f, const struct dag *d, const struct dag_task *t)
{
	for (uint32_t k = 0; k < t->naccesses; k++) {
		const struct dag_access *a = &d->accesses[t->first_access + k];

		fprintf(f, "%s%s%s %" PRIu32 " (%" PRIu64 ")", k ? ", " : "", a->mode & ACCESS_R ? "R" : "",
		        a->mode & ACCESS_W ? "W" :
		        a->mode & ACCESS_R ? "" :
		                             "-",
		        a->handle, d->handle_bytes[a->handle]);
	}
}

static void put_wait(FILE *f, const struct execution *e, const struct execution_wait *w)
{
	char us[32];

	fprintf(f, ",\"waited for\":\"%s\"", execution_cause_names[w->cause]);
	if (w->cause == CAUSE_NOTHING)
		return;
	fprintf(f, ",\"until (us)\":%s", chrome_us_text(us, w->since_ns));
	if (w->cause != CAUSE_SUBMISSION)
		fprintf(f, ",\"which ran\":%" PRIu64, e->tasks[w->after].job);
}

static void put_arguments(struct chrome *c, const struct execution_task *t, const struct execution_wait *w)
{
	const struct dag *d = c->e->dag;
	const struct dag_task *task = &d->tasks[t->item];
	char us[32];

	fprintf(c->f, ",\"args\":{\"job\":%" PRIu64 ",\"type\":", t->job);
	json_quoted(c->f, c->e->types[t->type]);
	fprintf(c->f, ",\"footprint\":\"%08" PRIx32 "\",\"priority\":%" PRId32 ",\"data\":\"",
	        d->classes[task->class_id].footprint, task->priority);
	put_data(c->f, d, task);
	putc('"', c->f);
	if (t->submit_ns != TIME_NONE)
		fprintf(c->f, ",\"submitted (us)\":%s", chrome_us_text(us, t->submit_ns));
	fprintf(c->f, ",\"ready (us)\":%s", chrome_us_text(us, t->ready_ns));
	fprintf(c->f, ",\"started (us)\":%s", chrome_us_text(us, t->start_ns));
	put_wait(c->f, c->e, w);
	fputs("}}", c->f);
}

void chrome_tasks(struct chrome *c)
{
	const struct execution *e = c->e;
	char **heads = type_heads(e), start[32], length[32];

	for (size_t i = 0; i < e->ntasks; i++) {
		const struct execution_task *t = &e->tasks[i];

		fprintf(c->f, "%s%zu,\"ts\":%s,\"dur\":%s", heads[t->type], chrome_task_track(c, t),
		        chrome_us_text(start, t->start_ns), chrome_us_text(length, t->end_ns - t->start_ns));
		put_arguments(c, t, &c->waits[i]);
	}
	for (uint32_t i = 0; i < e->ntypes; i++)
		free(heads[i]);
	free(heads);
}
