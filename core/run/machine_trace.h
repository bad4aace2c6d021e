/* core/run/machine_trace.h - the machine a trace was recorded on, as far as its events show. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_MACHINE_TRACE_H
#define CORE_RUN_MACHINE_TRACE_H

struct ht_err;
struct machine;
struct trace;

/*
 * Worker i is worker i of the trace. Nodes of several MPI ranks are numbered one rank after the other. Links and
 * capacities are not in a trace: none is set (collect/machine_bus.h adds them). machine_free() it.
 */
struct machine *machine_from_trace(const struct trace *t, struct ht_err *err);

#endif
