/* tests/fuzz/mutate.c - a good file made bad in one or two places, the same ones for the same seed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "tests/lib/mangle.h"

enum { WORD = 8 };

struct patient {
	struct mutant m;
	int text;
	uint64_t *state;
};

uint64_t mutate_seed(uint64_t seed, uint64_t number)
{
	uint64_t state = (seed * 0x9e3779b97f4a7c15u ^ number * 0xbf58476d1ce4e5b9u) + 1;

	for (int i = 0; i < 8; i++)
		mangle_next(&state);
	return state;
}

size_t mutate_pick(uint64_t *state, size_t n)
{
	return n ? (size_t)(mangle_next(state) % n) : 0;
}

/* Bytes at..at+old become `len` bytes of s. */
static void replace(struct mutant *m, size_t at, size_t old, const char *s, size_t len)
{
	char *data = ht_alloc(m->size_bytes - old + len + 1, 1);

	memcpy(data, m->data, at);
	memcpy(data + at, s, len);
	memcpy(data + at + len, m->data + at + old, m->size_bytes - at - old);
	free(m->data);
	m->data = data;
	m->size_bytes += len - old;
}

/* A line with its end, or a word: its length, and where it begins. */
static size_t pick_line(const struct mutant *m, int text, uint64_t *state, size_t *at)
{
	size_t end;

	*at = mutate_pick(state, m->size_bytes);
	if (!text) {
		*at = *at / WORD * WORD;
		return m->size_bytes - *at < WORD ? m->size_bytes - *at : WORD;
	}
	while (*at > 0 && m->data[*at - 1] != '\n')
		--*at;
	for (end = *at; end < m->size_bytes && m->data[end] != '\n'; end++)
		;
	return end - *at + (end < m->size_bytes);
}

static void change_bytes(struct patient *p)
{
	for (size_t n = 1 + mutate_pick(p->state, 8); n > 0; n--)
		p->m.data[mutate_pick(p->state, p->m.size_bytes)] = (char)mangle_next(p->state);
}

static void change_bit(struct patient *p)
{
	p->m.data[mutate_pick(p->state, p->m.size_bytes)] ^= (char)(1 << mutate_pick(p->state, 8));
}

static void move_line(struct patient *p)
{
	size_t at, len = pick_line(&p->m, p->text, p->state, &at), to = 0, tolen;
	char *line = ht_strndup(p->m.data + at, len);

	switch (mutate_pick(p->state, 3)) {
	case 0: replace(&p->m, at, 0, line, len); break;
	case 1: replace(&p->m, at, len, "", 0); break;
	default:
		replace(&p->m, at, len, "", 0);
		tolen = p->m.size_bytes ? pick_line(&p->m, p->text, p->state, &to) : 0;
		replace(&p->m, tolen ? to : p->m.size_bytes, 0, line, len);
	}
	free(line);
}

static void change_word(struct patient *p)
{
	static const uint64_t borders[] = {
		0,
		1,
		63,
		64,
		4095,
		4096,
		0x7fff,
		0xffff,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		0x100000000,
		(uint64_t)1 << 47,
		(uint64_t)1 << 48,
		INT64_MAX,
		(uint64_t)INT64_MAX + 1,
		UINT64_MAX - 1,
		UINT64_MAX,
	};
	size_t at, len = pick_line(&p->m, 0, p->state, &at);
	uint64_t word = borders[mutate_pick(p->state, sizeof(borders) / sizeof(*borders))];

	/* Events need not be aligned: half of the words begin 4 bytes later. */
	if (mutate_pick(p->state, 2) && p->m.size_bytes - at > 4 + len)
		at += 4;
	memcpy(p->m.data + at, &word, len);
}

