/* tests/lib/nameless_app.c - a StarPU application whose codelets have neither names nor models. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Two files, this one and this one compiled with OTHER, have a codelet each whose function is a static `work`; here are
 * those of the functions `left` and `right`, too, and the latter says what its function is called. COUNT tasks of each
 * are submitted in turns, all of them independent; with an argument one task object is submitted again and again, or,
 * if that is "build", tasks are made by starpu_task_build(). NAME is what codelets have as a name.
 */
#include <string.h>
#include <unistd.h>

#include <starpu.h>

enum { COUNT = 6 };
#ifndef NAME
#define NAME NULL
#endif

static void work(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	usleep(1000);
}

#ifdef OTHER
struct starpu_codelet other = {.cpu_funcs = {work}, .name = NAME};
#else
extern struct starpu_codelet other;
static struct starpu_codelet here = {.cpu_funcs = {work}, .name = NAME};

static void left(void *buffers[], void *arg)
{
	work(buffers, arg);
}

void right(void *buffers[], void *arg);
void right(void *buffers[], void *arg)
{
	work(buffers, arg);
	work(buffers, arg);
}

static int submit_again(struct starpu_task *task, struct starpu_codelet *codelet)
{
	task->cl = codelet;
	task->destroy = task->detach = 0;
	return starpu_task_submit(task) != 0 || starpu_task_wait(task) != 0;
}

static int submit_built(struct starpu_codelet *codelet)
{
	struct starpu_task *task = starpu_task_build(codelet, 0);

	return !task || starpu_task_submit(task) != 0;
}

int main(int argc, char **argv)
{
	struct starpu_codelet left_codelet = {.cpu_funcs = {left}, .name = NAME};
	struct starpu_codelet right_codelet = {.cpu_funcs = {right}, .cpu_funcs_name = {"right"}, .name = NAME};
	struct starpu_codelet *codelets[] = {&here, &other, &left_codelet, &right_codelet};

	struct starpu_task task;
	int is_built = argc > 1 && strcmp(argv[1], "build") == 0;

	if (starpu_init(NULL) != 0)
		return 1;
	starpu_task_init(&task);
	for (int i = 0; i < 4 * COUNT; i++)
		if (is_built ? submit_built(codelets[i % 4]) :
		    argc > 1 ? submit_again(&task, codelets[i % 4]) :
		               starpu_task_insert(codelets[i % 4], 0))
			return 1;
	starpu_task_wait_for_all();
	starpu_task_clean(&task);
	starpu_shutdown();
	return 0;
}
#endif
