/* plugin/where.c - what the codelets of a program can run on, for the run that is recorded. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace says where a codelet ran, not where it could. StarPU has put that into task->where by the time a task is
 * pushed (-1, the codelet's, is resolved at submission). Codelets are told apart by their address, which is all that is
 * used of them, and called by the two names that a recording may call them by: the task's, and the model's.
 */
#include "plugin/where.h"

#include <starpu.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/arch.h"
#include "plugin/report.h"

struct entry {
	_Atomic(const void *) codelet; /* NULL: free; whoever sets it fills in the names */
	atomic_uint where;             /* arch_mask */
	char task[WHERE_NAME + 1], model[WHERE_NAME + 1];
};

static struct entry entries[WHERE_MOST];

static void keep_name(char name[WHERE_NAME + 1], const char *text)
{
	if (text && strlen(text) <= WHERE_NAME && !strpbrk(text, "\t\n"))
		strcpy(name, text);
}

static struct entry *entry_of(struct starpu_task *task)
{
	size_t at = ((uintptr_t)task->cl >> 4) % WHERE_MOST;

	for (int i = 0; i < WHERE_MOST; i++, at = (at + 1) % WHERE_MOST) {
		const void *there = NULL;

		if (atomic_load_explicit(&entries[at].codelet, memory_order_relaxed) == task->cl)
			return &entries[at];
		if (!atomic_compare_exchange_strong(&entries[at].codelet, &there, (const void *)task->cl)) {
			if (there == task->cl)
				return &entries[at];
			continue;
		}
		keep_name(entries[at].task, starpu_task_get_name(task));
		keep_name(entries[at].model, starpu_task_get_model_name(task));
		return &entries[at];
	}
	return NULL;
}

void where_note(struct starpu_task *task)
{
	struct entry *e = task->cl ? entry_of(task) : NULL;
	unsigned where = 0;

	for (int a = 0; e && a < ARCH_COUNT; a++) {
		if ((uint64_t)(uint32_t)task->where & STARPU_WORKER_TO_MASK(a))
			where |= 1u << a;
	}
	if (e && (atomic_load_explicit(&e->where, memory_order_relaxed) & where) != where)
		atomic_fetch_or_explicit(&e->where, where, memory_order_relaxed);
}

/* Of all codelets that have this name; 0: an earlier entry has said it. */
static unsigned where_of(const char *name, int before)
{
	unsigned where = 0;

	for (int i = 0; i < WHERE_MOST; i++) {
		if (strcmp(entries[i].task, name) && strcmp(entries[i].model, name))
			continue;
		if (i < before)
			return 0;
		where |= atomic_load(&entries[i].where);
	}
	return where;
}

static void write_line(FILE *f, const char *name, int entry)
{
	unsigned where = *name ? where_of(name, entry) : 0;
	const char *separator = "\t";

	if (!where)
		return;
	fputs(name, f);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!(where >> a & 1))
			continue;
		fprintf(f, "%s%s", separator, arch_name((enum arch)a));
		separator = " ";
	}
	putc('\n', f);
}

void where_write(void)
{
	const char *path = getenv("HETEROTUNE_WHERE");
	FILE *f = path && *path ? fopen(path, "w") : NULL;

	for (int i = 0; f && i < WHERE_MOST; i++) {
		write_line(f, entries[i].task, i);
		if (strcmp(entries[i].task, entries[i].model))
			write_line(f, entries[i].model, i);
	}
	if (path && *path && (!f || fclose(f)))
		report_sentence("%s: cannot be written: what codelets can run on is not recorded", path);
	memset(entries, 0, sizeof(entries));
}
