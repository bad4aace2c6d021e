/* core/csv.c - a writer of CSV (RFC 4180): a line of fields at a time, quoted where they have to be. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/csv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/number.h"

static void separate(struct csv *c)
{
	if (c->filled)
		putc(',', c->f);
	c->filled = 1;
}

void csv_text(struct csv *c, const char *s)
{
	separate(c);
	if (!strpbrk(s, ",\"\r\n")) {
		fputs(s, c->f);
		return;
	}
	putc('"', c->f);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', c->f);
		putc(*s, c->f);
	}
	putc('"', c->f);
}

void csv_int(struct csv *c, int64_t value)
{
	separate(c);
	fprintf(c->f, "%" PRId64, value);
}

void csv_num(struct csv *c, double value)
{
	char text[32];

	separate(c);
	if (isfinite(value))
		fputs(number_text(text, value), c->f);
}

void csv_time(struct csv *c, int64_t ns)
{
	separate(c);
	if (ns >= 0)
		fprintf(c->f, "%" PRId64, ns);
}

void csv_end(struct csv *c)
{
	putc('\n', c->f);
	c->filled = 0;
}
