/* tests/lib/nameless_app.c - a StarPU application whose codelets have neither names nor models. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Two files, this one and this one compiled with OTHER, have a codelet each whose function is a static `work`; here are
 * those of the functions `left` and `right`, too, and the latter says what its function is called. COUNT tasks of each
 * are submitted in turns, all of them independent.
 */
#include <starpu.h>
#include <unistd.h>

enum { COUNT = 6 };

static void work(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
	usleep(1000);
}

#ifdef OTHER
struct starpu_codelet other = {.cpu_funcs = {work}};
#else
extern struct starpu_codelet other;
static struct starpu_codelet here = {.cpu_funcs = {work}};

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

int main(void)
{
	struct starpu_codelet left_codelet = {.cpu_funcs = {left}};
	struct starpu_codelet right_codelet = {.cpu_funcs = {right}, .cpu_funcs_name = {"right"}};
	struct starpu_codelet *codelets[] = {&here, &other, &left_codelet, &right_codelet};

	if (starpu_init(NULL) != 0)
		return 1;
	for (int i = 0; i < 4 * COUNT; i++)
		if (starpu_task_insert(codelets[i % 4], 0) != 0)
			return 1;
	starpu_task_wait_for_all();
	starpu_shutdown();
	return 0;
}
#endif
