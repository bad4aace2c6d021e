/* core/dag/other_type.c - whether two graphs are of one application: the types of their tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/other_type.h"

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/dag/dag.h"

static int is_nameless(const struct dag_type *t)
{
	return !*t->codelet && !*t->model;
}

const struct dag_type *other_type(const struct dag *d, const struct dag *of)
{
	struct arena *arena = arena_create();
	struct intern *codelets = intern_create(arena), *models = intern_create(arena);
	const struct dag_type *other = NULL;
	uint32_t ncodelets, nmodels;
	int has_nameless = 0;

	for (uint32_t p = 0; p < of->ntypes; p++) {
		intern_str(codelets, of->types[p].codelet);
		intern_str(models, of->types[p].model);
		has_nameless |= is_nameless(&of->types[p]);
	}
	ncodelets = intern_count(codelets);
	nmodels = intern_count(models);
	for (uint32_t q = 0; q < d->ntypes && !other; q++) {
		const struct dag_type *t = &d->types[q];

		/* A name that `of` does not have gets the next number. */
		if (!(*t->codelet && intern_str(codelets, t->codelet) < ncodelets) &&
		    !(*t->model && intern_str(models, t->model) < nmodels) && !(is_nameless(t) && has_nameless))
			other = t;
	}
	intern_free(codelets);
	intern_free(models);
	arena_free(arena);
	return other;
}
