/* core/base/heap.h - a binary heap in an array: the element that comes before all others is items[0]. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_HEAP_H
#define CORE_BASE_HEAP_H

#include <stddef.h>

/*
 * HEAP(name, type, before, moved) defines four functions on an array of `type`, which the caller owns and which has
 * room for what is put; each of the first three takes logarithmic time:
 *
 *   size_t name_up(type *items, size_t at, const type *x, void *arg)
 *       *x goes to items[at] or above it: its place. With `at` the number of elements this puts one more.
 *   void name_down(type *items, size_t count, size_t at, const type *x, void *arg)
 *       *x goes to items[at] or below it, among `count` elements.
 *   void name_drop(type *items, size_t count, void *arg)
 *       Removes items[0]; `count` elements are left.
 *   void name_make(type *items, size_t count, void *arg)
 *       A heap of `count` elements in any order, in linear time (Floyd, "Treesort 3", CACM 7(12), 1964).
 *
 * *x lies outside of the array. before(a, b) says whether *a comes before *b; ties are the caller's, which gives every
 * element a number where they have to be decided. moved(arg, item, at) is called whenever an element gets the place
 * `at`, for callers that keep places; HEAP_NO_PLACES for all others.
 */
#define HEAP(name, type, before, moved) \
	static inline size_t name##_up(type *items, size_t at, const type *x, void *arg) \
	{ \
		(void)arg; \
		for (; at && before(x, &items[(at - 1) / 2]); at = (at - 1) / 2) { \
			items[at] = items[(at - 1) / 2]; \
			moved(arg, &items[at], at); \
		} \
		items[at] = *x; \
		moved(arg, &items[at], at); \
		return at; \
	} \
	static inline void name##_down(type *items, size_t count, size_t at, const type *x, void *arg) \
	{ \
		(void)arg; \
		for (size_t child; (child = 2 * at + 1) < count; at = child) { \
			child += child + 1 < count && before(&items[child + 1], &items[child]); \
			if (!before(&items[child], x)) \
				break; \
			items[at] = items[child]; \
			moved(arg, &items[at], at); \
		} \
		items[at] = *x; \
		moved(arg, &items[at], at); \
	} \
	static inline void name##_drop(type *items, size_t count, void *arg) \
	{ \
		type last = items[count]; \
\
		if (count) \
			name##_down(items, count, 0, &last, arg); \
	} \
	static inline void name##_make(type *items, size_t count, void *arg) \
	{ \
		for (size_t at = count / 2; at-- > 0;) { \
			type x = items[at]; \
\
			name##_down(items, count, at, &x, arg); \
		} \
	}

#define HEAP_NO_PLACES(arg, item, at) ((void)0)

#endif
