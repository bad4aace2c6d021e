/* tests/unit/test_records.c - one filling, three forms: what text, CSV and JSON make of the same rows. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/records.h"

#include <stdlib.h>

#include "core/base/json.h"
#include "core/base/table.h"
#include "tests/lib/check.h"

static const struct column columns[] = {
	{"name", "name", COLUMN_TEXT, COLUMN_ONCE},
	{NULL, "kind", COLUMN_TEXT, COLUMN_ONCE},
	{"count", "n", COLUMN_COUNT, 0},
	{"time_ns", "time", COLUMN_NS, 0},
	{"bytes", "bytes", COLUMN_BYTES, COLUMN_ZERO},
	{"share", "share", COLUMN_SHARE, COLUMN_NO_JSON},
	{"json", NULL, COLUMN_REAL, COLUMN_NO_CSV},
	{0},
};

static char *text_of(const struct records *x)
{
	struct table *t = records_table(x);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (t)
		table_print(t, f);
	fclose(f);
	table_free(t);
	return text;
}

static char *csv_of(const struct records *x)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	records_csv(x, f);
	fclose(f);
	return text;
}

static char *json_of(const struct records *x, int by_name)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct json j = {.f = f};

	json_open(&j, NULL, '{');
	if (by_name)
		records_json_by_name(x, "x", &j);
	else
		records_json(x, "x", &j);
	json_close(&j, '}');
	fclose(f);
	return text;
}

#define CHECK_TEXT(made, expected) \
	do { \
		char *made_ = (made); \
\
		CHECK_STR(made_, expected); \
		free(made_); \
	} while (0)

static void test_forms(void)
{
	struct records *x = records_create(columns);
	uint64_t bytes = 2048;

	records_add(x, V("a,b"), V("p"), V(1), V((int64_t)1500), V(bytes), V(0.25), V(0.5));
	records_add(x, V("a,b"), V("p"), V(2));
	records_add(x, V(1234567.4), V(0), V(0.125), V(2.0)); /* a row in two parts, a time that is a mean */
	CHECK_TEXT(text_of(x), "name  kind  n     time    bytes   share\n"
	                       "a,b   p     1  1.50 us  2.0 KiB  25.0 %\n"
	                       "            2  1.23 ms        -  12.5 %\n");
	CHECK_TEXT(csv_of(x), "name,count,time_ns,bytes,share\n"
	                      "\"a,b\",1,1500,2048,0.25\n"
	                      "\"a,b\",2,1234567,0,0.125\n");
	CHECK_TEXT(json_of(x, 0), "{\n  \"x\": [\n"
	                          "    {\n      \"name\": \"a,b\",\n      \"count\": 1,\n      \"time_ns\": 1500,\n"
	                          "      \"bytes\": 2048,\n      \"json\": 0.5\n    },\n"
	                          "    {\n      \"name\": \"a,b\",\n      \"count\": 2,\n      \"time_ns\": 1234567,\n"
	                          "      \"bytes\": 0,\n      \"json\": 2\n    }\n  ]\n}\n");
	records_free(x);
}

static void test_missing(void)
{
	const char *none = NULL;
	struct records *x = records_create(columns);

	records_add(x, V("m"), V(none), V(-1), V(NAN), V(-1), V(INFINITY), V(NAN));
	CHECK_TEXT(text_of(x), "name  kind  n  time  bytes  share\nm     -     -     -      -      -\n");
	CHECK_TEXT(csv_of(x), "name,count,time_ns,bytes,share\nm,,,,\n");
	CHECK_TEXT(json_of(x, 1), "{\n  \"x\": {\n    \"m\": {\n      \"count\": null,\n      \"time_ns\": null,\n"
	                          "      \"bytes\": null,\n      \"json\": null\n    }\n  }\n}\n");
	records_free(x);
}

/* ONCE: a column is blank only where those to the left are; the row above is the one that is shown above. */
static void test_once(void)
{
	static const char *const rows[][2] = {{"a", "p"}, {"a", "q"}, {"b", "q"}, {"b", "q"}, {"a", "q"}};
	struct records *x = records_create((struct column[]){
		{NULL, "name", COLUMN_TEXT, COLUMN_ONCE},
		{NULL, "kind", COLUMN_TEXT, COLUMN_ONCE},
		{NULL, "n", COLUMN_COUNT, 0},
		{0},
	});

	for (int i = 0; i < 5; i++)
		records_add(x, V(rows[i][0]), V(rows[i][1]), V(i));
	CHECK_TEXT(text_of(x),
	           "name  kind  n\na     p     0\n      q     1\nb     q     2\n            3\na     q     4\n");
	records_free(x);
}

