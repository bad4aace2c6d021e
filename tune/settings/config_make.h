/* tune/settings/config_make.h - the config that all settings are made from: a bucket per kind of tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_CONFIG_MAKE_H
#define TUNE_SETTINGS_CONFIG_MAKE_H

#include "core/machine/arch.h"

struct config;
struct dag;
struct ht_err;
struct machine;

/*
 * One bucket per kind (task_kinds.h), in their order, named like it; `where` is where every class of it has a cost, of
 * the machine's architectures; every architecture's list has its buckets in that order. The fastest architecture of a
 * bucket is the one with the smallest mean cost over the tasks, its slow factors are the ratios of mean costs to that.
 * A bucket that runs on one architecture only has neither. NULL: there are tasks that the machine cannot run (named).
 * free with config_free().
 */
struct config *config_from_dag(const struct dag *d, const struct machine *m, struct ht_err *err);

/*
 * The architecture of `where` with the smallest mean cost; factor[] of the others becomes the ratio to that, at most
 * 10^9. ARCH_NONE, and no factor, where there is one architecture only.
 */
enum arch config_slow_factors(arch_mask where, const double mean_ns[ARCH_COUNT], double factor[ARCH_COUNT]);

#endif
