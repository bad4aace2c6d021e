/* plugin/starpu/lengths.c - what StarPU expects of tasks whose models are no histories, for a recorded run. */
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

#include "core/base/mix.h"
#include "core/base/number.h"
#include "core/machine/arch.h"
#include "plugin/starpu/can_run.h"
#include "plugin/starpu/report.h"
#include "plugin/starpu/starpu_api.h"
#include "plugin/starpu/task_model.h"

struct row {
	_Atomic(uint64_t) key; /* 0: free; whoever sets it fills in what is not atomic, before it counts a task */
	_Atomic(uint64_t) tasks;
	_Atomic(double) sum_us, squares_us2;
	uint32_t footprint, of_data;
	enum arch arch;
	int devid;
	char model[LENGTHS_NAME + 1];
};

static struct row rows[LENGTHS_MOST];

/* Lines of footprints.tsv that are not written yet. */
static struct {
	atomic_flag is_held;
	size_t used;
	char text[1 << 16];
} lines = {.is_held = ATOMIC_FLAG_INIT};

static void add(_Atomic(double) *to, double value)
{
	double was = atomic_load_explicit(to, memory_order_relaxed);

	while (!atomic_compare_exchange_weak(to, &was, was + value)) {
	}
}

static uint64_t key_of(const struct row *what)
{
	uint64_t h = (uint64_t)what->footprint << 32 | (uint32_t)what->devid << 8 | (uint32_t)what->arch;

	for (const char *name = what->model; *name; name++)
		h = (h ^ (unsigned char)*name) * MIX_GAMMA;
	return mix64(h) | 1;
}

static struct row *row_of(const struct row *what)
{
	uint64_t key = key_of(what);
	size_t at = (key >> 1) % LENGTHS_MOST;

	for (int i = 0; i < LENGTHS_MOST; i++, at = (at + 1) % LENGTHS_MOST) {
		uint64_t there = 0;

		if (atomic_load_explicit(&rows[at].key, memory_order_relaxed) == key)
			return &rows[at];
		if (!atomic_compare_exchange_strong(&rows[at].key, &there, key)) {
			if (there == key)
				return &rows[at];
			continue;
		}
		rows[at].footprint = what->footprint;
		rows[at].of_data = what->of_data;
		rows[at].arch = what->arch;
		rows[at].devid = what->devid;
		strcpy(rows[at].model, what->model);
		return &rows[at];
	}
	return NULL;
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
static void flush_lines(void)
{
	int fd = lines.used ? open_named("HETEROTUNE_FOOTPRINTS") : -1;

	if (fd >= 0) {
		if (write(fd, lines.text, lines.used) < 0)
			report_sentence("HETEROTUNE_FOOTPRINTS: cannot be written");
		close(fd);
	}
	lines.used = 0;
}

static void add_line(unsigned long job, uint32_t of_data, uint32_t footprint)
{
	char line[64];
	size_t length = (size_t)snprintf(line, sizeof(line), "%lu\t%08x\t%08x\n", job, (unsigned)of_data,
	                                 (unsigned)footprint);

	while (atomic_flag_test_and_set(&lines.is_held)) {
	}
	if (lines.used + length > sizeof(lines.text))
		flush_lines();
	memcpy(lines.text + lines.used, line, length);
	lines.used += length;
	atomic_flag_clear(&lines.is_held);
}

enum { KINDS = 64 }; /* of workers, at most */

static void add_to_row(const struct row *what, double us)
{
	struct row *row = row_of(what);

	if (!row)
		return;
	add(&row->sum_us, us);
	add(&row->squares_us2, us * us);
	atomic_fetch_add(&row->tasks, 1);
}

static void note(struct starpu_task *task, const char *name)
{
	struct row what[KINDS] = {{.key = 0}};
	double us[KINDS];
	uint64_t alike = 0;
	int n = 0;

	for (int w = 0; w < (int)sp.starpu_worker_get_count() && n < KINDS; w++) {
		us[n] = stands_for_its_kind(w, &what[n]) ? task_length_us(task, w, can_run(task, w), NULL) : NAN;
		if (isnan(us[n]))
			continue;
		what[n].of_data = sp.starpu_task_footprint(task_perfmodel(task), task,
		                                           sp.starpu_worker_get_perf_archtype(w, *task_context(task)),
		                                           0);
		alike = mix64(alike ^ task_length_step(us[n]) ^ (uint64_t)w << 32);
		n++;
	}
	if (!n)
		return;
	alike = mix64(alike ^ what[0].of_data);
	for (const char *c = name; *c; c++)
		alike = (alike ^ (unsigned char)*c) * MIX_GAMMA;
	for (int i = 0; i < n; i++) {
		strcpy(what[i].model, name);
		what[i].footprint = (uint32_t)(mix64(alike) >> 32);
		add_to_row(&what[i], us[i]);
	}
	add_line(sp.starpu_task_get_job_id(task), what[0].of_data, what[0].footprint);
}

void lengths_note(struct starpu_task *task)
{
	enum task_model kind = *task_codelet(task) ? task_model(task) : TASK_NO_MODEL;
	const char *name = kind == TASK_FUNCTION || kind == TASK_REGRESSION ? sp.starpu_task_get_model_name(task) :
	                                                                      NULL;

	if (!sp.missing_for_scheduling && name && strlen(name) <= LENGTHS_NAME && !strpbrk(name, "\t\n"))
		note(task, name);
}

static void write_line(int fd, struct row *row)
{
	double n = (double)atomic_exchange(&row->tasks, 0), mean, variance;
	char line[LENGTHS_NAME + 160], mean_text[32], deviation_text[32];
	int length;

	if (!(n > 0))
		return;
	mean = atomic_exchange(&row->sum_us, 0) / n;
	variance = atomic_exchange(&row->squares_us2, 0) / n - mean * mean;
	length = snprintf(line, sizeof(line), "%s\t%s\t%d\t%08x\t%08x\t%.0f\t%s\t%s\n", row->model,
	                  arch_name(row->arch), row->devid, (unsigned)row->footprint, (unsigned)row->of_data, n,
	                  number_text(mean_text, mean),
	                  number_text(deviation_text, variance > 1e-12 * mean * mean ? sqrt(variance) : 0));
	if (write(fd, line, (size_t)length) < 0)
		return;
}

void lengths_write(void)
{
	int fd = -1, is_open = 0;

	for (int i = 0; i < LENGTHS_MOST && (fd >= 0 || !is_open); i++) {
		if (!atomic_load(&rows[i].tasks))
			continue;
		if (!is_open)
			fd = open_named("HETEROTUNE_LENGTHS");
		is_open = 1;
		if (fd >= 0)
			write_line(fd, &rows[i]);
	}
	if (fd >= 0)
		close(fd);
	while (atomic_flag_test_and_set(&lines.is_held)) {
	}
	flush_lines();
	atomic_flag_clear(&lines.is_held);
}
