/* core/config/config_use.h - what of a config a machine gets: its setting, its fallback, or nothing. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_CONFIG_USE_H
#define CORE_CONFIG_CONFIG_USE_H

#include "core/config/config.h"

struct machine;

enum config_use { CONFIG_USE_SETTING, CONFIG_USE_POLICY, CONFIG_USE_FALLBACK, CONFIG_USE_NOTHING };

enum { CONFIG_USE_WHY = 512 };

/*
 * The setting on the machine that it was made for (config_fits_workers()). With fewer workers of the same architectures
 * what was faster in the nearest of the replays that the config has of such machines: the one whose numbers of workers
 * differ by the smallest factors, the machine that it was made for among them.
 *
 * Those replays say nothing of a machine of another name: `machine`, "" when not known; names that differ in numbers
 * alone are of nodes of one kind. There, and with more or other workers, placement and ranks as priorities are used as
 * config_strip() leaves them, since they rest on the costs of the machine that they run on. Else the fallback; a config
 * of one of StarPU's own schedulers is its own fallback.
 *
 * `why` says in what the machine differs and what decided, "" on the config's own machine.
 */
enum config_use config_use_of(const struct config *c, const char *machine, const int workers[ARCH_COUNT],
                              char why[CONFIG_USE_WHY]);

/* The fallback: the config's own scheduler where that is one of StarPU's; policy "": there is none. */
struct config_fallback config_fallback_of(const struct config *c);

/* Without what holds for its machine alone: knobs, plans, how StarPU is started. */
void config_strip(struct config *c);

/*
 * For a replay on `m`: `c` becomes what a program would be run under there, and `why` says so, "" where it is its
 * setting on its own machine. -1 with the sentence: nothing of it can be used.
 */
int config_use_on(struct config *c, const struct machine *m, char why[CONFIG_USE_WHY], struct ht_err *err);

#endif
