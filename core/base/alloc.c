/* core/base/alloc.c - memory: allocation that does not return without it, arenas, growing arrays. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/alloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_BLOCK = 1 << 16, ARENA_ALIGN = 16 };

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(ARENA_ALIGN) unsigned char data[];
};

struct arena {
	struct arena_block *head;
};

static void *checked(void *p, size_t n, size_t size)
{
	if (!p)
		alloc_failed(n, size);
	return p;
}

void *ht_alloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1), n, size);
}

void *ht_realloc(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return checked(NULL, n, size);
	return checked(realloc(p, bytes ? bytes : 1), n, size);
}

char *ht_strndup(const char *s, size_t len)
{
	char *p = ht_alloc(len + 1, 1);

	memcpy(p, s, len);
	return p;
}

char *ht_vasprintf(const char *fmt, va_list ap)
{
	va_list again;
	char *s;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	s = ht_alloc((size_t)n + 1, 1);
	vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

char *ht_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = ht_vasprintf(fmt, ap);
	va_end(ap);
	return s;
}

void ht_append(char **text, const char *fmt, ...)
{
	size_t len = *text ? strlen(*text) : 0;
	va_list ap;
	char *more;

	va_start(ap, fmt);
	more = ht_vasprintf(fmt, ap);
	va_end(ap);
	*text = ht_realloc(*text, len + strlen(more) + 1, 1);
	strcpy(*text + len, more);
	free(more);
}

struct arena *arena_create(void)
{
	return ht_alloc(1, sizeof(struct arena));
}

void arena_free(struct arena *a)
{
	struct arena_block *b, *next;

	if (!a)
		return;
	for (b = a->head; b; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	struct arena_block *b = a->head;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		checked(NULL, n, size);
	bytes = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (!b || b->size - b->used < bytes) {
		size_t size_bytes = bytes > ARENA_BLOCK ? bytes : ARENA_BLOCK;

		b = ht_alloc(1, sizeof(*b) + size_bytes);
		b->size = size_bytes;
		/* A large piece fills its block: keep the half-used one at the head. */
		if (a->head && bytes > ARENA_BLOCK) {
			b->next = a->head->next;
			a->head->next = b;
		} else {
			b->next = a->head;
			a->head = b;
		}
	}
	p = b->data + b->used;
	b->used += bytes;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1, 1);

	memcpy(p, s, len);
	return p;
}

void vec_grow_(void **ptr, size_t *cap, size_t size)
{
	*cap = *cap ? *cap * 2 : 16;
	*ptr = ht_realloc(*ptr, *cap, size);
}

void vec_fit_(void **ptr, size_t *cap, size_t index, size_t size)
{
	size_t before = *cap, after = 2 * index + 64;

	*ptr = ht_realloc(*ptr, after, size);
	memset((char *)*ptr + before * size, 0, (after - before) * size);
	*cap = after;
}
