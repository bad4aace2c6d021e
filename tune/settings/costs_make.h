/* tune/settings/costs_make.h - the costs in a config: what tasks take of which StarPU has no model. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_COSTS_MAKE_H
#define TUNE_SETTINGS_COSTS_MAKE_H

struct config;
struct dag;

/* Of so many sizes: those of most tasks. For others the mean of their codelet stands. */
enum { COSTS_MOST = 4096 };

/*
 * For each codelet without a model in these graphs its mean costs by footprint, and the mean of all for footprints that
 * the graphs do not have.
 */
void costs_make(struct config *c, const struct dag *const *graphs, int n);

#endif
