/* core/run/run.h - a run directory: one recorded execution, opened as a whole. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_RUN_H
#define CORE_RUN_RUN_H

#include "core/run/manifest.h"

struct ht_err;

/*
 * The directory (heterotune-run.5):
 *
 *   manifest      what was recorded: lines `key: value`
 *   machine.xml   workers, nodes, links
 *   fxt/          raw traces, one file per MPI rank; or
 *   tasks.rec     with paje.trace where there is one
 *   sampling/     bus/ and codelets/45/ as StarPU keeps them, those of the run
 *   where.tsv     optional: codelet, tab, the architectures it can run on ("cpu cuda")
 */
struct run {
	char *path;
	struct manifest manifest;
	struct trace *trace;
	struct machine *machine;
	struct model_set *models; /* may be empty, never NULL */
	struct dag *dag;
	const char *scheduler; /* STARPU_SCHED of the run; "" when not known */
	const char *command;   /* "" when not known */
};

/* Loads all of it; what is loaded is read-only. The caller frees with run_free(), which accepts NULL. */
struct run *run_open(const char *path, struct ht_err *err);
void run_free(struct run *r);

/*
 * Whence the tasks have their durations: from what the run measured, or from its models, where both tell. run_open()
 * takes the models for a run that StarPU only simulated, whose tasks took what the models say. Makes run->dag anew.
 */
enum run_durations { RUN_MEASURED, RUN_MODELS };
int run_set_durations(struct run *r, enum run_durations from, struct ht_err *err);

/* For titles: its directory's name, or, where that is no more than "run", its program's. free() it. */
char *run_name(const struct run *r);

/* The trace of a run directory alone: its fxt/ or its tasks.rec. trace_free() it. */
struct trace *run_load_trace(const char *path, struct ht_err *err);

#endif
