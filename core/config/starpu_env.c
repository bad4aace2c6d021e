/* core/config/starpu_env.c - how StarPU is started: what its environment says besides the scheduler. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/starpu_env.h"

#include <stdio.h>

const char *const starpu_env_pipelines[ARCH_COUNT] = {
	[ARCH_CUDA] = "STARPU_CUDA_PIPELINE",
	[ARCH_OPENCL] = "STARPU_OPENCL_PIPELINE",
	[ARCH_HIP] = "STARPU_HIP_PIPELINE",
};

static void add(struct starpu_env_var *vars, int *n, const char *name, int value)
{
	vars[*n].name = name;
	snprintf(vars[*n].value, sizeof(vars[*n].value), "%d", value);
	++*n;
}

int starpu_env_vars(const struct starpu_env *s, const int workers[ARCH_COUNT],
                    struct starpu_env_var vars[STARPU_ENV_MAX_VARS])
{
	int n = 0;

	if (s->value[STARPU_ENV_CPUS])
		add(vars, &n, "STARPU_NCPU", s->value[STARPU_ENV_CPUS]);
	for (int a = 0; a < ARCH_COUNT && s->value[STARPU_ENV_PIPELINE]; a++)
		if (starpu_env_pipelines[a] && workers[a])
			add(vars, &n, starpu_env_pipelines[a], s->value[STARPU_ENV_PIPELINE]);
	if (s->value[STARPU_ENV_NO_PREFETCH])
		add(vars, &n, "STARPU_PREFETCH", 0);
	return n;
}

const char *starpu_env_text(char text[STARPU_ENV_TEXT], enum starpu_env_knob knob, int value)
{
	switch (knob) {
	case STARPU_ENV_CPUS: snprintf(text, STARPU_ENV_TEXT, "%d CPU%s", value, value == 1 ? "" : "s"); break;
	case STARPU_ENV_PIPELINE: snprintf(text, STARPU_ENV_TEXT, "pipeline of %d", value); break;
	default: snprintf(text, STARPU_ENV_TEXT, "no prefetch"); break;
	}
	return text;
}

int starpu_env_is_plain(const struct starpu_env *s)
{
	for (int k = 0; k < STARPU_ENV_COUNT; k++)
		if (s->value[k])
			return 0;
	return 1;
}
