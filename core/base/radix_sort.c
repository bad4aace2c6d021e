/* core/base/radix_sort.c - things sorted by a 64-bit key, in linear time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/radix_sort.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* What is sorted are rows of `width` words, the first of which is the key. */
enum { KEY_WORDS = 1, ITEM_WORDS = sizeof(struct radix_item) / sizeof(uint64_t) };

/* One pass of a radix sort by the digit at `shift`. */
static inline void pass(const uint64_t *from, uint64_t *to, size_t n, size_t width, int shift)
{
	size_t place[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		place[from[i * width] >> shift & (DIGITS - 1)]++;
	for (int d = 0; d < DIGITS; d++) {
		size_t count = place[d];

		place[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t *row = &to[place[from[i * width] >> shift & (DIGITS - 1)]++ * width];

		for (size_t k = 0; k < width; k++)
			row[k] = from[i * width + k];
	}
}

/* Inlined, so that the width is known to the compiler. */
static inline void sort(uint64_t *a, size_t n, size_t width)
{
	uint64_t differing = 0, sorted = 1;
	uint64_t *from = a, *to;

	for (size_t i = 1; i < n; i++) {
		differing |= a[i * width] ^ a[0];
		sorted &= a[i * width] >= a[(i - 1) * width];
	}
	if (sorted)
		return;
	to = ht_alloc(n, width * sizeof(*to));
	for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
		uint64_t *other = from;

		if (!(differing >> shift & (DIGITS - 1)))
			continue;
		pass(from, to, n, width, shift);
		from = to;
		to = other;
	}
	if (from != a) {
		memcpy(a, from, n * width * sizeof(*a));
		to = from;
	}
	free(to);
}

void radix_sort(struct radix_item *a, size_t n)
{
	sort((uint64_t *)a, n, ITEM_WORDS);
}

void radix_sort_keys(uint64_t *keys, size_t n)
{
	sort(keys, n, KEY_WORDS);
}
