/* analyze/page/packed.c - numbers as bytes, small ones short, for the script of a page to read. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/packed.h"

#include <stdlib.h>

#include "core/base/alloc.h"

void packed_number(struct packed *p, uint64_t v)
{
	for (; v > 127; v >>= 7)
		*VEC_PUSH(p->bytes, p->n, p->cap) = (unsigned char)(v | 128);
	*VEC_PUSH(p->bytes, p->n, p->cap) = (unsigned char)v;
}

void packed_signed(struct packed *p, int64_t v)
{
	packed_number(p, v < 0 ? 2 * (uint64_t)(-(v + 1)) + 1 : 2 * (uint64_t)v);
}

void packed_write(const struct packed *p, const char *key, FILE *f)
{
	fprintf(f, ",\"%s\":\"", key);
	base64_write(f, p->bytes, p->n);
	putc('"', f);
}

void packed_fini(struct packed *p)
{
	free(p->bytes);
	*p = (struct packed){0};
}

void base64_write(FILE *f, const unsigned char *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) |
		             (i + 2 < n ? bytes[i + 2] : 0);

		putc(digits[v >> 18], f);
		putc(digits[v >> 12 & 63], f);
		putc(i + 1 < n ? digits[v >> 6 & 63] : '=', f);
		putc(i + 2 < n ? digits[v & 63] : '=', f);
	}
}
