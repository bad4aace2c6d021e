/* core/table.h - a table for people: columns as wide as they need to be, text left, numbers right. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include <stdint.h>
#include <stdio.h>

struct table;

/* `titles` are separated by '|'; one that begins with '<' is a column of text (left). free with table_free(). */
struct table *table_create(const char *titles);
void table_free(struct table *t);

/* Fill the next cell; a row begins by itself after the last column. Control characters become '?'. */
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_print(const struct table *t, FILE *f);

/* A time with three significant digits and its unit ("1.23 ms"), in buf; returns buf. Negative: "-". */
const char *time_text(char buf[16], int64_t ns);
const char *bytes_text(char buf[16], double bytes);

#endif
