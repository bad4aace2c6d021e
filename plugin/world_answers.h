/* plugin/world_answers.h - what a policy of sched/ asks, answered by StarPU, the live graph and the config's plans. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_WORLD_ANSWERS_H
#define PLUGIN_WORLD_ANSWERS_H

#include "sched/policy.h"

struct config;
struct world;

/* Its functions are called between lock_take() and lock_release(). Both have to stay; the config may be NULL. */
struct policy_world world_answers(struct world *w, const struct config *config);

#endif
