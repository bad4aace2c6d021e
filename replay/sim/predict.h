/* replay/sim/predict.h - what StarPU would predict for the copies that a task needs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SIM_PREDICT_H
#define REPLAY_SIM_PREDICT_H

#include <stdint.h>

struct dag;
struct machine;
struct machine_link;
struct memory;
struct policy_missing;

struct predict {
	const struct dag *d;
	const struct machine *m;
	const struct memory *memory;
	const struct machine_link **links; /* [from * nodes + to]; NULL: none */
	double sharing;
};

/* All have to stay. predict_fini() it. */
void predict_init(struct predict *p, const struct dag *d, const struct machine *m, const struct memory *memory);
void predict_fini(struct predict *p);

/*
 * starpu_task_expected_data_transfer_time_for() of StarPU 1.4.10 (src/core/perfmodel/perfmodel.c, perfmodel_bus.c):
 * the sum, over what the task reads and the node lacks, of
 *
 *   latency + 2 devices bytes / bandwidth
 *
 * from the nearest valid copy, through main memory where no link leads directly. It takes all CUDA and OpenCL devices
 * to use the bus at a time, both ways. (Where StarPU has found out which devices share a bus it counts one for a link
 * that is not shared, which is left out here.) A copy that was requested counts as if it were there (coherency.c,
 * starpu_data_is_on_node).
 */
int64_t predict_transfer_ns(const struct predict *p, uint32_t task, int node);

/* starpu_st_non_ready_buffers_size() (src/sched_policies/fifo_queues.c). */
void predict_missing(const struct predict *p, uint32_t task, int node, struct policy_missing *missing);

#endif
