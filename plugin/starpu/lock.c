/* plugin/starpu/lock.c - one lock that works natively and over SimGrid. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/lock.h"

#include <pthread.h>
#include <stdatomic.h>

#include "plugin/starpu/starpu_api.h"

/*
 * Threads hold it for a few microseconds. One that finds it taken looks again, for 25 to 50 us, before it sleeps:
 * StarPU's idle workers never do, and where each has a core of its own it can take milliseconds until one of them
 * leaves its core to a thread that has been woken, as the one that submits tasks.
 */
enum { LOOKS = 1000 };

static struct {
	pthread_mutex_t native;
	pthread_cond_t changed;
	void *simulated; /* what StarPU's functions make of it is a pointer */
	void *simulated_changed;
	int is_ready;
	atomic_int is_taken; /* a hint */
} lock = {.native = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

void lock_init(void)
{
	if (lock.is_ready && !sp.pthread_mutex_init)
		return;
	/* A program may end the simulation and begin another one: the mutex of the last one is gone. */
	if (sp.pthread_mutex_init) {
		sp.pthread_mutex_init(&lock.simulated, NULL);
		sp.pthread_cond_init(&lock.simulated_changed, NULL);
	}
	lock.is_ready = 1;
}

static void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb");
#endif
}

static void take_native(void)
{
	for (int i = 0; i < LOOKS; i++) {
		if (!atomic_load_explicit(&lock.is_taken, memory_order_relaxed) &&
		    pthread_mutex_trylock(&lock.native) == 0)
			return;
		pause_a_little();
	}
	pthread_mutex_lock(&lock.native);
}

static void set_taken(int is_taken)
{
	atomic_store_explicit(&lock.is_taken, is_taken, memory_order_relaxed);
}

void lock_take(void)
{
	sp.starpu_worker_relax_on();
	if (sp.pthread_mutex_init) {
		sp.pthread_mutex_lock(&lock.simulated);
	} else {
		take_native();
		set_taken(1);
	}
	sp.starpu_worker_relax_off();
}

void lock_release(void)
{
	if (sp.pthread_mutex_init) {
		sp.pthread_mutex_unlock(&lock.simulated);
	} else {
		set_taken(0);
		pthread_mutex_unlock(&lock.native);
	}
}

uintptr_t lock_thread(void)
{
	return sp.pthread_mutex_init ? (uintptr_t)sp.pthread_self() : (uintptr_t)pthread_self();
}

void lock_wait(void)
{
	sp.starpu_worker_relax_on();
	if (sp.pthread_mutex_init) {
		sp.pthread_cond_wait(&lock.simulated_changed, &lock.simulated);
	} else {
		set_taken(0);
		pthread_cond_wait(&lock.changed, &lock.native);
		set_taken(1);
	}
	sp.starpu_worker_relax_off();
}

void lock_changed(void)
{
	if (sp.pthread_mutex_init)
		sp.pthread_cond_broadcast(&lock.simulated_changed);
	else
		pthread_cond_broadcast(&lock.changed);
}
