/* core/config/config_mapping.c - what StarPU gets for a config: lists of numbers, and which number a task gets. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The rule behind all of this: StarPU asserts at every push that each architecture that looks at a bucket is one the
 * task can run on (1.4 heteroprio.c, push_task_heteroprio_policy), and a failed assertion ends the program. So a task
 * goes to its bucket only if all architectures that look at the bucket can run it, else to a spare bucket whose users
 * can.
 */
#include "core/config/config_mapping.h"

#include <string.h>

#include "core/base/err.h"

static int bits(unsigned set)
{
	return __builtin_popcount(set);
}

static void append(struct config_mapping *p, int arch, int number)
{
	struct config_list *l = &p->lists[arch];

	l->buckets[l->count++] = number;
	p->users[number] |= (arch_mask)(1u << arch);
}

/*
 * The sets that get a spare bucket, smaller sets first: every non-empty one of the present architectures where there
 * are numbers, else the single ones and all together, else the single ones.
 */
static int choose_sets(arch_mask present, int nfree, arch_mask sets[CONFIG_MAX_BUCKETS])
{
	int n = bits(present), count = 0;
	int every = n <= 6 && (1 << n) - 1 <= nfree, all = every || n + 1 <= nfree;

	for (int size = 1; size <= n; size++)
		for (unsigned set = 1; set <= present; set++)
			if ((set & present) == set && bits(set) == size && (every || size == 1 || (all && size == n)))
				if (count < nfree)
					sets[count++] = (arch_mask)set;
	return count;
}

int config_mapping_make(struct config_mapping *p, const struct config *c, arch_mask present, struct ht_err *err)
{
	arch_mask sets[CONFIG_MAX_BUCKETS];
	int nfree = CONFIG_MAX_BUCKETS - (c ? c->nbuckets : 1);

	memset(p, 0, sizeof(*p));
	if (c && nfree < bits(present))
		return ht_err_set(err, "has %d buckets, expected at most %d on a machine with %d architectures",
		                  c->nbuckets, CONFIG_MAX_BUCKETS - bits(present), bits(present));
	p->nspare = choose_sets(present, nfree, sets);
	for (int b = 0; b < (c ? c->nbuckets : CONFIG_MAX_BUCKETS); b++)
		p->number[b] = c ? config_starpu_number(c, b) : b < nfree - p->nspare ? p->nspare + b : nfree;
	for (int a = 0; a < ARCH_COUNT; a++) {
		for (int i = 0; c && (present >> a & 1) && i < c->lists[a].count; i++)
			append(p, a, p->number[c->lists[a].buckets[i]]);
		for (int number = p->nspare; !c && (present >> a & 1) && number < CONFIG_MAX_BUCKETS; number++)
			append(p, a, number);
		for (int s = 0; s < p->nspare; s++)
			if (sets[s] >> a & 1)
				append(p, a, p->nspare - 1 - s);
	}
	/* A set without a bucket of its own uses the largest that is part of it: sets[] goes from small to large. */
	for (unsigned where = 0; where < CONFIG_MAPPING_SETS; where++) {
		p->spare[where] = -1;
		for (int s = 0; s < p->nspare; s++)
			if ((sets[s] & where) == sets[s])
				p->spare[where] = p->nspare - 1 - s;
	}
	return 0;
}

int config_mapping_number(const struct config_mapping *p, int bucket, arch_mask where)
{
	if (bucket >= 0) {
		int number = p->number[bucket];

		if (p->users[number] && (p->users[number] & ~where) == 0)
			return number;
	}
	return p->spare[where & (CONFIG_MAPPING_SETS - 1)];
}
