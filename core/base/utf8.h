/* core/base/utf8.h - where the characters of a text begin and end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_UTF8_H
#define CORE_BASE_UTF8_H

/* Bytes of the character at s (RFC 3629: shortest form, no surrogates, up to U+10FFFF); 0 where there is none. */
int utf8_length(const char *s);

#endif
