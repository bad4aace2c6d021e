/* generate/write.h - a made graph and its execution as a run directory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_WRITE_H
#define GENERATE_WRITE_H

struct executed;
struct graph;
struct ht_err;
struct machine;

/*
 * heterotune-run(5) with tasks.rec, data.rec, paje.trace (the workers), machine.xml, the models of every type on every
 * architecture it can run on, where.tsv if StarPU has none of some, and a manifest with `generated: HOW`. The directory
 * must not exist; on failure nothing of it is left.
 */
int write_run(const struct graph *g, const struct executed *tasks, const struct machine *m, const char *how,
              const char *path, struct ht_err *err);

#endif
