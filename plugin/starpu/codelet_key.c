/* plugin/starpu/codelet_key.c - a number for a codelet, by which it is known again. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/codelet_key.h"

#include <stddef.h>

#include "core/base/mix.h"
#include "plugin/starpu/starpu_api.h"

uint64_t codelet_key(const void *codelet)
{
	const size_t arrays[] = {sp.layout->codelet.cpu_funcs, sp.layout->codelet.cuda_funcs,
	                         sp.layout->codelet.hip_funcs, sp.layout->codelet.opencl_funcs};
	uint64_t h = (uint64_t)(uintptr_t)codelet;

	for (size_t a = 0; a < sizeof(arrays) / sizeof(*arrays); a++) {
		const void *const *functions = (const void *)((const unsigned char *)codelet + arrays[a]);

		for (int i = 0; i < IMPLEMENTATIONS; i++)
			h = (h ^ (uint64_t)(uintptr_t)functions[i]) * MIX_GAMMA;
	}
	return mix64(h);
}
