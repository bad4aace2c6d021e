/* tests/lib/omp_app.c - a program for StarPU's OpenMP runtime, whose tasks wait for others that they have made. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* omp_app N: N tasks that make two and wait for them. Prints how many ended, and how many of those that they made. */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef STARPU_OPENMP
int main(void)
{
	return 77;
}
#else
static int ntasks;
static unsigned ended, within;

static void make(void (*work)(void *buffers[], void *arg))
{
	struct starpu_omp_task_region_attr task = {.cl = {.cpu_funcs = {work}, .where = STARPU_CPU},
	                                           .if_clause = 1,
	                                           .untied_clause = 1};

	starpu_omp_task_region(&task);
}

static void child(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&within, 1);
}

static void parent(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	make(child);
	make(child);
	starpu_omp_taskwait();
	STARPU_ATOMIC_ADD(&ended, 1);
}

static void region(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	if (starpu_omp_get_thread_num() != 0)
		return;
	for (int i = 0; i < ntasks; i++)
		make(parent);
	starpu_omp_taskwait();
}

int main(int argc, char **argv)
{
	struct starpu_omp_parallel_region_attr all = {.cl = {.cpu_funcs = {region}, .where = STARPU_CPU},
	                                              .if_clause = 1};

	ntasks = argc > 1 ? atoi(argv[1]) : 100;
	if (starpu_omp_init() != 0)
		return 77;
	starpu_omp_parallel_region(&all);
	printf("%u of %d, %u within\n", ended, ntasks, within);
	starpu_omp_shutdown();
	return 0;
}
#endif
