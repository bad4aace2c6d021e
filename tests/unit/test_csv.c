/* tests/unit/test_csv.c - fields of CSV as they are written. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/csv.h"
#include "tests/lib/check.h"

static char *text;
static size_t size;

static struct csv begin(void)
{
	free(text);
	text = NULL;
	return (struct csv){.f = open_memstream(&text, &size)};
}

static void test_rows(void)
{
	struct csv c = begin();

	csv_text(&c, "a,b");
	csv_text(&c, "say \"hi\"");
	csv_text(&c, "two\nlines");
	csv_text(&c, "");
	csv_end(&c);
	csv_empty(&c);
	csv_raw(&c, "x,y");
	csv_empty(&c);
	csv_end(&c);
	csv_int(&c, 0);
	csv_int(&c, -7);
	csv_int(&c, INT64_MIN);
	csv_int(&c, INT64_MAX);
	csv_num(&c, 0.1);
	csv_num(&c, NAN);
	csv_end(&c);
	fclose(c.f);
	CHECK_STR(text, "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\n"
	                ",x,y,\n"
	                "0,-7,-9223372036854775808,9223372036854775807,0.1,\n");
}

/* Names of tasks come from anywhere. Numbers and missing values are no formulas. */
static void formulas_are_texts(void)
{
	static const char *const texts[][2] = {{"=1+1", "\"'=1+1\""},
	                                       {"@SUM(1)", "\"'@SUM(1)\""},
	                                       {"+cmd|' /C calc'!A0", "\"'+cmd|' /C calc'!A0\""},
	                                       {"-A1", "\"'-A1\""},
	                                       {"\t=1", "\"'\t=1\""},
	                                       {"=\"a\",1", "\"'=\"\"a\"\",1\""},
	                                       {"-", "-"},
	                                       {"-1.5", "-1.5"},
	                                       {"+.5", "+.5"},
	                                       {"a=1", "a=1"}};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct csv c = begin();

		csv_text(&c, texts[i][0]);
		fclose(c.f);
		CHECK_STR(text, texts[i][1]);
	}
}

static void test_decimals(void)
{
	static const struct {
		double value;
		int decimals;
		const char *want;
	} table[] = {
		{0, 6, "0"},           {1, 6, "1"},
		{-1, 0, "-1"},         {0.5, 6, "0.5"},
		{2.5, 1, "2.5"},       {1.25, 1, "1.3"},
		{0.0000004, 6, "0"},   {0.0000005, 6, "0.000001"},
		{-0.0000004, 6, "0"},  {-0.25, 2, "-0.25"},
		{1.05, 2, "1.05"},     {1.005e3, 9, "1005"},
		{0.999999999, 6, "1"}, {123456789.000001, 6, "123456789.000001"},
		{10.010, 3, "10.01"},  {1e17, 0, "100000000000000000"},
		{1e30, 6, "1e+30"},    {NAN, 6, ""},
		{INFINITY, 6, ""},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct csv c = begin();

		csv_decimal(&c, table[i].value, table[i].decimals);
		fclose(c.f);
		CHECK_STR(text, table[i].want);
	}
}

/* Against printf(), whose rounding differs at most by the last place. */
static void test_many_decimals(void)
{
	uint64_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		struct csv c = begin();
		double value, back;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		value = ((double)(seed >> 20) / (double)(1 << 30) - 8192) * (i % 2 ? 1 : 1e-4);
		csv_decimal(&c, value, 6);
		fclose(c.f);
		back = strtod(text, NULL);
		CHECK(fabs(back - value) <= 0.5000001e-6);
		CHECK(strlen(text) <= 12);
	}
}

int main(void)
{
	RUN(test_rows);
	RUN(formulas_are_texts);
	RUN(test_decimals);
	RUN(test_many_decimals);
	free(text);
	return check_done();
}
