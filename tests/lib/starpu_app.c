/* tests/lib/starpu_app.c - a StarPU application that prints in which order and where its tasks ran. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A gate task holds back COUNT tasks of each of the codelets alpha, beta, gamma and delta, submitted in turns; then
 * all are ready at once. alpha's and beta's models are called app_alpha and app_beta, gamma has no model, delta is
 * alpha's codelet restricted to the CPU. Prints one line: a letter for each task in the order of their ends, small on
 * a CPU, a capital elsewhere. With APP_PLACES in the environment it submits COUNT tasks of the codelet sized instead,
 * called a, b, c, ...: the priority of the i-th is i % 3, and its data is the larger one when i % 4 is 3; after the
 * letters comes the footprint of those. Compiled with SETTING, the name of an exported header, it sets that up by
 * itself.
 */
#include <starpu.h>
#include <starpu_scheduler.h>
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

#define CODELET(model_) \
	{ \
		.cpu_funcs = {work}, .cpu_funcs_name = {"work"}, .cuda_funcs = {work}, \
		.where = STARPU_CPU | STARPU_CUDA, .model = &model_, \
	}
static struct starpu_codelet alpha = CODELET(alpha_model), beta = CODELET(beta_model), gamma_ = CODELET(gamma_model);
static struct starpu_codelet gate = CODELET(gate_model);

static struct starpu_perfmodel sized_model = {.type = STARPU_COMMON, .cost_function = cost_us, .symbol = "app_sized"};
static struct starpu_codelet sized = {
	.cpu_funcs = {work},
	.cpu_funcs_name = {"work"},
	.cuda_funcs = {work},
	.where = STARPU_CPU | STARPU_CUDA,
	.model = &sized_model,
	.nbuffers = 1,
	.modes = {STARPU_R},
};

static uint32_t submit_sized(struct starpu_task *before, starpu_data_handle_t small, starpu_data_handle_t large)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	uint32_t footprint = 0;

	for (int i = 0; i < COUNT; i++) {
		struct starpu_task *task = starpu_task_create();

		task->cl = &sized;
		task->handles[0] = i % 4 == 3 ? large : small;
		task->priority = i % 3;
		task->callback_func = ended;
		task->callback_arg = (void *)&letters[i];
		if (i % 4 == 3)
			footprint = starpu_task_data_footprint(task);
#ifdef SETTING
		if (heterotune_task(task) < 0)
			exit(78);
#endif
		starpu_task_declare_deps_array(task, 1, &before);
		if (starpu_task_submit(task) != 0)
			exit(77);
	}
	return footprint;
}

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
	static double numbers[200];
	starpu_data_handle_t small = NULL, large = NULL;
	struct starpu_task *first;
	struct starpu_conf conf;
	uint32_t footprint = 0;

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
	first->priority = getenv("APP_PLACES") ? heterotune_number(heterotune_kind(NULL, "app_sized"), 0, 0, 0) :
	                                         heterotune_bucket(NULL, "app_alpha");
#endif
	if (getenv("APP_PLACES")) {
		starpu_vector_data_register(&small, STARPU_MAIN_RAM, (uintptr_t)numbers, 100, sizeof(*numbers));
		starpu_vector_data_register(&large, STARPU_MAIN_RAM, (uintptr_t)numbers, 200, sizeof(*numbers));
		footprint = submit_sized(first, small, large);
	}
	for (int i = 0; i < COUNT && !getenv("APP_PLACES"); i++) {
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
	if (small) {
		starpu_data_unregister(small);
		starpu_data_unregister(large);
	}
	starpu_shutdown();
	(void)gamma_;
	printf("%s\n", order);
	if (footprint)
		printf("%08x\n", footprint);
	return 0;
}
