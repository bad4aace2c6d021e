/* core/base/records.h - rows of typed values, filled once, and rendered as a table of text, as CSV or as JSON. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_RECORDS_H
#define CORE_BASE_RECORDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json;
struct table;

/* What a column holds: how text shows it, and whether CSV and JSON write a string, a whole number or a real one. */
enum column_kind {
	COLUMN_TEXT,
	COLUMN_COUNT,   /* whole; negative: missing */
	COLUMN_NS,      /* "1.23 ms", whole in CSV and JSON; negative: missing */
	COLUMN_DELTA,   /* a time that may be negative */
	COLUMN_BYTES,   /* "1.5 MiB", whole in CSV and JSON; negative: missing */
	COLUMN_SHARE,   /* "12.3 %"; 0.123 in CSV and JSON */
	COLUMN_PERCENT, /* the same as "12 %" */
	COLUMN_CHANGE,  /* the same as "+12.3 %" */
	COLUMN_RATIO,   /* three decimals */
	COLUMN_REAL,    /* value_text() */
	COLUMN_SCALED,  /* scaled_text() */
	COLUMN_JOULES,  /* scaled_text() and the unit */
};

enum {
	COLUMN_ONCE = 1,    /* text: blank where this and the ONCE columns to the left are those of the row above */
	COLUMN_ZERO = 2,    /* text: "-" where it is 0 */
	COLUMN_NO_CSV = 4,  /* the key is JSON's only */
	COLUMN_NO_JSON = 8, /* the key is CSV's only */
	COLUMN_SHORT = 16,  /* text: at most 28 columns of it, from where it differs from what would look the same */
	COLUMN_CSV_6 = 32,  /* six decimals in CSV, not as many as it takes */
};

/*
 * `key` heads the column in CSV and names the member in JSON; NULL: it is in neither. `heading` is text's; NULL: text
 * does not show the column. A missing value is "-" in text, an empty field in CSV and null in JSON.
 */
struct column {
	const char *key, *heading;
	enum column_kind kind;
	unsigned flags;
};

struct records;

/* `columns` end with {0}, and are copied; NULL: none yet. records_free() it. */
struct records *records_create(const struct column *columns);
void records_free(struct records *x);

/* Adds columns at the right; only before the first row. */
void records_columns(struct records *x, const struct column *columns);

/* A value, made by V(): of a string (copied; NULL: missing), a whole number or a real one (not finite: missing). */
struct value {
	enum { VALUE_MISSING, VALUE_TEXT, VALUE_INT, VALUE_REAL } type;
	union {
		const char *text;
		int64_t whole;
		double real;
	};
};

struct value value_of_text(const char *text);
struct value value_of_count(uint64_t n);
struct value value_of_int(int64_t n);
struct value value_of_real(double v);
#define V(x) \
	_Generic((x), char *: value_of_text, const char *: value_of_text, float: value_of_real, \
	         double: value_of_real, uint64_t: value_of_count, default: value_of_int)(x)

/* records_add(x, V(a), V(b), ...) fills the next fields; a row begins by itself after the last column. */
#define records_add(x, ...) \
	records_add_values((x), (const struct value[]){__VA_ARGS__}, \
	                   sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value))
void records_add_values(struct records *x, const struct value *values, size_t n);

/* The newest row is not in text, or in neither CSV nor JSON. */
enum records_form { RECORDS_TEXT = 1, RECORDS_DATA = 2 };
void records_hide_row(struct records *x, enum records_form from);

/* The rows and columns that text shows; table_free() it. NULL: there is no such row. */
struct table *records_table(const struct records *x);

/* The same, printed: table_print(); nothing where there is no such row. */
void records_print(const struct records *x, FILE *f);

/* A line of keys, and one a row. */
void records_csv(const struct records *x, FILE *f);

/* An array of objects; and an object of objects, each under the text of the first column that has a key. */
void records_json(const struct records *x, const char *key, struct json *j);
void records_json_by_name(const struct records *x, const char *key, struct json *j);

#endif
