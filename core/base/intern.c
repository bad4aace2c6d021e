/* core/base/intern.c - strings as small numbers: the same text always has the same id. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/intern.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "core/base/alloc.h"
#include "core/base/mix.h"

struct intern {
	struct arena *arena;
	uint64_t seed;
	const char **texts;
	size_t count, cap;
	uint32_t *slots; /* id + 1, open addressing, power of two */
	size_t size;
};

/*
 * 64 bits of the random ones that the kernel gives each process (getauxval(3)): the writer of a file cannot choose
 * names or addresses that all meet in one slot. Numbers of texts and values of keys do not depend on it.
 */
static uint64_t seed_of_process(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t seed[2] = {0};

	if (random)
		memcpy(seed, random, sizeof(seed));
	return mix64(seed[0] + MIX_GAMMA) ^ seed[1];
}

static uint64_t hash_bytes(uint64_t seed, const char *s, size_t len)
{
	uint64_t h = seed ^ len, word;

	for (; len; s += sizeof(word), len -= sizeof(word)) {
		if (len < sizeof(word)) {
			word = 0;
			memcpy(&word, s, len);
			return mix64(h ^ word);
		}
		memcpy(&word, s, sizeof(word));
		h = mix64(h ^ word) + MIX_GAMMA;
	}
	return h;
}

struct intern *intern_create(struct arena *a)
{
	struct intern *in = ht_alloc(1, sizeof(*in));

	in->arena = a;
	in->seed = seed_of_process();
	in->size = 64;
	in->slots = ht_alloc(in->size, sizeof(*in->slots));
	intern_id(in, "", 0);
	return in;
}

void intern_free(struct intern *in)
{
	if (!in)
		return;
	free(in->texts);
	free(in->slots);
	free(in);
}

static void rehash(struct intern *in)
{
	size_t size = in->size * 2;
	uint32_t *slots = ht_alloc(size, sizeof(*slots));

	for (size_t id = 0; id < in->count; id++) {
		size_t i = hash_bytes(in->seed, in->texts[id], strlen(in->texts[id])) & (size - 1);

		while (slots[i])
			i = (i + 1) & (size - 1);
		slots[i] = (uint32_t)id + 1;
	}
	free(in->slots);
	in->slots = slots;
	in->size = size;
}

uint32_t intern_id(struct intern *in, const char *s, size_t len)
{
	size_t i;

	len = strnlen(s, len);
	i = hash_bytes(in->seed, s, len) & (in->size - 1);
	for (; in->slots[i]; i = (i + 1) & (in->size - 1)) {
		const char *t = in->texts[in->slots[i] - 1];

		if (strncmp(t, s, len) == 0 && t[len] == '\0')
			return in->slots[i] - 1;
	}
	in->slots[i] = (uint32_t)in->count + 1;
	*VEC_PUSH(in->texts, in->count, in->cap) = arena_strndup(in->arena, s, len);
	if (in->count * 2 > in->size)
		rehash(in);
	return (uint32_t)in->count - 1;
}

uint32_t intern_str(struct intern *in, const char *s)
{
	return intern_id(in, s, strlen(s));
}

const char *intern_text(const struct intern *in, uint32_t id)
{
	return in->texts[id];
}

uint32_t intern_count(const struct intern *in)
{
	return (uint32_t)in->count;
}

/* Keys that differ in their last two bits only, as those that are counted up, are side by side in the cache. */
static struct idmap_slot *slot_of(const struct idmap *m, uint64_t key)
{
	size_t i = (size_t)(mix64(key >> 2 ^ m->seed) << 2 | (key & 3)) & (m->size - 1);

	while (m->slots[i].value && m->slots[i].key != key)
		i = (i + 1) & (m->size - 1);
	return &m->slots[i];
}

uint32_t idmap_get(const struct idmap *m, uint64_t key)
{
	return m->size ? slot_of(m, key)->value - 1 : IDMAP_NONE;
}

static void grow(struct idmap *m)
{
	struct idmap big = {.size = m->size ? m->size * 2 : 64, .seed = m->size ? m->seed : seed_of_process()};

	big.count = m->count;
	big.slots = ht_alloc(big.size, sizeof(*big.slots));
	for (size_t i = 0; i < m->size; i++)
		if (m->slots[i].value)
			*slot_of(&big, m->slots[i].key) = m->slots[i];
	idmap_fini(m);
	*m = big;
}

void idmap_put(struct idmap *m, uint64_t key, uint32_t value)
{
	struct idmap_slot *slot;

	if (m->count * 2 >= m->size)
		grow(m);
	slot = slot_of(m, key);
	m->count += !slot->value;
	*slot = (struct idmap_slot){key, value + 1};
}

void idmap_fini(struct idmap *m)
{
	free(m->slots);
	*m = (struct idmap){0};
}
