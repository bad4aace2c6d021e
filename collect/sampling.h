/* collect/sampling.h - where StarPU keeps its performance models, and how they get into a run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_SAMPLING_H
#define COLLECT_SAMPLING_H

struct ht_err;
struct model_set;
struct trace;

/*
 * The directories that StarPU 1.`starpu_minor` searches, in its order, NULL-terminated; free each and the array. 0 is a
 * version that is not known. Of 1.4 only what follows 1.4.12 takes STARPU_HOME before XDG_CACHE_HOME: where both are
 * set STARPU_HOME comes second, and has what XDG_CACHE_HOME lacks.
 */
char **sampling_dirs(int starpu_minor);

/* Frees what sampling_dirs() returns; NULL is nothing. */
void sampling_dirs_free(char **dirs);

/*
 * Copies into RUN/sampling what the run used: bus/HOST.* and the codelet models whose symbols the trace has, with the
 * models of energy that are named after these or after their codelets, from the first directory that has them. *ncopied
 * counts the models of time.
 */
int sampling_copy(const char *run, const struct trace *t, char *const *dirs, const char *host, int *ncopied,
                  struct ht_err *err);

/* The models of `host` in the first directory that exists; model_set_free() it. Empty where they cannot be read. */
struct model_set *sampling_models(char *const *dirs, const char *host);

/*
 * What calibration still lacks: entries with fewer than `minimum` samples. Only those count whose samples are not what
 * they were `before` the program ran: others are of other programs. NULL: all count.
 */
int sampling_uncalibrated(const struct model_set *now, const struct model_set *before, int minimum);

#endif
