/* plugin/starpu/where.h - what the codelets of a program can run on, and which lack a model, for a recorded run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_WHERE_H
#define PLUGIN_WHERE_H

struct starpu_task;

/*
 * A task has become ready: on any thread, many at once; neither allocates nor waits. Of more than WHERE_MOST codelets
 * the rest is left out, and so are names longer than WHERE_NAME. A codelet whose tasks have more than WHERE_NAMES names
 * is called by its model's alone, as in a trace (core/trace/trace_build.c).
 */
enum { WHERE_MOST = 512, WHERE_NAME = 255, WHERE_NAMES = 16 };
void where_note(struct starpu_task *task);

/*
 * Adds what is new since the last call to where.tsv (heterotune-run(5)), the file that HETEROTUNE_WHERE names, if it
 * does. Any number of threads and processes may call it at one time.
 */
void where_write(void);

#endif
