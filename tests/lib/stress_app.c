/* tests/lib/stress_app.c - a StarPU program that looks at its tasks while a scheduler has them, and asks much of it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * stress_app MODE [NUMBER]: runs one of these (stress_tasks.c, stress_contexts.c, stress_data.c)
 *   threads N    four threads submit N tasks each, of STRESS_CODELETS codelets, with priorities of their own
 *   again N      one task object, submitted N times
 *   change       one task object, submitted with a codelet for all workers, then with one for CPUs
 *   context      one task object, submitted to all workers, then to a context of CPUs with another scheduler
 *   callbacks N  one task object, submitted N times, whose callbacks give it another priority
 *   regenerate N one task object, which StarPU submits again until its callback ends that
 *   contexts N   tasks that alternate between the first context and a second one, which is then deleted;
 *                STRESS_CONFIG is the config when that is made
 *   between N    tasks on data that is used in three contexts by turns, of which two are then deleted
 *   fork N       N tasks, then a child that does nothing
 *   bound N      N tasks that one worker each may execute, and N that their codelet lets one worker each execute, all
 *                submitted in a pause
 *   away         a task that one CPU alone may execute, until another one, submitted after it, has been executed
 *   redefined N  one codelet object, which is now a codelet with two implementations, now one with one, N tasks each
 *   released N   N tasks that end once the program says so, in a thread that is no worker
 *   own N        N sums of which each worker has a part, and N copies of data: by tasks of StarPU's own
 *   nested N     a task that ends after one that it submits, which does the same, N deep
 *   tagged N     one task object, submitted N times as soon as its tag says that it has been executed
 *   transaction N  N tasks on data in a transaction that is cancelled, then N on other data
 *   kinds N      N codelets whose costs change from task to task, two tasks each, on data of N sizes
 *   moved N      tasks for all workers, and for devices alone, in a context that a device leaves, then comes back to
 *   blocked N    tasks while two CPUs are given to a context without a scheduler, N then, N while they are there, and N
 *                after its end; with a third one
 *   unblocked N  N tasks while two CPUs are given to such a context, which ends then: the one that was blocked takes
 *                some
 *   given N      one task object, submitted N times with a value for schedulers, as STARPU_TASK_SCHED_DATA gives it
 *   iterate N    five times the same N tasks on data; barriers N: with a barrier after each time
 *   rests        tasks on much data, of which some is not used for long before it is used again
 *   paused N     once N tasks on data, all submitted before the first one is ready; prints "order" and their numbers in
 *                the order of their execution
 * and prints how many tasks ran and how many saw, in their callbacks or after their end, another priority or other
 * workers than they were given, or computed something wrong. The status is 1 where there were such. With STRESS_TIME in
 * the environment it prints the nanoseconds that a task took, from the first submission to the end of all.
 */
#include "tests/lib/stress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CODELETS = 1000 };

struct starpu_codelet codelets[MAX_CODELETS];
static char names[MAX_CODELETS][16];
int ncodelets;
long ntasks;
unsigned ran, disturbed;

void work(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&ran, 1);
}

struct starpu_codelet everywhere = {.cpu_funcs = {work},
                                    .cpu_funcs_name = {"work"},
                                    .opencl_funcs = {work},
                                    .cuda_funcs = {work},
                                    .name = "everywhere"};

int main(int argc, char **argv)
{
	static const struct stress_mode *const modes[] = {stress_task_modes, stress_context_modes, stress_data_modes};
	double start;
	const char *count = getenv("STRESS_CODELETS");

	ntasks = argc > 2 ? atol(argv[2]) : 100;
	ncodelets = count ? atoi(count) : 4;
	if (ncodelets < 1 || ncodelets > MAX_CODELETS || starpu_init(NULL) != 0)
		return 77;
	for (int i = 0; i < ncodelets; i++) {
		snprintf(names[i], sizeof(names[i]), "c%d", i);
		codelets[i] = everywhere;
		codelets[i].name = names[i];
	}
	start = starpu_timing_now();
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		for (const struct stress_mode *m = modes[i]; m->name; m++)
			if (argc > 1 && strcmp(argv[1], m->name) == 0)
				m->run();
	if (getenv("STRESS_TIME") && ran)
		printf("%.0f ns a task\n", 1000 * (starpu_timing_now() - start) / ran);
	starpu_shutdown();
	printf("ran %u, disturbed %u\n", ran, disturbed);
	return disturbed != 0;
}
