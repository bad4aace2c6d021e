/* core/dag/submission_hash.c - a number for each task as it is submitted, by which a graph is known again. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/submission_hash.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/dag/dag.h"
#include "core/trace/trace.h"

void submission_hash_fini(struct submission_hash *s)
{
	free(s->seen);
	*s = (struct submission_hash){0};
}

void submission_hash_restart(struct submission_hash *s)
{
	s->first = s->last;
}

uint32_t submission_hash_number(const struct submission_hash *s, uint32_t handle)
{
	if (handle >= s->cap || s->seen[handle] <= s->first)
		return SUBMISSION_HASH_NONE;
	return (uint32_t)(s->seen[handle] - s->first - 1);
}

void submission_hash_forget(struct submission_hash *s, uint32_t handle)
{
	if (handle < s->cap)
		s->seen[handle] = 0;
}

static uint32_t number_of(struct submission_hash *s, uint32_t handle)
{
	VEC_FIT(s->seen, s->cap, handle);
	if (s->seen[handle] <= s->first)
		s->seen[handle] = ++s->last;
	return submission_hash_number(s, handle);
}

static uint64_t mixed(uint64_t h, uint64_t x)
{
	h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

uint32_t submission_hash_next(struct submission_hash *s, const char *name, const struct data_access *a, uint32_t n)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		h = mixed(h, (unsigned char)*name);
	for (uint32_t i = 0; i < n; i++)
		h = mixed(h, (uint64_t)number_of(s, a[i].handle) << 2 | (a[i].mode & (ACCESS_R | ACCESS_W)));
	h = mixed(h, n);
	return (uint32_t)(h >> 32);
}

void submission_hash_dag(struct submission_hash *s, const struct dag *d, uint32_t *hash)
{
	submission_hash_restart(s);
	for (uint32_t t = 0; t < d->ntasks; t++) {
		const struct dag_type *type = &d->types[dag_type_of(d, t)];

		hash[t] = submission_hash_next(s, *type->model ? type->model : type->codelet,
		                               d->accesses + d->tasks[t].first_access, d->tasks[t].naccesses);
	}
}
