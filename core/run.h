/* core/run.h - a run directory: one recorded execution, opened as a whole. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_H
#define CORE_RUN_H

#include <stdint.h>

struct ht_err;

/*
 * The directory (heterotune-run.5):
 *
 *   manifest      what was recorded: lines `key: value`
 *   machine.xml   workers, nodes, links
 *   fxt/          raw traces, one file per MPI rank; or
 *   tasks.rec     with paje.trace where there is one
 *   sampling/     bus/ and codelets/45/ as StarPU keeps them, those of the run
 *   where.tsv     codelet -> architectures, where the collector could tell
 */
struct run {
	char *path;
	struct trace *trace;
	struct machine *machine;
	struct model_set *models; /* may be empty, never NULL */
	struct dag *dag;
	char *scheduler;          /* STARPU_SCHED of the run; "" when not known */
	char *command;            /* "" when not known */
};

/* Loads all of it. The caller frees with run_free(), which accepts NULL. */
struct run *run_open(const char *path, struct ht_err *err);
void run_free(struct run *r);

/* The value of a manifest's key, borrowed text in a fresh string; NULL when it is not there. free() it. */
char *run_manifest_get(const char *run_path, const char *key);

#endif
