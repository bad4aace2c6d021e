/* plugin/starpu/task_model.c - of what kind the performance model of a task is, and what it looks at. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/task_model.h"

#include <math.h>
#include <stddef.h>

#include "core/base/mix.h"
#include "plugin/starpu/starpu_api.h"

typedef void any_fn(void);
typedef uint32_t footprint_fn(struct starpu_task *task);
typedef size_t size_fn(struct starpu_task *task, unsigned implementation);

/* That of a model, of which `m` points to the first byte; NULL: it has none. */
#define MODEL_FUNCTION(m, member, function) (*(function *const *)(const void *)((m) + sp.layout->perfmodel.member))

enum task_model task_model(const struct starpu_task *task)
{
	const unsigned char *m = (const void *)task_perfmodel(task);

	if (!m)
		return TASK_NO_MODEL;
	switch (*(const enum starpu_perfmodel_type *)(const void *)(m + sp.layout->perfmodel.type)) {
	case STARPU_COMMON: return MODEL_FUNCTION(m, cost_function, any_fn) ? TASK_FUNCTION : TASK_NO_MODEL;
	case STARPU_PER_WORKER: return MODEL_FUNCTION(m, worker_cost_function, any_fn) ? TASK_FUNCTION : TASK_NO_MODEL;
	case STARPU_PER_ARCH: return MODEL_FUNCTION(m, arch_cost_function, any_fn) ? TASK_FUNCTION : TASK_FUNCTIONS;
	case STARPU_REGRESSION_BASED:
	case STARPU_NL_REGRESSION_BASED:
	case STARPU_MULTIPLE_REGRESSION_BASED: return TASK_REGRESSION;
	default: return TASK_HISTORY;
	}
}

uint32_t task_model_size(struct starpu_task *task)
{
	const unsigned char *m = (const void *)task_perfmodel(task);
	footprint_fn *footprint = m ? MODEL_FUNCTION(m, footprint, footprint_fn) : NULL;
	size_fn *size = m ? MODEL_FUNCTION(m, size_base, size_fn) : NULL;

	return footprint ? footprint(task) : size ? (uint32_t)mix64(size(task, 0)) : 0;
}

double task_length_us(struct starpu_task *task, int worker, unsigned can, unsigned *implementation)
{
	double least = NAN;

	if (task_model(task) == TASK_NO_MODEL)
		return NAN;
	for (unsigned i = 0; can >> i; i++) {
		double us = can >> i & 1 ? sp.starpu_task_worker_expected_length(task, (unsigned)worker,
		                                                                 *task_context(task), i) :
		                           NAN;

		if (!(us > 0 && us < 1e12) || us >= least)
			continue;
		least = us;
		if (implementation)
			*implementation = i;
	}
	return least;
}

enum { STEPS = 8 }; /* to twice the length */

uint64_t task_length_step(double us)
{
	return us > 0 ? (uint64_t)(int64_t)floor(STEPS * log2(1000 * us)) : UINT64_MAX;
}
