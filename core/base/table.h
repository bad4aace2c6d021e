/* core/base/table.h - a table for people: columns as wide as they need to be, text left, numbers right. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_TABLE_H
#define CORE_BASE_TABLE_H

#include <stdint.h>
#include <stdio.h>

struct table;

/*
 * `titles` are separated by '|'; one that begins with '<' is a column of text (left); NULL: no column yet. table_free()
 * it.
 */
struct table *table_create(const char *titles);

/* Adds a column at the right, of text where `text` is not 0; only before the first cell. */
void table_column(struct table *t, const char *title, int text);
void table_free(struct table *t);

/* Fill the next cell; a row begins by itself after the last column. Control characters become '?'. */
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * No blanks at the end of a line. On a terminal the titles are bold; where the table is wider than that, they have two
 * lines, then one blank is between columns, and then the widest column of text is shortened.
 */
void table_print(const struct table *t, FILE *f);

/*
 * How many bytes of `text` are to be shown, before "...", where it has to be in that many columns: to the end of a word,
 * where that is not before its middle. All of it where it fits.
 */
size_t text_shortened(const char *text, int columns);

/*
 * `text` where it fits into buf, else "..." and its end, by which mangled names differ, from where a character begins.
 * Returns buf. SHORT_NAME(): in a buffer of its own, which lasts as long as the block around it.
 */
const char *text_end(char *buf, size_t size, const char *text);
#define SHORT_NAME(text) text_end((char[64]){""}, 64, (text))

/* For other ways of writing it: row 0 is the titles. A last row that was not filled is padded with "". */
size_t table_columns(const struct table *t);
size_t table_rows(const struct table *t);
const char *table_text(const struct table *t, size_t row, size_t column);
int table_left(const struct table *t, size_t column); /* a column of text */

/* A time with three significant digits and its unit ("1.23 ms"), in buf; returns buf. Negative: "-". */
const char *time_text(char buf[16], int64_t ns);

/* "+12.3 %" of 0.123, "0.0 %" of what rounds to it; returns buf. */
const char *change_text(char buf[16], double share);
const char *bytes_text(char buf[16], double bytes);

/* What "task", "type" or "worker" ends with where there are n of them. */
const char *plural(uint64_t n);

/* Three or four significant digits of a number without a unit, in buf; returns buf. Not finite: "-"; never "-0.00". */
const char *value_text(char buf[16], double v);

/* A number of any size in five digits at most: "1024", "123.4k", "1.23M". Not finite: "-". Returns buf. */
const char *scaled_text(char buf[16], double v);

#endif
