/* plugin/starpu/lengths.c - what StarPU expects of tasks, where no file says it, and where single ones can run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * StarPU writes files of what it has measured. Of a model that is a function of the program there is none, and of a
 * regression the file has coefficients, to which only the program knows the parameters of a task. So each task that is
 * pushed is asked for. Such a model may look at the arguments of a task, which no footprint shows: tasks of which it
 * says about the same on all workers get a footprint in common, and a row has the mean of these.
 */
#include "plugin/starpu/lengths.h"

#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/mix.h"
#include "core/base/number.h"
#include "core/machine/arch.h"
#include "plugin/starpu/can_run.h"
#include "plugin/starpu/guard.h"
#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"
#include "plugin/starpu/task_model.h"

struct row {
	uint64_t tasks;
	double sum_us, squares_us2;
	uint32_t footprint, of_data, model; /* model: of names */
	enum arch arch;
	int devid;
};

/*
 * What was noted, under one lock: rows side by side, since a sparse solver has about as many as tasks, and one each on
 * a page of its own would cost a page fault a task; and lines of a file that are not written yet.
 */
static struct {
	atomic_flag is_held;
	struct row *rows;
	size_t nrows, cap_rows;
	struct idmap of_key; /* rows */
	struct intern *names;
	int is_full_said;
	size_t used;
	char text[1 << 16];
} noted = {.is_held = ATOMIC_FLAG_INIT};

static void take(void)
{
	while (atomic_flag_test_and_set(&noted.is_held)) {
	}
}

static void give_back(void)
{
	atomic_flag_clear(&noted.is_held);
}

static uint64_t key_of(const struct row *what)
{
	uint64_t h = (uint64_t)what->footprint << 32 | (uint32_t)what->devid << 8 | (uint32_t)what->arch;

	return mix64(mix64(h) ^ what->model);
}

/* NULL: there are too many. */
static struct row *row_of(const struct row *what)
{
	uint64_t key = key_of(what);
	uint32_t i = idmap_get(&noted.of_key, key);

	if (i != IDMAP_NONE)
		return &noted.rows[i];
	if (noted.nrows == LENGTHS_MOST)
		return NULL;
	idmap_put(&noted.of_key, key, (uint32_t)noted.nrows);
	*VEC_PUSH(noted.rows, noted.nrows, noted.cap_rows) = *what;
	return &noted.rows[noted.nrows - 1];
}

/* The first of the CPUs, and of the workers of each device. */
static int stands_for_its_kind(int worker, struct row *what)
{
	enum starpu_worker_archtype arch = sp.starpu_worker_get_type(worker);
	int devid = arch == STARPU_CPU_WORKER ? 0 : sp.starpu_worker_get_devid(worker);

	if ((int)arch >= ARCH_COUNT)
		return 0;
	for (int w = 0; w < worker; w++)
		if (sp.starpu_worker_get_type(w) == arch &&
		    (arch == STARPU_CPU_WORKER || sp.starpu_worker_get_devid(w) == devid))
			return 0;
	what->arch = (enum arch)arch;
	what->devid = devid;
	return 1;
}

/* At the end of the file that the variable names. -1: there is none, or it cannot be written. */
static int open_named(const char *variable)
{
	const char *path = getenv(variable);
	int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666) : -1;

	if (fd < 0 && path && *path)
		report_sentence("%s: cannot be written: what models say that are no histories is not recorded", path);
	return fd;
}

/* One write() for what is there, at the end of the file, as for where.tsv (where.c). */
static void flush_lines(const char *variable)
{
	int fd = noted.used ? open_named(variable) : -1;

	if (fd >= 0) {
		if (write(fd, noted.text, noted.used) < 0)
			report_sentence("%s: cannot be written", variable);
		close(fd);
	}
	noted.used = 0;
}

static void add_line(const char *variable, const char *line, size_t length)
{
	if (noted.used + length > sizeof(noted.text))
		flush_lines(variable);
	memcpy(noted.text + noted.used, line, length);
	noted.used += length;
}

enum { KINDS = 64 }; /* of workers, at most */

/* What a task is expected to take, by kind of worker. */
struct note {
	const char *model;
	struct row rows[KINDS];
	double us[KINDS];
	int n, is_added;
};

/* Without memory, or where there are too many rows, it is not added. */
static void add_rows(void *arg)
{
	struct note *x = arg;
	uint32_t model;

	if (!noted.names)
		noted.names = intern_create(arena_create());
	model = intern_str(noted.names, x->model);
	for (int i = 0; i < x->n; i++) {
		struct row *row;

		x->rows[i].model = model;
		row = row_of(&x->rows[i]);
		if (!row)
			return;
		row->sum_us += x->us[i];
		row->squares_us2 += x->us[i] * x->us[i];
		row->tasks++;
	}
	x->is_added = 1;
}

