/* core/execution/chrome_chain.c - the critical chain as a track of its own: tasks, and what each waited for. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/json.h"
#include "core/execution/chrome.h"
#include "core/execution/execution.h"
#include "core/execution/execution_waits.h"

static void put_slice(struct chrome *c, const char *name, int64_t from, int64_t to)
{
	char start[32], length[32];

	fputs(",\n{\"ph\":\"X\",\"name\":", c->f);
	json_quoted(c->f, name);
	fprintf(c->f, ",\"cat\":\"chain\",\"pid\":%d,\"tid\":0,\"ts\":%s,\"dur\":%s", CHROME_CHAIN,
	        chrome_us_text(start, from), chrome_us_text(length, to - from));
}

/* Tasks that overlap, on a pipelined device, are cut where the next one begins. */
void chrome_chain(struct chrome *c)
{
	const struct execution *e = c->e;
	size_t n;
	uint32_t *chain = execution_chain(e, c->waits, &n);
	int64_t reached = n ? e->tasks[chain[0]].start_ns : 0;

	if (n)
		chrome_name(c, "process_name", CHROME_CHAIN, 0, "critical chain");
	for (size_t i = 0; i < n; i++) {
		const struct execution_task *t = &e->tasks[chain[i]];
		const struct execution_wait *w = &c->waits[chain[i]];
		int64_t end = i + 1 < n && e->tasks[chain[i + 1]].start_ns < t->end_ns ?
		                      e->tasks[chain[i + 1]].start_ns :
		                      t->end_ns;

		if (w->cause == CAUSE_SUBMISSION && w->since_ns > reached) {
			put_slice(c, "not submitted yet", reached, w->since_ns);
			fputs("}", c->f);
			reached = w->since_ns;
		}
		if (t->start_ns > reached) {
			put_slice(c, "data, scheduling, launch", reached, t->start_ns);
			fputs("}", c->f);
		}
		put_slice(c, e->types[t->type], t->start_ns, end);
		fprintf(c->f, ",\"args\":{\"job\":%" PRIu64 ",\"worker\":\"%s\",\"waited for\":\"%s\"}}", t->job,
		        e->workers[t->worker], execution_cause_names[w->cause]);
		reached = end;
	}
	free(chain);
}
