/* core/base/intern.h - strings as small numbers: the same text always has the same id. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_INTERN_H
#define CORE_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct intern;

/* Id 0 is the empty string, which stands for "no name". Texts live in `a`; free the index with intern_free(). */
struct intern *intern_create(struct arena *a);
void intern_free(struct intern *in);

uint32_t intern_id(struct intern *in, const char *s, size_t len);
uint32_t intern_str(struct intern *in, const char *s);

/* Borrowed until the arena is freed. */
const char *intern_text(const struct intern *in, uint32_t id);
uint32_t intern_count(const struct intern *in);

/* A map from a 64-bit key to a 32-bit value, for job ids and pointers of the traced program. */
struct idmap {
	struct idmap_slot {
		uint64_t key;
		uint32_t value; /* value + 1; 0 marks an empty slot */
	} * slots;
	size_t count, size;
	uint64_t seed; /* of its hash, another in each process: results do not depend on it */
};

enum { IDMAP_NONE = UINT32_MAX };

/* The value of `key`, or IDMAP_NONE. A zeroed struct is an empty map. */
uint32_t idmap_get(const struct idmap *m, uint64_t key);
void idmap_put(struct idmap *m, uint64_t key, uint32_t value);
void idmap_fini(struct idmap *m);

#endif
