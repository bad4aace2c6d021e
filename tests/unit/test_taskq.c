/* tests/unit/test_taskq.c - queues of ready tasks, sorted ones beside rows that are searched task by task. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/alloc.h"
#include "core/base/mix.h"
#include "core/dag/dag.h"
#include "sched/policy.h"
#include "sched/queue/taskq.h"
#include "tests/lib/check.h"

enum { TASKS = 600 };

/* The same queue as a plain row. */
struct row {
	uint32_t tasks[TASKS], count;
};

static void row_put(struct row *r, const struct dag_task *tasks, uint32_t task)
{
	uint32_t i = 0;

	while (i < r->count && tasks[r->tasks[i]].priority >= tasks[task].priority)
		i++;
	memmove(r->tasks + i + 1, r->tasks + i, (r->count++ - i) * sizeof(*r->tasks));
	r->tasks[i] = task;
}

static void row_remove(struct row *r, uint32_t at)
{
	r->count--;
	memmove(r->tasks + at, r->tasks + at + 1, (r->count - at) * sizeof(*r->tasks));
}

static int is_row(const struct taskq_links *l, const struct taskq *q, const struct row *r)
{
	uint32_t at = q->head, prev = POLICY_NO_TASK;

	for (uint32_t i = 0; i < r->count; i++, prev = at, at = l->next[at]) {
		if (at != r->tasks[i] || l->prev[at] != prev)
			return 0;
	}
	return at == POLICY_NO_TASK && q->tail == prev && q->count == r->count;
}

static size_t count_levels(const struct taskq *q)
{
	size_t n = 0;

	for (size_t i = 0; i < q->nblocks; i++)
		n += q->blocks[i]->n;
	return n;
}

/* Every level ends with the last task of its priority, and there is one for each. */
static int has_levels(const struct taskq_links *l, const struct taskq *q, const struct row *r,
                      const struct dag_task *tasks)
{
	size_t n = 0;

	for (uint32_t i = 0, first = 0; i < r->count; i++) {
		if (i + 1 < r->count && tasks[r->tasks[i + 1]].priority == tasks[r->tasks[i]].priority)
			continue;
		for (; first <= i; first++)
			if (taskq_last_alike(l, q, r->tasks[first]) != r->tasks[i])
				return 0;
		n++;
	}
	return n == count_levels(q);
}

static void test_sorted(void)
{
	struct dag_task tasks[TASKS] = {0};
	struct dag d = {.ntasks = TASKS, .tasks = tasks};
	struct taskq_links l;
	struct taskq q;
	struct row r = {.count = 0};
	unsigned char in[TASKS] = {0};
	int wrong = 0;

	taskq_links_init(&l, &d);
	taskq_init(&q);
	for (uint64_t i = 1; i <= 20000; i++) {
		uint64_t draw = mix64(i * MIX_GAMMA);
		uint32_t task = (uint32_t)(draw % TASKS);

		if (in[task]) {
			uint32_t at = 0;

			while (r.tasks[at] != task)
				at++;
			row_remove(&r, at);
			taskq_remove(&l, &q, task);
		} else {
			tasks[task].priority = (int32_t)(draw >> 16 & (i < 10000 ? 7 : 1023)) - 3; /* a few, many */
			row_put(&r, tasks, task);
			taskq_insert(&l, &q, task);
		}
		in[task] = !in[task];
		wrong += !is_row(&l, &q, &r) || !has_levels(&l, &q, &r, tasks);
	}
	CHECK_INT(wrong, 0);
	taskq_fini(&q);
	taskq_links_fini(&l);
}

/* In the order in which they came, whatever their priorities. */
static void test_appended(void)
{
	struct dag_task tasks[] = {{.priority = 0}, {.priority = 5}, {.priority = -5}, {.priority = 5}};
	struct dag d = {.ntasks = 4, .tasks = tasks};
	struct taskq_links l;
	struct taskq q;

	taskq_links_init(&l, &d);
	taskq_init(&q);
	for (uint32_t t = 0; t < 4; t++)
		taskq_append(&l, &q, t);
	taskq_remove(&l, &q, 3);
	taskq_remove(&l, &q, 1);
	CHECK(is_row(&l, &q, &(struct row){.tasks = {0, 2}, .count = 2}));
	CHECK_INT(count_levels(&q), 0);
	taskq_fini(&q);
	taskq_links_fini(&l);
}

/* As many priorities as tasks, that come and go in any order: what each costs must not grow with how many there are. */
static void test_many_priorities(void)
{
	enum { MANY = 400000 };
	struct dag_task *tasks = ht_alloc(MANY, sizeof(*tasks));
	struct dag d = {.ntasks = MANY, .tasks = tasks};
	clock_t from = clock();
	struct taskq_links l;
	struct taskq q;
	int wrong = 0;

	taskq_links_init(&l, &d);
	taskq_init(&q);
	for (uint32_t t = 0; t < MANY; t++) {
		tasks[t].priority = (int32_t)(t * 2654435761u);
		taskq_insert(&l, &q, t);
	}
	CHECK_INT(count_levels(&q), MANY);
	for (uint32_t t = 0; t < MANY; t += 2)
		taskq_remove(&l, &q, t);
	for (uint32_t t = q.head; l.next[t] != POLICY_NO_TASK; t = l.next[t])
		wrong += tasks[t].priority <= tasks[l.next[t]].priority;
	while (q.count)
		taskq_remove(&l, &q, q.head);
	CHECK_INT(wrong, 0);
	CHECK_INT(count_levels(&q), 0);
	CHECK(clock() - from < 3 * CLOCKS_PER_SEC); /* 0.2 s, and 10 s and more in one array */
	taskq_fini(&q);
	taskq_links_fini(&l);
	free(tasks);
}

int main(void)
{
	RUN(test_sorted);
	RUN(test_appended);
	RUN(test_many_priorities);
	return check_done();
}
