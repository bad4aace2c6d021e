/* plugin/heteroprio.h - StarPU's own heteroprio, set up from a config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_HETEROPRIO_H
#define PLUGIN_HETEROPRIO_H

struct ht_err;
struct starpu_sched_policy;

/*
 * The policy for the config at `path`, which is read now: the workers are known when StarPU looks a policy up. Valid
 * for the process. NULL with the sentence: the config cannot be read or is of another machine, there is no memory, or
 * this StarPU's heteroprio cannot be set up.
 */
struct starpu_sched_policy *heteroprio_policy(const char *path, struct ht_err *err);

#endif
