/* analyze/report/report_table.h - the tables of a report: each a file, listed in one table. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_REPORT_REPORT_TABLE_H
#define ANALYZE_REPORT_REPORT_TABLE_H

struct report;
struct table;

enum { REPORT_NOTE = 600 };

/*
 * What `analyze` prints and `report` puts on its page. `make` gives a table of a bounded number of rows, which its
 * caller frees; NULL: the run has nothing to show in it. `note` (may be NULL) writes sentences that stand below the
 * table, separated by line breaks; it may write none.
 */
struct report_table {
	const char *name;    /* "types": one word */
	const char *title;   /* "Types of tasks" */
	const char *summary; /* a sentence: what it shows */
	struct table *(*make)(const struct report *r);
	void (*note)(const struct report *r, char note[REPORT_NOTE]);
};

/* NULL-terminated, in the order in which they are shown: analyze/report/report.c. */
extern const struct report_table *const report_tables[];
extern const struct report_table report_types, report_tasks, report_tasks_arch;
extern const struct report_table report_time_breakdown, report_worker_time, report_workers, report_links;
extern const struct report_table report_counters, report_energy, report_copies, report_memories, report_locality;

#endif
