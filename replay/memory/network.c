/* replay/memory/network.c - the links of a machine and the transfers over them, which share bandwidth. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An event visits only busy links, and rates change only when a transfer starts or stops to carry bytes, so an event
 * costs the number of busy links: at most a few dozen whatever the size of the graph. Requests are in one array with a
 * free list; network_send() may move the array.
 */
#include "replay/memory/network.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"
#include "replay/memory/max_min.h"

#define NO_REQUEST UINT32_MAX

struct request {
	uint64_t bytes, seq;
	int64_t ready_ns, latency_ns;
	uint32_t cookie;
	uint32_t next; /* on its link, or free */
};

enum phase {
	PHASE_EMPTY = 0, /* no request */
	PHASE_READY,     /* until due_ns: its first request may not start before */
	PHASE_BLOCKED,   /* a link that excludes it is in use */
	PHASE_LATENCY,   /* until due_ns */
	PHASE_BYTES,     /* until due_ns, at `rate` */
};

struct link {
	uint32_t first; /* by is_before() */
	enum phase phase;
	int64_t due_ns, begin_ns;
	double left;        /* bytes */
	double rate, limit; /* bytes per ns */
	int64_t latency_ns;
	int *excludes; /* links; NULL: this link was never used */
	int nexcludes;
};

struct network {
	const struct machine *m;
	struct max_min *sharing;
	struct link *links;
	struct link_use *use;
	int *link_of; /* [from * nodes + to] */
	int *busy;    /* links that are not PHASE_EMPTY, ascending */
	int nbusy;
	int *carrying; /* those in PHASE_BYTES, and their rates */
	double *rates;
	int64_t last_ns, next_ns;
	uint64_t seq;
	struct request *requests;
	size_t nrequests, cap_requests;
	uint32_t free;       /* requests not in use */
	uint32_t *completed; /* cookies */
	size_t ncompleted, cap_completed, taken;
};

static int is_host(const struct machine *m, int node)
{
	return m->nodes[node].arch == ARCH_CPU;
}

static int is_peer(const struct machine *m, const struct machine_link *l)
{
	return !is_host(m, l->from) && !is_host(m, l->to);
}

static int excluded(const struct machine *m, const struct machine_link *a, const struct machine_link *b)
{
	if (is_peer(m, a) && (b->to == a->from || b->to == a->to))
		return 1;
	return is_peer(m, b) && (a->to == b->from || a->to == b->to);
}

/* When a link is used first: a machine of 64 nodes has 4032 links, and most are never used. */
static void find_excluded(struct network *n, int i)
{
	const struct machine *m = n->m;
	struct link *l = &n->links[i];
	int count = 0;

	for (int k = 0; k < m->nlinks; k++)
		count += k != i && excluded(m, &m->links[i], &m->links[k]);
	l->excludes = ht_alloc((size_t)count + 1, sizeof(*l->excludes));
	for (int k = 0; k < m->nlinks; k++) {
		if (k != i && excluded(m, &m->links[i], &m->links[k]))
			l->excludes[l->nexcludes++] = k;
	}
}

struct network *network_create(const struct machine *m)
{
	struct network *n = ht_alloc(1, sizeof(*n));

	n->m = m;
	n->sharing = max_min_create(m);
	n->links = ht_alloc((size_t)m->nlinks, sizeof(*n->links));
	n->use = ht_alloc((size_t)m->nlinks, sizeof(*n->use));
	n->carrying = ht_alloc((size_t)m->nlinks, sizeof(*n->carrying));
	n->rates = ht_alloc((size_t)m->nlinks, sizeof(*n->rates));
	n->busy = ht_alloc((size_t)m->nlinks, sizeof(*n->busy));
	n->link_of = ht_alloc((size_t)m->nnodes * (size_t)m->nnodes, sizeof(*n->link_of));
	n->next_ns = INT64_MAX;
	n->free = NO_REQUEST;
	for (int i = 0; i < m->nnodes * m->nnodes; i++)
		n->link_of[i] = -1;
	for (int i = 0; i < m->nlinks; i++) {
		const struct machine_link *l = &m->links[i];

		n->link_of[l->from * m->nnodes + l->to] = i;
		n->use[i] = (struct link_use){.from = l->from, .to = l->to};
		n->links[i] = (struct link){.first = NO_REQUEST,
		                            .limit = max_min_limit(n->sharing, i),
		                            .latency_ns = max_min_latency_ns(n->sharing, i)};
	}
	return n;
}