static void change_number(struct patient *p)
{
	static const char *const borders[] = {
		"0",
		"-1",
		"1",
		"63",
		"64",
		"4095",
		"4096",
		"65536",
		"2147483647",
		"2147483648",
		"-2147483649",
		"4294967295",
		"4294967296",
		"9223372036854775807",
		"9223372036854775808",
		"-9223372036854775808",
		"18446744073709551615",
		"99999999999999999999999",
		"1e308",
		"-1e308",
		"1e999",
		"1e-320",
		"nan",
		"inf",
		"0x7f",
		"",
		"1.",
		".",
		"1099511627776",
		"-0",
		"1e18",
		"0.5",
		"2",
		"3",
		"1000000",
	};
	const char *border = borders[mutate_pick(p->state, sizeof(borders) / sizeof(*borders))];
	size_t size = p->m.size_bytes, from = mutate_pick(p->state, size), at = size, len;

	for (size_t i = 0; i < size && at == size; i++)
		if (p->m.data[(from + i) % size] >= '0' && p->m.data[(from + i) % size] <= '9')
			at = (from + i) % size;
	if (at == size)
		return;
	for (len = 0; at + len < size && p->m.data[at + len] && strchr("0123456789.", p->m.data[at + len]); len++)
		;
	replace(&p->m, at, len, border, strlen(border));
}

/* The value of an attribute becomes one that another of that name has: what a schema says about it still holds. */
static void change_value(struct patient *p)
{
	const size_t size = p->m.size_bytes, from = mutate_pick(p->state, size), begin = mutate_pick(p->state, size);
	const char *data = p->m.data, *value, *name, *end, *other = NULL, *stop;
	size_t len;

	value = memchr(data + from, '"', size - from);
	if (!value || value == data || value[-1] != '=')
		return;
	for (name = value; name > data && name[-1] != ' '; name--)
		;
	len = (size_t)(++value - name);
	end = memchr(value, '"', size - (size_t)(value - data));
	for (size_t i = 0; end && i + len < size && !other; i++) {
		const char *at = data + (begin + i) % (size - len);

		other = at != name && memcmp(at, name, len) == 0 ? at + len : NULL;
	}
	stop = other ? memchr(other, '"', size - (size_t)(other - data)) : NULL;
	if (stop) {
		char *text = ht_strndup(other, (size_t)(stop - other));

		replace(&p->m, (size_t)(value - data), (size_t)(end - value), text, (size_t)(stop - other));
		free(text);
	}
}

/* One to sixteen lines or words of the other file stand in place of as many of this one. */
static void splice(struct patient *p, const struct mutant *other)
{
	size_t at, from, old = pick_line(&p->m, p->text, p->state, &at);
	size_t len = pick_line(other, p->text, p->state, &from);

	for (size_t n = mutate_pick(p->state, 16); n > 0; n--) {
		size_t next = from + len;

		if (!p->text) {
			len += other->size_bytes - next < WORD ? other->size_bytes - next : WORD;
			continue;
		}
		while (next < other->size_bytes && other->data[next++] != '\n')
			;
		len = next - from;
	}
	replace(&p->m, at, mutate_pick(p->state, 2) ? old : 0, other->data + from, len);
}

struct mutant mutate(const struct mutant *from, const struct mutant *other, uint64_t *state)
{
	struct patient p = {.m = {.data = ht_strndup(from->data, from->size_bytes), .size_bytes = from->size_bytes},
	                    .text = memchr(from->data, '\0', from->size_bytes) == NULL,
	                    .state = state};

	for (size_t n = 1 + mutate_pick(state, 3) / 2; n > 0 && p.m.size_bytes > 0; n--)
		switch (mutate_pick(state, 10)) {
		case 0: change_bytes(&p); break;
		case 1: change_bit(&p); break;
		case 2: p.m.size_bytes = mutate_pick(state, p.m.size_bytes); break;
		case 3: move_line(&p); break;
		case 4: splice(&p, other); break;
		case 5:
		case 6: p.text ? change_value(&p) : change_word(&p); break;
		default: p.text ? change_number(&p) : change_word(&p);
		}
	return p.m;
}
