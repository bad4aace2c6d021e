/* plugin/heteroprio_setup.h - gives StarPU's heteroprio the buckets, lists and locality of a config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_HETEROPRIO_SETUP_H
#define PLUGIN_HETEROPRIO_SETUP_H

#include "core/machine/arch.h"

struct config;
struct config_mapping;

/* The workers of each architecture that the program has; returns the architectures. */
arch_mask heteroprio_workers(int workers[ARCH_COUNT]);

/* A variable that a set-up changes in the environment for StarPU's init, and how it was before. */
struct heteroprio_env {
	char *auto_calibration;
};

/*
 * Around the init of StarPU's heteroprio: it has no AutoHeteroprio, and the locality of the config, which is left out,
 * with a sentence, where the machine has too many memory nodes for it. `path` is the config's name. The variables of
 * locality stay.
 */
void heteroprio_env_enter(struct heteroprio_env *s, const struct config *c, const char *path);
void heteroprio_env_leave(struct heteroprio_env *s);

/*
 * After that init: heteroprio has the lists and slow factors of the config, by the numbers that `p` gives its buckets.
 */
void heteroprio_set_mapping(unsigned ctx, const struct config *c, const struct config_mapping *p);

/*
 * heteroprio says to the application that priorities go from 0 to 99, and one that asks gives others than it did in the
 * recorded run. Where buckets go by priority the range is that of all integers, as with schedulers that sort by them;
 * heteroprio itself sees the numbers of buckets only. After buckets_open().
 */
void heteroprio_open_priorities(unsigned ctx);

#endif
