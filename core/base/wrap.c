/* core/base/wrap.c - text for people: lines broken at blanks before they get too long. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/wrap.h"

#include <string.h>

#include "core/base/utf8.h"

static int put(FILE *f, const char *s, size_t n, int at)
{
	for (size_t i = 0; i < n; i++)
		putc((unsigned char)s[i] < ' ' || s[i] == 127 ? '?' : s[i], f);
	return at + utf8_columns(s, n);
}

/* What stands between two words: a blank, or a new line where the next one has no room. */
static int part(FILE *f, int columns, int at, int indent, int width)
{
	if (at > indent && at + 1 + columns > width) {
		fprintf(f, "\n%*s", indent, "");
		return indent;
	}
	putc(' ', f);
	return at + 1;
}

int wrap_piece(FILE *f, const char *piece, int at, int indent, int width)
{
	size_t n = strlen(piece);

	return put(f, piece, n, part(f, utf8_columns(piece, n), at, indent, width));
}

int wrap_text(FILE *f, const char *text, int at, int indent, int width)
{
	for (int first = 1; *text; first = 0) {
		size_t n = strcspn(text, " ");

		if (!first)
			at = part(f, utf8_columns(text, n), at, indent, width);
		at = put(f, text, n, at);
		text += n + (text[n] == ' ');
	}
	return at;
}
