/* plugin/data_query.h - where the copies of data are, as far as StarPU says so without its locks: a hint. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_DATA_QUERY_H
#define PLUGIN_DATA_QUERY_H

#include <stdint.h>

struct policy_missing;

/* Locked (lock.h), as the next one. Of the first 64 of `nnodes` nodes, a bit each, those with a copy, and to come. */
void data_where(uint32_t handle, int nnodes, uint64_t *valid, uint64_t *coming);

/* What the node lacks of a live task's data. */
void data_missing(uint32_t task, int node, struct policy_missing *missing);

#endif
