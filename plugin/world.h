/* plugin/world.h - the policies of sched/ as policies of StarPU. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_WORLD_H
#define PLUGIN_WORLD_H

struct config;
struct ht_err;
struct starpu_sched_policy;

enum { WORLD_POLICY_TEXT = 512 };

/*
 * The policy of that text (policy_find(): "eager", "placement:q=1.5") for StarPU, with the buckets of `c`, which may be
 * NULL; it takes `c`. Valid for the process. NULL with the sentence: there is no such policy, a knob is wrong, it needs
 * the whole graph beforehand, the text has WORLD_POLICY_TEXT bytes or more, or functions of StarPU are missing. While
 * none is in use.
 */
struct starpu_sched_policy *world_policy(const char *text, struct config *c, struct ht_err *err);

/* The one that contexts of the program have; NULL: none has. */
struct starpu_sched_policy *world_in_use(void);

#endif
