/* core/json.c - a writer of JSON: indented, keys in the order they are written, no state to get wrong. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/json.h"

#include <assert.h>
#include <math.h>

static void quoted(FILE *f, const char *s)
{
	putc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 0x20)
			fprintf(f, "\\u%04x", c);
		else
			putc(c, f);
	}
	putc('"', f);
}

static void lead(struct json *j, const char *key)
{
	assert(j->depth < 31);
	if (j->depth > 0)
		fprintf(j->f, "%s\n%*s", j->filled & 1 << j->depth ? "," : "", 2 * j->depth, "");
	j->filled |= 1 << j->depth;
	if (key) {
		quoted(j->f, key);
		fputs(": ", j->f);
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	lead(j, key);
	putc(bracket, j->f);
	j->depth++;
	j->filled &= ~(1 << j->depth);
}

void json_close(struct json *j, char bracket)
{
	int filled = j->filled & 1 << j->depth;

	assert(j->depth > 0);
	j->depth--;
	if (filled)
		fprintf(j->f, "\n%*s", 2 * j->depth, "");
	putc(bracket, j->f);
	if (j->depth == 0)
		putc('\n', j->f);
}

void json_str(struct json *j, const char *key, const char *value)
{
	lead(j, key);
	quoted(j->f, value);
}

void json_int(struct json *j, const char *key, int64_t value)
{
	lead(j, key);
	fprintf(j->f, "%lld", (long long)value);
}

void json_num(struct json *j, const char *key, double value)
{
	lead(j, key);
	if (isfinite(value))
		fprintf(j->f, "%.10g", value);
	else
		fputs("null", j->f);
}

void json_bool(struct json *j, const char *key, int value)
{
	lead(j, key);
	fputs(value ? "true" : "false", j->f);
}

void json_null(struct json *j, const char *key)
{
	lead(j, key);
	fputs("null", j->f);
}