void network_free(struct network *n)
{
	if (!n)
		return;
	for (int i = 0; i < n->m->nlinks; i++)
		free(n->links[i].excludes);
	max_min_free(n->sharing);
	free(n->carrying);
	free(n->rates);
	free(n->links);
	free(n->use);
	free(n->busy);
	free(n->link_of);
	free(n->requests);
	free(n->completed);
	free(n);
}

int network_link(const struct network *n, int from, int to)
{
	return n->link_of[from * n->m->nnodes + to];
}

double network_seconds(const struct network *n, int link, uint64_t bytes)
{
	return ((double)n->links[link].latency_ns + (double)bytes / n->links[link].limit) * 1e-9;
}

int64_t network_next_ns(const struct network *n)
{
	return n->next_ns;
}

static void set_due(struct network *n, struct link *l, enum phase phase, int64_t due_ns)
{
	l->phase = phase;
	l->due_ns = due_ns;
	if (due_ns < n->next_ns)
		n->next_ns = due_ns;
}

/* Whether StarPU submits `a` before `b`: each after it has memory and was queued (_starpu_simgrid_transfer). */
static int is_before(const struct request *a, const struct request *b)
{
	return a->ready_ns != b->ready_ns ? a->ready_ns < b->ready_ns : a->seq < b->seq;
}

/* A link that excludes `l` and whose request was submitted earlier goes first; the earliest of all is never blocked. */
static int blocked(const struct network *n, const struct link *l)
{
	const struct request *first = &n->requests[l->first];

	for (int i = 0; i < l->nexcludes; i++) {
		const struct link *other = &n->links[l->excludes[i]];

		if (other->phase != PHASE_EMPTY &&
		    (other->phase >= PHASE_LATENCY || is_before(&n->requests[other->first], first)))
			return 1;
	}
	return 0;
}

static int64_t later(int64_t a, int64_t ns)
{
	return ns > INT64_MAX - a ? INT64_MAX : a + ns;
}

/* Starts the first request of a link that carries none. */
static void begin(struct network *n, struct link *l, int64_t now)
{
	if (n->requests[l->first].ready_ns > now) {
		set_due(n, l, PHASE_READY, n->requests[l->first].ready_ns);
	} else if (blocked(n, l)) {
		set_due(n, l, PHASE_BLOCKED, INT64_MAX);
	} else {
		l->begin_ns = now;
		set_due(n, l, PHASE_LATENCY, later(now, n->requests[l->first].latency_ns));
	}
}

static void busy_put(struct network *n, int link)
{
	int i = n->nbusy++;

	for (; i && n->busy[i - 1] > link; i--)
		n->busy[i] = n->busy[i - 1];
	n->busy[i] = link;
}

static void busy_drop(struct network *n, int link)
{
	int i = 0;

	while (n->busy[i] != link)
		i++;
	n->nbusy--;
	for (; i < n->nbusy; i++)
		n->busy[i] = n->busy[i + 1];
}

/* On a link that has other requests. */
static void queue(struct network *n, struct link *l, uint32_t r, int64_t now)
{
	uint32_t *at = l->phase == PHASE_READY ? &l->first : &n->requests[l->first].next;

	while (*at != NO_REQUEST && !is_before(&n->requests[r], &n->requests[*at]))
		at = &n->requests[*at].next;
	n->requests[r].next = *at;
	*at = r;
	if (l->first == r)
		begin(n, l, now);
}

static void send(struct network *n, int link, const struct request *x, int64_t now)
{
	struct link *l = &n->links[link];
	uint32_t r = n->free;

	if (r == NO_REQUEST) {
		r = (uint32_t)n->nrequests;
		VEC_PUSH(n->requests, n->nrequests, n->cap_requests);
	} else {
		n->free = n->requests[r].next;
	}
	n->requests[r] = *x;
	n->requests[r].seq = n->seq++;
	n->requests[r].next = NO_REQUEST;
	if (l->phase != PHASE_EMPTY) {
		queue(n, l, r, now);
		return;
	}
	if (!l->excludes)
		find_excluded(n, link);
	l->first = r;
	busy_put(n, link);
	begin(n, l, now);
}

void network_send(struct network *n, int link, uint64_t bytes, int64_t now, int64_t ready_ns, uint32_t cookie)
{
	send(n, link,
	     &(struct request){
		     .bytes = bytes, .ready_ns = ready_ns, .latency_ns = n->links[link].latency_ns, .cookie = cookie},
	     now);
}

