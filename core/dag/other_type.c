/* core/dag/other_type.c - whether two graphs are of one application: the types of their tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/other_type.h"

#include <string.h>

#include "core/dag/dag.h"

static int is_nameless(const struct dag_type *t)
{
	return !*t->codelet && !*t->model;
}

static int is_same(const struct dag_type *a, const struct dag_type *b)
{
	return (*a->codelet && strcmp(a->codelet, b->codelet) == 0) || (*a->model && strcmp(a->model, b->model) == 0) ||
	       (is_nameless(a) && is_nameless(b));
}

const struct dag_type *other_type(const struct dag *d, const struct dag *of)
{
	for (uint32_t q = 0; q < d->ntypes; q++) {
		uint32_t p = 0;

		while (p < of->ntypes && !is_same(&d->types[q], &of->types[p]))
			p++;
		if (p == of->ntypes)
			return &d->types[q];
	}
	return NULL;
}
