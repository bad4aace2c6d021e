/* core/config/config_use.h - what of a config a machine gets: its setting, its fallback, or nothing. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_CONFIG_USE_H
#define CORE_CONFIG_CONFIG_USE_H

#include "core/config/config.h"

enum config_use { CONFIG_USE_SETTING, CONFIG_USE_FALLBACK, CONFIG_USE_NOTHING };

enum { CONFIG_USE_WHY = 512 };

/*
 * The setting on the machine that it was made for (config_fits_workers()). With fewer workers of the same architectures
 * what was faster in the nearest of the replays that the config has of such machines: the one whose numbers of workers
 * differ by the smallest factors, the machine that it was made for among them. Else the fallback; a config of one of
 * StarPU's own schedulers is its own fallback. `why` says in what the machine differs and what decided, "" on the
 * config's own machine.
 */
enum config_use config_use_of(const struct config *c, const int workers[ARCH_COUNT], char why[CONFIG_USE_WHY]);

/* The fallback: the config's own scheduler where that is one of StarPU's; policy "": there is none. */
struct config_fallback config_fallback_of(const struct config *c);

#endif
