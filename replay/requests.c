/* replay/requests.c - the copies that wait for the thread that drives a device, and whose turn it is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lists are binary heaps. A request that moves leaves its old entry behind, which is known by its number: the
 * newest one of a copy counts.
 */
#include "replay/requests.h"

#include <stdlib.h>

#include "core/alloc.h"

enum { DIRECTIONS = 2, URGENCIES = 3 };

struct entry {
	uint64_t number;
	uint32_t copy;
	int32_t priority;
};

struct list {
	struct entry *items;
	size_t count, cap;
};

struct refused {
	struct request what;
	uint64_t number;
};

struct driver {
	struct list *lists; /* [peer][direction][urgency] */
	int *underway;      /* [peer][direction] */
	uint32_t waiting;   /* entries in all lists, old ones too */
	int at;             /* in the order of looking */
	struct refused *refused; /* this time */
	size_t nrefused, cap_refused;
};

struct requests {
	int nnodes;
	struct driver *drivers;
	uint64_t *number;   /* per copy: of the entry that counts; 0: none */
	size_t ncopies, cap_copies;
	uint64_t last;
};

struct requests *requests_create(int nnodes)
{
	struct requests *r = ht_alloc(1, sizeof(*r));

	r->nnodes = nnodes;
	r->drivers = ht_alloc((size_t)nnodes, sizeof(*r->drivers));
	for (int i = 0; i < nnodes; i++) {
		r->drivers[i].lists = ht_alloc((size_t)nnodes * DIRECTIONS * URGENCIES, sizeof(struct list));
		r->drivers[i].underway = ht_alloc((size_t)nnodes * DIRECTIONS, sizeof(int));
	}
	return r;
}

void requests_free(struct requests *r)
{
	if (!r)
		return;
	for (int i = 0; i < r->nnodes; i++) {
		for (int k = 0; k < r->nnodes * DIRECTIONS * URGENCIES; k++)
			free(r->drivers[i].lists[k].items);
		free(r->drivers[i].lists);
		free(r->drivers[i].underway);
		free(r->drivers[i].refused);
	}
	free(r->drivers);
	free(r->number);
	free(r);
}

static int before(const struct entry *a, const struct entry *b)
{
	return a->priority != b->priority ? a->priority > b->priority : a->number < b->number;
}

static void list_put(struct list *l, struct entry e)
{
	size_t i = l->count;

	VEC_PUSH(l->items, l->count, l->cap);
	for (; i && before(&e, &l->items[(i - 1) / 2]); i = (i - 1) / 2)
		l->items[i] = l->items[(i - 1) / 2];
	l->items[i] = e;
}

static void list_drop_first(struct list *l)
{
	struct entry last = l->items[--l->count];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < l->count; i = child) {
		if (child + 1 < l->count && before(&l->items[child + 1], &l->items[child]))
			child++;
		if (!before(&l->items[child], &last))
			break;
		l->items[i] = l->items[child];
	}
	l->items[i] = last;
}

static struct list *list_of(struct requests *r, int driver, int peer, enum request_direction direction,
                            enum request_urgency urgency)
{
	return &r->drivers[driver].lists[(peer * DIRECTIONS + (int)direction) * URGENCIES + (int)urgency];
}

/* Its number is set. */
static void enlist(struct requests *r, const struct request *what)
{
	list_put(list_of(r, what->driver, what->peer, what->direction, what->urgency),
	         (struct entry){ .number = r->number[what->copy], .copy = what->copy, .priority = what->priority });
	r->drivers[what->driver].waiting++;
}

void requests_put(struct requests *r, const struct request *what)
{
	while (r->ncopies <= what->copy)
		*VEC_PUSH(r->number, r->ncopies, r->cap_copies) = 0;
	r->number[what->copy] = ++r->last;
	enlist(r, what);
}

void requests_begin(struct requests *r, int driver)
{
	struct driver *d = &r->drivers[driver];

	d->at = 0;
	for (size_t i = 0; i < d->nrefused; i++) {
		if (r->number[d->refused[i].what.copy] == d->refused[i].number)
			enlist(r, &d->refused[i].what);
	}
	d->nrefused = 0;
}

void requests_refuse(struct requests *r, const struct request *what)
{
	struct driver *d = &r->drivers[what->driver];

	d->underway[what->peer * DIRECTIONS + (int)what->direction]--;
	*VEC_PUSH(d->refused, d->nrefused, d->cap_refused) = (struct refused){ *what, r->number[what->copy] };
}

int requests_refused(const struct requests *r, int driver)
{
	return r->drivers[driver].nrefused != 0;
}

/* The first that counts. */
static uint32_t first_of(struct requests *r, struct driver *d, struct list *l)
{
	while (l->count) {
		struct entry e = l->items[0];

		list_drop_first(l);
		d->waiting--;
		if (r->number[e.copy] == e.number)
			return e.copy;
	}
	return UINT32_MAX;
}

/* Position `at` in the order of looking. */
static void position(const struct requests *r, int at, int *peer, enum request_direction *direction,
                     enum request_urgency *urgency)
{
	int n = r->nnodes;

	if (at < URGENCIES * n) {
		*direction = REQUEST_IN;
		*urgency = (enum request_urgency)(at / n);
		*peer = at % n;
	} else {
		*direction = REQUEST_OUT;
		*urgency = (enum request_urgency)(at % URGENCIES);
		*peer = at / URGENCIES - n;
	}
}

uint32_t requests_next(struct requests *r, int driver)
{
	static const int most[URGENCIES] = { REQUESTS_FETCH, REQUESTS_PREFETCH, REQUESTS_IDLE };
	struct driver *d = &r->drivers[driver];

	for (; d->waiting && d->at < DIRECTIONS * URGENCIES * r->nnodes; d->at++) {
		enum request_direction direction;
		enum request_urgency urgency;
		int peer, *underway;
		uint32_t copy;

		position(r, d->at, &peer, &direction, &urgency);
		underway = &d->underway[peer * DIRECTIONS + (int)direction];
		if (*underway >= most[urgency])
			continue;
		if (d->nrefused && direction == REQUEST_IN && urgency != REQUEST_FETCH)
			continue;
		copy = first_of(r, d, list_of(r, driver, peer, direction, urgency));
		if (copy == UINT32_MAX)
			continue;
		++*underway;
		return copy;
	}
	return UINT32_MAX;
}

void requests_arrived(struct requests *r, int driver, int peer, enum request_direction direction)
{
	r->drivers[driver].underway[peer * DIRECTIONS + (int)direction]--;
}
