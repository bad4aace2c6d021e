/* plugin/starpu/where.c - what the codelets of a program can run on, and which lack a model, for a recorded run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace says where a codelet ran, not where it could. StarPU has put that into task->where by the time a task is
 * pushed (-1, the codelet's, is resolved at submission). Nor does a trace say whether a codelet has a model: one
 * without it is recorded with its own name as the model's. Codelets are called by the two names that a recording may
 * call them by: the task's, and the model's.
 */
#include "plugin/starpu/where.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mix.h"
#include "core/machine/arch.h"
#include "plugin/starpu/codelet_key.h"
#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"
#include "plugin/starpu/task_model.h"

struct entry {
	_Atomic(uint64_t) key;      /* 0: free; whoever sets it fills in the names */
	atomic_uint where, written; /* arch_mask; written: what the file has of it */
	atomic_bool lacks_model;
	char task[WHERE_NAME + 1], model[WHERE_NAME + 1];
};

static struct entry entries[WHERE_MOST];

static void keep_name(char name[WHERE_NAME + 1], const char *text)
{
	if (text && strlen(text) <= WHERE_NAME && !strpbrk(text, "\t\n"))
		strcpy(name, text);
}

/* The key of its codelet and of the model's name: one that is freed may leave its memory to another codelet. */
static uint64_t key_of(struct starpu_task *task)
{
	const char *name = sp.starpu_task_get_model_name(task);
	uint64_t h = codelet_key(*task_codelet(task));

	for (; name && *name; name++)
		h = (h ^ (unsigned char)*name) * MIX_GAMMA;
	return mix64(h) | 1;
}

static struct entry *entry_of(struct starpu_task *task)
{
	uint64_t key = key_of(task);
	size_t at = (key >> 1) % WHERE_MOST;

	for (int i = 0; i < WHERE_MOST; i++, at = (at + 1) % WHERE_MOST) {
		uint64_t there = 0;

		if (atomic_load_explicit(&entries[at].key, memory_order_relaxed) == key)
			return &entries[at];
		if (!atomic_compare_exchange_strong(&entries[at].key, &there, key)) {
			if (there == key)
				return &entries[at];
			continue;
		}
		keep_name(entries[at].task, sp.starpu_task_get_name(task));
		keep_name(entries[at].model, sp.starpu_task_get_model_name(task));
		atomic_store(&entries[at].lacks_model, task_model(task) == TASK_NO_MODEL);
		return &entries[at];
	}
	return NULL;
}

void where_note(struct starpu_task *task)
{
	struct entry *e = *task_codelet(task) ? entry_of(task) : NULL;
	unsigned where = 0;

	for (int a = 0; e && a < sp.layout->narchs; a++) {
		if ((uint64_t)(uint32_t)*task_where(task) & STARPU_WORKER_TO_MASK(a))
			where |= 1u << a;
	}
	if (e && (atomic_load_explicit(&e->where, memory_order_relaxed) & where) != where)
		atomic_fetch_or_explicit(&e->where, where, memory_order_relaxed);
}

static void write_line(int fd, const char *name, unsigned where, int lacks_model)
{
	char line[WHERE_NAME + 16 * ARCH_COUNT + 16], *end = line + sizeof(line), *at = line;
	const char *separator = "\t";

	if (!*name || !where)
		return;
	at += snprintf(at, (size_t)(end - at), "%s", name);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!(where >> a & 1))
			continue;
		at += snprintf(at, (size_t)(end - at), "%s%s", separator, arch_name((enum arch)a));
		separator = " ";
	}
	at += snprintf(at, (size_t)(end - at), "%s\n", lacks_model ? "\tno model" : "");
	if (write(fd, line, (size_t)(at - line)) < 0)
		return;
}

/*
 * One write() a line, at the end of the file: contexts that end at one time and the processes of an MPI program share
 * it, and its reader takes all lines of a codelet together.
 */
void where_write(void)
{
	const char *path = getenv("HETEROTUNE_WHERE");
	int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666) : -1;

	if (fd < 0) {
		if (path && *path)
			report_sentence("%s: cannot be written: what codelets can run on is not recorded", path);
		return;
	}
	for (int i = 0; i < WHERE_MOST; i++) {
		unsigned where = atomic_load(&entries[i].where);
		int lacks_model = atomic_load(&entries[i].lacks_model);

		if (atomic_exchange(&entries[i].written, where) == where)
			continue;
		write_line(fd, entries[i].task, where, lacks_model);
		if (strcmp(entries[i].task, entries[i].model))
			write_line(fd, entries[i].model, where, lacks_model);
	}
	close(fd);
}
