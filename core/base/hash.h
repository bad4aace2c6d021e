/* core/base/hash.h - hashes of bytes: FNV-1a (Fowler, Noll, Vo). */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_HASH_H
#define CORE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* What the hash of the first bytes continues; the hash of these is continued by that of the next. */
#define HASH64_START UINT64_C(0xcbf29ce484222325)
#define HASH32_START UINT32_C(0x811c9dc5)

static inline uint64_t hash64(uint64_t h, const void *data, size_t len)
{
	for (const unsigned char *p = data, *end = p + len; p < end; p++)
		h = (h ^ *p) * UINT64_C(0x100000001b3);
	return h;
}

static inline uint32_t hash32(uint32_t h, const void *data, size_t len)
{
	for (const unsigned char *p = data, *end = p + len; p < end; p++)
		h = (h ^ *p) * UINT32_C(0x1000193);
	return h;
}

#endif
