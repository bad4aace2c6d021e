/* core/base/json.c - a writer of JSON: indented, keys in the order they are written, no state to get wrong. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/json.h"

#include <assert.h>
#include <math.h>

#include "core/base/utf8.h"

/* JSON is UTF-8, names in a trace are any bytes: what is no character becomes U+FFFD. */
void json_quoted(FILE *f, const char *s)
{
	putc('"', f);
	for (int len; *s; s += len ? len : 1) {
		len = utf8_length(s);
		if (!len)
			fputs("\\ufffd", f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			fprintf(f, "\\u%04x", (unsigned)*s);
		else
			fwrite(s, 1, (size_t)len, f);
	}
	putc('"', f);
}

static void lead(struct json *j, const char *key)
{
	assert(j->depth < 31);
	if (j->depth > 0)
		fprintf(j->f, "%s\n%*s", j->filled & 1u << j->depth ? "," : "", 2 * j->depth, "");
	j->filled |= 1u << j->depth;
	if (key) {
		json_quoted(j->f, key);
		fputs(": ", j->f);
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	lead(j, key);
	putc(bracket, j->f);
	j->depth++;
	j->filled &= ~(1u << j->depth);
}

void json_close(struct json *j, char bracket)
{
	unsigned filled = j->filled & 1u << j->depth;

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
	json_quoted(j->f, value);
}

void json_int(struct json *j, const char *key, int64_t value)
{
	lead(j, key);
	fprintf(j->f, "%lld", (long long)value);
}

void json_time(struct json *j, const char *key, int64_t ns)
{
	if (ns < 0)
		json_null(j, key);
	else
		json_int(j, key, ns);
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
