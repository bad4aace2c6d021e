/* plugin/starpu/lock.h - one lock that works natively and over SimGrid. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_LOCK_H
#define PLUGIN_LOCK_H

#include <stdint.h>

/*
 * Over SimGrid the threads of a program are actors of one thread: an actor that waits for a mutex of the C library
 * stops them all, so StarPU's own mutexes are taken there. A worker that waits lets others look at its state until
 * then, as StarPU wants it (starpu_worker_relax_on()). lock_init() is called once, after starpu_api_open(), before
 * there are threads that lock; there is one lock.
 */
void lock_init(void);
void lock_take(void);
void lock_release(void);

/* Between lock_take() and lock_release(): releases the lock until lock_changed() is called. It may return earlier. */
void lock_wait(void);
void lock_changed(void);

/* The thread that calls it; over SimGrid the actor: all of them are one thread. */
uintptr_t lock_thread(void);

#endif
