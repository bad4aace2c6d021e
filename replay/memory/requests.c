/* replay/memory/requests.c - the copies that wait for the thread that drives a device, and their order. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lists are binary heaps. A request that moves to another list leaves its old entry in the first: an entry counts
 * while its number is the newest of its copy.
 */
#include "replay/memory/requests.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/heap.h"

enum { DIRECTIONS = 2, URGENCIES = 3, WORD = 64 };

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
	struct list *lists;                 /* in the order of a poll */
	uint64_t *filled;                   /* a bit a list: it has entries, also such that do not count */
	size_t nentries;                    /* in all of them */
	int *in_flight;                     /* [peer][direction] */
	int at, end;                        /* in the order of a poll */
	struct entry taken[REQUESTS_FETCH]; /* from the list it is at */
	int ntaken, next;
	int64_t since_ns;        /* when it took them */
	struct refused *refused; /* in this poll */
	size_t nrefused, cap_refused;
};

struct requests {
	int nnodes;
	struct driver *drivers;
	uint64_t *number; /* per copy: the number of the entry that counts; 0: none */
	size_t ncopies, cap_copies;
	uint64_t last;
};

static int nlists(const struct requests *r)
{
	return r->nnodes * DIRECTIONS * URGENCIES;
}

struct requests *requests_create(int nnodes)
{
	struct requests *r = ht_alloc(1, sizeof(*r));

	r->nnodes = nnodes;
	r->drivers = ht_alloc((size_t)nnodes, sizeof(*r->drivers));
	for (int i = 0; i < nnodes; i++) {
		r->drivers[i].lists = ht_alloc((size_t)nlists(r), sizeof(struct list));
		r->drivers[i].filled = ht_alloc((size_t)nlists(r) / WORD + 1, sizeof(uint64_t));
		r->drivers[i].in_flight = ht_alloc((size_t)nnodes * DIRECTIONS, sizeof(int));
	}
	return r;
}

