/* core/config/starpu_env.h - how StarPU is started: what its environment says besides the scheduler. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_STARPU_ENV_H
#define CORE_CONFIG_STARPU_ENV_H

#include "core/machine/arch.h"

/*
 * StarPU 1.4: STARPU_NCPU, the number of CPU workers; STARPU_CUDA_PIPELINE and its like, the tasks that the worker of a
 * device has at a time, one of which runs (drivers/cuda/driver_cuda.c); STARPU_PREFETCH=0, no copies ahead of that
 * (core/sched_policy.c).
 */
enum starpu_env_knob { STARPU_ENV_CPUS, STARPU_ENV_PIPELINE, STARPU_ENV_NO_PREFETCH, STARPU_ENV_COUNT };

enum { STARPU_ENV_MAX_PIPELINE = 4, STARPU_ENV_MAX_VARS = 5, STARPU_ENV_TEXT = 32 }; /* STARPU_MAX_PIPELINE */

/* 0: StarPU's default. */
struct starpu_env {
	int value[STARPU_ENV_COUNT];
};

struct starpu_env_var {
	const char *name;
	char value[16];
};

/* The variable with the depth of the pipelines of an architecture; NULL: its workers have none. */
extern const char *const starpu_env_pipelines[ARCH_COUNT];

/* What the environment has to say on a machine with these workers; returns how many variables. */
int starpu_env_vars(const struct starpu_env *s, const int workers[ARCH_COUNT],
                    struct starpu_env_var vars[STARPU_ENV_MAX_VARS]);

/* "18 CPUs", "pipeline of 4", "no prefetch". */
const char *starpu_env_text(char text[STARPU_ENV_TEXT], enum starpu_env_knob knob, int value);

/* Whether nothing is set. */
int starpu_env_is_plain(const struct starpu_env *s);

#endif
