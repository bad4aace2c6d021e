/* core/json.c - a writer of JSON: indented, keys in the order they are written, no state to get wrong. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/json.h"

#include <assert.h>
#include <math.h>

/* Bytes of the UTF-8 character at s (RFC 3629: shortest form, no surrogates, up to U+10FFFF); 0 where there is none. */
static int char_len(const unsigned char *s)
{
	int len = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;

	for (int i = 1; i < len; i++)
		if (s[i] >> 6 != 2)
			return 0;
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) || (*s == 0xf0 && s[1] < 0x90) ||
	    (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* JSON is UTF-8, names in a trace are any bytes: what is no character becomes U+FFFD. */
static void quoted(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	putc('"', f);
	for (int len; *s; s += len ? len : 1) {
		len = char_len(s);
		if (!len)
			fputs("\\ufffd", f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (*s < 0x20)
			fprintf(f, "\\u%04x", *s);
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
		quoted(j->f, key);
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
