/* tests/lib/held.h - how much memory the heap holds. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_HELD_H
#define TESTS_HELD_H

#include <malloc.h>

/* What is allocated, in bytes; next to nothing under sanitizers, which have heaps of their own. */
static inline size_t held_bytes(void)
{
	const struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

#endif
