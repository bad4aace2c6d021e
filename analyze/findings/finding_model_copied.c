/* analyze/findings/finding_model_copied.c - performance models that are copies of another codelet's. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/findings/finding.h"
#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/perfmodel/model.h"
#include "core/run/manifest.h"

#define COPY_ROWS      2    /* so many equal rows are no coincidence */
#define COPY_TOLERANCE 1e-4 /* StarPU writes seven digits */

/* A model that may have copies, or be one. */
struct candidate {
	struct model *model; /* by_what_a_copy_keeps() */
	uint32_t type;       /* the first one that has it */
	uint64_t rows;       /* a hash of all but the means */
	double second;       /* the mean of the second row, as a multiple of that of the first row */
	uint32_t ncopies;    /* of the candidate that stands for a group of copies: how many models they are */
	uint32_t next;       /* and the second of their types */
	struct model *next_model;
};

/* A copy may be of other sizes of data, and its means may be multiples of those of the other. */
static int by_what_a_copy_keeps(const void *a, const void *b)
{
	const struct model_entry *x = a, *y = b;

	return x->arch != y->arch       ? (x->arch > y->arch) - (x->arch < y->arch) :
	       x->devid != y->devid     ? (x->devid > y->devid) - (x->devid < y->devid) :
	       x->samples != y->samples ? (x->samples > y->samples) - (x->samples < y->samples) :
	                                  (x->mean_us > y->mean_us) - (x->mean_us < y->mean_us);
}

static struct model *with_sorted_rows(const struct model *m)
{
	struct model *sorted = ht_alloc(1, sizeof(*sorted));

	*sorted = *m;
	sorted->entries = ht_alloc(m->nentries, sizeof(*sorted->entries));
	memcpy(sorted->entries, m->entries, m->nentries * sizeof(*sorted->entries));
	qsort(sorted->entries, m->nentries, sizeof(*sorted->entries), by_what_a_copy_keeps);
	return sorted;
}

static void free_sorted(struct model *sorted)
{
	if (sorted)
		free(sorted->entries);
	free(sorted);
}

/* Whether there are enough rows, all of them measured and none of them once. */
static int can_be_copied(const struct model *m)
{
	if (m->is_computed)
		return 0;
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
		c[n] = (struct candidate){.model = with_sorted_rows(m), .type = p, .ncopies = 1};
		c[n].rows = hash_rows(c[n].model);
		c[n].second = c[n].model->entries[1].mean_us / c[n].model->entries[0].mean_us;
		n++;
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

static double factor_of(const struct model *x, const struct model *y)
{
	return y->entries[0].mean_us / x->entries[0].mean_us;
}

/* Whether every row of x is in y with the same number of samples, the means in one proportion. */
static int is_copy(const struct model *x, const struct model *y)
{
	const double factor = factor_of(x, y);

	if (x->nentries != y->nentries)
		return 0;
	for (size_t i = 0; i < x->nentries; i++) {
		const struct model_entry *a = &x->entries[i], *b = &y->entries[i];

		if (a->samples != b->samples || a->arch != b->arch || a->devid != b->devid ||
		    fabs(b->mean_us / a->mean_us / factor - 1) > COPY_TOLERANCE)
			return 0;
	}
	return 1;
}

/* Adds a model to a group, for which the model of the first of its types stands. */
static void join(struct candidate *group, const struct candidate *other)
{
	struct model *left_over = other->model;

	if (other->type < group->type) {
		left_over = group->next_model;
		group->next = group->type;
		group->next_model = group->model;
		group->type = other->type;
		group->model = other->model;
	} else if (group->ncopies == 1 || other->type < group->next) {
		left_over = group->next_model;
		group->next = other->type;
		group->next_model = other->model;
	}
	free_sorted(left_over);
	group->ncopies++;
}

/* Leaves one candidate for each group, in the order of types. Returns how many. */
static size_t find_groups(struct candidate *c, size_t n)
{
	size_t ngroups = 0;

	qsort(c, n, sizeof(*c), by_rows);
	for (size_t i = 0; i < n; i++) {
		size_t k = ngroups;
		int is_found = 0;

		while (!is_found && k > 0 && c[k - 1].rows == c[i].rows &&
		       c[i].second <= c[k - 1].second * (1 + 2 * COPY_TOLERANCE))
			is_found = is_copy(c[--k].model, c[i].model);
		if (is_found)
			join(&c[k], &c[i]);
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
	const double factor = factor_of(group->model, group->next_model);
	struct finding *f;

	if (group->ncopies == 2)
		f = finding_add(out, self, 0.6,
		                "The models of %s and %s have the same numbers of samples in all %zu rows, and "
		                "means in one proportion (%.4g): one is a copy of the other",
		                SHORT_NAME(first->name), SHORT_NAME(next->name), group->model->nentries, factor);
	else
		f = finding_add(out, self, 0.6,
		                "The models of %s, %s and %" PRIu32 " more have the same numbers of samples in all "
		                "%zu rows, and means in one proportion (%.4g of the first two): they are copies of one",
		                SHORT_NAME(first->name), SHORT_NAME(next->name), group->ncopies - 2,
		                group->model->nentries, factor);
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
	for (size_t i = 0; i < n; i++) {
		if (c[i].ncopies > 1)
			add(in, self, out, &c[i]);
		free_sorted(c[i].model);
		free_sorted(c[i].next_model);
	}
	free(c);
}
