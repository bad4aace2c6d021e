/* tune/settings/task_kinds.h - which tasks a bucket by codelet is for: those of a type, where that is possible. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_TASK_KINDS_H
#define TUNE_SETTINGS_TASK_KINDS_H

#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/machine/arch.h"

struct arena;
struct dag;

/*
 * A type is a kind. But a type that no architecture can run all of is a kind for each set of architectures that its
 * classes can run on, distinguished by footprint. Where there are more types than buckets, those with least work share
 * a kind, one for each set of architectures.
 */
struct task_kind {
	const char *name;
	int is_type;     /* all of the type, and nothing else */
	arch_mask where; /* what all of its classes can run on; 0: nothing */
	struct config_member *members;
	size_t nmembers, cap_members;
};

struct task_kinds {
	struct task_kind kinds[CONFIG_MAX_BUCKETS];
	int n;
	int are_types;        /* kind i is type i */
	uint8_t *of_class;    /* per class */
	uint32_t *first_part; /* per type, and the end of the last: where its kinds are in part_kind[] */
	uint8_t *part_kind;
};

/* On the architectures `archs`. Names are in the arena; the graph has to stay. Free with task_kinds_fini(). */
void task_kinds_init(struct task_kinds *k, const struct dag *d, arch_mask archs, struct arena *a);
void task_kinds_fini(struct task_kinds *k);

#endif
