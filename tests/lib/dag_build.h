/* tests/lib/dag_build.h - a task graph made by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_DAG_BUILD_H
#define TESTS_DAG_BUILD_H

#include "core/dag/dag.h"

/* The costs (int64_t[ARCH_COUNT], ns) of a type on a CPU and on a CUDA device, -1: cannot run; it runs nowhere else. */
#define COSTS(cpu, cuda) \
	{ \
		cpu, cuda, -1, -1, -1, -1, -1, -1, -1 \
	}

/* Types and costs first, then tasks and edges, then dag_builder_finish(). */
struct dag_builder;
struct dag_builder *dag_builder_create(void);
uint32_t dag_builder_type(struct dag_builder *b, const char *name, const int64_t cost_ns[ARCH_COUNT]);
uint32_t dag_builder_task(struct dag_builder *b, uint32_t type);
void dag_builder_edge(struct dag_builder *b, uint32_t pred, uint32_t succ);
void dag_builder_access(struct dag_builder *b, uint32_t task, uint32_t handle, uint32_t mode); /* of the newest task */
uint32_t dag_builder_handle(struct dag_builder *b, uint64_t bytes);

/* Frees the builder, also on failure. */
struct dag *dag_builder_finish(struct dag_builder *b, struct ht_err *err);

#endif
