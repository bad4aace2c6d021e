/* analyze/findings/finding_model_copied.c - performance models that are copies of another codelet's. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/findings/finding.h"
#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/dag/dag.h"
#include "core/perfmodel/model.h"
#include "core/run/manifest.h"

#define COPY_ROWS      2    /* so many equal rows are no coincidence */
#define COPY_TOLERANCE 1e-4 /* StarPU writes seven digits */

/* A model that may have copies, or be one. */
struct candidate {
	const struct model *model;
	uint32_t type;          /* the first one that has it */
	uint64_t rows;          /* a hash of all but the means */
	double second;          /* mean of the second row, of that of the first */
	uint32_t next, ncopies; /* of the first of a group, by type: its second, and how many models they are */
};

/* Whether there are enough rows, none of them of a single measurement. */
static int can_be_copied(const struct model *m)
{
	for (size_t i = 0; i < m->nentries; i++)
		if (m->entries[i].samples < 2 || m->entries[i].mean_us <= 0)
			return 0;
	return m->nentries >= COPY_ROWS;
}

static uint64_t hash_rows(const struct model *m)
{
	uint64_t h = HASH64_START;

	for (size_t i = 0; i < m->nentries; i++) {
		const struct model_entry *e = &m->entries[i];
		const uint64_t row[] = {e->samples, e->arch, e->devid};

		h = hash64(h, row, sizeof(row));
	}
	return h;
}

/* Every model once. Returns how many. */
static size_t find_candidates(const struct finding_input *in, struct candidate *c)
{
	unsigned char *seen = ht_alloc(in->models->count + 1, 1);
	size_t n = 0;

	for (uint32_t p = 0; p < in->dag->ntypes; p++) {
		const char *symbol = in->dag->types[p].model;
		const struct model *m = *symbol ? model_find(in->models, symbol) : NULL;

		if (!m || seen[m - in->models->models] || !can_be_copied(m))
			continue;
		seen[m - in->models->models] = 1;
		c[n++] = (struct candidate){.model = m,
		                            .type = p,
		                            .rows = hash_rows(m),
		                            .second = m->entries[1].mean_us / m->entries[0].mean_us,
		                            .ncopies = 1};
	}
	free(seen);
	return n;
}

static int by_rows(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->rows != y->rows     ? (x->rows > y->rows) - (x->rows < y->rows) :
	       x->second != y->second ? (x->second > y->second) - (x->second < y->second) :
	                                (x->type > y->type) - (x->type < y->type);
}

static int by_type(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->type > y->type) - (x->type < y->type);
}

/* Whether every row of x is in y with the same number of samples, the means in one proportion. */
static int copied(const struct model *x, const struct model *y, double *factor)
{
	double ratio = 0;

	if (x->nentries != y->nentries)
		return 0;
	for (size_t i = 0; i < x->nentries; i++) {
		const struct model_entry *a = &x->entries[i], *b = &y->entries[i];

		if (a->samples != b->samples || a->arch != b->arch || a->devid != b->devid)
			return 0;
		if (i == 0)
			ratio = b->mean_us / a->mean_us;
		else if (fabs(b->mean_us / a->mean_us / ratio - 1) > COPY_TOLERANCE)
			return 0;
	}
	*factor = ratio;
	return 1;
}

/* A group's first is its first type, of which `of` is one of the others. */
static void join(struct candidate *group, const struct candidate *of)
{
	if (of->type < group->type) {
		group->next = group->type;
		group->type = of->type;
		group->model = of->model;
	} else if (group->ncopies == 1 || of->type < group->next) {
		group->next = of->type;
	}
	group->ncopies++;
}

/* c[0] .. of one candidate for each group, in the order of types. Returns how many. */
static size_t find_groups(struct candidate *c, size_t n)
{
	size_t ngroups = 0;
	double factor;

	qsort(c, n, sizeof(*c), by_rows);
	for (size_t i = 0; i < n; i++) {
		size_t k = ngroups;

		while (k > 0 && c[k - 1].rows == c[i].rows &&
		       c[i].second <= c[k - 1].second * (1 + 2 * COPY_TOLERANCE) &&
		       !copied(c[k - 1].model, c[i].model, &factor))
			k--;
		if (k > 0 && copied(c[k - 1].model, c[i].model, &factor))
			join(&c[k - 1], &c[i]);
		else
			c[ngroups++] = c[i];
	}
	qsort(c, ngroups, sizeof(*c), by_type);
	return ngroups;
}

static void add(const struct finding_input *in, const struct finding_check *self, struct findings *out,
                const struct candidate *group)
{
	const struct dag_type *first = &in->dag->types[group->type], *next = &in->dag->types[group->next];
	struct finding *f;
	double factor = 1;

	copied(group->model, model_find(in->models, next->model), &factor);
	if (group->ncopies == 2)
		f = finding_add(out, self, 0.6,
		                "The models of %.60s and %.60s have the same numbers of samples in all %zu rows, and "
		                "means in one proportion (%.4g): one is a copy of the other",
		                first->name, next->name, group->model->nentries, factor);
	else
		f = finding_add(out, self, 0.6,
		                "The models of %.60s, %.60s and %" PRIu32
		                " more have the same numbers of samples in all "
		                "%zu rows, and means in one proportion (%.4g of the first two): they are copies of one",
		                first->name, next->name, group->ncopies - 2, group->model->nentries, factor);
	finding_advise(f, "%s (STARPU_CALIBRATE=1): costs taken from %s are not measurements",
	               group->ncopies == 2 ? "Remove the copy and calibrate that codelet by itself" :
	                                     "Remove the copies and calibrate each codelet by itself",
	               group->ncopies == 2 ? "it" : "them");
	finding_show(f, {"rows", (double)group->model->nentries}, {"factor", factor},
	             {"models", (double)group->ncopies});
}

/* The models of a generated graph were made for it, and two types of it may be given the same costs. */
void finding_model_copied(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	struct candidate *c;
	size_t n;

	if (in->manifest && *manifest_get(in->manifest, "generated"))
		return;
	c = ht_alloc((size_t)in->dag->ntypes + 1, sizeof(*c));
	n = find_groups(c, find_candidates(in, c));
	for (size_t i = 0; i < n; i++)
		if (c[i].ncopies > 1)
			add(in, self, out, &c[i]);
	free(c);
}
