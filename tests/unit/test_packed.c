/* tests/unit/test_packed.c - numbers as bytes, and bytes in base64. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/packed.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"

static char *base64_of(const void *bytes, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	base64_write(f, bytes, n);
	fclose(f);
	return text;
}

/* The examples of RFC 4648, section 10. */
static void base64(void)
{
	static const char *const examples[][2] = {{"", ""},
	                                          {"f", "Zg=="},
	                                          {"fo", "Zm8="},
	                                          {"foo", "Zm9v"},
	                                          {"foob", "Zm9vYg=="},
	                                          {"fooba", "Zm9vYmE="},
	                                          {"foobar", "Zm9vYmFy"}};

	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		char *text = base64_of(examples[i][0], strlen(examples[i][0]));

		CHECK_STR(text, examples[i][1]);
		free(text);
	}
}

static uint64_t unpack(const struct packed *p, size_t *at)
{
	uint64_t v = 0;
	int shift = 0;

	do {
		v |= (uint64_t)(p->bytes[*at] & 127) << shift;
		shift += 7;
	} while (p->bytes[(*at)++] & 128);
	return v;
}

static void numbers(void)
{
	static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, INT64_MAX, UINT64_MAX};
	static const size_t lengths[] = {1, 1, 1, 2, 2, 3, 9, 10};
	struct packed p = {0};
	size_t at = 0;

	for (size_t i = 0; i < 8; i++) {
		size_t before = p.n;

		packed_number(&p, values[i]);
		CHECK_INT(p.n - before, lengths[i]);
	}
	for (size_t i = 0; i < 8; i++)
		CHECK(unpack(&p, &at) == values[i]);
	packed_fini(&p);
}

static void signs(void)
{
	static const int64_t values[] = {0, -1, 1, -2, INT64_MAX, INT64_MIN};
	struct packed p = {0};
	size_t at = 0;

	for (size_t i = 0; i < 6; i++)
		packed_signed(&p, values[i]);
	for (uint64_t i = 0; i < 4; i++)
		CHECK_INT(unpack(&p, &at), i);
	CHECK(unpack(&p, &at) == UINT64_MAX - 1);
	CHECK(unpack(&p, &at) == UINT64_MAX);
	packed_fini(&p);
}

int main(void)
{
	RUN(base64);
	RUN(numbers);
	RUN(signs);
	return check_done();
}
