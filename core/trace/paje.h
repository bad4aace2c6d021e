/* core/trace/paje.h - what tasks.rec lacks, from the paje.trace beside it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_PAJE_H
#define CORE_TRACE_PAJE_H

struct ht_err;
struct trace_builder;

/*
 * Adds workers (architecture, device, memory node, binding), the number of ready tasks over time, what workers did
 * beside executing, and copies.
 */
int paje_add(struct trace_builder *b, const char *path, struct ht_err *err);

#endif
