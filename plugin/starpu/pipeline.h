/* plugin/starpu/pipeline.h - whether a worker takes its next task while it executes one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_PIPELINE_H
#define PLUGIN_PIPELINE_H

#include "core/machine/arch.h"
#include "plugin/starpu/starpu_api.h"

/*
 * Of a worker of the architecture and a task that it executes: the first implementation of the codelet says that it
 * only begins a kernel (STARPU_CUDA_ASYNC and its like), and the pipeline has more than that task's place. One thread
 * at a time may ask.
 */
int pipeline_takes_ahead(const struct starpu_task *task, enum arch a);

#endif
