/* plugin/heteroprio.h - StarPU's own heteroprio, set up from a config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_HETEROPRIO_H
#define PLUGIN_HETEROPRIO_H

struct config;
struct ht_err;
struct starpu_sched_policy;

/*
 * The policy for the config, which is taken over, also on failure; `path` is its name. Valid for the process. NULL with
 * the sentence: the config has too many buckets for the machine, there is no memory, or this StarPU's heteroprio cannot
 * be set up. While none is in use.
 */
struct starpu_sched_policy *heteroprio_policy(struct config *c, const char *path, struct ht_err *err);

/* The one that a context of the program has; NULL: none has. */
struct starpu_sched_policy *heteroprio_in_use(void);

#endif
