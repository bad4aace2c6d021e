/* plugin/starpu/copies.h - copies of data that a policy asks for, before a task that needs them goes to a worker. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_COPIES_H
#define PLUGIN_COPIES_H

#include <starpu.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A policy asks while the lock is held (lock.h), StarPU is asked once it is released: StarPU may push tasks that wait
 * for the data. A program may free data as soon as the last task that accesses it has ended, and StarPU refuses to copy
 * data whose content the program has given up, so that a task ends, and data is given up, only after copies_wait().
 * Functions with "locked" in their comment are called between lock_take() and lock_release().
 */
struct copies {
	struct copy *copies;
	size_t n, cap;
};

/* Locked. In StarPU's numbers. */
void copies_add(struct copies *c, starpu_data_handle_t data, unsigned node, int32_t priority);

/* Locked. Empties `c`; what it returns is given to copies_ask() by the same thread. */
struct copies copies_take(struct copies *c);

/* Asks StarPU for them, and frees them. */
void copies_ask(struct copies c);

/*
 * Locked; releases the lock while it waits. Returns when StarPU has been asked for all copies that other threads have
 * taken, but for those of threads that wait here too: while StarPU is asked it may call the program, which submits.
 */
void copies_wait(void);

#endif
