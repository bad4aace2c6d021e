/* tests/unit/test_wrap.c - lines broken at blanks: where, how far in, and what no line can hold. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/wrap.h"
#include "tests/lib/check.h"

static char *written;
static size_t length;

static FILE *begin(void)
{
	free(written);
	written = NULL;
	return open_memstream(&written, &length);
}

static void case_breaks_where_the_width_is_reached(void)
{
	static const struct {
		const char *text;
		int at, indent, width, column;
		const char *want;
	} rows[] = {
		{"", 0, 0, 10, 0, ""},
		{"one", 0, 0, 10, 3, "one"},
		{"one two six", 0, 0, 7, 3, "one two\nsix"},
		{"one two six", 0, 0, 6, 3, "one\ntwo\nsix"},
		{"one two", 4, 2, 10, 5, "one\n  two"},
		{"one two", 4, 2, 11, 11, "one two"},
		{"a_word_wider_than_1 b", 0, 2, 5, 3, "a_word_wider_than_1\n  b"},
		{"b a_word_wider_than_1", 2, 2, 5, 21, "b\n  a_word_wider_than_1"},
		{"a\tb\x7f", 0, 0, 10, 4, "a?b?"},
		{"na\xc3\xafve no", 0, 0, 8, 8, "na\xc3\xafve no"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		FILE *f = begin();

		CHECK_INT(wrap_text(f, rows[i].text, rows[i].at, rows[i].indent, rows[i].width), rows[i].column);
		fclose(f);
		CHECK_STR(written, rows[i].want);
	}
}

static void case_pieces_stay_whole(void)
{
	FILE *f = begin();
	int at = 0;

	at = wrap_piece(f, "gemm 3-5,", at, 1, 12);
	CHECK_INT(at, 10);
	at = wrap_piece(f, "a b", at, 1, 12);
	CHECK_INT(at, 4);
	fclose(f);
	CHECK_STR(written, " gemm 3-5,\n a b");
}

int main(void)
{
	RUN(case_breaks_where_the_width_is_reached);
	RUN(case_pieces_stay_whole);
	free(written);
	return check_done();
}
