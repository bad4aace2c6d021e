/* export/starvz_tasks.c - StarVZ's table of tasks: when each was submitted, the data it used, what it waited for. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "core/base/csv.h"
#include "core/dag/dag.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "export/starvz.h"

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
	const struct trace_access *a = &t->accesses[task->first_access];

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
		fprintf(c->f, "%s%" PRIu64, i ? " " : "", a[i].size_bytes);
}

static void put_time(struct csv *c, int64_t ns)
{
	if (ns == TIME_NONE)
		csv_text(c, "");
	else
		starvz_ms(c, ns);
}

static void put_task(struct csv *c, const struct starvz *s, uint32_t i)
{
	const struct dag *d = s->run->dag;
	const struct trace *t = s->run->trace;
	const struct trace_task *task = &t->tasks[d->tasks[i].trace_task];
	char text[32];

	csv_text(c, d->types[d->tasks[i].type].name);
	csv_text(c, trace_text(t, task->model));
	starvz_job(c, -1, task->job);
	csv_int(c, task->submit_order);
	csv_int(c, task->priority);
	snprintf(text, sizeof(text), "%" PRIx64, task->has_tag ? task->tag : 0);
	csv_text(c, text);
	csv_int(c, t->workers[task->worker].id);
	csv_int(c, task->node);
	put_time(c, task->submit_ns);
	put_time(c, task->start_ns);
	put_time(c, task->end_ns);
	snprintf(text, sizeof(text), "%" PRIx32, task->footprint);
	csv_text(c, text);
	starvz_parameters(c, t, task, ' ');
	put_accesses(c, t, task);
	csv_int(c, t->nranks > 1 ? task->rank : -1);
	csv_text(c, "");
	for (uint32_t k = d->pred_first[i]; k < d->pred_first[i + 1]; k++)
		fprintf(c->f, "%s%" PRIu64, k > d->pred_first[i] ? " " : "",
		        t->tasks[d->tasks[d->pred[k]].trace_task].job);
	csv_int(c, task->iteration[0]);
	csv_num(c, task->gflop);
	csv_end(c);
}

void starvz_tasks(const struct starvz *s, FILE *f)
{
	struct csv c = {.f = f};

	fputs("Name,Model,JobId,SubmitOrder,Priority,Tag,WorkerId,MemoryNode,SubmitTime,StartTime,EndTime,Footprint,"
	      "Parameters,Handles,Modes,Sizes,MPIRank,DependsOn,Iteration,GFlop\n",
	      f);
	for (uint32_t i = 0; i < s->run->dag->ntasks; i++)
		put_task(&c, s, i);
}
