/* export/starvz_states.c - StarVZ's table of worker states: every task, and what workers did beside tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <string.h>

#include "core/base/csv.h"
#include "core/dag/dag.h"
#include "core/execution/execution.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "export/starvz.h"

static void put_head(struct csv *c, const char *resource, int64_t start_ns, int64_t end_ns, int depth)
{
	csv_text(c, "State");
	csv_text(c, resource);
	csv_text(c, "Worker State");
	starvz_ms(c, start_ns);
	starvz_ms(c, end_ns);
	starvz_ms(c, end_ns - start_ns);
	csv_int(c, depth);
}

void starvz_parameters(struct csv *c, const struct trace *t, const struct trace_task *task, char separator)
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
		const struct trace_access *a = &t->accesses[task->first_access + i];

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

static void put_task(struct csv *c, const struct starvz *s, const struct execution_task *x)
{
	const struct trace *t = s->run->trace;
	const struct trace_task *task = starvz_task(s, x);
	int rank = starvz_rank(s, x->worker);
	char text[32];

	put_head(c, s->e->workers[x->worker], task->start_ns, task->end_ns, x->lane);
	csv_text(c, s->e->types[x->type]);
	snprintf(text, sizeof(text), "%" PRIu64, task->size_bytes);
	csv_text(c, text);
	starvz_parameters(c, t, task, '_');
	snprintf(text, sizeof(text), "%08" PRIx32, task->footprint);
	csv_text(c, text);
	snprintf(text, sizeof(text), "%016" PRIx64, task->has_tag ? task->tag : 0);
	csv_text(c, text);
	starvz_job(c, rank, task->job);
	starvz_job(c, rank, task->submit_order);
	csv_num(c, task->gflop);
	put_coordinates(c, t, task);
	csv_int(c, task->iteration[0]);
	csv_int(c, task->iteration[1]);
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

void starvz_states(const struct starvz *s, FILE *f)
{
	struct csv c = {.f = f};

	fputs("Nature,ResourceId,Type,Start,End,Duration,Depth,Value,Size,Params,Footprint,Tag,JobId,SubmitOrder,GFlop,X,Y,"
	      "Iteration,Subiteration\n",
	      f);
	for (size_t i = 0; i < s->e->ntasks; i++)
		put_task(&c, s, &s->e->tasks[i]);
	for (size_t i = 0; i < s->run->trace->nspans; i++)
		put_span(&c, s, &s->run->trace->spans[i]);
}
