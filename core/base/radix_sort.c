/* core/base/radix_sort.c - things sorted by a 64-bit key, in linear time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/radix_sort.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* One pass of a radix sort by the digit at `shift`. */
static void pass(const struct radix_item *from, struct radix_item *to, size_t n, int shift)
{
	size_t place[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		place[from[i].key >> shift & (DIGITS - 1)]++;
	for (int d = 0; d < DIGITS; d++) {
		size_t count = place[d];

		place[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

void radix_sort(struct radix_item *a, size_t n)
{
	uint64_t differing = 0, sorted = 1;
	struct radix_item *from = a, *to;

	for (size_t i = 1; i < n; i++) {
		differing |= a[i].key ^ a[0].key;
		sorted &= a[i].key >= a[i - 1].key;
	}
	if (sorted)
		return;
	to = ht_alloc(n, sizeof(*to));
	for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct radix_item *other = from;

		if (!(differing >> shift & (DIGITS - 1)))
			continue;
		pass(from, to, n, shift);
		from = to;
		to = other;
	}
	if (from != a) {
		memcpy(a, from, n * sizeof(*a));
		to = from;
	}
	free(to);
}

static void pass_keys(const uint64_t *from, uint64_t *to, size_t n, int shift)
{
	size_t place[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		place[from[i] >> shift & (DIGITS - 1)]++;
	for (int d = 0; d < DIGITS; d++) {
		size_t count = place[d];

		place[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[place[from[i] >> shift & (DIGITS - 1)]++] = from[i];
}

void radix_sort_keys(uint64_t *keys, size_t n)
{
	uint64_t differing = 0, sorted = 1;
	uint64_t *from = keys, *to;

	for (size_t i = 1; i < n; i++) {
		differing |= keys[i] ^ keys[0];
		sorted &= keys[i] >= keys[i - 1];
	}
	if (sorted)
		return;
	to = ht_alloc(n, sizeof(*to));
	for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
		uint64_t *other = from;

		if (!(differing >> shift & (DIGITS - 1)))
			continue;
		pass_keys(from, to, n, shift);
		from = to;
		to = other;
	}
	if (from != keys) {
		memcpy(keys, from, n * sizeof(*keys));
		to = from;
	}
	free(to);
}
