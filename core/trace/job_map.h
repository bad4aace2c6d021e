/* core/trace/job_map.h - a map from job ids, which are mostly counted up, to indices of tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_TRACE_JOB_MAP_H
#define CORE_TRACE_JOB_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/intern.h"

enum { JOB_MAP_LINE = 16 };

struct job_map_line {
	uint32_t values[JOB_MAP_LINE]; /* value + 1; 0: none */
};

/*
 * As struct idmap, in 6 bytes a key instead of 24 to 48 where keys follow each other, and in 64 more where they do not:
 * keys that differ in the last four bits only share a line. A zeroed struct is an empty map.
 */
struct job_map {
	struct idmap places; /* key / JOB_MAP_LINE -> index in lines[] */
	struct job_map_line *lines;
	size_t count, cap;
	uint64_t last_key; /* / JOB_MAP_LINE, of the line that was found last */
	uint32_t last;
};

/* The value of `key`, or IDMAP_NONE. */
uint32_t job_map_get(struct job_map *m, uint64_t key);
void job_map_put(struct job_map *m, uint64_t key, uint32_t value);
void job_map_fini(struct job_map *m);

#endif
