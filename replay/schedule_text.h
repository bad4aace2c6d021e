/* replay/schedule_text.h - a predicted schedule as lines of text. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SCHEDULE_TEXT_H
#define REPLAY_SCHEDULE_TEXT_H

#include <stdio.h>

struct dag;
struct execution_task;
struct trace;

/* One line a task, by start: job name worker start_ns end_ns. */
void schedule_text_write(FILE *f, const struct trace *t, const struct dag *d, const struct execution_task *tasks);

#endif
