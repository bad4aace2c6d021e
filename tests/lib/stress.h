/* tests/lib/stress.h - what the parts of stress_app share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_STRESS_H
#define TESTS_LIB_STRESS_H

#include <starpu.h>
#include <starpu_scheduler.h>

/* What `stress_app NAME` runs (stress_app.c); a program that cannot go on ends with status 9. */
struct stress_mode {
	const char *name;
	void (*run)(void);
};

/* Ended by a name NULL. */
extern const struct stress_mode stress_task_modes[], stress_context_modes[], stress_data_modes[];

extern struct starpu_codelet codelets[]; /* STRESS_CODELETS of them, for all workers */
extern int ncodelets;
extern long ntasks;             /* the NUMBER of the command */
extern unsigned ran, disturbed; /* tasks; STARPU_ATOMIC_ADD() where several may count */

/* A codelet for all workers, whose tasks count themselves in `ran`. */
extern struct starpu_codelet everywhere;
void work(void *buffers[], void *arg);

/* A task with priority 5 that can be waited for, and stays until starpu_task_destroy(). */
struct starpu_task *task_to_keep(struct starpu_codelet *codelet);

/* Submits the task, waits for it, and looks at what is left in it: its workers are still those of its first codelet. */
void once(struct starpu_task *task, const struct starpu_codelet *where);

/* A context of all workers of the kind. */
unsigned make_context(enum starpu_worker_archtype type, const char *policy);

#endif
