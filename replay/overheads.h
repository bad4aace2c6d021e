/* replay/overheads.h - what the threads of StarPU take for their own work. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_OVERHEADS_H
#define REPLAY_OVERHEADS_H

#include <stdint.h>

/* Of a thread that drives workers, ns. */
struct overheads {
	int64_t push_ns;     /* to push a task that has become ready */
	int64_t look_ns;     /* to go round once and look after copies, for the thread of a CPU */
	int64_t device_look_ns; /* and for that of a device */
	int64_t ask_ns;      /* to ask for one datum of a task */
	int64_t queue_ns;    /* to start a kernel or a copy on a device */
	int64_t allocate_ns; /* to take a chunk of a device's memory; one device at a time */
};

/*
 * Of a run over SimGrid. What StarPU 1.4.10's SimGrid flavour takes, and has measured on real machines:
 * src/core/sched_policy.c:520, src/datawizard/datawizard.c:96, src/datawizard/coherency.c:1211,
 * src/core/simgrid.c:888 and :1271, src/drivers/cuda/driver_cuda.c:1185.
 */
static const struct overheads overheads_of_simgrid = {
	.push_ns = 1000, .look_ns = 1000, .device_look_ns = 2000, .ask_ns = 1000, .queue_ns = 10000,
	.allocate_ns = 175000,
};

/* Of a machine: the same, but that nobody is the first to look because of what he looks after. */
static const struct overheads overheads_of_machine = {
	.push_ns = 1000, .look_ns = 1000, .device_look_ns = 1000, .ask_ns = 1000, .queue_ns = 10000,
	.allocate_ns = 175000,
};

#endif
