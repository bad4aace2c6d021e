/* core/perfmodel/scan.c - numbers one after the other in StarPU's text files, comments skipped. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/perfmodel/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"

static const char *const blanks = " \t\r";

void scan_skip(struct scan *s)
{
	for (;;) {
		s->at += strspn(s->at, blanks);
		if (*s->at == '#')
			s->at += strcspn(s->at, "\n");
		if (*s->at != '\n')
			return;
		s->at++;
		s->line++;
	}
}

static int bad(const struct scan *s, const char *what, struct ht_err *err)
{
	int len = (int)strcspn(s->at, " \t\r\n");

	if (!*s->at)
		return ht_err_set(err, "%s:%d: the file ends where %s was expected", s->path, s->line, what);
	return ht_err_set(err, "%s:%d: expected %s, found \"%.*s\"", s->path, s->line, what, len > 40 ? 40 : len,
	                  s->at);
}

double scan_number(const char *text, char **end)
{
	double v = strtod(text, end);
	const char *comma = *end;
	char copy[64], *copy_end;

	if (*comma != ',' || comma == text || !isdigit((unsigned char)comma[1]))
		return v;
	snprintf(copy, sizeof(copy), "%.*s.%.40s", (int)(comma - text), text, comma + 1);
	v = strtod(copy, &copy_end);
	*end = (char *)text + (copy_end - copy);
	return v;
}

int scan_real(struct scan *s, const char *what, double *v, struct ht_err *err)
{
	char *end;

	scan_skip(s);
	*v = scan_number(s->at, &end);
	if (end == s->at || !(*end == '\0' || strchr(" \t\r\n#", *end) != NULL))
		return bad(s, what, err);
	s->at = end;
	return 0;
}

int scan_columns(const struct scan *s)
{
	const char *p = s->at;
	int n = 0;

	for (;;) {
		p += strspn(p, blanks);
		if (*p == '\n' || *p == '\0' || *p == '#')
			return n;
		p += strcspn(p, " \t\r\n");
		n++;
	}
}
