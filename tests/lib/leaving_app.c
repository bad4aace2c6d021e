/* tests/lib/leaving_app.c - a StarPU program whose data go, or change, while a scheduler asks for copies of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * leaving_app frees|gives-up|partitions: one thread has data, submits tasks on them and frees them after the last task;
 * another one says that all is submitted, so that the scheduler asks for copies of the data that the first one has.
 * That function of StarPU is slow here (link with -rdynamic). Before, the first one gives up the content of every other
 * datum, which it has no use for after its tasks, and then that of all others; or it partitions them for some tasks.
 * Prints how many copies were asked for, and for how many of data that had gone or had been given up.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMES = 4, FIRST = 20, MORE = 3, DATA = 540, TASKS = 2, PARTS = 2, VALUES = 1000, LONG_US = 1000 };

static pthread_barrier_t submitted, ended;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static starpu_data_handle_t data[DATA];
static unsigned values[DATA][VALUES];
static unsigned ndata = FIRST, ran, asked, early;
static int gives_up, partitions;

static int is_there(starpu_data_handle_t handle)
{
	for (unsigned i = 0; i < DATA; i++)
		if (data[i] == handle)
			return 1;
	return 0;
}

int starpu_data_prefetch_on_node_prio(starpu_data_handle_t handle, unsigned node, unsigned async, int priority)
{
	int (*prefetch)(starpu_data_handle_t, unsigned, unsigned, int) =
		(int (*)(starpu_data_handle_t, unsigned, unsigned, int))dlsym(RTLD_NEXT,
	                                                                      "starpu_data_prefetch_on_node_prio");
	int is_early;

	usleep(LONG_US);
	pthread_mutex_lock(&lock);
	is_early = !is_there(handle);
	asked++;
	early += is_early;
	pthread_mutex_unlock(&lock);
	return is_early ? 0 : prefetch(handle, node, async, priority);
}

static void work(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&ran, 1);
}

/* In microseconds: a device is worth the copies. */
static double cost(struct starpu_task *task, unsigned worker, unsigned implementation)
{
	(void)task;
	(void)implementation;
	return starpu_worker_get_type((int)worker) == STARPU_CPU_WORKER ? 100000 : 100;
}

static struct starpu_perfmodel costs = {.type = STARPU_PER_WORKER, .worker_cost_function = cost, .symbol = "works"};

static struct starpu_codelet works = {.cpu_funcs = {work},
                                      .opencl_funcs = {work},
                                      .nbuffers = 2,
                                      .modes = {STARPU_RW, STARPU_R},
                                      .model = &costs,
                                      .name = "works"};

static struct starpu_task *add(starpu_data_handle_t to, starpu_data_handle_t from)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = &works;
	task->handles[0] = to;
	task->handles[1] = from;
	task->detach = 0;
	return task;
}

static void submit(struct starpu_task *task)
{
	if (starpu_task_submit(task) != 0)
		exit(9);
}

static void submit_alone(struct starpu_task *task)
{
	task->detach = 1;
	submit(task);
}

static void wait_for(struct starpu_task *task)
{
	if (starpu_task_wait(task) != 0)
		exit(9);
}

/* No copy may be asked for from here on. */
static void has_gone(unsigned i)
{
	pthread_mutex_lock(&lock);
	data[i] = NULL;
	pthread_mutex_unlock(&lock);
}

static void give_up(starpu_data_handle_t *all, unsigned first)
{
	for (unsigned i = first; gives_up && i < ndata; i += 2) {
		starpu_data_invalidate_submit(all[i]);
		has_gone(i);
	}
}

static void partition(starpu_data_handle_t *all, starpu_data_handle_t through)
{
	struct starpu_data_filter halves = {.filter_func = starpu_vector_filter_block, .nchildren = PARTS};
	starpu_data_handle_t parts[PARTS];

	for (unsigned i = 0; partitions && i < ndata; i += 2) {
		starpu_data_partition_plan(all[i], &halves, parts);
		starpu_data_partition_submit(all[i], PARTS, parts);
		has_gone(i);
		for (int p = 0; p < PARTS; p++)
			submit_alone(add(parts[p], through));
		starpu_data_unpartition_submit(all[i], PARTS, parts, STARPU_MAIN_RAM);
		submit_alone(add(all[i], through));
		starpu_data_partition_clean(all[i], PARTS, parts);
	}
}

/* All wait for the gate, which waits for `opens`. */
static void *comes_and_goes(void *arg)
{
	static unsigned nothing, number;
	struct starpu_task *tasks[DATA * TASKS], *gate, *opens = starpu_task_create();
	starpu_data_handle_t all[DATA], through, origin;

	opens->destroy = 0;
	starpu_variable_data_register(&origin, STARPU_MAIN_RAM, (uintptr_t)&nothing, sizeof(nothing));
	starpu_variable_data_register(&through, STARPU_MAIN_RAM, (uintptr_t)&number, sizeof(number));
	gate = add(through, origin);
	starpu_task_declare_deps_array(gate, 1, &opens);
	submit(gate);
	for (unsigned i = 0; i < ndata; i++)
		starpu_vector_data_register(&data[i], STARPU_MAIN_RAM, (uintptr_t)values[i], VALUES,
		                            sizeof(values[i][0]));
	memcpy(all, data, sizeof(all));
	for (unsigned i = 0; i < ndata * TASKS; i++) {
		tasks[i] = add(data[i / TASKS], through);
		submit(tasks[i]);
	}
	give_up(all, 0);
	partition(all, through);
	pthread_barrier_wait(&submitted);
	usleep(10 * LONG_US);
	give_up(all, 1);
	submit(opens);
	wait_for(gate);
	for (unsigned i = 0; i < ndata * TASKS; i++)
		wait_for(tasks[i]);
	for (unsigned i = 0; i < ndata; i++) {
		has_gone(i);
		starpu_data_unregister(all[i]);
	}
	pthread_barrier_wait(&ended);
	starpu_data_unregister(through);
	starpu_data_unregister(origin);
	starpu_task_destroy(opens);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	gives_up = argc > 1 && strcmp(argv[1], "gives-up") == 0;
	partitions = argc > 1 && strcmp(argv[1], "partitions") == 0;
	if (starpu_init(NULL) != 0)
		return 77;
	pthread_barrier_init(&submitted, NULL, 2);
	pthread_barrier_init(&ended, NULL, 2);
	for (int i = 0; i < TIMES; i++) {
		pthread_create(&thread, NULL, comes_and_goes, NULL);
		pthread_barrier_wait(&submitted);
		starpu_do_schedule();
		pthread_barrier_wait(&ended);
		pthread_join(thread, NULL);
		ndata *= MORE; /* most of it new to the scheduler */
	}
	starpu_shutdown();
	printf("ran %u, asked %u, of data that had gone %u\n", ran, asked, early);
	return early != 0;
}
