/* plugin/starpu/lengths.h - what StarPU expects of tasks, where no file says it, and where single ones can run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_LENGTHS_H
#define PLUGIN_LENGTHS_H

struct starpu_task;

/*
 * A task has become ready, or StarPU gives it to no scheduler: where its model is a function of the program or a
 * regression, which no file says, it is asked what the task takes on each kind of worker. Where the task can run on
 * fewer architectures than its codelet (task_narrowed()), that is noted. On any thread, many at once. Of more than
 * LENGTHS_MOST rows, one for each model, footprint and device, the rest is left out, and so are models whose names are
 * longer than LENGTHS_NAME.
 */
enum { LENGTHS_MOST = 1 << 19, LENGTHS_NAME = 95 };
void lengths_note(struct starpu_task *task);

/*
 * Adds what was noted since the last call to lengths.tsv and footprints.tsv (heterotune-run(5)), the files that
 * HETEROTUNE_LENGTHS and HETEROTUNE_FOOTPRINTS name, if they do. Any number of threads and processes may call it at one
 * time.
 */
void lengths_write(void);

#endif
