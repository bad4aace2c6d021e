/* replay/save.h - a predicted schedule as a run, for every command that reads one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SAVE_H
#define REPLAY_SAVE_H

struct ht_err;
struct machine;
struct run;
struct run_writer;
struct execution_task;
struct simulation;

/*
 * heterotune-run(5) with tasks.rec and paje.trace of `tasks`, which are those of run->dag on `m`, and of the copies of
 * `simulation` (NULL: none are known); with `m`, the run's models and what its types can run on, and a manifest that
 * says `predicted: HOW` and has `scheduler`. Time 0 is the first submission. Tasks have the graph's dependencies; the
 * application's waits for data and for all tasks are there too, and no internal tasks. Not for a run of several MPI
 * ranks, whose messages these files cannot have. The caller begins and ends the writer.
 */
int save_run(const struct run_writer *to, const struct run *run, const struct machine *m,
             const struct execution_task *tasks, const struct simulation *simulation, const char *how,
             const char *scheduler, struct ht_err *err);

#endif
