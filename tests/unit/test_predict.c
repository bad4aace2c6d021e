/* tests/unit/test_predict.c - what StarPU would predict for the copies that a task needs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/sim/predict.h"

#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/trace/overheads.h"
#include "core/trace/trace.h"
#include "replay/memory/memory.h"
#include "replay/memory/network.h"
#include "sched/policy.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"

/*
 * Handle 0 of 1 MB is in main memory, handle 1 of 2 MB on the second GPU. Task 0 reads both; task 1 only writes handle
 * 0; task 2 has handle 0 for scratch.
 */
static struct dag *make_graph(void)
{
	struct dag_builder *b = dag_builder_create();
	struct dag *d;

	dag_builder_type(b, "k", (const int64_t[ARCH_COUNT]){1, 1, -1, -1, -1, -1, -1, -1});
	dag_builder_handle(b, 1000000);
	dag_builder_handle(b, 2000000);
	dag_builder_task(b, 0);
	dag_builder_access(b, 0, 0, ACCESS_R);
	dag_builder_access(b, 0, 1, ACCESS_R);
	dag_builder_task(b, 0);
	dag_builder_access(b, 1, 0, ACCESS_W);
	dag_builder_task(b, 0);
	dag_builder_access(b, 2, 0, ACCESS_R | ACCESS_W | ACCESS_SCRATCH);
	d = dag_builder_finish(b, NULL);
	d->handle_home[1] = 2;
	return d;
}

/*
 * At 1 GB/s, 1 MB takes 1 ms, and four times that as two GPUs are taken to use the bus both ways; 10 us of latency a
 * link; twice of both from GPU to GPU.
 */
static void times_and_bytes(void)
{
	struct dag *d = make_graph();
	struct machine *m = machine_parse("cpu:1 cuda:2 link:1GB/s latency:10us", NULL);
	struct network *n = network_create(m);
	struct overheads_all o;
	struct memory *mem;
	struct predict p;
	struct policy_missing missing;

	overheads_init(&o, OVERHEADS_MACHINE);
	mem = memory_create(d, m, n, &o);
	predict_init(&p, d, m, mem);
	CHECK_INT(predict_transfer_ns(&p, 0, 0), 8010000);
	CHECK_INT(predict_transfer_ns(&p, 0, 1), 4010000 + 16020000);
	CHECK_INT(predict_transfer_ns(&p, 0, 2), 4010000);
	CHECK_INT(predict_transfer_ns(&p, 1, 1), 0);
	CHECK_INT(predict_transfer_ns(&p, 2, 1), 0);
	predict_missing(&p, 0, 1, &missing);
	CHECK_INT(missing.invalid_bytes, 3000000);
	CHECK_INT(missing.unrequested_bytes, 3000000);
	CHECK_INT(missing.unallocated_bytes, 3000000);
	predict_missing(&p, 1, 1, &missing);
	CHECK_INT(missing.invalid_bytes, 0);
	CHECK_INT(missing.unallocated_bytes, 1000000);
	predict_missing(&p, 2, 1, &missing);
	CHECK_INT(missing.unallocated_bytes, 0);

	/* What was requested counts as if it were there, but is not valid yet. */
	CHECK_INT(memory_fetch(mem, 0, 1, 0), 2);
	CHECK_INT(predict_transfer_ns(&p, 0, 1), 0);
	predict_missing(&p, 0, 1, &missing);
	CHECK_INT(missing.invalid_bytes, 3000000);
	CHECK_INT(missing.unrequested_bytes, 0);
	predict_fini(&p);
	memory_free(mem);
	network_free(n);
	machine_free(m);
	dag_free(d);
}

int main(void)
{
	RUN(times_and_bytes);
	return check_done();
}
