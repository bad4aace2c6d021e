/* tests/unit/test_config_mapping.c - what StarPU gets for a config, whatever a task can run on. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/err.h"
#include "core/config/config_mapping.h"
#include "tests/lib/check.h"

static struct config_bucket buckets[CONFIG_MAX_BUCKETS];

static struct config config_of(int nbuckets, arch_mask present)
{
	struct config c = {.buckets = buckets, .nbuckets = nbuckets};

	for (int a = 0; a < ARCH_COUNT; a++)
		c.workers[a] = present >> a & 1;
	return c;
}

/* What StarPU asserts: whatever looks at a bucket can run its tasks; nobody looks twice; every number is below 100. */
static void check_mapping(const struct config_mapping *p, const struct config *c, arch_mask present)
{
	for (int a = 0; a < ARCH_COUNT; a++) {
		int seen[CONFIG_MAX_BUCKETS] = {0};

		CHECK((present >> a & 1) || !p->lists[a].count);
		for (int i = 0; i < p->lists[a].count; i++) {
			int n = p->lists[a].buckets[i];

			CHECK(n >= 0 && n < CONFIG_MAX_BUCKETS);
			CHECK_INT(seen[n]++, 0);
			CHECK(p->users[n] >> a & 1);
		}
	}
	for (int b = -1; b < c->nbuckets; b++)
		for (unsigned where = 0; where < CONFIG_MAPPING_SETS; where++) {
			int n = config_mapping_number(p, b, (arch_mask)where);

			if (!(where & present)) {
				CHECK_INT(n, -1);
				continue;
			}
			CHECK(n >= 0 && n < CONFIG_MAX_BUCKETS);
			CHECK(p->users[n] && (p->users[n] & ~where) == 0);
		}
	for (int b = 0; b < c->nbuckets; b++)
		CHECK(p->number[b] >= p->nspare);
}

static void every_machine(void)
{
	for (unsigned present = 1; present < CONFIG_MAPPING_SETS; present++)
		for (int nbuckets = 1; nbuckets <= CONFIG_MAX_BUCKETS; nbuckets += present == 0xff ? 1 : 33) {
			struct config c = config_of(nbuckets, (arch_mask)present);
			struct ht_err err = {""};
			struct config_mapping p;
			int rc;

			for (int b = 0; b < nbuckets; b++)
				for (int a = 0; a < ARCH_COUNT; a++)
					if ((present >> a & 1) && (b + a) % 3)
						c.lists[a].buckets[c.lists[a].count++] = b;
			rc = config_mapping_make(&p, &c, (arch_mask)present, &err);
			CHECK_INT(rc, nbuckets + __builtin_popcount(present) > CONFIG_MAX_BUCKETS ? -1 : 0);
			if (rc == 0)
				check_mapping(&p, &c, (arch_mask)present);
			else
				CHECK_HAS(err.text, "buckets, expected at most");
		}
}

static void without_config(void)
{
	struct config_mapping p;

	CHECK_INT(config_mapping_make(&p, NULL, 3, NULL), 0);
	CHECK_INT(p.nspare, 3);
	CHECK_INT(p.lists[ARCH_CPU].count, 99); /* 97, that of CPUs, and that of both */
	CHECK_INT(p.lists[ARCH_CUDA].buckets[0], 3);
	CHECK_INT(config_mapping_number(&p, 0, 3), 3);
	CHECK_INT(config_mapping_number(&p, 96, 3), 99);
	CHECK_INT(config_mapping_number(&p, 99, 3), 99);
	CHECK_INT(config_mapping_number(&p, 0, 1), 2); /* what CUDA cannot run is in no list of its */
}

static void cpu_and_cuda(void)
{
	struct config c = config_of(2, 3);
	struct config_mapping p;

	c.lists[ARCH_CPU] = (struct config_list){.buckets = {1}, .count = 1};
	c.lists[ARCH_CUDA] = (struct config_list){.buckets = {0, 1}, .count = 2};
	CHECK_INT(config_mapping_make(&p, &c, 3, NULL), 0);
	CHECK_INT(p.nspare, 3);
	CHECK_INT(config_mapping_number(&p, 0, 3), 99);
	CHECK_INT(config_mapping_number(&p, 0, 2), 99); /* only CUDA looks at it */
	CHECK_INT(config_mapping_number(&p, 0, 1), 2);  /* the CPU's spare one */
	CHECK_INT(config_mapping_number(&p, 1, 3), 98);
	CHECK_INT(config_mapping_number(&p, 1, 2), 1);
	CHECK_INT(config_mapping_number(&p, -1, 3), 0);
	CHECK_INT(config_mapping_number(&p, -1, 3 | 1 << ARCH_HIP), 0);
	CHECK_INT(config_mapping_number(&p, -1, 1 << ARCH_HIP), -1);
	/* Last in the lists, first what others cannot do. */
	CHECK_INT(p.lists[ARCH_CPU].count, 3);
	CHECK_INT(p.lists[ARCH_CPU].buckets[0], 98);
	CHECK_INT(p.lists[ARCH_CPU].buckets[1], 2);
	CHECK_INT(p.lists[ARCH_CPU].buckets[2], 0);
}

int main(void)
{
	RUN(every_machine);
	RUN(cpu_and_cuda);
	RUN(without_config);
	return check_done();
}
