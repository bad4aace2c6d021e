/* core/table.c - a table for people: columns as wide as they need to be, text left, numbers right. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"

struct table {
	char **cells;
	size_t count, cap;
	int columns;
	char *left; /* per column: text */
};

struct table *table_create(const char *titles)
{
	struct table *t = ht_alloc(1, sizeof(*t));

	t->left = ht_alloc(strlen(titles) + 1, 1);
	for (;;) {
		size_t len = strcspn(titles, "|");
		int text = *titles == '<';

		t->left[t->columns++] = (char)text;
		*VEC_PUSH(t->cells, t->count, t->cap) = ht_strndup(titles + text, len - (size_t)text);
		if (!titles[len])
			return t;
		titles += len + 1;
	}
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
	*VEC_PUSH(t->cells, t->count, t->cap) = ht_strndup(buf, strlen(buf));
}

void table_print(const struct table *t, FILE *f)
{
	size_t columns = (size_t)t->columns;
	int *width = ht_alloc(columns, sizeof(*width));

	for (size_t i = 0; i < t->count; i++) {
		int w = (int)strlen(t->cells[i]);

		if (w > width[i % columns])
			width[i % columns] = w;
	}
	for (size_t i = 0; i < t->count; i++) {
		size_t c = i % columns;
		int last = c == columns - 1;

		if (last && (t->left[c] || !*t->cells[i]))
			fputs(t->cells[i], f);
		else
			fprintf(f, t->left[c] ? "%-*s" : "%*s", width[c], t->cells[i]);
		fputs(last ? "\n" : "  ", f);
	}
	free(width);
}

const char *time_text(char buf[16], int64_t ns)
{
	double v = (double)ns;

	if (ns < 0)
		snprintf(buf, 16, "-");
	else if (v < 1e3)
		snprintf(buf, 16, "%.0f ns", v);
	else if (v < 1e6)
		snprintf(buf, 16, "%.*f us", v < 1e4 ? 2 : v < 1e5 ? 1 : 0, v / 1e3);
	else if (v < 1e9)
		snprintf(buf, 16, "%.*f ms", v < 1e7 ? 2 : v < 1e8 ? 1 : 0, v / 1e6);
	else
		snprintf(buf, 16, "%.*f s", v < 1e10 ? 2 : v < 1e11 ? 1 : 0, v / 1e9);
	return buf;
}

const char *bytes_text(char buf[16], double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	int u = 0;

	while (bytes >= 1024 && u < 5) {
		bytes /= 1024;
		u++;
	}
	snprintf(buf, 16, "%.*f %s", u && bytes < 100 ? 1 : 0, bytes, units[u]);
	return buf;
}
