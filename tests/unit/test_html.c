/* tests/unit/test_html.c - text and tables of a page: nothing in them is markup. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "analyze/page/html.h"
#include "core/base/table.h"
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

int main(void)
{
	RUN(text_is_no_markup);
	RUN(long_tables_are_cut);
	return check_done();
}
