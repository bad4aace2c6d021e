/* core/base/records.c - rows of typed values, filled once, and rendered as a table of text, as CSV or as JSON. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/records.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/csv.h"
#include "core/base/json.h"
#include "core/base/table.h"

enum { SHORT_TEXT = 28, LEAST_BEFORE = 8, MOST_COMPARED = 1000 };

struct records {
	struct arena *arena; /* of strings */
	struct column *columns;
	size_t ncolumns, columns_cap;
	struct value *values; /* row by row */
	size_t count, cap;
	unsigned char *hidden; /* by row: enum records_form */
	size_t nrows, rows_cap;
};

struct value value_of_text(const char *text)
{
	return (struct value){.type = text ? VALUE_TEXT : VALUE_MISSING, .text = text};
}

struct value value_of_count(uint64_t n)
{
	return value_of_int((int64_t)n);
}

struct value value_of_int(int64_t n)
{
	return (struct value){.type = VALUE_INT, .whole = n};
}

struct value value_of_real(double v)
{
	return (struct value){.type = isfinite(v) ? VALUE_REAL : VALUE_MISSING, .real = v};
}

struct records *records_create(const struct column *columns)
{
	struct records *x = ht_alloc(1, sizeof(*x));

	x->arena = arena_create();
	records_columns(x, columns);
	return x;
}

void records_free(struct records *x)
{
	if (!x)
		return;
	arena_free(x->arena);
	free(x->columns);
	free(x->values);
	free(x->hidden);
	free(x);
}

static const char *keep(struct records *x, const char *s)
{
	return s ? arena_strndup(x->arena, s, strlen(s)) : NULL;
}

void records_columns(struct records *x, const struct column *columns)
{
	assert(!x->count);
	for (const struct column *c = columns; c && (c->key || c->heading); c++)
		*VEC_PUSH(x->columns, x->ncolumns,
		          x->columns_cap) = (struct column){keep(x, c->key), keep(x, c->heading), c->kind, c->flags};
}

static int is_whole(enum column_kind k)
{
	return k == COLUMN_COUNT || k == COLUMN_NS || k == COLUMN_DELTA || k == COLUMN_BYTES;
}

/* The value in the type of its column, or missing. */
static struct value convert(struct records *x, const struct column *c, struct value v)
{
	assert((c->kind == COLUMN_TEXT) == (v.type == VALUE_TEXT) || v.type == VALUE_MISSING);
	if (v.type == VALUE_TEXT)
		v.text = keep(x, v.text);
	else if (is_whole(c->kind) && v.type == VALUE_REAL)
		v = value_of_int(llround(v.real));
	else if (!is_whole(c->kind) && v.type == VALUE_INT)
		v = value_of_real((double)v.whole);
	if (v.type == VALUE_INT && v.whole < 0 && c->kind != COLUMN_DELTA)
		v.type = VALUE_MISSING;
	return v;
}

void records_add_values(struct records *x, const struct value *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t c = x->count % x->ncolumns;

		if (c == 0)
			VEC_PUSH(x->hidden, x->nrows, x->rows_cap);
		*VEC_PUSH(x->values, x->count, x->cap) = convert(x, &x->columns[c], values[i]);
	}
}

void records_hide_row(struct records *x, enum records_form from)
{
	x->hidden[x->nrows - 1] |= (unsigned char)from;
}

/* The first row from `row` on that `form` has, NULL: none is left; *row is the one after it. */
static const struct value *next_row(const struct records *x, size_t *row, enum records_form form)
{
	assert(x->count == x->nrows * x->ncolumns);
	while (*row < x->nrows && x->hidden[*row] & form)
		++*row;
	return *row < x->nrows ? &x->values[(*row)++ * x->ncolumns] : NULL;
}

static int is_same(const struct value *a, const struct value *b)
{
	return a->type == b->type && (a->type == VALUE_MISSING ? 1 :
	                              a->type == VALUE_TEXT    ? strcmp(a->text, b->text) == 0 :
	                              a->type == VALUE_INT     ? a->whole == b->whole :
	                                                         a->real == b->real);
}

