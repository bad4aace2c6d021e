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
	struct radix_item *from = a, *to;
	uint64_t differing = 0, sorted = 1;

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

enum { KEY_BITS = 8, KEY_DIGITS = 1 << KEY_BITS, FEW = 32 };

static void insertion_sort(uint64_t *keys, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t key = keys[i];
		size_t at = i;

		for (; at && keys[at - 1] > key; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

/* In place: a key goes where its highest digit belongs, and what was there is moved next; then the digits below. */
static void sort_keys(uint64_t *keys, size_t n, int shift)
{
	size_t next[KEY_DIGITS], end[KEY_DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < n; i++)
		end[keys[i] >> shift & (KEY_DIGITS - 1)]++;
	for (int d = 0; d < KEY_DIGITS; d++) {
		next[d] = sum;
		sum += end[d];
		end[d] = sum;
	}
	for (uint64_t d = 0; d < KEY_DIGITS; d++) {
		while (next[d] < end[d]) {
			uint64_t key = keys[next[d]], to;

			while ((to = key >> shift & (KEY_DIGITS - 1)) != d) {
				uint64_t other = keys[next[to]];

				keys[next[to]++] = key;
				key = other;
			}
			keys[next[d]++] = key;
		}
	}
	for (int d = 0; shift && d < KEY_DIGITS; d++) {
		size_t first = d ? end[d - 1] : 0, count = end[d] - first;

		if (count > FEW)
			sort_keys(keys + first, count, shift - KEY_BITS);
		else
			insertion_sort(keys + first, count);
	}
}

void radix_sort_keys(uint64_t *keys, size_t n)
{
	uint64_t differing = 0, sorted = 1;
	int shift = 64 - KEY_BITS;

	for (size_t i = 1; i < n; i++) {
		differing |= keys[i] ^ keys[0];
		sorted &= keys[i] >= keys[i - 1];
	}
	if (sorted)
		return;
	while (!(differing >> shift))
		shift -= KEY_BITS;
	sort_keys(keys, n, shift);
}
