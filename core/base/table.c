/* core/base/table.c - a table for people: columns as wide as they need to be, text left, numbers right. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/terminal.h"
#include "core/base/utf8.h"

enum { LEAST_TEXT = 12 }; /* columns of text that are left of a cell on a narrow terminal */

struct table {
	char **cells;
	size_t count, cap;
	int columns;
	char *left; /* per column: text */
};

struct table *table_create(const char *titles)
{
	struct table *t = ht_alloc(1, sizeof(*t));

	while (titles) {
		size_t len = strcspn(titles, "|");
		int text = *titles == '<';
		char *title = ht_strndup(titles + text, len - (size_t)text);

		table_column(t, title, text);
		free(title);
		titles = titles[len] ? titles + len + 1 : NULL;
	}
	return t;
}

void table_column(struct table *t, const char *title, int text)
{
	t->left = ht_realloc(t->left, (size_t)t->columns + 1, 1);
	t->left[t->columns++] = (char)text;
	*VEC_PUSH(t->cells, t->count, t->cap) = ht_strndup(title, strlen(title));
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		free(t->cells[i]);
	free(t->cells);
	free(t->left);
	free(t);
}

void table_cell(struct table *t, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	for (char *s = buf; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
	*VEC_PUSH(t->cells, t->count, t->cap) = ht_strndup(buf, strlen(buf));
}

static int columns_of(const char *s)
{
	return utf8_columns(s, strlen(s));
}

size_t text_shortened(const char *text, int columns)
{
	size_t end = 0, word = 0;
	int at = 0;

	if (columns_of(text) <= columns)
		return strlen(text);
	for (; text[end] && at + utf8_columns(text + end, 1) <= columns - 3; end++) {
		at += utf8_columns(text + end, 1);
		if (end && strchr(" _-+,:./", text[end]))
			word = end;
	}
	return word > end / 2 ? word : end;
}

const char *text_end(char *buf, size_t size, const char *text)
{
	size_t len = strlen(text), skip = len < size ? 0 : len + sizeof("...") - size;

	while (skip && (text[skip] & 0xc0) == 0x80)
		skip++;
	snprintf(buf, size, "%s%s", skip ? "..." : "", text + skip);
	return buf;
}

/*
 * Where the table is wider than the terminal, makes the widest column of text smaller. Returns the blanks between
 * columns: one where that is not enough.
 */
static int fit(const struct table *t, int *width, int columns)
{
	int sum = 2 * (t->columns - 1), widest = -1, title, least;

	for (int c = 0; c < t->columns; c++) {
		sum += width[c];
		if (t->left[c] && (widest < 0 || width[c] > width[widest]))
			widest = c;
	}
	if (!columns || sum <= columns)
		return 2;
	if (widest < 0)
		return 1;
	title = columns_of(table_text(t, 0, (size_t)widest));
	least = title > LEAST_TEXT ? title : LEAST_TEXT;
	if (width[widest] - (sum - columns) >= least) {
		width[widest] -= sum - columns;
		return 2;
	}
	if (width[widest] > least)
		width[widest] = least;
	return 1;
}

static void print_cell(const struct table *t, FILE *f, size_t c, const char *text, int width, int gap, int is_last)
{
	size_t len = t->left[c] ? text_shortened(text, width) : strlen(text);
	int cut = text[len] != '\0', pad = width - utf8_columns(text, len) - (cut ? 3 : 0);

	fprintf(f, "%*s%*s%.*s%s", c ? gap : 0, "", t->left[c] ? 0 : pad, "", (int)len, text, cut ? "..." : "");
	if (t->left[c] && !is_last)
		fprintf(f, "%*s", pad, "");
}

void table_print(const struct table *t, FILE *f)
{
	size_t columns = (size_t)t->columns;
	int *width = ht_alloc(columns, sizeof(*width)), gap;

	for (size_t i = 0; i < t->count; i++) {
		int w = columns_of(t->cells[i]);

		if (w > width[i % columns])
			width[i % columns] = w;
	}
	gap = fit(t, width, terminal_columns(f));
	for (size_t row = 0; row < table_rows(t); row++) {
		size_t filled = columns;

		fputs(row ? "" : terminal_style(f, TERMINAL_BOLD), f);
		while (filled && !*table_text(t, row, filled - 1))
			filled--;
		for (size_t c = 0; c < filled; c++)
			print_cell(t, f, c, table_text(t, row, c), width[c], gap, c + 1 == filled);
		fprintf(f, "%s\n", row ? "" : terminal_style(f, TERMINAL_PLAIN));
	}
	free(width);
}

size_t table_columns(const struct table *t)
{
	return (size_t)t->columns;
}

size_t table_rows(const struct table *t)
{
	return (t->count + (size_t)t->columns - 1) / (size_t)t->columns;
}

const char *table_text(const struct table *t, size_t row, size_t column)
{
	size_t i = row * (size_t)t->columns + column;

	return i < t->count ? t->cells[i] : "";
}

int table_left(const struct table *t, size_t column)
{
	return t->left[column];
}

const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

const char *change_text(char buf[16], double share)
{
	snprintf(buf, 16, fabs(share) < 0.0005 ? "0.0 %%" : "%+.1f %%", 100 * share);
	return buf;
}

const char *time_text(char buf[16], int64_t ns)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
	double v = 0;
	int u = 0;

	if (ns < 0) {
		snprintf(buf, 16, "-");
	} else if (ns < 1000) {
		snprintf(buf, 16, "%d ns", (int)ns);
	} else {
		/* Where rounding would give a fourth digit, it is the next unit or one decimal less. */
		for (; u < 3; u++) {
			v = (double)ns / units[u].ns;
			if (v < 999.5 || u == 2)
				break;
		}
		snprintf(buf, 16, "%.*f %s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[u].name);
	}
	return buf;
}

const char *bytes_text(char buf[16], double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	int u = 0;

	while (bytes >= 1023.5 && u < 5) {
		bytes /= 1024;
		u++;
	}
	snprintf(buf, 16, "%.*f %s", u && bytes < 99.95 ? 1 : 0, bytes, units[u]);
	return buf;
}

const char *value_text(char buf[16], double v)
{
	if (!isfinite(v))
		snprintf(buf, 16, "-");
	else if (fabs(v) >= 100)
		snprintf(buf, 16, fabs(v) >= 1e6 ? "%.2e" : "%.0f", v);
	else
		snprintf(buf, 16, fabs(v) >= 10 ? "%.1f" : "%.2f", v);
	return buf;
}

const char *scaled_text(char buf[16], double v)
{
	static const char units[] = " kMGTPE";
	int u = 0;

	if (!isfinite(v)) {
		snprintf(buf, 16, "-");
		return buf;
	}
	while (fabs(v) >= 99999.5 && u < 6) {
		v /= 1000;
		u++;
	}
	snprintf(buf, 16, fabs(v) >= 1000 ? "%.0f%.*s" : "%.4g%.*s", v, u > 0, units + u);
	return buf;
}
