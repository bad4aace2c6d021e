/* replay/schedule_text.h - a predicted schedule as lines of text. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SCHEDULE_TEXT_H
#define REPLAY_SCHEDULE_TEXT_H

struct dag;
struct ht_err;
struct execution_task;
struct trace;

/* One line a task, by start: job name worker start_ns end_ns; into the file `path`, whole or not at all. */
int schedule_text_write(const char *path, const struct trace *t, const struct dag *d,
                        const struct execution_task *tasks, struct ht_err *err);

#endif
