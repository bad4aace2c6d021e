/* analyze/report/report.h - what is known of a run: gathered once, then written for people or for programs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_REPORT_REPORT_H
#define ANALYZE_REPORT_REPORT_H

#include <stdint.h>
#include <stdio.h>

#include "analyze/data/bmd.h"
#include "analyze/data/copies.h"
#include "analyze/data/idle.h"
#include "analyze/data/memories.h"
#include "analyze/data/messages.h"
#include "analyze/data/task_counters.h"
#include "analyze/data/time_breakdown.h"
#include "analyze/data/worker_time.h"
#include "analyze/findings/finding.h"
#include "core/metrics/bound.h"
#include "core/metrics/metrics.h"

struct ht_err;
struct json;
struct run;
struct task_metrics;

struct report {
	const struct run *run; /* borrowed, or that of report_open() */
	struct run *opened;
	int64_t makespan_ns;
	struct bounds bounds;
	struct metrics_input input;
	struct metrics *metrics;
	struct timeline *timeline;
	struct worker_times times;
	struct time_breakdown time_breakdown;
	struct idle idle;
	struct data_state *data; /* NULL unless the run has copies, or after report_add_locality() */
	struct copies copies;
	struct memories memories;
	struct messages messages; /* none where there is one rank */
	struct bmd bmd;           /* only after report_add_locality() */
	int has_locality;
	struct findings findings;
	struct task_counters counters;
	int each_worker, show_counters; /* to be set: what the text shows, too */
	struct task_metrics *tasks;     /* NULL: nobody asked for it, and it is in no output */
	int each_copy;                  /* to be set: show every link, not only the busiest */
};

/* Fails when the run has no schedule that its machine could have executed. report_fini() also after a failure. */
int report_init(struct report *r, const struct run *run, struct ht_err *err);
void report_fini(struct report *r);

/* The same for the run at `path`, which it opens and report_fini() frees. */
int report_open(struct report *r, const char *path, struct ht_err *err);

/* Adds what is known of each task (analyze/data/task_metrics.h); fails when a task can run on no worker. */
int report_add_tasks(struct report *r, struct ht_err *err);

/* The parts of report_json() that are files of their own: members of the object that is open. */
void report_time_breakdown_json(const struct report *r, struct json *j);
void report_energy_json(const struct report *r, struct json *j);
void report_copies_json(const struct report *r, struct json *j);
void report_locality_json(const struct report *r, struct json *j);

/* What the meters counted while the application ran, a line; nothing where no meter was read. */
void report_energy_text(const struct report *r, FILE *f);
/* Adds what LAHeteroprio's formulas would have named. */
void report_add_locality(struct report *r);

/* All of it, and everything shown: for a page, where length is no matter. Fails as report_add_tasks(). */
int report_add_all(struct report *r, struct ht_err *err);

/* At most 100 columns where names allow it. */
void report_text(const struct report *r, FILE *f);
void report_json(const struct report *r, FILE *f);

#endif