static size_t common_length(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/*
 * Where the word begins in which a text that is shown to `len` differs from others of its column; 0: before that, or
 * there are so many that nobody looks at them all.
 */
static size_t differs_at(const struct records *x, size_t column, const char *text, size_t len)
{
	size_t most = 0, row = 0;
	const struct value *v;

	while (x->nrows <= MOST_COMPARED && (v = next_row(x, &row, RECORDS_TEXT))) {
		size_t n = v[column].type == VALUE_TEXT ? common_length(text, v[column].text) : 0;

		if (n >= len && n > most && (text[n] || v[column].text[n]))
			most = n;
	}
	while (most && !strchr(" _-:./", text[most - 1]))
		most--;
	return most;
}

/* Shortened; if others would look the same, with the part in which it differs, and as much before that as fits. */
static void put_text(const struct records *x, size_t column, struct table *t, const char *text, int columns)
{
	size_t len = text_shortened(text, columns), from = text[len] ? differs_at(x, column, text, len) : 0;
	int left = columns - 3 - (int)strlen(text + from);

	if (from && left >= LEAST_BEFORE) {
		len = text_shortened(text, left + 3);
		table_cell(t, "%.*s...%s", (int)len, text, text + from);
		return;
	}
	if (from) {
		text += from;
		len = text_shortened(text, columns - 3);
	}
	table_cell(t, "%s%.*s%s", from ? "..." : "", (int)len, text, text[len] ? "..." : "");
}

static void put_cell(const struct records *x, size_t column, struct table *t, const struct value *v)
{
	const struct column *c = &x->columns[column];
	char text[16];

	if (v->type == VALUE_MISSING || (c->flags & COLUMN_ZERO && v->whole == 0)) {
		table_cell(t, "-");
		return;
	}
	switch (c->kind) {
	case COLUMN_TEXT: put_text(x, column, t, v->text, c->flags & COLUMN_SHORT ? SHORT_TEXT : INT_MAX); break;
	case COLUMN_COUNT: table_cell(t, "%" PRId64, v->whole); break;
	case COLUMN_NS: table_cell(t, "%s", time_text(text, v->whole)); break;
	case COLUMN_DELTA: table_cell(t, "%s%s", v->whole < 0 ? "-" : "", time_text(text, llabs(v->whole))); break;
	case COLUMN_BYTES: table_cell(t, "%s", bytes_text(text, (double)v->whole)); break;
	case COLUMN_SHARE: table_cell(t, "%.1f %%", 100 * v->real); break;
	case COLUMN_PERCENT: table_cell(t, "%.0f %%", 100 * v->real); break;
	case COLUMN_CHANGE: table_cell(t, "%s", change_text(text, v->real)); break;
	case COLUMN_RATIO: table_cell(t, "%.3f", v->real); break;
	case COLUMN_REAL: table_cell(t, "%s", value_text(text, v->real)); break;
	case COLUMN_SCALED: table_cell(t, "%s", scaled_text(text, v->real)); break;
	case COLUMN_JOULES: table_cell(t, "%s J", scaled_text(text, v->real)); break;
	}
}

struct table *records_table(const struct records *x)
{
	const struct value *above = NULL, *v;
	struct table *t = table_create(NULL);
	size_t row = 0;

	for (size_t c = 0; c < x->ncolumns; c++)
		if (x->columns[c].heading)
			table_column(t, x->columns[c].heading, x->columns[c].kind == COLUMN_TEXT);
	for (; (v = next_row(x, &row, RECORDS_TEXT)); above = v) {
		int same = above != NULL;

		for (size_t c = 0; c < x->ncolumns; c++) {
			int once = (x->columns[c].flags & COLUMN_ONCE) != 0;

			if (!x->columns[c].heading)
				continue;
			same = same && (!once || is_same(&v[c], &above[c]));
			if (once && same)
				table_cell(t, "%s", "");
			else
				put_cell(x, c, t, &v[c]);
		}
	}
	if (above)
		return t;
	table_free(t);
	return NULL;
}

void records_print(const struct records *x, FILE *f)
{
	struct table *t = records_table(x);

	if (t)
		table_print(t, f);
	table_free(t);
}

static int in_csv(const struct column *c)
{
	return c->key && !(c->flags & COLUMN_NO_CSV);
}

static int in_json(const struct column *c)
{
	return c->key && !(c->flags & COLUMN_NO_JSON);
}

void records_csv(const struct records *x, FILE *f)
{
	struct csv out = {.f = f};
	const struct value *v;
	size_t row = 0;

	for (size_t c = 0; c < x->ncolumns; c++)
		if (in_csv(&x->columns[c]))
			csv_text(&out, x->columns[c].key);
	csv_end(&out);
	while ((v = next_row(x, &row, RECORDS_DATA))) {
		for (size_t c = 0; c < x->ncolumns; c++)
			if (in_csv(&x->columns[c])) {
				if (v[c].type == VALUE_MISSING)
					csv_empty(&out);
				else if (v[c].type == VALUE_TEXT)
					csv_text(&out, v[c].text);
				else if (v[c].type == VALUE_INT)
					csv_int(&out, v[c].whole);
				else if (x->columns[c].flags & COLUMN_CSV_6)
					csv_decimal(&out, v[c].real, 6);
				else
					csv_num(&out, v[c].real);
			}
		csv_end(&out);
	}
}

/* Where `named`, the first value is the key of the object. */
static void json_rows(const struct records *x, int named, struct json *j)
{
	const struct value *v;
	size_t row = 0, first = 0;

	while (named && first < x->ncolumns && !in_json(&x->columns[first]))
		first++;
	while ((v = next_row(x, &row, RECORDS_DATA))) {
		json_open(j, named ? v[first].text : NULL, '{');
		for (size_t c = first + (size_t)named; c < x->ncolumns; c++)
			if (in_json(&x->columns[c])) {
				switch (v[c].type) {
				case VALUE_MISSING: json_null(j, x->columns[c].key); break;
				case VALUE_TEXT: json_str(j, x->columns[c].key, v[c].text); break;
				case VALUE_INT: json_int(j, x->columns[c].key, v[c].whole); break;
				case VALUE_REAL: json_num(j, x->columns[c].key, v[c].real); break;
				}
			}
		json_close(j, '}');
	}
}

void records_json(const struct records *x, const char *key, struct json *j)
{
	json_open(j, key, '[');
	json_rows(x, 0, j);
	json_close(j, ']');
}

void records_json_by_name(const struct records *x, const char *key, struct json *j)
{
	json_open(j, key, '{');
	json_rows(x, 1, j);
	json_close(j, '}');
}
