/* core/execution/chrome.h - parts of the JSON that Perfetto reads: tracks, slices, flows. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_EXECUTION_CHROME_H
#define CORE_EXECUTION_CHROME_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct execution;
struct execution_task;
struct execution_wait;

/* What the format calls processes: groups of tracks. */
enum { CHROME_WORKERS = 1, CHROME_MEMORY = 2, CHROME_CHAIN = 3 };

struct chrome {
	const struct execution *e;
	const struct execution_wait *waits; /* by task */
	FILE *f;
	const char *separator;
	size_t *first_track; /* of each worker; after its lanes comes the track of what it did beside tasks */
	uint64_t flows;      /* arrows so far, for their numbers */
};

/* Text without a NUL, at p; what they return is behind it. Microseconds are exact: "12", "12.5", "12.345". */
char *chrome_digits(char *p, uint64_t v);
char *chrome_us(char *p, int64_t ns);

/* A microsecond value as a string, in buf; returns buf. */
const char *chrome_us_text(char buf[32], int64_t ns);

/* The name of a process or a thread ("process_name", "thread_name"), and where it stands among the others. */
void chrome_name(struct chrome *c, const char *what, int group, size_t track, const char *name);
void chrome_order(struct chrome *c, int group, size_t track);

size_t chrome_task_track(const struct chrome *c, const struct execution_task *t);

/* "task" slices with what is known of each: job, type, footprint, priority, data, times, what it waited for. */
void chrome_tasks(struct chrome *c);

/* What workers did beside tasks, as recorded, and the rest as idle, on the tracks after theirs. */
void chrome_beside(struct chrome *c);

/* Arrows: from each task to those that need it, and from each copy to the task that used what it brought. */
void chrome_dependencies(struct chrome *c);
void chrome_copy_flows(struct chrome *c);

/* The critical chain: tasks and waits, one after the other. */
void chrome_chain(struct chrome *c);

/* The track of a copy: a link and a lane of it. */
size_t chrome_copy_track(const struct chrome *c, size_t copy);

#endif
