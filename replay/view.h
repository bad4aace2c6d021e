/* replay/view.h - a predicted schedule in the forms that viewers of traces read. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_VIEW_H
#define REPLAY_VIEW_H

#include <stdio.h>

struct execution;
struct execution_format;
struct ht_err;
struct machine;
struct run;
struct execution_task;
struct simulation;

/* NULL: err lists the names of core/execution/execution.h. */
const struct execution_format *view_find(const char *name, struct ht_err *err);

/*
 * `tasks` of run->dag on `m`, what their workers waited for data, and the copies of `s` (NULL: none are known);
 * execution_free() it.
 */
struct execution *view_execution(const struct run *r, const struct machine *m, const struct execution_task *tasks,
                                 const struct simulation *s);

/* The same, into a file. */
void view_write(FILE *f, const struct run *r, const struct machine *m, const struct execution_task *tasks,
                const struct simulation *s, const struct execution_format *form);

#endif
