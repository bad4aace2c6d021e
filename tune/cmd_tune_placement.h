/* tune/cmd_tune_placement.h - heterotune tune --placement: the knobs of the policy placement for a run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_CMD_TUNE_PLACEMENT_H
#define TUNE_CMD_TUNE_PLACEMENT_H

struct ht_err;
struct tune_problem;

/* Searches, and prints the policy with its knobs and what it reaches; as JSON where `json` is not 0. */
int tune_placement(const struct tune_problem *p, int json, struct ht_err *err);

#endif
