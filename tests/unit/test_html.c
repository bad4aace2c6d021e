/* tests/unit/test_html.c - text and tables of a page: nothing in them is markup. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "analyze/page/html.h"
#include "core/base/table.h"
#include "core/execution/palette.h"
#include "tests/lib/check.h"

static void text_is_no_markup(void)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	html_text(f, "<a href='x\">&amp;\x01\xff\xc3\xa9");
	fclose(f);
	CHECK_STR(out, "&lt;a href=&#39;x&quot;&gt;&amp;amp;\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9");
	free(out);
}

static void long_tables_are_cut(void)
{
	struct table *t = table_create("<name|n");
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	for (int i = 0; i < HTML_MAX_ROWS + 3; i++) {
		table_cell(t, "<%d>", i);
		table_cell(t, "%d", i);
	}
	html_table(f, t, "id", "a & b", NULL);
	fclose(f);
	CHECK_HAS(out, "<figcaption id=\"id\">a &amp; b</figcaption>");
	CHECK_HAS(out, "&lt;399&gt;</th><td>399</td>");
	CHECK(strstr(out, "&lt;400&gt;") == NULL);
	CHECK_HAS(out, "3 more rows are not shown.");
	free(out);
	table_free(t);
}

/* The colour of a type stands beside its name, also where a table cuts it, and beside no other. */
static void names_have_their_colours(void)
{
	static const struct palette_type types[] = {
		{"tab\there", 4}, {"a_long_one<double>", 3}, {"twin<a>", 2}, {"twin<b>", 1}, {"x", 1}};
	static const struct {
		const char *cell;
		int group; /* -1: none */
	} cells[] = {{"tab?here", 1}, {"a_long_...", 0}, {"twin...", -1}, {"twin<b>", 3},
	             {"tab", -1},     {"x?", -1},        {"x", 4}};
	struct palette p;

	palette_init(&p, types, 5);
	for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
		struct table *t = table_create("<name");
		char *out = NULL, rgb[32] = "<th scope=\"row\">";
		size_t size;
		FILE *f = open_memstream(&out, &size);

		table_cell(t, "%s", cells[i].cell);
		html_table(f, t, "id", "caption", &p);
		fclose(f);
		if (cells[i].group >= 0)
			snprintf(rgb, sizeof(rgb), "#%06x", (unsigned)p.groups[cells[i].group].rgb);
		CHECK_HAS(out, rgb);
		CHECK(!strstr(out, "swatch") == (cells[i].group < 0));
		free(out);
		table_free(t);
	}
	palette_fini(&p);
}

int main(void)
{
	RUN(text_is_no_markup);
	RUN(long_tables_are_cut);
	RUN(names_have_their_colours);
	return check_done();
}
