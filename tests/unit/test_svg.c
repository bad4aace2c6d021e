/* tests/unit/test_svg.c - drawings on a page: only what is drawing, with ids of their own, whatever the text is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "analyze/page/html.h"
#include "analyze/page/svg.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "tests/lib/check.h"

static const char drawing[] =
	"<?xml version=\"1.0\"?>\n<!-- > -->\n<svg\n width=\"90\" height=\"9\"\n viewBox=\"0 0  90 9\"\n"
	" xmlns=\"http://www.w3.org/2000/svg\">\n<title>t</title>\n<defs>\n\t<circle id='gpDot' r='0.5'/>\n"
	"<filter id='f'><feFlood/></filter></defs>\n<g id=\"canvas\" onclick='x()' fill=\"none\">\n"
	"\t<path stroke='rgb( 96,  96,  96)'  d='M8,6 L7,6  '/>\n<use xlink:href='#gpDot' x='1'/>\n"
	"<rect fill='url(#f)' clip-path='url(http://a/#b)'/><image xlink:href='http://a/b.png'/>\n"
	"<image xlink:href='data:image/png;base64,iVBO=='/><image href='data:text/html,x'/>\n"
	"<text x='1'>a &lt;b> <tspan dy='2'>c</tspan></text><script>if (a < b) alert('</g>')</script>\n"
	"<a><text>gone</text></a></g></svg>\n";

static char *inlined(const char *text, int *rc)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	*rc = svg_inline(f, text, "p", "label");
	fclose(f);
	return out;
}

static void only_drawing_passes(void)
{
	int rc;
	char *out = inlined(drawing, &rc);

	CHECK_INT(rc, 0);
	CHECK_STR(out,
	          "<svg viewBox=\"0 0 90 9\" role=\"img\" aria-labelledby=\"label\">\n"
	          "<defs><circle id=\"p-gpDot\" r=\"0.5\"/></defs>"
	          "<g fill=\"none\"><path stroke=\"#606060\" d=\"M8,6 L7,6\"/><use xlink:href=\"#p-gpDot\" x=\"1\"/>"
	          "<rect fill=\"url(#p-f)\"/><image/><image xlink:href=\"data:image/png;base64,iVBO==\"/><image/>"
	          "<text x=\"1\">a &lt;b> <tspan dy=\"2\">c</tspan></text></g>\n</svg>\n");
	free(out);
}

static void definitions_nobody_uses_are_left_out(void)
{
	int rc;
	char *out = inlined("<svg viewBox='0 0 1 1'><defs><path id='a'/></defs><path id='b'/></svg>", &rc);

	CHECK_INT(rc, 0);
	CHECK(strstr(out, "defs") == NULL);
	CHECK_HAS(out, "<path id=\"p-b\"/>");
	free(out);
}

static void what_is_no_svg_is_refused(void)
{
	static const char *const texts[] = {"", "x", "<svg", "<svg viewBox='0 0 1 1'>", "<svg></svg>", "</svg><svg>"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int rc;
		char *out = inlined(texts[i], &rc);

		CHECK_INT(rc, -1);
		CHECK_STR(out, "");
		free(out);
	}
}

/* With any part of it missing there is no script in the result, and no quote that is left open. */
static void damaged_drawings_do_no_harm(void)
{
	size_t len = strlen(drawing);

	for (size_t from = 80; from + 8 < len; from++)
		for (size_t cut = 1; cut < 9; cut++) {
			char *text = ht_asprintf("%.*s%s", (int)from, drawing, drawing + from + cut), *out;
			size_t quotes = 0;
			int rc;

			out = inlined(text, &rc);
			for (const char *s = out; *s; s++)
				quotes += *s == '"';
			CHECK(strstr(out, "<script") == NULL && strstr(out, "onclick") == NULL);
			CHECK(quotes % 2 == 0);
			CHECK(rc != 0 || strcmp(out + strlen(out) - 7, "</svg>\n") == 0);
			free(text);
			free(out);
		}
}

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
	RUN(only_drawing_passes);
	RUN(definitions_nobody_uses_are_left_out);
	RUN(what_is_no_svg_is_refused);
	RUN(damaged_drawings_do_no_harm);
	RUN(text_is_no_markup);
	RUN(long_tables_are_cut);
	return check_done();
}
