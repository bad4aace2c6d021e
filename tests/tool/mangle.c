/* tests/tool/mangle.c - a copy of a file with one thing wrong in it, the same one for the same seed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usage: mangle SEED FILE > COPY
 *
 * What can be wrong: bytes are others, the end is missing, a line stands twice, is missing, or has changed places with
 * another, a number is at a border of its type. Lines of a file that is not text are its words of 8 bytes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/err.h"
#include "core/outfile.h"
#include "tests/lib/mangle.h"

enum { MAX_FILE = 64 << 20, WORD = 8 };

struct copy {
	char *data;
	size_t size;
	int text;
	uint64_t state;
};

static size_t pick(struct copy *c, size_t n)
{
	return n ? (size_t)(mangle_next(&c->state) % n) : 0;
}

/* Bytes at..at+old become `len` bytes of s. */
static void replace(struct copy *c, size_t at, size_t old, const char *s, size_t len)
{
	char *data = ht_alloc(c->size - old + len, 1);

	memcpy(data, c->data, at);
	memcpy(data + at, s, len);
	memcpy(data + at + len, c->data + at + old, c->size - at - old);
	free(c->data);
	c->data = data;
	c->size += len - old;
}

/* A line with its end, or a word. */
static size_t pick_line(struct copy *c, size_t *at)
{
	size_t end;

	*at = pick(c, c->size);
	if (!c->text) {
		*at = *at / WORD * WORD;
		return c->size - *at < WORD ? c->size - *at : WORD;
	}
	while (*at > 0 && c->data[*at - 1] != '\n')
		--*at;
	for (end = *at; end < c->size && c->data[end] != '\n'; end++)
		;
	return end - *at + (end < c->size);
}

static void mangle_bytes(struct copy *c)
{
	for (size_t n = 1 + pick(c, 8); n > 0; n--)
		c->data[pick(c, c->size)] = (char)mangle_next(&c->state);
}

static void mangle_bit(struct copy *c)
{
	c->data[pick(c, c->size)] ^= (char)(1 << pick(c, 8));
}

static void mangle_end(struct copy *c)
{
	c->size = pick(c, c->size);
}

static void mangle_line(struct copy *c)
{
	size_t at, len = pick_line(c, &at), to, tolen;
	char *line = ht_strndup(c->data + at, len);

	switch (pick(c, 3)) {
	case 0:
		replace(c, at, 0, line, len);
		break;
	case 1:
		replace(c, at, len, "", 0);
		break;
	default:
		replace(c, at, len, "", 0);
		tolen = c->size ? pick_line(c, &to) : (to = 0);
		replace(c, to + (tolen ? 0 : c->size), 0, line, len);
	}
	free(line);
}

static void mangle_word(struct copy *c)
{
	static const uint64_t borders[] = {
		0, 1, 63, 64, 4095, 4096, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		(uint64_t)1 << 47,
		(uint64_t)1 << 48, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX,
	};
	size_t at, len = pick_line(c, &at);
	uint64_t word = borders[pick(c, sizeof(borders) / sizeof(*borders))];

	/* Events need not be aligned: half of the words begin 4 bytes later. */
	if (pick(c, 2) && c->size - at > 4 + len)
		at += 4;
	memcpy(c->data + at, &word, len);
}

static void mangle_number(struct copy *c)
{
	static const char *const borders[] = {
		"0", "-1", "1", "63", "64", "4095", "4096", "65536", "2147483647", "2147483648", "-2147483649",
		"4294967295",
		"4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"18446744073709551615",
		"99999999999999999999999", "1e308", "-1e308", "1e999", "1e-320", "nan", "inf", "0x7f", "", "1.", ".",
		"1099511627776",
	};
	const char *border = borders[pick(c, sizeof(borders) / sizeof(*borders))];
	size_t from = pick(c, c->size), at = c->size, len;

	for (size_t i = 0; i < c->size && at == c->size; i++)
		if (c->data[(from + i) % c->size] >= '0' && c->data[(from + i) % c->size] <= '9')
			at = (from + i) % c->size;
	if (at == c->size)
		return;
	for (len = 0; at + len < c->size && strchr("0123456789.", c->data[at + len]) && c->data[at + len]; len++)
		;
	replace(c, at, len, border, strlen(border));
}

int main(int argc, char **argv)
{
	struct copy c = {0};
	struct ht_err err = {""};

	c.data = argc == 3 ? file_read(argv[2], MAX_FILE, &c.size, &err) : NULL;
	if (!c.data || c.size == 0) {
		fprintf(stderr, "mangle: %s\n", argc == 3 ? err.text : "usage: mangle SEED FILE");
		return 2;
	}
	c.text = memchr(c.data, '\0', c.size) == NULL;
	c.state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
	for (int i = 0; i < 8; i++)
		mangle_next(&c.state);
	for (size_t n = 1 + pick(&c, 3) / 2; n > 0 && c.size > 0; n--)
		switch (pick(&c, c.text ? 6 : 7)) {
		case 0: mangle_bytes(&c); break;
		case 1: mangle_bit(&c); break;
		case 2: mangle_end(&c); break;
		case 3: mangle_line(&c); break;
		default: c.text ? mangle_number(&c) : mangle_word(&c);
		}
	fwrite(c.data, 1, c.size, stdout);
	free(c.data);
	return ferror(stdout) || fflush(stdout) != 0 ? 2 : 0;
}
