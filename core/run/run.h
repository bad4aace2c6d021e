/* core/run/run.h - a run directory: one recorded execution, opened as a whole. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_RUN_H
#define CORE_RUN_RUN_H

#include "core/run/conditions.h"
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
 *   where.tsv     optional: codelet, tab, the architectures it can run on ("cpu cuda"), and where StarPU has no model of
 *                 it, tab, "no model"
 *   lengths.tsv   optional: what StarPU expects by models that are functions of the program, or regressions; and
 *   footprints.tsv  which of these tasks are alike (core/run/footprints.h)
 */
struct run {
	char *path;
	struct manifest manifest;
	struct trace *trace;
	struct machine *machine;
	struct model_set *models; /* may be empty, never NULL */
	struct dag *dag;
	struct conditions conditions;
	const char *scheduler; /* of the run; "" when not known */
	const char *command;   /* "" when not known */
};

/*
 * Source of the durations of tasks where both the measurements of the run and its models have one. RUN_DEFAULT: the
 * models for a run that was only simulated, whose tasks took what the models say; else the measurements.
 */
enum run_durations { RUN_DEFAULT, RUN_MEASURED, RUN_MODELS };

/* Loads all of it; what is loaded is read-only. The caller frees with run_free(), which accepts NULL. */
struct run *run_open(const char *path, struct ht_err *err); /* RUN_DEFAULT */
struct run *run_open_with(const char *path, enum run_durations from, struct ht_err *err);
void run_free(struct run *r);

/* Whether no application ever ran: heterotune graph has made it, with a schedule that stands for none. */
int run_is_generated(const struct run *r);

/* Whether its times are those of a replay, which has saved it. */
int run_is_predicted(const struct run *r);

/* Whether its copies took time, as far as is known: not in a generated schedule, nor in a predicted one without any. */
int run_has_copies(const struct run *r);

/* For titles: its directory's name, or, where that is no more than "run", its program's. free() it. */
char *run_name(const struct run *r);

/*
 * -1: `path` is, or would be, one of the files above in a run, or below one of its directories: no other output
 * replaces these. Or it is a file of another kind: those that the command writes have `mark` at their beginning (NULL:
 * not looked at). A path that is NULL or "-" is no file.
 */
int run_check_output(const char *path, const char *mark, struct ht_err *err);

/* The same of a directory for files of other kinds, which is no run itself either; NULL is none. */
int run_check_directory(const char *path, struct ht_err *err);

/* The output of a command that has no -o: path_unused() of its name. free() it. */
char *run_output(const struct run *r, const char *ending);

/* The trace of a run directory alone: its fxt/ or its tasks.rec, where.tsv and footprints.tsv. trace_free() it. */
struct trace *run_load_trace(const char *path, struct ht_err *err);

/* Its models alone: those of `host` ("": the only one) in its sampling/, and its lengths.tsv. model_set_free() them. */
struct model_set *run_load_models(const char *path, const char *host, struct ht_err *err);

/* Bytes of the largest file of its fxt/; 0: there is none. */
int64_t run_trace_bytes(const char *path);

#endif
