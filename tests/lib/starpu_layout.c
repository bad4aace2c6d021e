/* tests/lib/starpu_layout.c - the scheduler library's table of StarPU's structs beside the headers it is built with. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/machine/arch.h"
#include "plugin/starpu/starpu_api.h"

/* Over SimGrid StarPU's headers rename it: nothing of StarPU runs here. */
#undef main

enum { VERSION = 10000 * STARPU_MAJOR_VERSION + 100 * STARPU_MINOR_VERSION + STARPU_RELEASE_VERSION };

static int differ, compared;

static void compare(const char *what, size_t table, size_t headers)
{
	compared++;
	if (table == headers)
		return;
	differ++;
	printf("%s: %zu in the table, %zu in the headers\n", what, table, headers);
}

/* Prints what differs, then how much was compared; status 1 where something differs or the version is not known. */
int main(void)
{
	const struct starpu_layout *l = starpu_layouts;
	struct starpu_task task;

	while (l->first && (VERSION < l->first || VERSION > l->last))
		l++;
	if (!l->first) {
		printf("%d is in no row of the table\n", VERSION);
		return 1;
	}
	compare("architectures", (size_t)l->narchs, (size_t)STARPU_NARCH);
	compare("where of an architecture", STARPU_WORKER_TO_MASK(ARCH_HIP), (size_t)1 << (ARCH_HIP + 1));
	compare("size of a task", l->task.size, sizeof(struct starpu_task));
	compare("size of a policy", l->policy.size, sizeof(struct starpu_sched_policy));
#define TASK(member)    compare("task." #member, l->task.member, offsetof(struct starpu_task, member))
#define CODELET(member) compare("codelet." #member, l->codelet.member, offsetof(struct starpu_codelet, member))
#define MODEL(member)   compare("perfmodel." #member, l->perfmodel.member, offsetof(struct starpu_perfmodel, member))
#define POLICY(member)  compare("policy." #member, l->policy.member, offsetof(struct starpu_sched_policy, member))
	TASK(name);
	TASK(cl);
	TASK(where);
	TASK(nbuffers);
	TASK(dyn_handles);
	TASK(dyn_modes);
	TASK(handles);
	TASK(modes);
	TASK(callback_arg);
	TASK(workerid);
	TASK(workerids);
	TASK(workerids_len);
	TASK(priority);
	TASK(type);
	TASK(sched_ctx);
	TASK(sched_data);
	compare("task.prologue", l->task.prologue, offsetof(struct starpu_task, prologue_callback_func));
	TASK(transaction);
	TASK(prefetched);
#define BIT(member, bit) \
	memset(&task, 0, sizeof(task)); \
	task.member = 1; \
	for (size_t i = 0; i < sizeof(task); i++) \
		if (((const unsigned char *)&task)[i]) { \
			compare("byte of task." #member, l->task.bits, i); \
			compare("task." #member, l->task.bit, ((const unsigned char *)&task)[i]); \
		}
	BIT(no_submitorder, no_submitorder_bit)
	BIT(execute_on_a_specific_worker, specific_worker_bit)
	CODELET(where);
	CODELET(can_execute);
	CODELET(cpu_funcs);
	CODELET(cuda_funcs);
	CODELET(cuda_flags);
	CODELET(hip_funcs);
	CODELET(hip_flags);
	CODELET(opencl_funcs);
	CODELET(opencl_flags);
	CODELET(cpu_funcs_name);
	CODELET(nbuffers);
	CODELET(modes);
	CODELET(dyn_modes);
	CODELET(model);
	MODEL(type);
	MODEL(cost_function);
	MODEL(arch_cost_function);
	MODEL(worker_cost_function);
	MODEL(size_base);
	MODEL(footprint);
	POLICY(init_sched);
	POLICY(deinit_sched);
	POLICY(push_task);
	POLICY(pop_task);
	POLICY(submit_hook);
	POLICY(pre_exec_hook);
	POLICY(post_exec_hook);
	POLICY(prefetches);
	POLICY(policy_name);
	POLICY(policy_description);
	POLICY(worker_type);
	printf("%d.%d.%d: %d compared, %d differ\n", STARPU_MAJOR_VERSION, STARPU_MINOR_VERSION, STARPU_RELEASE_VERSION,
	       compared, differ);
	return differ != 0;
}