void network_send_bytes(struct network *n, int link, uint64_t bytes, int64_t now, int64_t ready_ns, uint32_t cookie)
{
	send(n, link, &(struct request){.bytes = bytes, .ready_ns = ready_ns, .cookie = cookie}, now);
}

void network_cancel_delay(struct network *n, int node, int64_t now)
{
	for (int i = 0; i < n->nbusy; i++) {
		struct link *l = &n->links[n->busy[i]];

		if (n->use[n->busy[i]].from != node && n->use[n->busy[i]].to != node)
			continue;
		for (uint32_t r = l->first; r != NO_REQUEST; r = n->requests[r].next)
			n->requests[r].ready_ns = now < n->requests[r].ready_ns ? now : n->requests[r].ready_ns;
		if (l->phase == PHASE_READY)
			set_due(n, l, PHASE_READY, now);
	}
}

/* The first request of `link` has ended: starts the next one, and those of the links that it blocked. */
static void finish(struct network *n, int link, int64_t now)
{
	struct link *l = &n->links[link];
	uint32_t r = l->first;

	*VEC_PUSH(n->completed, n->ncompleted, n->cap_completed) = n->requests[r].cookie;
	n->use[link].transfers++;
	n->use[link].bytes += n->requests[r].bytes;
	n->use[link].busy_ns += now - l->begin_ns;
	l->first = n->requests[r].next;
	n->requests[r].next = n->free;
	n->free = r;
	if (l->first == NO_REQUEST) {
		l->phase = PHASE_EMPTY;
		busy_drop(n, link);
	} else {
		begin(n, l, now);
	}
	for (int i = 0; i < l->nexcludes; i++) {
		struct link *other = &n->links[l->excludes[i]];

		if (other->phase == PHASE_BLOCKED)
			begin(n, other, now);
	}
}

static void set_rates(struct network *n, int64_t now)
{
	int ncarrying = 0;

	n->next_ns = INT64_MAX;
	for (int i = 0; i < n->nbusy; i++) {
		const struct link *l = &n->links[n->busy[i]];

		if (l->phase == PHASE_BYTES)
			n->carrying[ncarrying++] = n->busy[i];
		else if (l->due_ns < n->next_ns)
			n->next_ns = l->due_ns;
	}
	max_min_find(n->sharing, n->carrying, ncarrying, n->rates);
	for (int i = 0; i < ncarrying; i++) {
		struct link *l = &n->links[n->carrying[i]];
		double ns = l->left > 0 ? ceil(l->left / n->rates[i]) : 0;

		l->rate = n->rates[i];
		set_due(n, l, PHASE_BYTES, ns < 9e18 ? later(now, (int64_t)ns) : INT64_MAX);
	}
}

/* Handles what is due at `now`. Returns whether a transfer has started or stopped to carry bytes. */
static int step(struct network *n, int64_t now)
{
	double passed_ns = (double)(now - n->last_ns);
	int changed = 0;

	n->last_ns = now;
	n->next_ns = INT64_MAX;
	for (int i = 0; i < n->nbusy; i++) {
		int link = n->busy[i];
		struct link *l = &n->links[link];

		if (l->phase == PHASE_BYTES)
			l->left -= l->rate * passed_ns;
		if (l->due_ns > now) {
			if (l->due_ns < n->next_ns)
				n->next_ns = l->due_ns;
		} else if (l->phase == PHASE_READY) {
			begin(n, l, now);
		} else if (l->phase == PHASE_LATENCY) {
			l->left = (double)n->requests[l->first].bytes;
			set_due(n, l, PHASE_BYTES, INT64_MAX);
			changed = 1;
		} else {
			finish(n, link, now);
			i -= i >= n->nbusy || n->busy[i] != link;
			changed = 1;
		}
	}
	return changed;
}

void network_advance(struct network *n, int64_t now)
{
	while (n->next_ns <= now) {
		if (step(n, now))
			set_rates(n, now);
	}
}

int network_completed(struct network *n, uint32_t *cookie)
{
	if (n->taken == n->ncompleted) {
		n->taken = n->ncompleted = 0;
		return 0;
	}
	*cookie = n->completed[n->taken++];
	return 1;
}

const struct link_use *network_use(const struct network *n, int *nlinks)
{
	*nlinks = n->m->nlinks;
	return n->use;
}
