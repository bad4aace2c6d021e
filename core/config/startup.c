/* core/config/startup.c - how StarPU is started: what its environment says besides the scheduler. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/startup.h"

#include <stdio.h>

static void add(struct startup_var *vars, int *n, const char *name, int value)
{
	vars[*n].name = name;
	snprintf(vars[*n].value, sizeof(vars[*n].value), "%d", value);
	++*n;
}

int startup_vars(const struct startup *s, const int workers[ARCH_COUNT], struct startup_var vars[STARTUP_MAX_VARS])
{
	static const char *const pipeline[ARCH_COUNT] = {
		[ARCH_CUDA] = "STARPU_CUDA_PIPELINE",
		[ARCH_OPENCL] = "STARPU_OPENCL_PIPELINE",
		[ARCH_HIP] = "STARPU_HIP_PIPELINE",
	};
	int n = 0;

	if (s->value[STARTUP_CPUS])
		add(vars, &n, "STARPU_NCPU", s->value[STARTUP_CPUS]);
	for (int a = 0; a < ARCH_COUNT && s->value[STARTUP_PIPELINE]; a++)
		if (pipeline[a] && workers[a])
			add(vars, &n, pipeline[a], s->value[STARTUP_PIPELINE]);
	if (s->value[STARTUP_NO_PREFETCH])
		add(vars, &n, "STARPU_PREFETCH", 0);
	return n;
}

const char *startup_text(char text[STARTUP_TEXT], enum startup_knob knob, int value)
{
	switch (knob) {
	case STARTUP_CPUS: snprintf(text, STARTUP_TEXT, "%d CPU worker%s", value, value == 1 ? "" : "s"); break;
	case STARTUP_PIPELINE: snprintf(text, STARTUP_TEXT, "pipeline of %d", value); break;
	default: snprintf(text, STARTUP_TEXT, "no prefetch"); break;
	}
	return text;
}

int startup_is_plain(const struct startup *s)
{
	for (int k = 0; k < STARTUP_COUNT; k++)
		if (s->value[k])
			return 0;
	return 1;
}
