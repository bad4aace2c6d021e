/* core/base/radix_sort.h - things sorted by a 64-bit key, in linear time. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_RADIX_SORT_H
#define CORE_BASE_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
	uint64_t key;
	uint64_t value;
};

/* By rising key; equal keys keep their order. Linear in n, and in how many bits the keys differ in. */
void radix_sort(struct radix_item *a, size_t n);

/* Keys alone, in place. */
void radix_sort_keys(uint64_t *keys, size_t n);

#endif