static void ask(struct note *x, struct starpu_task *task)
{
	uint64_t alike = 0;

	for (int w = 0; w < (int)sp.starpu_worker_get_count() && x->n < KINDS; w++) {
		struct row *row = &x->rows[x->n];
		double us = stands_for_its_kind(w, row) ? task_length_us(task, w, can_run(task, w), NULL) : NAN;

		if (isnan(us))
			continue;
		row->of_data = sp.starpu_task_footprint(task_perfmodel(task), task,
		                                        sp.starpu_worker_get_perf_archtype(w, *task_context(task)), 0);
		alike = mix64(alike ^ task_length_step(us) ^ (uint64_t)w << 32);
		x->us[x->n++] = us;
	}
	alike = mix64(alike ^ x->rows[0].of_data);
	for (const char *c = x->model; *c; c++)
		alike = (alike ^ (unsigned char)*c) * MIX_GAMMA;
	for (int i = 0; i < x->n; i++)
		x->rows[i].footprint = (uint32_t)(mix64(alike) >> 32);
}

/* A line of footprints.tsv: the task, its data, what its model knows it by, and where it can run if on less. */
static void add_task(struct starpu_task *task, uint32_t of_data, uint32_t footprint, arch_mask where)
{
	char line[64 + 16 * ARCH_COUNT], *end = line + sizeof(line), *at = line;
	const char *separator = "\t";

	at += snprintf(at, (size_t)(end - at), "%lu\t%08x\t%08x", sp.starpu_task_get_job_id(task), (unsigned)of_data,
	               (unsigned)footprint);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!(where >> a & 1))
			continue;
		at += snprintf(at, (size_t)(end - at), "%s%s", separator, arch_name((enum arch)a));
		separator = "+";
	}
	at += snprintf(at, (size_t)(end - at), "\n");
	add_line("HETEROTUNE_FOOTPRINTS", line, (size_t)(at - line));
}

/* model NULL: nothing is to be asked of it. */
static void note(struct starpu_task *task, const char *model, arch_mask where)
{
	struct note x = {.model = model};

	if (model)
		ask(&x, task);
	if (!x.n && !where)
		return;
	if (!x.n)
		x.rows[0].of_data = sp.starpu_task_data_footprint(task);
	take();
	if (x.n)
		guarded(add_rows, &x);
	if (x.n && !x.is_added && !noted.is_full_said++)
		report_sentence("there is no room for what models say of more than %zu tasks that differ", noted.nrows);
	if (x.is_added)
		add_task(task, x.rows[0].of_data, x.rows[0].footprint, where);
	else if (where) /* it stays with those that have its data */
		add_task(task, x.rows[0].of_data, x.rows[0].of_data, where);
	give_back();
}

void lengths_note(struct starpu_task *task)
{
	enum task_model kind = *task_codelet(task) ? task_model(task) : TASK_NO_MODEL;
	const char *name = kind == TASK_FUNCTION || kind == TASK_REGRESSION ? sp.starpu_task_get_model_name(task) :
	                                                                      NULL;

	if (name && (strlen(name) > LENGTHS_NAME || strpbrk(name, "\t\n")))
		name = NULL;
	if (*task_codelet(task) && !sp.missing_for_scheduling)
		note(task, name, task_narrowed(task));
}

static void add_row_line(struct row *row)
{
	double n = (double)row->tasks, mean = row->sum_us / n, variance = row->squares_us2 / n - mean * mean;
	char line[LENGTHS_NAME + 160], mean_text[32], deviation_text[32];
	int length = snprintf(line, sizeof(line), "%s\t%s\t%d\t%08x\t%08x\t%.0f\t%s\t%s\n",
	                      intern_text(noted.names, row->model), arch_name(row->arch), row->devid,
	                      (unsigned)row->footprint, (unsigned)row->of_data, n, number_text(mean_text, mean),
	                      number_text(deviation_text, variance > 1e-12 * mean * mean ? sqrt(variance) : 0));

	add_line("HETEROTUNE_LENGTHS", line, (size_t)length);
	row->tasks = 0;
	row->sum_us = row->squares_us2 = 0;
}

void lengths_write(void)
{
	take();
	flush_lines("HETEROTUNE_FOOTPRINTS");
	for (size_t i = 0; i < noted.nrows; i++)
		if (noted.rows[i].tasks)
			add_row_line(&noted.rows[i]);
	flush_lines("HETEROTUNE_LENGTHS");
	give_back();
}
