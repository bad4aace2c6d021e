/* replay/view.c - a predicted schedule in the forms that viewers of traces read. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/view.h"

#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/execution/execution.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "replay/memory/transfers.h"
#include "replay/sim/simulate.h"

const struct execution_format *view_find(const char *name, struct ht_err *err)
{
	char names[128] = "";
	size_t n = 0;

	if (strcmp(name, "perfetto") == 0) /* what shows it */
		name = "chrome";
	for (int i = 0; execution_formats[i]; i++) {
		if (strcmp(execution_formats[i]->name, name) == 0)
			return execution_formats[i];
		if (n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "",
			                      execution_formats[i]->name);
	}
	ht_err_set(err, "--format is %s, expected one of: %s", name, names);
	return NULL;
}

struct execution *view_execution(const struct run *r, const struct machine *m, const struct execution_task *tasks,
                                 const struct simulation *s)
{
	struct execution *e = execution_create(r, m);

	for (uint32_t i = 0; i < r->dag->ntasks; i++) {
		struct execution_task t = tasks[i];

		t.job = r->trace->tasks[r->dag->tasks[i].trace_task].job;
		execution_add(e, &t);
		execution_add_span(e, t.worker, SPAN_FETCH, t.start_ns - t.wait_ns, t.start_ns);
	}
	for (size_t i = 0; s && i < s->ncopies; i++) {
		const struct transfers_copy *c = &s->copies[i];

		execution_add_copy(e, &(struct execution_copy){
					      .start_ns = c->start_ns,
					      .end_ns = c->end_ns,
					      .bytes = r->dag->handle_bytes[c->handle],
					      .from = (uint16_t)c->from,
					      .to = (uint16_t)c->to,
					      .handle = c->handle,
					      .cause = c->cause,
				      });
	}
	execution_finish(e);
	return e;
}

void view_write(FILE *f, const struct run *r, const struct machine *m, const struct execution_task *tasks,
                const struct simulation *s, const struct execution_format *form)
{
	struct execution *e = view_execution(r, m, tasks, s);

	form->write(e, f);
	execution_free(e);
}
