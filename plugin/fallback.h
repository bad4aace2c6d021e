/* plugin/fallback.h - the scheduler that a program gets where it does not get the setting of its config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_FALLBACK_H
#define PLUGIN_FALLBACK_H

struct config;
struct starpu_sched_policy;

/*
 * It is the config's fallback (config_fallback_of()), else what the user had: the STARPU_SCHED of HETEROTUNE_FALLBACK,
 * else what StarPU falls back to. Where HETEROTUNE_STRICT is 1 the program ends instead, with status 125.
 */

/* The config whose fallback is meant from now on; it is copied. NULL: none. */
void fallback_of(const struct config *c);

/* Takes back what the setting had put into the environment: HETEROTUNE_RESTORE. */
void fallback_restore(void);

/*
 * Says why, takes back what the setting had put into the environment, and puts the fallback's
 * knobs there. Returns NULL where StarPU is to take what it would have without this library.
 */
struct starpu_sched_policy *fallback_policy(const char *why);

/* Where HETEROTUNE_STRICT is 1 the program ends; else nothing happens. */
void fallback_end_if_strict(const char *why);

/*
 * The fallback, set up for the context, whose policy `deinit` ends before. That has no task and is asked for none, and
 * the calls of StarPU are passed on by the caller. NULL, and nothing has changed, where no scheduler is named that
 * StarPU has.
 */
const struct starpu_sched_policy *fallback_begin(unsigned ctx, void (*deinit)(unsigned ctx), const char *why);

/* The fallback, else prio, in place of the policy of a context that begins. -1: it has none, and is as it was. */
int fallback_instead(unsigned ctx);

#endif
