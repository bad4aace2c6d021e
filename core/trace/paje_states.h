/* core/trace/paje_states.h - workers' states and copies of a paje.trace, as spans and copies of a trace. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_PAJE_STATES_H
#define CORE_TRACE_PAJE_STATES_H

#include <stdint.h>

struct trace_builder;

/*
 * StarPU's states (1.2 to 1.4, src/debug/traces/starpu_fxt.c and starpu_paje.c): WS of a worker and S of its thread, Fi
 * fetching input, Po pushing output, C callback, Sc scheduling, Sl sleeping. A call of the scheduler after which the
 * worker sleeps or is idle gave it nothing and is left out. Copies are the links F, PF, TF and IF between memory
 * managers; which data they carry is not recorded.
 */
struct paje_states;

struct paje_states *paje_states_create(struct trace_builder *b);
void paje_states_free(struct paje_states *s); /* accepts NULL; what has not ended is left out */

/* `container` is the worker, or its thread: a thread of several workers stands for the first. */
void paje_states_bind(struct paje_states *s, const char *container, uint32_t worker);

void paje_states_set(struct paje_states *s, const char *container, const char *type, const char *value, int64_t ns);
void paje_states_push(struct paje_states *s, const char *container, const char *type, const char *value, int64_t ns);
void paje_states_pop(struct paje_states *s, const char *container, const char *type, int64_t ns);

/* A copy from, or to, a memory node; of several ends with one key the last counts, others are of its submission. */
void paje_states_copy(struct paje_states *s, const char *type, const char *key, int node, int rank, uint64_t bytes,
                      int64_t ns);
void paje_states_copied(struct paje_states *s, const char *key, int node, int64_t ns);

#endif
