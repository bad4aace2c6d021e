/* tune/evaluate/noise.h - whether one of two is faster, or it is chance: the same replications of jitter under both. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_NOISE_H
#define TUNE_EVALUATE_NOISE_H

#include "core/base/noise_of_runs.h"

struct trial;

struct noise {
	double mean;  /* of the ratios of makespans, replication by replication */
	double error; /* standard error of that mean; 0 with one replication */
};

/* Ratios of n trials to n others of the same replications; one that is never executed has a ratio of 10^6. */
struct noise noise_of_ratio(const struct trial *trials, const struct trial *to, int n);

#endif
