/* tests/unit/test_json.c - the writer of JSON. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/json.h"
#include "tests/lib/check.h"

struct document {
	char *text;
	size_t size;
	struct json j;
};

static void begin(struct document *d)
{
	*d = (struct document){0};
	d->j.f = open_memstream(&d->text, &d->size);
}

static void is(struct document *d, const char *want)
{
	fclose(d->j.f);
	CHECK_STR(d->text, want);
	free(d->text);
}

static void values_and_nesting(void)
{
	struct document d;

	begin(&d);
	json_open(&d.j, NULL, '{');
	json_str(&d.j, "s", "text");
	json_int(&d.j, "least", INT64_MIN);
	json_num(&d.j, "third", 1.0 / 3);
	json_num(&d.j, "nan", NAN);
	json_num(&d.j, "inf", INFINITY);
	json_bool(&d.j, "yes", 7);
	json_bool(&d.j, "no", 0);
	json_null(&d.j, "none");
	json_open(&d.j, "list", '[');
	json_int(&d.j, NULL, 1);
	json_open(&d.j, NULL, '{');
	json_close(&d.j, '}');
	json_close(&d.j, ']');
	json_int(&d.j, "after", 2);
	json_close(&d.j, '}');
	is(&d, "{\n  \"s\": \"text\",\n  \"least\": -9223372036854775808,\n  \"third\": 0.3333333333,\n"
	       "  \"nan\": null,\n"
	       "  \"inf\": null,\n  \"yes\": true,\n  \"no\": false,\n  \"none\": null,\n  \"list\": [\n"
	       "    1,\n    {}\n  ],\n"
	       "  \"after\": 2\n}\n");
}

/* Names in a trace are any bytes, JSON is UTF-8. */
static void any_bytes_become_json(void)
{
	static const struct {
		const char *text, *json;
	} table[] = {
		{"", "\"\""},
		{"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
		{"\n\t\x01\x1f", "\"\\u000a\\u0009\\u0001\\u001f\""},
		{"\x7f", "\"\x7f\""},
		{"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\""},
		{"\xff", "\"\\ufffd\""},
		{"\x80x", "\"\\ufffdx\""},
		{"\xc3", "\"\\ufffd\""},
		{"\xe2\x82", "\"\\ufffd\\ufffd\""},
		{"\xc0\xaf", "\"\\ufffd\\ufffd\""},
		{"\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""},
		{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
		{"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
		{"\xf5\x80", "\"\\ufffd\\ufffd\""},
		{"\xf4\x8f\xbf\xbf", "\"\xf4\x8f\xbf\xbf\""},
		{"\xed\x9f\xbf", "\"\xed\x9f\xbf\""},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct document d;

		begin(&d);
		json_str(&d.j, NULL, table[i].text);
		is(&d, table[i].json);
	}
}

static void keys_are_escaped(void)
{
	struct document d;

	begin(&d);
	json_open(&d.j, NULL, '{');
	json_int(&d.j, "a\"\n", 1);
	json_close(&d.j, '}');
	is(&d, "{\n  \"a\\\"\\u000a\": 1\n}\n");
}

static void thirty_levels(void)
{
	struct document d;

	begin(&d);
	for (int i = 0; i < 31; i++)
		json_open(&d.j, NULL, '[');
	for (int i = 0; i < 31; i++)
		json_close(&d.j, ']');
	fclose(d.j.f);
	CHECK_INT(d.j.depth, 0);
	CHECK_INT(d.text[d.size - 1], '\n');
	free(d.text);
}

int main(void)
{
	RUN(values_and_nesting);
	RUN(any_bytes_become_json);
	RUN(keys_are_escaped);
	RUN(thirty_levels);
	return check_done();
}
