/* analyze/page/html.c - text and tables as HTML: nothing in them is markup. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/page/html.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/page/glossary.h"
#include "core/base/alloc.h"
#include "core/base/table.h"
#include "core/base/utf8.h"
#include "core/execution/palette.h"

void html_text(FILE *f, const char *s)
{
	for (int len; *s; s += len ? len : 1) {
		len = utf8_length(s);
		if (!len || (len == 1 && ((unsigned char)*s < 0x20 || *s == 0x7f)))
			fputs("\xef\xbf\xbd", f);
		else if (*s == '&')
			fputs("&amp;", f);
		else if (*s == '<')
			fputs("&lt;", f);
		else if (*s == '>')
			fputs("&gt;", f);
		else if (*s == '"')
			fputs("&quot;", f);
		else if (*s == '\'')
			fputs("&#39;", f);
		else
			fwrite(s, 1, (size_t)len, f);
	}
}

/* Whether `s` begins with the unit of a number. */
static int is_unit(const char *s)
{
	static const char *const units[] = {"%", "ns", "us", "ms", "s", "KiB", "MiB", "GiB"};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i]);

		if (strncmp(s, units[i], n) == 0 && !isalnum((unsigned char)s[n]))
			return 1;
	}
	return 0;
}

void html_words(FILE *f, const char *text, size_t len)
{
	char *copy = ht_strndup(text, len), *word = copy;

	for (size_t n; *word; word += n) {
		int is_option = *word == '-' && word[1] && word[1] != ' ' && (word == copy || word[-1] == ' ');
		int is_inside = *word == ' ' && word > copy && isdigit((unsigned char)word[-1]) && is_unit(word + 1);
		char after;

		n = strcspn(word, " ");
		n += n == 0;
		after = word[n];
		word[n] = '\0';
		fputs(is_option ? "<span class=\"option\">" : "", f);
		html_text(f, is_inside ? "\xc2\xa0" : word);
		fputs(is_option ? "</span>" : "", f);
		word[n] = after;
	}
	free(copy);
}

/* A table with more rows gets a box that scrolls downwards, too, below its titles. */
enum { LONG_ROWS = 60 };

/* Whether a cell shows that label: table_cell() has no control characters, and a long one is cut. */
static int shows(const char *text, const char *label)
{
	size_t len = strlen(text), n = len > 3 && strcmp(text + len - 3, "...") == 0 ? len - 3 : len;

	for (size_t i = 0; i < n; i++)
		if (!label[i] || (text[i] != label[i] && (text[i] != '?' || !iscntrl((unsigned char)label[i]))))
			return 0;
	return n < len || !label[n];
}

/* None where the cell may be of several. */
static void put_swatch(FILE *f, const struct palette *p, const char *text)
{
	int found = -1, several = 0;

	for (int i = 0; p && i < p->ngroups; i++)
		if (strcmp(p->groups[i].name, text) == 0 || (p->groups[i].label && shows(text, p->groups[i].label))) {
			several = found >= 0;
			found = i;
		}
	if (found >= 0 && !several)
		fprintf(f, "<i class=\"swatch\" style=\"background:#%06" PRIx32 "\"></i>", p->groups[found].rgb);
}

static void put_row(FILE *f, const struct table *t, size_t row, const struct palette *palette)
{
	size_t columns = table_columns(t);

	/* A row that begins with an empty cell goes on with what the row above it is about. */
	fputs(*table_text(t, row, 0) ? "<tr class=\"first\">" : "<tr>", f);
	for (size_t c = 0; c < columns; c++) {
		const char *text = table_text(t, row, c);
		int heads = c == 0 && table_left(t, 0) && *text;

		fputs(heads ? "<th scope=\"row\">" : table_left(t, c) ? "<td class=\"t\">" : "<td>", f);
		if (table_left(t, c))
			put_swatch(f, palette, text);
		html_text(f, text);
		fputs(heads ? "</th>" : "</td>", f);
	}
	fputs("</tr>\n", f);
}

void html_table(FILE *f, const struct table *t, const char *id, const char *caption, const struct palette *palette)
{
	size_t rows = table_rows(t), shown = rows > HTML_MAX_ROWS + 1 ? HTML_MAX_ROWS + 1 : rows;

	/* Above the box, not a <caption>, which would be as wide as the table and scroll away with it. */
	fprintf(f, "<figure class=\"table%s\">\n<figcaption id=\"%s\">", rows > LONG_ROWS ? " long" : "", id);
	glossary_text(f, caption);
	fprintf(f,
	        "</figcaption>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s\">\n"
	        "<table aria-labelledby=\"%s\">\n<thead><tr>",
	        id, id);
	for (size_t c = 0; c < table_columns(t); c++) {
		fprintf(f, "<th scope=\"col\"%s>", table_left(t, c) ? " class=\"t\"" : "");
		glossary_text(f, table_text(t, 0, c));
		fputs("</th>", f);
	}
	fputs("</tr></thead>\n<tbody>\n", f);
	for (size_t row = 1; row < shown; row++)
		put_row(f, t, row, palette);
	fputs("</tbody>\n</table>\n</div>\n</figure>\n", f);
	if (shown < rows)
		fprintf(f, "<p class=\"note\">%zu more rows are not shown.</p>\n", rows - shown);
}
