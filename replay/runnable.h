/* replay/runnable.h - whether every task of a graph has a worker that can run it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_RUNNABLE_H
#define REPLAY_RUNNABLE_H

struct dag;
struct ht_err;
struct machine;

/*
 * -1 with a sentence that names the first task that no worker can run: it has no cost there, or its data, all of which
 * has to be there at a time, is larger than the worker's memory.
 */
int runnable_check(const struct dag *d, const struct machine *m, struct ht_err *err);

#endif
