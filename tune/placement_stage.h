/* tune/placement_stage.h - the first stage of tune(): plans for the policy placement. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_PLACEMENT_STAGE_H
#define TUNE_PLACEMENT_STAGE_H

#include <stdint.h>

#include "tune/evaluate/final_round.h"

struct config;
struct tuner;

/*
 * The policy placement with the plan that is best for each run, and the knobs for it, or without where that takes too
 * long. That comes first: where data has owners most is gained, in least time. *reached_ns is what that reaches where
 * there is one run.
 */
void placement_stage_run(struct tuner *t, int64_t *reached_ns);

/* The config of that stage as a finalist, which borrows from it. */
struct finalist placement_stage_finalist(const struct config *placement);

#endif
