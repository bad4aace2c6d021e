/* core/base/err.c - what went wrong, as a chain of causes that ends up as one sentence. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Texts of files are quoted in sentences: a sentence stays one line and leaves the terminal as it is. */
static void make_printable(char *s)
{
	for (; *s; s++)
		if (((unsigned char)*s < 0x20 && *s != '\t') || *s == 0x7f)
			*s = '?';
}

int ht_err_set(struct ht_err *err, const char *fmt, ...)
{
	if (err) {
		va_list ap;

		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
		make_printable(err->text);
	}
	return -1;
}

int ht_err_wrap(struct ht_err *err, const char *fmt, ...)
{
	if (err) {
		char old[sizeof(err->text)];
		va_list ap;
		int n;

		memcpy(old, err->text, sizeof(old));
		va_start(ap, fmt);
		n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
		if (n >= 0 && n + 3 < (int)sizeof(err->text))
			snprintf(err->text + n, sizeof(err->text) - (size_t)n, ": %.*s", (int)sizeof(err->text) - n - 3,
			         old);
		make_printable(err->text);
	}
	return -1;
}
