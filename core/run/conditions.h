/* core/run/conditions.h - the conditions of an execution: what StarPU's threads need, and how devices are driven. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_CONDITIONS_H
#define CORE_RUN_CONDITIONS_H

#include <stdint.h>

#include "core/machine/arch.h"
#include "core/trace/overheads.h"

struct dag;
struct machine;
struct manifest;
struct trace;

/*
 * Tasks that the worker of a device has at a time (STARPU_CUDA_PIPELINE, STARPU_OPENCL_PIPELINE, STARPU_HIP_PIPELINE),
 * the one included whose data it waits for: 1 to PIPELINE_MOST. PIPELINE_NONE is StarPU's 0: its thread waits for each.
 */
enum { PIPELINE_OF_RUN = 0, PIPELINE_NONE = -1, PIPELINE_MOST = 4, PIPELINE_DEFAULT = 2 };

/* What holds for an execution of a graph and is no property of the graph. */
struct conditions {
	int simulated;               /* StarPU ran over SimGrid */
	int8_t pipeline[ARCH_COUNT]; /* PIPELINE_*; PIPELINE_OF_RUN: not known */
	arch_mask synchronous;       /* a codelet that does not say itself keeps the thread of these devices */
	struct overheads_all overheads;
};

/* Those of a machine on which nothing was measured. */
void conditions_init(struct conditions *c);

/* Those of a run. `d` is dag_from_trace() of `t`; `m` is the machine of the run. */
void conditions_of_run(struct conditions *c, const struct trace *t, const struct dag *d, const struct machine *m,
                       const struct manifest *manifest);

/*
 * Takes from `other`, conditions on the same machine, what was measured there more often than for `c`: each overhead of
 * each architecture for itself. A device that kept its thread there does so here.
 */
void conditions_complete(struct conditions *c, const struct conditions *other);

#endif
