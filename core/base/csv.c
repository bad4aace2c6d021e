/* core/base/csv.c - a writer of CSV (RFC 4180), field by field, fast enough for a row per task. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/csv.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/base/number.h"

static void separate(struct csv *c)
{
	if (c->filled)
		putc_unlocked(',', c->f);
	c->filled = 1;
}

void csv_empty(struct csv *c)
{
	separate(c);
}

void csv_raw(struct csv *c, const char *text)
{
	separate(c);
	fputs_unlocked(text, c->f);
}

/* Whether a spreadsheet would take it for a formula, and execute it. Numbers with a sign are none. */
static int is_formula(const char *text)
{
	return strchr("=@\t\r", *text) ? *text != '\0' :
	                                 (*text == '+' || *text == '-') && text[1] && !strchr(".0123456789", text[1]);
}

void csv_text(struct csv *c, const char *text)
{
	int formula = is_formula(text);

	if (!formula && !strpbrk(text, ",\"\r\n")) {
		csv_raw(c, text);
		return;
	}
	separate(c);
	putc_unlocked('"', c->f);
	if (formula)
		putc_unlocked('\'', c->f);
	for (const char *s = text; *s; s++) {
		if (*s == '"')
			putc_unlocked('"', c->f);
		putc_unlocked(*s, c->f);
	}
	putc_unlocked('"', c->f);
}

/* The digits of v, the last one before `end`; returns where they begin. */
static char *digits(char *end, uint64_t v)
{
	do
		*--end = (char)('0' + v % 10);
	while (v /= 10);
	return end;
}

void csv_int(struct csv *c, int64_t value)
{
	char text[24], *end = text + sizeof(text), *s = digits(end, value < 0 ? -(uint64_t)value : (uint64_t)value);

	if (value < 0)
		*--s = '-';
	separate(c);
	fwrite_unlocked(s, 1, (size_t)(end - s), c->f);
}

void csv_num(struct csv *c, double value)
{
	char text[32];

	if (isfinite(value))
		csv_raw(c, number_text(text, value));
	else
		csv_empty(c);
}

void csv_decimal(struct csv *c, double value, int decimals)
{
	static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
	char text[32], *end = text + sizeof(text), *s;
	double scaled;
	uint64_t whole, integer, part;

	assert(decimals >= 0 && decimals <= 9);
	scaled = fabs(value) * (double)power[decimals];
	if (!(scaled < 1e18)) { /* too large for decimals to matter, or not finite */
		csv_num(c, value);
		return;
	}
	whole = (uint64_t)llround(scaled);
	integer = whole / power[decimals];
	part = whole % power[decimals];
	for (; decimals && part % 10 == 0; decimals--)
		part /= 10;
	s = end;
	if (decimals) {
		s = digits(end, part);
		while (end - s < decimals)
			*--s = '0';
		*--s = '.';
	}
	s = digits(s, integer);
	if (value < 0 && whole)
		*--s = '-';
	separate(c);
	fwrite_unlocked(s, 1, (size_t)(end - s), c->f);
}

void csv_end(struct csv *c)
{
	putc_unlocked('\n', c->f);
	c->filled = 0;
}
