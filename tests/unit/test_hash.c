/* tests/unit/test_hash.c - FNV-1a, against the values that its authors publish. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/hash.h"

#include "tests/lib/check.h"

static void published_values(void)
{
	CHECK(hash64(HASH64_START, "", 0) == UINT64_C(0xcbf29ce484222325));
	CHECK(hash64(HASH64_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
	CHECK(hash64(hash64(HASH64_START, "foo", 3), "bar", 3) == UINT64_C(0x85944171f73967e8));
	CHECK(hash32(HASH32_START, "", 0) == UINT32_C(0x811c9dc5));
	CHECK(hash32(HASH32_START, "foobar", 6) == UINT32_C(0xbf9cf968));
}

int main(void)
{
	RUN(published_values);
	return check_done();
}
