/* core/config/startup.h - how StarPU is started: what its environment says besides the scheduler. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_STARTUP_H
#define CORE_CONFIG_STARTUP_H

#include "core/machine/arch.h"

/*
 * StarPU 1.4: STARPU_NCPU, the number of CPU workers; STARPU_CUDA_PIPELINE and its like, the tasks that the worker of a
 * device has at a time, one of which runs (drivers/cuda/driver_cuda.c); STARPU_PREFETCH=0, no copies ahead of that
 * (core/sched_policy.c).
 */
enum startup_knob { STARTUP_CPUS, STARTUP_PIPELINE, STARTUP_NO_PREFETCH, STARTUP_COUNT };

enum { STARTUP_MAX_PIPELINE = 4, STARTUP_MAX_VARS = 5, STARTUP_TEXT = 32 }; /* STARPU_MAX_PIPELINE */

/* 0: as StarPU has it without being told. */
struct startup {
	int value[STARTUP_COUNT];
};

struct startup_var {
	const char *name;
	char value[16];
};

/* What the environment has to say on a machine with these workers; returns how many variables. */
int startup_vars(const struct startup *s, const int workers[ARCH_COUNT], struct startup_var vars[STARTUP_MAX_VARS]);

/* "18 CPU workers", "pipeline of 4", "no prefetch". */
const char *startup_text(char text[STARTUP_TEXT], enum startup_knob knob, int value);

/* Whether nothing is told. */
int startup_is_plain(const struct startup *s);

#endif
