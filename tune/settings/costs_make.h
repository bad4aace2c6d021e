/* tune/settings/costs_make.h - the costs in a config: what tasks take of which StarPU has no model. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_COSTS_MAKE_H
#define TUNE_SETTINGS_COSTS_MAKE_H

struct config;
struct dag;

/* A config has at most so many costs. Footprints of few tasks are left out: their codelet's mean is taken for them. */
enum { COSTS_MOST = 4096 };

/*
 * Into the config, for each codelet without a model in these n graphs: its mean costs by footprint, and the mean of all
 * its tasks, for footprints that the graphs do not have.
 */
void costs_make(struct config *c, const struct dag *const *graphs, int n);

#endif
