/* plugin/starpu/codelet_key.c - a number for a codelet, by which it is known again. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/codelet_key.h"

#include <stddef.h>

#include "core/base/mix.h"
#include "plugin/starpu/starpu_api.h"

static uint64_t mix_pointer(uint64_t h, const unsigned char *codelet, size_t offset)
{
	return (h ^ (uint64_t)(uintptr_t) * (void *const *)(const void *)(codelet + offset)) * MIX_GAMMA;
}

/* Where it is in the codelet depends on how StarPU was built. */
static const char *name_of_codelet(struct starpu_task *task)
{
	const char *own = *task_name(task), *name;

	*task_name(task) = NULL;
	name = sp.starpu_task_get_name(task);
	*task_name(task) = own;
	return name;
}

uint64_t codelet_key(struct starpu_task *task)
{
	const size_t arrays[] = {sp.layout->codelet.cpu_funcs, sp.layout->codelet.cuda_funcs,
	                         sp.layout->codelet.hip_funcs, sp.layout->codelet.opencl_funcs,
	                         sp.layout->codelet.cpu_funcs_name};
	const char *name = name_of_codelet(task);
	uint64_t h = 0;

	for (size_t a = 0; a < sizeof(arrays) / sizeof(*arrays); a++)
		for (size_t i = 0; i < IMPLEMENTATIONS; i++)
			h = mix_pointer(h, *task_codelet(task), arrays[a] + i * sizeof(void *));
	h = mix_pointer(h, *task_codelet(task), sp.layout->codelet.can_execute);
	h = mix_pointer(h, *task_codelet(task), sp.layout->codelet.model);
	for (; name && *name; name++)
		h = (h ^ (unsigned char)*name) * MIX_GAMMA;
	return mix64(h);
}
