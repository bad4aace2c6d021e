/* core/trace/job_map.c - a map from job ids, which are mostly counted up, to indices of tasks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/job_map.h"

#include <stdlib.h>

#include "core/base/alloc.h"

/* IDMAP_NONE: there is none. */
static uint32_t line_of(struct job_map *m, uint64_t key)
{
	if (!m->count || m->last_key != key / JOB_MAP_LINE) {
		uint32_t line = idmap_get(&m->places, key / JOB_MAP_LINE);

		if (line == IDMAP_NONE)
			return IDMAP_NONE;
		m->last_key = key / JOB_MAP_LINE;
		m->last = line;
	}
	return m->last;
}

uint32_t job_map_get(struct job_map *m, uint64_t key)
{
	uint32_t line = line_of(m, key);

	return line == IDMAP_NONE ? IDMAP_NONE : m->lines[line].values[key % JOB_MAP_LINE] - 1;
}

void job_map_put(struct job_map *m, uint64_t key, uint32_t value)
{
	uint32_t line = line_of(m, key);

	if (line == IDMAP_NONE) {
		line = (uint32_t)m->count;
		VEC_PUSH(m->lines, m->count, m->cap);
		idmap_put(&m->places, key / JOB_MAP_LINE, line);
		m->last_key = key / JOB_MAP_LINE;
		m->last = line;
	}
	m->lines[line].values[key % JOB_MAP_LINE] = value + 1;
}

void job_map_fini(struct job_map *m)
{
	idmap_fini(&m->places);
	free(m->lines);
	*m = (struct job_map){0};
}
