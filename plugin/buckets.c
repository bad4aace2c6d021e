/* plugin/buckets.c - which bucket of a config a task of the program is in. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/buckets.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/config/config.h"
#include "core/config/config_match.h"
#include "plugin/live.h"
#include "plugin/starpu/codelet_name.h"
#include "plugin/starpu/starpu_api.h"

static struct {
	struct config_match *match; /* NULL: no config */
	unsigned limits;
	uint32_t *next; /* per kind: the place of its next task in this iteration */
	uint32_t iteration;
} own;

void buckets_open(const struct config *c)
{
	buckets_close();
	if (!c)
		return;
	own.match = config_match_create(c);
	own.next = ht_alloc((size_t)config_match_nkinds(own.match), sizeof(*own.next));
	for (int k = 0; k < config_match_nkinds(own.match); k++)
		own.limits |= config_match_limits(own.match, k);
}

void buckets_close(void)
{
	config_match_free(own.match);
	free(own.next);
	memset(&own, 0, sizeof(own));
}

int buckets_nkinds(void)
{
	return own.match ? config_match_nkinds(own.match) : 0;
}

unsigned buckets_limits(void)
{
	return own.limits;
}

static int kind_of(struct starpu_task *task)
{
	codelet_name_task(task);
	return own.match ? config_match_kind(own.match, sp.starpu_task_get_name(task),
	                                     sp.starpu_task_get_model_name(task)) :
	                   -1;
}

int buckets_know(struct starpu_task *task)
{
	return kind_of(task) >= 0;
}

uint32_t buckets_place(struct starpu_task *task, uint32_t index)
{
	int kind = own.limits & MEMBER_SUBMISSION ? kind_of(task) : -1;

	if (kind < 0)
		return 0;
	if (live_iteration(index) != own.iteration) {
		own.iteration = live_iteration(index);
		memset(own.next, 0, (size_t)buckets_nkinds() * sizeof(*own.next));
	}
	return own.next[kind] < UINT32_MAX ? own.next[kind]++ : UINT32_MAX; /* the last stands for all after it */
}

int buckets_of(struct starpu_task *task, uint32_t place)
{
	int kind = kind_of(task);
	unsigned limits = kind >= 0 ? config_match_limits(own.match, kind) : 0;
	const struct config_task t = {
		.footprint = limits & MEMBER_FOOTPRINT ? sp.starpu_task_data_footprint(task) : 0,
		.priority = *task_priority(task),
		.submission = place,
	};

	return kind < 0 ? -1 : config_match_bucket(own.match, kind, &t);
}
