/* core/csv.h - a writer of CSV (RFC 4180): a line of fields at a time, quoted where they have to be. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CSV_H
#define CORE_CSV_H

#include <stdint.h>
#include <stdio.h>

/* A zeroed struct with `f` set is ready. */
struct csv {
	FILE *f;
	int filled; /* the line has a field */
};

void csv_text(struct csv *c, const char *s);
void csv_int(struct csv *c, int64_t value);
void csv_num(struct csv *c, double value);  /* not finite: an empty field */
void csv_time(struct csv *c, int64_t ns);   /* negative, "there is none": an empty field */
void csv_end(struct csv *c);                /* of the line */

#endif
