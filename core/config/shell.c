/* core/config/shell.c - words for a POSIX shell. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/shell.h"

static void put_quoted(FILE *f, const char *word)
{
	putc('\'', f);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", f);
		else
			putc(*word, f);
	}
	putc('\'', f);
}

void shell_export(FILE *f, const char *name, const char *value)
{
	fprintf(f, "export %s=", name);
	put_quoted(f, value);
	putc('\n', f);
}
