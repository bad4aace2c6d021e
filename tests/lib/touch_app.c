/* tests/lib/touch_app.c - a StarPU application whose tasks touch so much memory, for counters that can be known. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * COUNT tasks of `touch` write one byte to each page of fresh memory, BYTES in all; as many of `rest` touch nothing.
 * With an argument, the program sleeps for so many microseconds before each.
 */
#include <starpu.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNT = 8, BYTES = 4 << 20 };

static void touch_func(void *buffers[], void *arg)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)buffers;
	(void)arg;
	if (p == MAP_FAILED)
		return;
	madvise((void *)p, BYTES, MADV_NOHUGEPAGE);
	for (long i = 0; i < BYTES; i += page)
		p[i] = 1;
	munmap((void *)p, BYTES);
}

static void rest_func(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
}

static struct starpu_codelet touch = {.cpu_funcs = {touch_func}, .name = "touch"};
static struct starpu_codelet rest = {.cpu_funcs = {rest_func}, .name = "rest"};

int main(int argc, char **argv)
{
	useconds_t pause = argc > 1 ? (useconds_t)atoi(argv[1]) : 0;

	if (starpu_init(NULL) != 0)
		return 77;
	for (int i = 0; i < 2 * COUNT; i++) {
		struct starpu_task *task = starpu_task_create();

		usleep(pause);
		task->cl = i % 2 ? &rest : &touch;
		if (starpu_task_submit(task) != 0)
			return 1;
	}
	starpu_task_wait_for_all();
	starpu_shutdown();
	return 0;
}
