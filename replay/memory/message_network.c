/* replay/memory/message_network.c - messages between ranks, which share the ranks' links. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/memory/message_network.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"

/* Less than half a byte is left by rounding. */
static const double NEAR_0 = 0.5;

struct under_way {
	double bytes, rate; /* left; bytes per ns, 0 during the latency */
	int64_t begin_ns;   /* the latency is over */
	int32_t out, in;    /* links */
	uint32_t cookie;
};

struct message_network {
	double bytes_per_ns, link_bytes_per_ns; /* INFINITY: no time */
	int64_t latency_ns, now, next_ns;
	struct under_way *messages; /* in the order of their sends */
	size_t count, cap;
	uint32_t *arrived;
	size_t narrived, caparrived, taken;
	double *left; /* per link, for find_rates() */
	int *sharing, nlinks;
};

struct message_network *message_network_create(const struct machine_network *net, int nranks)
{
	struct message_network *n = ht_alloc(1, sizeof(*n));

	n->bytes_per_ns = net->bytes_per_s > 0 ? net->bytes_per_s / 1e9 : INFINITY;
	n->link_bytes_per_ns = net->link_bytes_per_s > 0 ? net->link_bytes_per_s / 1e9 : INFINITY;
	n->latency_ns = net->latency_ns;
	n->next_ns = INT64_MAX;
	n->nlinks = 2 * nranks;
	n->left = ht_alloc((size_t)n->nlinks, sizeof(*n->left));
	n->sharing = ht_alloc((size_t)n->nlinks, sizeof(*n->sharing));
	return n;
}

void message_network_free(struct message_network *n)
{
	if (!n)
		return;
	free(n->messages);
	free(n->arrived);
	free(n->left);
	free(n->sharing);
	free(n);
}

static int is_begun(const struct message_network *n, const struct under_way *m)
{
	return m->begin_ns <= n->now;
}

/* The least share of a link that messages without a rate have; that of a message alone where no link has less. */
static double least_share(const struct message_network *n)
{
	double least = n->bytes_per_ns;

	for (int i = 0; i < n->nlinks; i++)
		if (n->sharing[i])
			least = fmin(least, n->left[i] / n->sharing[i]);
	return least;
}

static int is_full(const struct message_network *n, int link, double share)
{
	return n->left[link] / n->sharing[link] <= share * (1 + 1e-12);
}

static void give(struct message_network *n, struct under_way *m, double rate)
{
	m->rate = rate;
	for (int k = 0; k < 2; k++) {
		int link = k ? m->in : m->out;

		n->left[link] -= rate;
		n->sharing[link]--;
	}
}

/* By progressive filling: what crosses the fullest link gets its share of that, and so on with the others. */
static void find_rates(struct message_network *n)
{
	size_t without = 0;

	if (isinf(n->bytes_per_ns))
		return;
	for (int i = 0; i < n->nlinks; i++) {
		n->left[i] = n->link_bytes_per_ns;
		n->sharing[i] = 0;
	}
	for (size_t i = 0; i < n->count; i++) {
		struct under_way *m = &n->messages[i];

		m->rate = 0;
		if (!is_begun(n, m))
			continue;
		n->sharing[m->out]++;
		n->sharing[m->in]++;
		without++;
	}
	while (without) {
		double share = least_share(n);
		size_t before = without;

		for (size_t i = 0; i < n->count; i++) {
			struct under_way *m = &n->messages[i];

			if (m->rate > 0 || !is_begun(n, m) ||
			    (share < n->bytes_per_ns && !is_full(n, m->out, share) && !is_full(n, m->in, share)))
				continue;
			give(n, m, share);
			without--;
		}
		if (without == before) /* not even rounding may keep this going */
			return;
	}
}

static void find_next(struct message_network *n)
{
	n->next_ns = INT64_MAX;
	for (size_t i = 0; i < n->count; i++) {
		const struct under_way *m = &n->messages[i];
		int64_t at = m->begin_ns;

		if (is_begun(n, m))
			at = n->now + (m->rate > 0 && m->bytes > NEAR_0 ? (int64_t)ceil(m->bytes / m->rate) : 0);
		n->next_ns = at < n->next_ns ? at : n->next_ns;
	}
}

void message_network_send(struct message_network *n, int from, int to, uint64_t bytes, int64_t now, uint32_t cookie)
{
	struct under_way *m;

	message_network_advance(n, now);
	m = VEC_PUSH(n->messages, n->count, n->cap);
	*m = (struct under_way){.bytes = isinf(n->bytes_per_ns) ? 0 : (double)bytes,
	                        .begin_ns = now + n->latency_ns,
	                        .out = 2 * from,
	                        .in = 2 * to + 1,
	                        .cookie = cookie};
	if (!n->latency_ns)
		find_rates(n);
	find_next(n);
}

int64_t message_network_next_ns(const struct message_network *n)
{
	return n->next_ns;
}

void message_network_advance(struct message_network *n, int64_t now)
{
	size_t kept = 0;

	if (now <= n->now && now < n->next_ns)
		return;
	for (size_t i = 0; i < n->count; i++)
		n->messages[i].bytes -= n->messages[i].rate * (double)(now - n->now);
	n->now = now;
	for (size_t i = 0; i < n->count; i++) {
		struct under_way *m = &n->messages[i];

		if (is_begun(n, m) && m->bytes <= NEAR_0)
			*VEC_PUSH(n->arrived, n->narrived, n->caparrived) = m->cookie;
		else
			n->messages[kept++] = *m;
	}
	n->count = kept;
	find_rates(n);
	find_next(n);
}

int message_network_arrived(struct message_network *n, uint32_t *cookie)
{
	if (n->taken == n->narrived) {
		n->taken = n->narrived = 0;
		return 0;
	}
	*cookie = n->arrived[n->taken++];
	return 1;
}
