/* tests/unit/test_chunks.c - core/machine/chunks.h: when an allocation calls the device's allocator. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/machine/chunks.h"
#include "tests/lib/check.h"

#define MIB (UINT64_C(1) << 20)

/* Allocates, and returns whether the device's allocator is called. */
static int calls(struct chunks *c, uint64_t bytes, enum chunks_mode mode)
{
	c->allocates = 0;
	chunks_allocate(c, bytes, mode);
	return c->allocates != 0;
}

/* Eight data of 4 MiB are a chunk; what is released can be cut again; larger data is allocated by itself. */
static void test_cut(void)
{
	struct chunks c = {0};

	for (int i = 0; i < 16; i++)
		CHECK_INT(calls(&c, 4 * MIB, CHUNKS_USED), i % 8 == 0);
	CHECK_INT(calls(&c, 5 * MIB, CHUNKS_USED), 1);
	chunks_release(&c, 5 * MIB);
	CHECK_INT(calls(&c, 1, CHUNKS_USED), 1);
	CHECK_INT(c.free_bytes, 32 * MIB - 16384); /* the smallest piece */
	CHECK_INT(c.allocates, 32 * MIB);
	CHECK_INT(calls(&c, 5 * MIB - 1, CHUNKS_USED), 1);
	CHECK_INT(c.allocates, 5 * MIB);
	c = (struct chunks){0};
	CHECK_INT(calls(&c, 4 * MIB, CHUNKS_USED), 1);
	for (int i = 0; i < 7; i++)
		CHECK_INT(calls(&c, 4 * MIB, CHUNKS_USED), 0);
	chunks_release(&c, 4 * MIB);
	CHECK_INT(calls(&c, 4 * MIB, CHUNKS_USED), 0);
	CHECK_INT(calls(&c, 4 * MIB, CHUNKS_NONE), 1);
}

/* The block of an evicted datum is reused by the next allocation, and by no other. */
static void test_reuse(void)
{
	struct chunks c = {.reuses = 1};

	CHECK_INT(calls(&c, 5 * MIB, CHUNKS_USED), 0);
	CHECK_INT(calls(&c, 5 * MIB, CHUNKS_USED), 1);
	c.reuses = 1;
	CHECK_INT(calls(&c, MIB, CHUNKS_USED), 1); /* small data is cut from a chunk all the same */
	CHECK_INT(calls(&c, 5 * MIB, CHUNKS_USED), 1);
}

static void test_bytes(void)
{
	CHECK_INT(chunks_bytes(0), 0);
	CHECK_INT(chunks_bytes(5 * MIB), 5 * MIB);
	CHECK_INT(chunks_bytes(1), 16384);
	CHECK_INT(chunks_bytes(4 * MIB), 4 * MIB);
	CHECK_INT(chunks_bytes(3686400), 32 * MIB / 9); /* nine of 225 pieces are in a chunk of 2048 */
}

int main(void)
{
	RUN(test_cut);
	RUN(test_reuse);
	RUN(test_bytes);
	return check_done();
}
