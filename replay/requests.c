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
	int at, end;        /* in the order of looking */
	struct entry taken[REQUESTS_FETCH]; /* of the list it is at */
	int ntaken, next;
	int64_t since_ns;   /* when it has taken them */
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

/* The first that counts; 0: none. */
static int take_first(struct requests *r, struct driver *d, struct list *l, struct entry *e)
{
	while (l->count) {
		*e = l->items[0];
		list_drop_first(l);
		d->waiting--;
		if (r->number[e->copy] == e->number)
			return 1;
	}
	return 0;
}

/* A position in the order of looking. */
struct position {
	int peer;
	enum request_direction direction;
	enum request_urgency urgency;
};

static struct position position(const struct requests *r, int at)
{
	int n = r->nnodes;

	if (at < URGENCIES * n)
		return (struct position){ at % n, REQUEST_IN, (enum request_urgency)(at / n) };
	return (struct position){ at / URGENCIES - n, REQUEST_OUT, (enum request_urgency)(at % URGENCIES) };
}

static int *underway_at(struct driver *d, const struct position *p)
{
	return &d->underway[p->peer * DIRECTIONS + (int)p->direction];
}

/* What has time waits until nothing is under way: from any peer, or to this one. */
static int may_idle(const struct requests *r, struct driver *d, const struct position *p)
{
	if (p->direction == REQUEST_OUT)
		return !*underway_at(d, p);
	for (int peer = 0; peer < r->nnodes; peer++) {
		if (d->underway[peer * DIRECTIONS + (int)REQUEST_IN])
			return 0;
	}
	return 1;
}

static const int most[URGENCIES] = { REQUESTS_FETCH, REQUESTS_PREFETCH, REQUESTS_IDLE };

static int is_closed(const struct requests *r, struct driver *d, const struct position *p)
{
	return (d->nrefused && p->direction == REQUEST_IN && p->urgency != REQUEST_FETCH) ||
	       (p->urgency == REQUEST_IDLE && !d->ntaken && !may_idle(r, d, p));
}

static void take_list(struct requests *r, int driver, const struct position *p, int64_t now)
{
	struct driver *d = &r->drivers[driver];
	struct list *l = list_of(r, driver, p->peer, p->direction, p->urgency);

	d->since_ns = now;
	for (int n = *underway_at(d, p); n < most[p->urgency]; n++) {
		if (!take_first(r, d, l, &d->taken[d->ntaken]))
			break;
		d->ntaken++;
	}
}

/* What it has taken and not begun is again where it was, unless it has moved meanwhile. */
static void leave_list(struct requests *r, int driver, const struct position *p)
{
	struct driver *d = &r->drivers[driver];

	for (; d->next < d->ntaken; d->next++) {
		if (r->number[d->taken[d->next].copy] != d->taken[d->next].number)
			continue;
		list_put(list_of(r, driver, p->peer, p->direction, p->urgency), d->taken[d->next]);
		d->waiting++;
	}
	d->next = d->ntaken = 0;
	d->at++;
}

uint32_t requests_next(struct requests *r, int driver, int64_t now, int64_t list_ns)
{
	struct driver *d = &r->drivers[driver];

	while ((d->waiting || d->next < d->ntaken) && d->at < d->end) {
		struct position p = position(r, d->at);

		if (!d->ntaken && !is_closed(r, d, &p))
			take_list(r, driver, &p, now);
		if (d->next < d->ntaken && !is_closed(r, d, &p) && *underway_at(d, &p) < most[p.urgency] &&
		    (!d->next || now - d->since_ns < list_ns)) {
			struct entry e = d->taken[d->next++];

			r->number[e.copy] = e.number; /* it may have moved since it was taken */
			++*underway_at(d, &p);
			return e.copy;
		}
		leave_list(r, driver, &p);
	}
	return UINT32_MAX;
}

void requests_arrived(struct requests *r, int driver, int peer, enum request_direction direction)
{
	r->drivers[driver].underway[peer * DIRECTIONS + (int)direction]--;
}
