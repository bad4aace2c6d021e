/* tests/lib/unmodelled_app.c - a StarPU application whose codelets have no performance models. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * COUNT tasks of two codelets in no order, all of them independent: `near` takes 1 ms on a CPU and 8 ms on an OpenCL
 * device, `far` the other way round. With an argument `far` has a model. Prints how many ran where they are fast.
 */
#include <starpu.h>
#include <stdio.h>
#include <unistd.h>

enum { COUNT = 120, SHORT_US = 1000, LONG_US = 8000 };

static unsigned fast;

static void take_short(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	STARPU_ATOMIC_ADD(&fast, 1);
	usleep(SHORT_US);
}

static void take_long(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	usleep(LONG_US);
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "unmodelled_far"};
static struct starpu_codelet near = {
	.cpu_funcs = {take_short}, .opencl_funcs = {take_long}, .name = "near", .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_codelet far = {
	.cpu_funcs = {take_long}, .opencl_funcs = {take_short}, .name = "far", .nbuffers = 1, .modes = {STARPU_RW}};

int main(int argc, char **argv)
{
	static float x[COUNT];
	static starpu_data_handle_t handles[COUNT];

	(void)argv;
	if (argc > 1)
		far.model = &model;
	if (starpu_init(NULL) != 0)
		return 1;
	for (int i = 0; i < COUNT; i++) {
		starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, (uintptr_t)&x[i], sizeof(x[i]));
		if (starpu_task_insert((unsigned)i * 2654435761u >> 20 & 1 ? &far : &near, STARPU_RW, handles[i], 0) !=
		    0)
			return 1;
	}
	starpu_task_wait_for_all();
	for (int i = 0; i < COUNT; i++)
		starpu_data_unregister(handles[i]);
	printf("%u of %d where they are fast\n", fast, COUNT);
	starpu_shutdown();
	return 0;
}
