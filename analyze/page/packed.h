/* analyze/page/packed.h - numbers as bytes, small ones short, for the script of a page to read. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_PACKED_H
#define ANALYZE_PAGE_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A zeroed struct is empty. */
struct packed {
	unsigned char *bytes;
	size_t n, cap;
};

/* Seven bits a byte, the lowest first; the eighth says that more follow (LEB128). */
void packed_number(struct packed *p, uint64_t v);

/* 0, -1, 1, -2, ... are 0, 1, 2, 3, ... */
void packed_signed(struct packed *p, int64_t v);

/* `key` and the bytes in base64 as a member of an object: ,"key":"AAECAw==" */
void packed_write(const struct packed *p, const char *key, FILE *f);
void packed_fini(struct packed *p);

/* Bytes in base64 (RFC 4648). */
void base64_write(FILE *f, const unsigned char *bytes, size_t n);

#endif
