/* tests/lib/sessions_app.c - a StarPU application that starts StarPU once for each number, and runs so many tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "20:prio" says under which scheduler. */
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

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
		const char *policy = strchr(argv[i], ':');
		struct starpu_conf conf;

		starpu_conf_init(&conf);
		conf.sched_policy_name = policy ? policy + 1 : NULL;
		if (starpu_init(&conf) != 0)
			return 77;
		for (int k = 0; k < atoi(argv[i]); k++)
			starpu_task_insert(&codelet, 0);
		starpu_task_wait_for_all();
		starpu_shutdown();
	}
	return 0;
}
