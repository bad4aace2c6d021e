/* plugin/program_check.c - whether the program is the one that the config was made for. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/program_check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "plugin/buckets.h"
#include "plugin/fallback.h"
#include "plugin/live.h"
#include "plugin/starpu/starpu_api.h"

static struct {
	unsigned seen;
	int is_known;
} own;

void program_check_begin(void)
{
	own.seen = 0;
	own.is_known = 0;
}

static const char *name_of(struct starpu_task *task)
{
	const char *name = sp.starpu_task_get_name(task), *model = sp.starpu_task_get_model_name(task);

	return name ? name : model ? model : "without a name";
}

void program_check_text(char *why, unsigned n, unsigned seen, struct starpu_task *task)
{
	const char *path = getenv("HETEROTUNE_CONFIG");

	snprintf(why, n, "%s: made for another program: it knows none of this one's first %u tasks, such as %.100s",
	         path ? path : "the config", seen, name_of(task));
}

void program_check(struct starpu_task *task)
{
	char why[PATH_MAX + 256];

	if (live_is_internal(task) || own.is_known || own.seen == PROGRAM_CHECK_TASKS || !buckets_nkinds())
		return;
	own.is_known = buckets_know(task);
	if (own.is_known || ++own.seen < PROGRAM_CHECK_TASKS)
		return;
	program_check_text(why, sizeof(why), own.seen, task);
	fallback_end_if_strict(why);
}
