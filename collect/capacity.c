/* collect/capacity.c - how much of each memory StarPU uses. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/capacity.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/number.h"
#include "core/machine/machine.h"

enum { MIB_BITS = 20 };

/* -1: the variable is not set, or no number. */
static int64_t mib_of(const char *name)
{
	const char *text = getenv(name);
	int64_t mib;

	return text && number_parse_int(text, 0, INT64_MAX >> MIB_BITS, &mib) == 0 ? mib : -1;
}

static int64_t limit_mib(const char *arch, int devid)
{
	char name[64];
	int64_t mib;

	snprintf(name, sizeof(name), "STARPU_LIMIT_%s_MEM", arch);
	mib = mib_of(name);
	if (mib >= 0)
		return mib;
	snprintf(name, sizeof(name), "STARPU_LIMIT_%s_%d_MEM", arch, devid);
	return mib_of(name);
}

void capacity_limit(struct machine *m, enum capacity_limits limits)
{
	static const char *const names[ARCH_COUNT] = {
		[ARCH_CUDA] = "CUDA", [ARCH_OPENCL] = "OPENCL", [ARCH_HIP] = "HIP"};

	for (int i = 0; i < m->nnodes; i++) {
		struct machine_node *n = &m->nodes[i];
		int64_t mib;

		if (!names[n->arch])
			continue;
		mib = limits == CAPACITY_OF_ENVIRONMENT ? limit_mib(names[n->arch], n->devid) : -1;
		if (mib < 0)
			mib = (int64_t)((double)(n->capacity_bytes >> MIB_BITS) * 0.9);
		n->capacity_bytes = mib << MIB_BITS;
	}
}
