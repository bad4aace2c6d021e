/* analyze/report/report_table.h - the tables of a report: each a file, listed in one table. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_REPORT_REPORT_TABLE_H
#define ANALYZE_REPORT_REPORT_TABLE_H

#include <stdio.h>

#include "core/base/records.h"

struct json;
struct report;
struct table;

enum { REPORT_NOTE = 600 };

/*
 * What `analyze` prints and `report` puts on its page. `fill` adds the rows (and columns, where not all are in
 * `columns`, which may be NULL). `is_shown` (NULL: always) says whether text and page have it; for these, a table
 * without rows is left out. `note` (may be NULL) writes sentences that stand below the table, separated by line
 * breaks; it may write none.
 */
struct report_table {
	const char *name;    /* "types": one word */
	const char *title;   /* "Types of tasks" */
	const char *summary; /* a sentence: what it shows */
	const struct column *columns;
	int (*is_shown)(const struct report *r);
	void (*fill)(const struct report *r, struct records *x);
	void (*note)(const struct report *r, char note[REPORT_NOTE]);
};

/* NULL-terminated, in the order in which they are shown: analyze/report/report.c. */
extern const struct report_table *const report_tables[];
extern const struct report_table report_types, report_tasks, report_tasks_arch;
extern const struct report_table report_time_breakdown, report_worker_time, report_workers, report_links;
extern const struct report_table report_ranks, report_messages;
extern const struct report_table report_counters, report_energy, report_copies, report_memories, report_locality;

/* As text shows it; table_free() it. NULL: the run has nothing to show in it. */
struct table *report_table_make(const struct report_table *t, const struct report *r);

/* All of it: a line with the keys of the columns, and one a row. */
void report_table_csv(const struct report_table *t, const struct report *r, FILE *f);

/* All of it, filled; records_free() it. */
struct records *report_table_records(const struct report_table *t, const struct report *r);

/* A member of the object that is open: an array of the rows. */
void report_table_json(const struct report_table *t, const struct report *r, const char *key, struct json *j);

#endif
