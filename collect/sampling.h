/* collect/sampling.h - where StarPU keeps its performance models, and how they get into a run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_SAMPLING_H
#define COLLECT_SAMPLING_H

struct ht_err;
struct trace;

/* The directories StarPU 1.4 searches, in its order, NULL-terminated; free each and the array. */
char **sampling_dirs(void);

/* The name StarPU gives this machine's models: STARPU_HOSTNAME, else the host's, cut at the first dot. free() it. */
char *sampling_host(void);

/*
 * Copies into RUN/sampling what the run used: bus/HOST.* and the codelet models whose symbols the trace has, with the
 * models of energy that are named after these or after their codelets, from the first directory that has them. *ncopied
 * counts the models of time.
 */
int sampling_copy(const char *run, const struct trace *t, char *const *dirs, const char *host, int *ncopied,
                  struct ht_err *err);

/* Models of `host` in the first directory with fewer than `minimum` samples somewhere: what calibration still lacks. */
int sampling_uncalibrated(char *const *dirs, const char *host, int minimum);

#endif
