/* core/base/csv.h - a writer of CSV (RFC 4180), field by field, fast enough for a row per task. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_CSV_H
#define CORE_BASE_CSV_H

#include <stdint.h>
#include <stdio.h>

/* A struct with `f` set and all else 0 is ready. Whether the file took it all is asked of the file in the end. */
struct csv {
	FILE *f;
	int filled; /* the row has a field */
};

/* Quoted where it has to be; with ' in front where a spreadsheet would execute it as a formula: "=1+1", "@SUM(A1)". */
void csv_text(struct csv *c, const char *text);
void csv_int(struct csv *c, int64_t value);
void csv_num(struct csv *c, double value); /* reads back as the same number; empty when it is not finite */

/* Rounded to `decimals` places, 0 to 9, without zeros at the end, 100 times as fast; empty when it is not finite. */
void csv_decimal(struct csv *c, double value, int decimals);
void csv_empty(struct csv *c);

/* A field that is written as it is: a literal, or text that was written as a field before. */
void csv_raw(struct csv *c, const char *text);
void csv_end(struct csv *c);

#endif
