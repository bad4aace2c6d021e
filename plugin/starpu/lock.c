/* plugin/starpu/lock.c - one lock that works natively and over SimGrid. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/lock.h"

#include <pthread.h>

#include "plugin/starpu/starpu_api.h"

/* Threads hold it for less than it takes to sleep and be woken: one that finds it taken looks again first. */
static struct {
	pthread_mutex_t native;
	pthread_cond_t changed;
	void *simulated; /* what StarPU's functions make of it is a pointer */
	void *simulated_changed;
	int is_ready;
} lock = {.native = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP, .changed = PTHREAD_COND_INITIALIZER};

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

void lock_take(void)
{
	sp.starpu_worker_relax_on();
	if (sp.pthread_mutex_init)
		sp.pthread_mutex_lock(&lock.simulated);
	else
		pthread_mutex_lock(&lock.native);
	sp.starpu_worker_relax_off();
}

void lock_release(void)
{
	if (sp.pthread_mutex_init)
		sp.pthread_mutex_unlock(&lock.simulated);
	else
		pthread_mutex_unlock(&lock.native);
}

uintptr_t lock_thread(void)
{
	return sp.pthread_mutex_init ? (uintptr_t)sp.pthread_self() : (uintptr_t)pthread_self();
}

void lock_wait(void)
{
	sp.starpu_worker_relax_on();
	if (sp.pthread_mutex_init)
		sp.pthread_cond_wait(&lock.simulated_changed, &lock.simulated);
	else
		pthread_cond_wait(&lock.changed, &lock.native);
	sp.starpu_worker_relax_off();
}

void lock_changed(void)
{
	if (sp.pthread_mutex_init)
		sp.pthread_cond_broadcast(&lock.simulated_changed);
	else
		pthread_cond_broadcast(&lock.changed);
}
