/* core/trace/data_rec.h - where data is registered, from the data.rec beside a tasks.rec. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_DATA_REC_H
#define CORE_TRACE_DATA_REC_H

#include <stdint.h>
#include <stdio.h>

struct ht_err;
struct trace_builder;

/*
 * Adds the data of a data.rec of starpu_fxt_tool, in its order, with home nodes and coordinates; before any task that
 * accesses it. Of data that were at one address one after the other the last one stands for all.
 */
int data_rec_add(struct trace_builder *b, const char *path, struct ht_err *err);

/* The record of a datum of MPI rank 0; the address that stands for a handle is its index plus one, as in tasks.rec. */
void data_rec_write(FILE *f, uint32_t handle, int home, uint64_t bytes);

#endif
