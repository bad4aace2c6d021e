/* tests/lib/starpu_app.c - a StarPU application that tells in which order and where its tasks ran. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A gate task holds back COUNT tasks of each of the codelets alpha, beta, gamma and delta, submitted in turns; then
 * all are ready at once. alpha's and beta's models are called app_alpha and app_beta, gamma has no model, delta is
 * alpha's codelet restricted to the CPU. Prints one line: a letter for each task in the order of their ends, small on
 * a CPU, a capital elsewhere. Compiled with SETTING, the name of an exported header, it sets that up by itself.
 */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef SETTING
#include SETTING
#endif

enum { COUNT = 12 };

static char order[8 * COUNT];
static unsigned nended;

static void work(void *buffers[], void *arg)
{
	(void)buffers;
	(void)arg;
}

static double cost_us(struct starpu_task *task, unsigned nimpl)
{
	(void)task;
	(void)nimpl;
	return 1000;
}

/* Runs on the worker that has executed the task. */
static void ended(void *letter)
{
	unsigned at = STARPU_ATOMIC_ADD(&nended, 1) - 1;
	int c = *(const char *)letter;

	order[at] = (char)(starpu_worker_get_type(starpu_worker_get_id()) == STARPU_CPU_WORKER ? c : c - 'a' + 'A');
}

static struct starpu_perfmodel alpha_model = {.type = STARPU_COMMON, .cost_function = cost_us, .symbol = "app_alpha"};
static struct starpu_perfmodel beta_model = {.type = STARPU_COMMON, .cost_function = cost_us, .symbol = "app_beta"};
static struct starpu_perfmodel gamma_model = {.type = STARPU_COMMON, .cost_function = cost_us, .symbol = "app_gamma"};
static struct starpu_perfmodel gate_model = {.type = STARPU_COMMON, .cost_function = cost_us, .symbol = "app_gate"};

#define CODELET(model_) { \
	.cpu_funcs = {work}, .cpu_funcs_name = {"work"}, .cuda_funcs = {work}, .where = STARPU_CPU | STARPU_CUDA, \
	.model = &model_, \
}
static struct starpu_codelet alpha = CODELET(alpha_model), beta = CODELET(beta_model), gamma_ = CODELET(gamma_model);
static struct starpu_codelet gate = CODELET(gate_model);

static void submit(struct starpu_codelet *cl, const char *letter, struct starpu_task *before, int only_cpu)
{
	struct starpu_task *task = starpu_task_create();
	struct starpu_task *deps[1];

	task->cl = cl;
	task->callback_func = ended;
	task->callback_arg = (void *)letter;
	if (only_cpu)
		task->where = STARPU_CPU;
#ifdef SETTING
	if (heterotune_task(task) < 0)
		exit(78);
#endif
	deps[0] = before;
	starpu_task_declare_deps_array(task, 1, deps);
	if (starpu_task_submit(task) != 0)
		exit(77);
}

int main(void)
{
	struct starpu_task *first;
	struct starpu_conf conf;

	starpu_conf_init(&conf);
#ifdef SETTING
	setenv("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", "0", 1);
	conf.sched_policy_name = "heteroprio";
	conf.HETEROTUNE_CALLBACK = heterotune_init;
#endif
	if (starpu_init(&conf) != 0)
		return 77;
	first = starpu_task_create();
	first->cl = &gate;
#ifdef SETTING
	first->priority = heterotune_bucket(NULL, "app_alpha");
#endif
	for (int i = 0; i < COUNT; i++) {
		submit(&alpha, "a", first, 0);
		submit(&beta, "b", first, 0);
#ifndef SETTING
		submit(&gamma_, "c", first, 0);
		submit(&alpha, "d", first, 1);
#endif
	}
	if (starpu_task_submit(first) != 0)
		return 77;
	starpu_task_wait_for_all();
	starpu_shutdown();
	(void)gamma_;
	printf("%s\n", order);
	return 0;
}
