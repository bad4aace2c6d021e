/* core/base/utf8.h - where the characters of a text begin and end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_UTF8_H
#define CORE_BASE_UTF8_H

#include <stddef.h>

/* Bytes of the character at s (RFC 3629: shortest form, no surrogates, up to U+10FFFF); 0 where there is none. */
int utf8_length(const char *s);

/* Columns that the n bytes at s take, one a character, whether they are UTF-8 or not. */
int utf8_columns(const char *s, size_t n);

#endif
