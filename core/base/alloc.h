/* core/base/alloc.h - memory: allocation that does not return without it, arenas, growing arrays. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_ALLOC_H
#define CORE_BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/*
 * What happens without memory: in the tool a sentence and exit status 2 (alloc_exit.c), in the scheduler library a jump
 * out of what was being done (plugin/starpu/guard.c). Called by this module alone.
 */
_Noreturn void alloc_failed(size_t n, size_t size);

/* Zeroed memory for n things of `size` bytes; free() it. Never NULL. */
void *ht_alloc(size_t n, size_t size);

/* realloc() of an array to n things of `size` bytes, the new part not zeroed; never NULL. */
void *ht_realloc(void *p, size_t n, size_t size);

/* A copy of the first `len` bytes of s with a NUL after it; free() it. */
char *ht_strndup(const char *s, size_t len);

/* printf into fresh memory; free() it. */
char *ht_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *ht_vasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* The same at the end of *text, which is free()able, moves, and may be NULL: "". */
void ht_append(char **text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* An arena: many allocations, one free. What a loaded structure points to lives in its arena. */
struct arena;

struct arena *arena_create(void);
void arena_free(struct arena *a);

/* Zeroed, aligned for any type, valid until arena_free(). A size of 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t n, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t len);

/*
 * A growing array is three members of a struct: a pointer, a count and a capacity. VEC_PUSH makes room for one more and
 * gives the address of the new, zeroed element.
 */
#define VEC_PUSH(ptr, count, cap) \
	((size_t)(count) == (cap) ? vec_grow_((void **)&(ptr), &(cap), sizeof(*(ptr))) : (void)0, \
	 (void)memset(&(ptr)[(count)], 0, sizeof(*(ptr))), &(ptr)[(count)++])

/* Room for the element `index` of an array that has a pointer and a capacity; what is new is zeroed. */
#define VEC_FIT(ptr, cap, index) \
	((size_t)(index) < (cap) ? (void)0 : vec_fit_((void **)&(ptr), &(cap), (index), sizeof(*(ptr))))

void vec_grow_(void **ptr, size_t *cap, size_t size);
void vec_fit_(void **ptr, size_t *cap, size_t index, size_t size);

#endif
