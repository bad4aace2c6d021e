/* core/base/utf8.c - where the characters of a text begin and end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/utf8.h"

int utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	int len = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;

	for (int i = 1; i < len; i++)
		if (s[i] >> 6 != 2)
			return 0;
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
	    (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* Of a character the first byte counts. */
int utf8_columns(const char *s, size_t n)
{
	int columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)s[i] & 0xc0) != 0x80;
	return columns;
}
