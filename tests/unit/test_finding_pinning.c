/* tests/unit/test_finding_pinning.c - findings about main memory that is allocated. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/lib/made_run.h"

/* Of rank 0 two threads wait for one chunk, and then for another; rank 1 allocates less. All tasks take 20 ms. */
static void test_pinning(void)
{
	static struct trace_memory memory[] = {
		{.ns = 3 * MS, .handle = 0, .took_ns = 2 * MS},
		{.ns = 3 * MS, .handle = 1, .took_ns = 1 * MS},
		{.ns = 5 * MS, .handle = 2, .took_ns = 4 * MS},
		{.ns = 6 * MS, .handle = 2, .took_ns = 1 * MS, .again = 1},
		{.ns = 9 * MS, .handle = 2, .node = 1, .took_ns = 3 * MS},
		{.ns = 12 * MS, .handle = 2, .kind = MEMORY_FREED, .took_ns = 3 * MS},
		{.ns = 9 * MS, .handle = 3, .took_ns = 3 * MS},
	};
	struct made x;

	begin(&x);
	x.trace.nhandles = 4;
	for (int i = 0; i < 4; i++)
		x.handles[i] = (struct trace_handle){.size_bytes = 1 << 20, .rank = i == 3};
	task(&x, PLAIN, CPU0, 0, 0, 0, 20);
	x.trace.memory = memory;
	look(&x);
	CHECK(!found(&x, "pinning"));
	x.trace.nmemory = sizeof(memory) / sizeof(*memory);
	look_again(&x);
	CHECK_NEAR(found(&x, "pinning") ? found(&x, "pinning")->severity : -1, 0.2, 1e-9);
	CHECK_NEAR(evidence(found(&x, "pinning"), "allocating_ns"), 4 * MS, 1e-9);
	CHECK_NEAR(evidence(found(&x, "pinning"), "bytes"), 3 << 20, 1e-9);
	CHECK_STR(found(&x, "pinning") ? found(&x, "pinning")->sentence : "",
	          "Main memory was allocated for 4.00 ms, 20 % of the run: 3.0 MiB of data");
	x.trace.nranks = 2;
	look_again(&x);
	CHECK_HAS(found(&x, "pinning") ? found(&x, "pinning")->sentence : "", "allocated on rank 0 for 4.00 ms");
	memory[2].ns = 3 * MS;
	memory[0].took_ns = memory[1].took_ns = memory[2].took_ns = MS / 2;
	memory[6].took_ns = MS / 2;
	look_again(&x);
	CHECK(!found(&x, "pinning"));
	done(&x);
}

int main(void)
{
	RUN(test_pinning);
	return check_done();
}
