/* plugin/ranks.h - one of StarPU's own policies, with upward ranks as the priorities of tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_RANKS_H
#define PLUGIN_RANKS_H

struct config;
struct ht_err;
struct starpu_sched_policy;

/*
 * StarPU's policy of that name; its tasks have, from the push to their start, their upward rank in the graph of what is
 * submitted as their priority. `c`, which it takes, has asked for it; NULL: none has. Valid for the process. NULL with
 * the sentence: StarPU has no such policy, priorities are no order there, or functions are missing. While none is in
 * use.
 */
struct starpu_sched_policy *ranks_policy(const char *name, struct config *c, struct ht_err *err);

/* The one that contexts of the program have; NULL: none has. */
struct starpu_sched_policy *ranks_in_use(void);

#endif