void requests_free(struct requests *r)
{
	if (!r)
		return;
	for (int i = 0; i < r->nnodes; i++) {
		for (int k = 0; k < nlists(r); k++)
			free(r->drivers[i].lists[k].items);
		free(r->drivers[i].lists);
		free(r->drivers[i].filled);
		free(r->drivers[i].in_flight);
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

HEAP(entries, struct entry, before, HEAP_NO_PLACES)

/* The list at a position in the order of a poll. */
struct position {
	int peer;
	enum request_direction direction;
	enum request_urgency urgency;
};

static struct position position(const struct requests *r, int at)
{
	int n = r->nnodes;

	if (at < URGENCIES * n)
		return (struct position){at % n, REQUEST_IN, (enum request_urgency)(at / n)};
	return (struct position){at / URGENCIES - n, REQUEST_OUT, (enum request_urgency)(at % URGENCIES)};
}

static int position_index(const struct requests *r, const struct position *p)
{
	if (p->direction == REQUEST_IN)
		return (int)p->urgency * r->nnodes + p->peer;
	return (r->nnodes + p->peer) * URGENCIES + (int)p->urgency;
}

static void put_at(struct driver *d, int at, struct entry e)
{
	struct list *l = &d->lists[at];

	VEC_PUSH(l->items, l->count, l->cap);
	entries_up(l->items, l->count - 1, &e, NULL);
	d->filled[at / WORD] |= UINT64_C(1) << at % WORD;
	d->nentries++;
}

/* The first list from `at` on that has entries; `end` where there is none before `end`. */
static int first_filled(const struct driver *d, int at, int end)
{
	while (at < end) {
		uint64_t bits = d->filled[at / WORD] >> at % WORD;

		if (bits) {
			at += __builtin_ctzll(bits);
			return at < end ? at : end;
		}
		at = (at / WORD + 1) * WORD;
	}
	return end;
}

/* Puts the request into its list; r->number of its copy is set. */
static void put_in_list(struct requests *r, const struct request *what)
{
	struct position p = {what->peer, what->direction, what->urgency};

	put_at(&r->drivers[what->driver], position_index(r, &p),
	       (struct entry){.number = r->number[what->copy], .copy = what->copy, .priority = what->priority});
}

void requests_put(struct requests *r, const struct request *what)
{
	while (r->ncopies <= what->copy)
		*VEC_PUSH(r->number, r->ncopies, r->cap_copies) = 0;
	r->number[what->copy] = ++r->last;
	put_in_list(r, what);
}

int requests_are_none(const struct requests *r, int driver)
{
	return !r->drivers[driver].nentries && !r->drivers[driver].nrefused;
}

void requests_begin(struct requests *r, int driver, enum request_direction direction)
{
	struct driver *d = &r->drivers[driver];
	int lists = URGENCIES * r->nnodes;

	d->at = direction == REQUEST_IN ? 0 : lists;
	d->end = d->at + lists;
	d->next = d->ntaken = 0;
	if (direction != REQUEST_IN)
		return;
	for (size_t i = 0; i < d->nrefused; i++) {
		if (r->number[d->refused[i].what.copy] == d->refused[i].number)
			put_in_list(r, &d->refused[i].what);
	}
	d->nrefused = 0;
}

void requests_refuse(struct requests *r, const struct request *what)
{
	struct driver *d = &r->drivers[what->driver];

	d->in_flight[what->peer * DIRECTIONS + (int)what->direction]--;
	*VEC_PUSH(d->refused, d->nrefused, d->cap_refused) = (struct refused){*what, r->number[what->copy]};
}

int requests_refused(const struct requests *r, int driver)
{
	return r->drivers[driver].nrefused != 0;
}

/* Takes the first entry that counts from the list the driver is at; 0: there is none. */
static int take_first(struct requests *r, struct driver *d, struct entry *e)
{
	struct list *l = &d->lists[d->at];

	while (l->count) {
		*e = l->items[0];
		entries_drop(l->items, --l->count, NULL);
		d->nentries--;
		if (!l->count)
			d->filled[d->at / WORD] &= ~(UINT64_C(1) << d->at % WORD);
		if (r->number[e->copy] == e->number)
			return 1;
	}
	return 0;
}

static int *in_flight_at(struct driver *d, const struct position *p)
{
	return &d->in_flight[p->peer * DIRECTIONS + (int)p->direction];
}

/* An idle copy waits until no copy is in flight: an incoming one from any peer, an outgoing one to its peer. */
static int may_idle(const struct requests *r, struct driver *d, const struct position *p)
{
	if (p->direction == REQUEST_OUT)
		return !*in_flight_at(d, p);
	for (int peer = 0; peer < r->nnodes; peer++) {
		if (d->in_flight[peer * DIRECTIONS + (int)REQUEST_IN])
			return 0;
	}
	return 1;
}

static const int most[URGENCIES] = {REQUESTS_FETCH, REQUESTS_PREFETCH, REQUESTS_IDLE};

static int is_closed(const struct requests *r, struct driver *d, const struct position *p)
{
	return (d->nrefused && p->direction == REQUEST_IN && p->urgency != REQUEST_FETCH) ||
	       (p->urgency == REQUEST_IDLE && !d->ntaken && !may_idle(r, d, p));
}

static void take_list(struct requests *r, struct driver *d, const struct position *p, int64_t now)
{
	d->since_ns = now;
	for (int n = *in_flight_at(d, p); n < most[p->urgency]; n++) {
		if (!take_first(r, d, &d->taken[d->ntaken]))
			break;
		d->ntaken++;
	}
}

/* Requests that were taken and not begun go back to their list, unless they have moved to another one. */
static void leave_list(struct requests *r, struct driver *d)
{
	for (; d->next < d->ntaken; d->next++) {
		if (r->number[d->taken[d->next].copy] == d->taken[d->next].number)
			put_at(d, d->at, d->taken[d->next]);
	}
	d->next = d->ntaken = 0;
	d->at++;
}

uint32_t requests_next(struct requests *r, int driver, int64_t now, int64_t list_ns)
{
	struct driver *d = &r->drivers[driver];

	for (;;) {
		struct position p;

		if (!d->ntaken)
			d->at = first_filled(d, d->at, d->end);
		if (d->at >= d->end)
			return UINT32_MAX;
		p = position(r, d->at);
		if (!d->ntaken && !is_closed(r, d, &p))
			take_list(r, d, &p, now);
		if (d->next < d->ntaken && !is_closed(r, d, &p) && *in_flight_at(d, &p) < most[p.urgency] &&
		    (!d->next || now - d->since_ns < list_ns)) {
			struct entry e = d->taken[d->next++];

			r->number[e.copy] = e.number; /* even where the request has moved since it was taken */
			++*in_flight_at(d, &p);
			return e.copy;
		}
		leave_list(r, d);
	}
}

void requests_end(struct requests *r, const struct request *what)
{
	r->drivers[what->driver].in_flight[what->peer * DIRECTIONS + (int)what->direction]--;
}
