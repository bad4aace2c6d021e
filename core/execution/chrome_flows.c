/* core/execution/chrome_flows.c - arrows between slices: dependencies, and copies to the tasks that used them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/execution/chrome.h"
#include "core/execution/execution.h"
#include "core/execution/execution_waits.h"
#include "core/machine/machine.h"

/* Above this, of all dependencies of a task only the one that ended last has an arrow. */
enum { MAX_ARROWS = 200000 };

/* A place on a track. It has to lie in the slice, whose end is not in it. */
struct place {
	int group;
	size_t track;
	int64_t ns;
};

static void put_end(struct chrome *c, const char *kind, const char *phase, const struct place *at)
{
	char us[32];

	fprintf(c->f,
	        ",\n{\"ph\":\"%s\",\"name\":\"%s\",\"cat\":\"%s\",\"id\":%" PRIu64
	        ",\"pid\":%d,\"tid\":%zu,\"ts\":%s%s}",
	        phase, kind, kind, c->flows, at->group, at->track, chrome_us_text(us, at->ns),
	        *phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static void put_arrow(struct chrome *c, const char *kind, const struct place *from, const struct place *to)
{
	c->flows++;
	put_end(c, kind, "s", from);
	put_end(c, kind, "f", to);
}

/* The end of a slice, or where the arrow ends, whichever is first: no arrow leads back in time. */
static int64_t leaves_ns(int64_t start_ns, int64_t end_ns, int64_t arrives_ns)
{
	int64_t ns = end_ns - 1 < arrives_ns ? end_ns - 1 : arrives_ns;

	return ns > start_ns ? ns : start_ns;
}

static void join_tasks(struct chrome *c, uint32_t before, uint32_t after)
{
	const struct execution_task *a = &c->e->tasks[before], *b = &c->e->tasks[after];

	put_arrow(c, "dependency",
	          &(struct place){CHROME_WORKERS, chrome_task_track(c, a),
	                          leaves_ns(a->start_ns, a->end_ns, b->start_ns)},
	          &(struct place){CHROME_WORKERS, chrome_task_track(c, b), b->start_ns});
}

static void join_all(struct chrome *c)
{
	const struct execution *e = c->e;
	const struct dag *d = e->dag;
	uint32_t *of_item = ht_alloc(d->ntasks, sizeof(*of_item));

	for (size_t i = 0; i < e->ntasks; i++)
		of_item[e->tasks[i].item] = (uint32_t)i + 1;
	for (size_t i = 0; i < e->ntasks; i++)
		for (uint32_t k = d->pred_first[e->tasks[i].item]; k < d->pred_first[e->tasks[i].item + 1]; k++)
			if (of_item[d->pred[k]])
				join_tasks(c, of_item[d->pred[k]] - 1, (uint32_t)i);
	free(of_item);
}

void chrome_dependencies(struct chrome *c)
{
	if (c->e->dag->nedges <= MAX_ARROWS) {
		join_all(c);
		return;
	}
	for (size_t i = 0; i < c->e->ntasks; i++)
		if (c->waits[i].cause == CAUSE_TASK)
			join_tasks(c, c->waits[i].after, (uint32_t)i);
}

/* By piece of data the tasks that use it, in the order of their starts. */
struct users {
	uint32_t *first, *tasks;
};

static void users_init(struct users *u, const struct execution *e)
{
	const struct dag *d = e->dag;
	uint32_t *next;

	u->first = ht_alloc(d->nhandles + 1, sizeof(*u->first));
	u->tasks = ht_alloc(d->naccesses, sizeof(*u->tasks));
	for (uint32_t k = 0; k < d->naccesses; k++)
		u->first[d->accesses[k].handle + 1]++;
	for (uint32_t h = 0; h < d->nhandles; h++)
		u->first[h + 1] += u->first[h];
	next = ht_alloc(d->nhandles + 1, sizeof(*next));
	for (size_t i = 0; i < e->ntasks; i++) {
		const struct dag_task *t = &d->tasks[e->tasks[i].item];

		for (uint32_t k = t->first_access; k < t->first_access + t->naccesses; k++) {
			uint32_t h = d->accesses[k].handle;

			u->tasks[u->first[h] + next[h]++] = (uint32_t)i;
		}
	}
	for (uint32_t h = 0; h < d->nhandles; h++)
		for (uint32_t k = u->first[h] + next[h]; k < u->first[h + 1]; k++)
			u->tasks[k] = EXECUTION_NONE; /* tasks that the execution has not */
	free(next);
}

/* The first task that starts on the memory of the copy when it has ended, and uses what it brought. */
static uint32_t first_user(const struct execution *e, const struct users *u, const struct execution_copy *x)
{
	for (uint32_t k = u->first[x->handle]; k < u->first[x->handle + 1] && u->tasks[k] != EXECUTION_NONE; k++) {
		const struct execution_task *t = &e->tasks[u->tasks[k]];

		if (t->start_ns >= x->end_ns && e->machine->workers[t->worker].node == x->to)
			return u->tasks[k];
	}
	return EXECUTION_NONE;
}

void chrome_copy_flows(struct chrome *c)
{
	const struct execution *e = c->e;
	struct users u;

	users_init(&u, e);
	for (size_t i = 0; i < e->ncopies; i++) {
		const struct execution_copy *x = &e->copies[i];
		uint32_t user = x->handle < e->dag->nhandles ? first_user(e, &u, x) : EXECUTION_NONE;

		if (user == EXECUTION_NONE)
			continue;
		put_arrow(c, "copy",
		          &(struct place){CHROME_MEMORY, chrome_copy_track(c, i),
		                          leaves_ns(x->start_ns, x->end_ns, e->tasks[user].start_ns)},
		          &(struct place){CHROME_WORKERS, chrome_task_track(c, &e->tasks[user]),
		                          e->tasks[user].start_ns});
	}
	free(u.first);
	free(u.tasks);
}
