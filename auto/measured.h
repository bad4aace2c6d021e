/* auto/measured.h - finalists that have been run for real, and the best of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_MEASURED_H
#define AUTO_MEASURED_H

#include <stdint.h>

#include "tune/tune.h"

struct ht_err;

#define MEASURED "measured" /* source of a trial in a config */

/* Measured makespans of the finalists 1.xml, 2.xml, ... below `dir`; -1: none, it failed. */
struct measured {
	const char *dir;
	int64_t ns[TUNE_FINALISTS];
	int count;
};

/* The places of the fastest and of the next one; -1: there is none. */
void measured_best(const struct measured *m, int *first, int *second);

/* The makespan of a run directory; -1. */
int64_t measured_run_ns(const char *path, struct ht_err *err);

/* Saves the config of the fastest one as `path`, with all measurements as evidence. -1: that failed. */
int measured_save(const struct measured *m, const char *path, struct ht_err *err);

#endif