static void test_hidden(void)
{
	struct records *x = records_create(NULL);

	records_columns(x, (struct column[]){{"k", "k", COLUMN_TEXT, 0}, {0}});
	records_columns(x, (struct column[]){{"v", "v", COLUMN_DELTA, 0}, {0}});
	CHECK(!records_table(x));
	CHECK_TEXT(csv_of(x), "k,v\n");
	records_add(x, V("data"), V(-2500));
	records_hide_row(x, RECORDS_TEXT);
	CHECK(!records_table(x)); /* no row that text shows */
	records_add(x, V("both"), V(-1500));
	records_add(x, V("sum"), V(-4000));
	records_hide_row(x, RECORDS_DATA);
	CHECK_TEXT(text_of(x), "k            v\nboth  -1.50 us\nsum   -4.00 us\n");
	CHECK_TEXT(csv_of(x), "k,v\ndata,-2500\nboth,-1500\n");
	records_free(x);
}

static void test_change(void)
{
	struct records *x = records_create((struct column[]){{"c", "change", COLUMN_CHANGE, 0}, {0}});

	records_add(x, V(0.1234), V(-0.05), V(-0.0001), V(NAN));
	CHECK_TEXT(text_of(x), " change\n+12.3 %\n -5.0 %\n  0.0 %\n      -\n");
	CHECK_TEXT(csv_of(x), "c\n0.1234\n-0.05\n-0.0001\n\n");
	records_free(x);
}

static void test_kinds(void)
{
	struct records *x = records_create((struct column[]){
		{"a", "ratio", COLUMN_RATIO, COLUMN_CSV_6},
		{"b", "percent", COLUMN_PERCENT, 0},
		{"c", "real", COLUMN_REAL, 0},
		{"d", "scaled", COLUMN_SCALED, 0},
		{"e", "joules", COLUMN_JOULES, 0},
		{"f", "short", COLUMN_TEXT, COLUMN_SHORT},
		{0},
	});

	records_add(x, V(1.0 / 3), V(0.126), V(12.34), V(1234567.0), V(12345678.0), V("12345678901234567890123456789"));
	CHECK_TEXT(text_of(x), "ratio  percent  real  scaled    joules  short\n"
	                       "0.333     13 %  12.3   1235k  12346k J  1234567890123456789012345...\n");
	CHECK_TEXT(csv_of(x), "a,b,c,d,e,f\n0.333333,0.126,12.34,1234567,12345678,12345678901234567890123456789\n");
	records_free(x);
}

/* Names that begin alike and are cut. */
static void test_short(void)
{
	static const struct column names[] = {{"name", "name", COLUMN_TEXT, COLUMN_SHORT},
	                                      {"n", "n", COLUMN_COUNT, 0},
	                                      {0}};
	struct records *x = records_create(names);

	records_add(x, V("codelet make_fill_cl() [with T = double]"), V(1));
	records_add(x, V("codelet make_gemm_cl() [with T = double]"), V(2));
	records_add(x, V("codelet make_gemm_cl() [with T = float]"), V(3));
	records_add(x, V("another long name that is no such function"), V(4));
	records_add(x, V("gemm"), V(5));
	CHECK_TEXT(text_of(x), "name                         n\n"
	                       "codelet make_fill_cl()...    1\n"
	                       "codelet make_gemm...double]  2\n"
	                       "codelet make_gemm...float]   3\n"
	                       "another long name that...    4\n"
	                       "gemm                         5\n");
	records_free(x);
}

/* Of a thousand names and more nobody looks for what they differ by: they are cut. */
static void test_many_short(void)
{
	static const struct column names[] = {{"name", "name", COLUMN_TEXT, COLUMN_SHORT}, {0}};
	static const char row[] = "a codelet with a long...\n";
	struct records *x = records_create(names);
	char name[64];
	char *text;

	for (int i = 0; i < 1001; i++) {
		snprintf(name, sizeof(name), "a codelet with a long name and the number %d", i);
		records_add(x, V(name));
	}
	text = text_of(x);
	CHECK(strstr(text, row) != NULL);
	CHECK(strstr(text, "number") == NULL);
	free(text);
	records_free(x);
}

int main(void)
{
	RUN(test_forms);
	RUN(test_missing);
	RUN(test_once);
	RUN(test_hidden);
	RUN(test_change);
	RUN(test_kinds);
	RUN(test_short);
	RUN(test_many_short);
	return check_done();
}
