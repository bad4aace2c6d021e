/* tests/unit/test_table.c - tables for people, and times and sizes as text. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/table.h"
#include "tests/lib/check.h"

/* Three significant digits, and never a fourth from rounding up to the next unit. */
static void times_have_three_digits(void)
{
	static const struct {
		int64_t ns;
		const char *text;
	} table[] = {
		{-1, "-"},
		{INT64_MIN, "-"},
		{0, "0 ns"},
		{1, "1 ns"},
		{999, "999 ns"},
		{1000, "1.00 us"},
		{1004, "1.00 us"},
		{1006, "1.01 us"},
		{9994, "9.99 us"},
		{9996, "10.0 us"},
		{10000, "10.0 us"},
		{99940, "99.9 us"},
		{99960, "100 us"},
		{100000, "100 us"},
		{999499, "999 us"},
		{999500, "1.00 ms"},
		{999999, "1.00 ms"},
		{1000000, "1.00 ms"},
		{9999999, "10.0 ms"},
		{99999999, "100 ms"},
		{999499999, "999 ms"},
		{999999999, "1.00 s"},
		{1000000000, "1.00 s"},
		{59999999999, "60.0 s"},
		{3600000000000, "3600 s"},
		{INT64_MAX, "9223372037 s"},
	};
	char buf[16];

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		CHECK_STR(time_text(buf, table[i].ns), table[i].text);
}

static void changes(void)
{
	char buf[16];

	CHECK_STR(change_text(buf, 0.123), "+12.3 %");
	CHECK_STR(change_text(buf, -0.5), "-50.0 %");
	CHECK_STR(change_text(buf, -0.0004), "0.0 %");
	CHECK_STR(change_text(buf, -0.0006), "-0.1 %");
	CHECK_STR(change_text(buf, 0), "0.0 %");
	CHECK_STR(value_text(buf, -0.004), "0.00");
	CHECK_STR(value_text(buf, -0.006), "-0.01");
}

static void sizes_are_binary(void)
{
	static const struct {
		double bytes;
		const char *text;
	} table[] = {
		{0, "0 B"},
		{1, "1 B"},
		{1023, "1023 B"},
		{1024, "1.0 KiB"},
		{1536, "1.5 KiB"},
		{102297, "99.9 KiB"},
		{102389, "100 KiB"},
		{1024 * 1024 - 1, "1.0 MiB"},
		{1023.4 * 1024, "1023 KiB"},
		{1125899906842624, "1.0 PiB"},
	};
	char buf[16];

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		CHECK_STR(bytes_text(buf, table[i].bytes), table[i].text);
}

/* What table_print() writes; free() it. */
static char *printed(const struct table *t)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	table_print(t, f);
	fclose(f);
	return text;
}

static void text_left_and_numbers_right(void)
{
	struct table *t = table_create("<name|count|<arch|share");
	static const char *const rows[2][4] = {{"gemm", "1200", "cuda", "5 %"}, {"a longer name", "7", "cpu", "100 %"}};
	char *text;

	for (int i = 0; i < 8; i++)
		table_cell(t, "%s", rows[i / 4][i % 4]);
	text = printed(t);
	CHECK_STR(text, "name           count  arch  share\n"
	                "gemm            1200  cuda    5 %\n"
	                "a longer name      7  cpu   100 %\n");
	free(text);
	table_free(t);
}

static void nothing_behind_the_last_text(void)
{
	struct table *t = table_create("n|<note");
	char *text;

	table_cell(t, "%d", 10);
	table_cell(t, "x");
	table_cell(t, "%d", 2);
	table_cell(t, "%s", "");
	text = printed(t);
	CHECK_STR(text, " n  note\n10  x\n 2\n");
	free(text);
	table_free(t);
}

/* A name from a trace must not move the cursor or begin a line. */
static void control_characters_are_shown(void)
{
	struct table *t = table_create("<a|b");
	char *text;

	table_cell(t, "%s", "x\033[2J\ny\177");
	table_cell(t, "1");
	text = printed(t);
	CHECK_STR(text, "a         b\nx?[2J?y?  1\n");
	free(text);
	table_free(t);
}

/* To the end of a word, unless that leaves less than half. */
static void text_is_shortened_between_words(void)
{
	static const struct {
		const char *text;
		int columns;
		const char *shown;
	} cases[] = {
		{"starpu_sgemm_gemm", 17, "starpu_sgemm_gemm"},
		{"starpu_sgemm_gemm", 16, "starpu_sgemm"},
		{"starpu_sgemm_gemm", 15, "starpu_sgemm"},
		{"starpu_sgemm_gemm", 14, "starpu"},
		{"a_verylongword", 12, "a_verylon"},
		{"\303\251t\303\251 et hiver", 9, "\303\251t\303\251"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t len = text_shortened(cases[i].text, cases[i].columns);

		CHECK_INT(len, strlen(cases[i].shown));
		CHECK(strncmp(cases[i].text, cases[i].shown, len) == 0);
	}
}

static void titles_alone(void)
{
	struct table *t = table_create("<only");
	char *text = printed(t);

	CHECK_STR(text, "only\n");
	free(text);
	table_free(t);
	table_free(NULL);
}

static void cells_can_be_asked_for(void)
{
	struct table *t = table_create("<name|count");

	table_cell(t, "gemm");
	table_cell(t, "%d", 7);
	table_cell(t, "half");
	CHECK_INT((int)table_columns(t), 2);
	CHECK_INT((int)table_rows(t), 3);
	CHECK_STR(table_text(t, 0, 0), "name");
	CHECK_STR(table_text(t, 1, 1), "7");
	CHECK_STR(table_text(t, 2, 0), "half");
	CHECK_STR(table_text(t, 2, 1), "");
	CHECK(table_left(t, 0) && !table_left(t, 1));
	table_free(t);
}

/* A cell counts by its characters, and nothing stands after the last one that is not empty. */
static void characters_count_and_lines_end(void)
{
	struct table *t = table_create("<name|count|<note");
	static const char *const cells[] = {"\303\251t\303\251", "1", "", "winter", "20", "cold"};
	char *text;

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		table_cell(t, "%s", cells[i]);
	text = printed(t);
	CHECK_STR(text, "name    count  note\n"
	                "\303\251t\303\251         1\n"
	                "winter     20  cold\n");
	free(text);
	table_free(t);
}

static void names_keep_their_ends(void)
{
	char buf[12];

	CHECK_STR(text_end(buf, sizeof(buf), "eleven char"), "eleven char");
	CHECK_STR(text_end(buf, sizeof(buf), "twelve chars"), "...ve chars");
	CHECK_STR(text_end(buf, sizeof(buf), "abcdef\303\2511234567"), "...1234567");
	CHECK_STR(SHORT_NAME("gemm"), "gemm");
	CHECK_INT(strlen(SHORT_NAME("a_kernel_of_a_library_whose_every_codelet_has_this_prefix_of_80_bytes_it_is_long")),
	          63);
}

int main(void)
{
	RUN(times_have_three_digits);
	RUN(changes);
	RUN(sizes_are_binary);
	RUN(text_left_and_numbers_right);
	RUN(characters_count_and_lines_end);
	RUN(nothing_behind_the_last_text);
	RUN(control_characters_are_shown);
	RUN(text_is_shortened_between_words);
	RUN(names_keep_their_ends);
	RUN(titles_alone);
	RUN(cells_can_be_asked_for);
	return check_done();
}
