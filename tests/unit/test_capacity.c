/* tests/unit/test_capacity.c - what StarPU uses of the memories of devices. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/capacity.h"

#include <stdlib.h>

#include "core/machine/machine.h"
#include "tests/lib/check.h"

#define MIB INT64_C(1048576)

static struct machine *machine(void)
{
	unsetenv("STARPU_LIMIT_CUDA_MEM");
	unsetenv("STARPU_LIMIT_CUDA_1_MEM");
	unsetenv("STARPU_LIMIT_OPENCL_0_MEM");
	return machine_parse("cpu:1@64G cuda:2@1G opencl:1", NULL);
}

/* Of 1024 MiB 921, as StarPU rounds; nothing of what is not known, and main memory as it is. */
static void nine_tenths(void)
{
	struct machine *m = machine();

	setenv("STARPU_LIMIT_CUDA_MEM", "600", 1);
	capacity_limit(m, CAPACITY_DEFAULT);
	CHECK_INT(m->nodes[0].capacity_bytes, 64 * 1024 * MIB);
	CHECK_INT(m->nodes[1].capacity_bytes, 921 * MIB);
	CHECK_INT(m->nodes[2].capacity_bytes, 921 * MIB);
	CHECK_INT(m->nodes[3].capacity_bytes, 0);
	machine_free(m);
}

/* The limit of the architecture comes before that of a device; what is no number is none. */
static void limits(void)
{
	static const struct {
		const char *all, *second, *opencl;
		int64_t mib[3];
	} cases[] = {
		{"600", NULL, NULL, {600, 600, 0}},
		{"600", "500", "70", {600, 600, 70}},
		{NULL, "500", NULL, {921, 500, 0}},
		{"much", "500", NULL, {921, 500, 0}},
		{"-1", NULL, "99999999999999999999", {921, 921, 0}},
		{"2048", NULL, NULL, {2048, 2048, 0}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct machine *m = machine();

		if (cases[i].all)
			setenv("STARPU_LIMIT_CUDA_MEM", cases[i].all, 1);
		if (cases[i].second)
			setenv("STARPU_LIMIT_CUDA_1_MEM", cases[i].second, 1);
		if (cases[i].opencl)
			setenv("STARPU_LIMIT_OPENCL_0_MEM", cases[i].opencl, 1);
		capacity_limit(m, CAPACITY_OF_ENVIRONMENT);
		for (int n = 0; n < 3; n++)
			CHECK_INT(m->nodes[1 + n].capacity_bytes, cases[i].mib[n] * MIB);
		machine_free(m);
	}
}

int main(void)
{
	RUN(nine_tenths);
	RUN(limits);
	return check_done();
}
