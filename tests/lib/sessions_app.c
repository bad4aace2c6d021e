/* tests/lib/sessions_app.c - a StarPU application that starts StarPU once for each number, and runs so many tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <starpu.h>
#include <stdlib.h>

static void work(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	starpu_sleep(0.001f);
}

static struct starpu_codelet codelet = {.cpu_funcs = {work}, .cpu_funcs_name = {"work"}, .name = "work"};

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (starpu_init(NULL) != 0)
			return 77;
		for (int k = 0; k < atoi(argv[i]); k++)
			starpu_task_insert(&codelet, 0);
		starpu_task_wait_for_all();
		starpu_shutdown();
	}
	return 0;
}
