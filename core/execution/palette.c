/* core/execution/palette.c - one colour for each type of task, the same in every plot. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/execution/palette.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/table.h"

/*
 * The first eight can be distinguished without seeing red, or green (after M. Okabe and K. Ito, "Color
 * Universal Design", 2008, black and the pale yellow replaced), on white and, inverted with their hues kept, on black.
 * The others are after P. Tol, "Colour Schemes", 2021.
 */
static const uint32_t colours[PALETTE_MAX] = {
	0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xcabb22, 0x882255, 0x6699cc,
	0x999933, 0x44aa99, 0xaa4499, 0x117733, 0xcc6677, 0x332288, 0x88ccee, 0x661100, 0xddcc77,
};
static const uint32_t colour_of_others = 0xa8a8a8;

enum { SHOWN_BYTES = 36 }; /* of a name, with its end */

struct type_work {
	uint32_t type;
	int64_t busy_ns;
	const char *label;
};

static int compare_work(const void *a, const void *b)
{
	const struct type_work *x = a, *y = b;

	if (x->busy_ns != y->busy_ns)
		return x->busy_ns < y->busy_ns ? 1 : -1;
	return strcmp(x->label, y->label);
}

static int compare_label(const void *a, const void *b)
{
	const struct type_work *x = a, *y = b;

	return strcmp(x->label, y->label);
}

/* Types that have a task, the longest work first. Returns how many. */
static uint32_t used_types(const struct palette_type *types, uint32_t ntypes, struct type_work *work)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < ntypes; i++)
		work[i] = (struct type_work){i, types[i].busy_ns, types[i].name};
	qsort(work, ntypes, sizeof(*work), compare_work);
	while (n < ntypes && work[n].busy_ns >= 0)
		n++;
	return n;
}

void palette_init(struct palette *p, const struct palette_type *types, uint32_t ntypes)
{
	struct type_work *work = ht_alloc(ntypes, sizeof(*work));
	uint32_t used = used_types(types, ntypes, work);
	uint32_t own = used <= PALETTE_MAX ? used : PALETTE_MAX;

	*p = (struct palette){.ngroups = (int)own, .group_of = ht_alloc(ntypes, 1)};
	qsort(work, own, sizeof(*work), compare_label);
	for (uint32_t i = 0; i < own; i++) {
		text_end(p->groups[i].name, SHOWN_BYTES, *work[i].label ? work[i].label : "(no name)");
		p->groups[i].label = work[i].label;
		p->groups[i].rgb = colours[i];
		p->group_of[work[i].type] = (uint8_t)i;
	}
	if (used > own) {
		snprintf(p->groups[own].name, sizeof(p->groups[own].name), "%" PRIu32 " others", used - own);
		p->groups[own].rgb = colour_of_others;
		p->ngroups++;
	}
	/* Without others a type that has no task has the last group. */
	for (uint32_t i = own; i < ntypes; i++)
		p->group_of[work[i].type] = (uint8_t)(p->ngroups ? p->ngroups - 1 : 0);
	free(work);
}

void palette_fini(struct palette *p)
{
	free(p->group_of);
	*p = (struct palette){0};
}

int palette_find(const struct palette *p, const char *label)
{
	for (int k = 0; k < p->ngroups && label; k++)
		if (p->groups[k].label && strcmp(p->groups[k].label, label) == 0)
			return k;
	return p->ngroups - 1;
}

uint32_t palette_arch(enum arch a)
{
	static const uint32_t rgb[ARCH_COUNT] = {
		[ARCH_CPU] = 0xa9b4c2,      [ARCH_CUDA] = 0x2f3b4a, [ARCH_OPENCL] = 0x66758a,
		[ARCH_MIC] = 0xd0c8bd,      [ARCH_FPGA] = 0x8a7f70, [ARCH_MPI_MS] = 0x4d463c,
		[ARCH_TCPIP_MS] = 0xb8bcae, [ARCH_HIP] = 0x4a4f5e,  [ARCH_SYCL] = 0x868c7a,
	};

	return rgb[a];
}
