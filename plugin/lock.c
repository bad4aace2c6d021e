/* plugin/lock.c - one lock that works natively and over SimGrid. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/lock.h"

#include <pthread.h>

#include "plugin/starpu_api.h"

static struct {
	pthread_mutex_t native;
	void *simulated; /* what StarPU's functions make of it is a pointer */
	int is_ready;
} lock = {.native = PTHREAD_MUTEX_INITIALIZER};

void lock_init(void)
{
	if (lock.is_ready && !sp.pthread_mutex_init)
		return;
	/* A program may end the simulation and begin another one: the mutex of the last one is gone. */
	if (sp.pthread_mutex_init)
		sp.pthread_mutex_init(&lock.simulated, NULL);
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
