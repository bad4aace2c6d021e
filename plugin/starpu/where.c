/* plugin/starpu/where.c - what the codelets of a program can run on, and which lack a model, for a recorded run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace says where a codelet ran, not where it could. StarPU has put that into task->where by the time a task is
 * pushed (-1, the codelet's, is resolved at submission). Nor does a trace say whether a codelet has a model that says
 * something: one without is recorded with its own name as the model's. Codelets are called by the names that a
 * recording may call them by: those of their tasks, and the model's.
 */
#include "plugin/starpu/where.h"

#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/mix.h"
#include "core/machine/arch.h"
#include "plugin/starpu/can_run.h"
#include "plugin/starpu/codelet_key.h"
#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"
#include "plugin/starpu/task_model.h"

/* A codelet under one of the names: that of its model, or those of its tasks, as far as these are few. */
struct entry {
	_Atomic(uint64_t) key;             /* 0: free; whoever sets it fills in the name */
	atomic_uint where, written;        /* arch_mask; written: what the file has of it */
	atomic_uint nnames;                /* of the model's: names of tasks */
	atomic_bool lacks_model, is_named; /* is_named: name and lacks_model are there */
	char name[WHERE_NAME + 1];
};

static struct entry entries[WHERE_MOST];

static void keep_name(char name[WHERE_NAME + 1], const char *text)
{
	if (text && strlen(text) <= WHERE_NAME && !strpbrk(text, "\t\n"))
		strcpy(name, text);
}

static uint64_t mix_name(uint64_t h, const char *name)
{
	for (; name && *name; name++)
		h = (h ^ (unsigned char)*name) * MIX_GAMMA;
	return mix64(h) | 1;
}

/* That of the key, or the free one that it may take; NULL: there is neither. */
static struct entry *place_of(uint64_t key)
{
	size_t at = (key >> 1) % WHERE_MOST;

	for (int i = 0; i < WHERE_MOST; i++, at = (at + 1) % WHERE_MOST) {
		uint64_t there = atomic_load_explicit(&entries[at].key, memory_order_relaxed);

		if (!there || there == key)
			return &entries[at];
	}
	return NULL;
}

static struct entry *entry_of(uint64_t key, struct starpu_task *task, const char *name)
{
	struct entry *e;

	while ((e = place_of(key)) != NULL) {
		uint64_t there = 0;

		if (atomic_load_explicit(&e->key, memory_order_relaxed) == key)
			return e;
		if (!atomic_compare_exchange_strong(&e->key, &there, key))
			continue;
		keep_name(e->name, name);
		atomic_store(&e->lacks_model, task_model(task) == TASK_NO_MODEL || task_model(task) == TASK_REGRESSION);
		atomic_store(&e->is_named, true);
		return e;
	}
	return NULL;
}

/* A regression says nothing before it has samples of several sizes. */
static int has_length(struct starpu_task *task)
{
	for (unsigned w = 0; w < sp.starpu_worker_get_count(); w++)
		if (!isnan(task_length_us(task, (int)w, can_run(task, (int)w), NULL)))
			return 1;
	return 0;
}

static void add(struct entry *e, struct starpu_task *task, unsigned where)
{
	if (atomic_load_explicit(&e->lacks_model, memory_order_relaxed) && task_model(task) == TASK_REGRESSION &&
	    has_length(task))
		atomic_store(&e->lacks_model, false);
	if ((atomic_load_explicit(&e->where, memory_order_relaxed) & where) != where)
		atomic_fetch_or_explicit(&e->where, where, memory_order_relaxed);
}

/* That of the task's name; NULL: it is the model's, or one of too many, which a trace takes as those of tasks. */
static struct entry *entry_of_name(struct entry *of_model, const char *model, uint64_t key, struct starpu_task *task)
{
	const char *name = sp.starpu_task_get_name(task);
	struct entry *e;

	if (!name || !*name || (model && strcmp(name, model) == 0))
		return NULL;
	key = mix_name(key ^ MIX_GAMMA, name);
	e = place_of(key);
	if (e && atomic_load_explicit(&e->key, memory_order_relaxed) == key)
		return e;
	if (atomic_load_explicit(&of_model->nnames, memory_order_relaxed) >= WHERE_NAMES ||
	    atomic_fetch_add_explicit(&of_model->nnames, 1, memory_order_relaxed) >= WHERE_NAMES)
		return NULL;
	return entry_of(key, task, name);
}

/* Codelets are known by what is in them, and by the names of their models (codelet_key.h). */
void where_note(struct starpu_task *task)
{
	const char *model = *task_codelet(task) ? sp.starpu_task_get_model_name(task) : NULL;
	uint64_t key = *task_codelet(task) ? mix_name(codelet_key(task), model) : 0;
	struct entry *e = key ? entry_of(key, task, model) : NULL, *named;
	unsigned where = 0;

	if (!e)
		return;
	for (int a = 0; a < sp.layout->narchs; a++) {
		if ((uint64_t)(uint32_t)*task_where(task) & STARPU_WORKER_TO_MASK(a))
			where |= 1u << a;
	}
	add(e, task, where);
	named = entry_of_name(e, model, key, task);
	if (named)
		add(named, task, where);
}

static void write_line(int fd, const char *name, unsigned where, int lacks_model)
{
	char line[WHERE_NAME + 16 * ARCH_COUNT + 16], *end = line + sizeof(line), *at = line;
	const char *separator = "\t";

	if (!*name)
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
	for (struct entry *e = entries; e < entries + WHERE_MOST; e++) {
		unsigned where = atomic_load(&e->is_named) ? atomic_load(&e->where) : 0;

		if (where && atomic_exchange(&e->written, where) != where)
			write_line(fd, e->name, where, atomic_load(&e->lacks_model));
	}
	close(fd);
}
