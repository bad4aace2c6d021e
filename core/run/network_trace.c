/* core/run/network_trace.c - the network between MPI ranks, as far as the messages of a trace show it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/network_trace.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

/* A message on the link of a rank: out of it, or into it. */
struct crossing {
	int64_t start_ns, end_ns;
	uint64_t bytes;
	int32_t link; /* 2 rank, + 1 into it */
	uint32_t message;
};

struct measured {
	uint64_t bytes;
	int64_t ns;
};

static int by_link_and_start(const void *a, const void *b)
{
	const struct crossing *x = a, *y = b;

	if (x->link != y->link)
		return x->link < y->link ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->message > y->message) - (x->message < y->message);
}

static int by_size(const void *a, const void *b)
{
	const struct measured *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* 0: clocks that differ by more than the message took say nothing. */
static int64_t duration_ns(const struct trace_message *m, int64_t *start_ns)
{
	*start_ns = m->receive_ns != TIME_NONE && m->receive_ns > m->post_ns ? m->receive_ns : m->post_ns;
	return m->arrive_ns > *start_ns ? m->arrive_ns - *start_ns : 0;
}

/* Marks messages that overlapped another one on a link of theirs; returns what a link held at most, bytes per s. */
static double find_shared(struct crossing *c, size_t n, unsigned char *is_shared)
{
	double most = 0;

	qsort(c, n, sizeof(*c), by_link_and_start);
	for (size_t i = 0, end; i < n; i = end) {
		int64_t until = c[i].end_ns;
		double bytes = 0;

		for (end = i; end < n && c[end].link == c[i].link && (end == i || c[end].start_ns < until); end++) {
			until = c[end].end_ns > until ? c[end].end_ns : until;
			bytes += (double)c[end].bytes;
		}
		for (size_t k = i; k < end; k++)
			is_shared[c[k].message] |= end - i > 1;
		most = fmax(most, bytes / ((double)(until - c[i].start_ns) / 1e9));
	}
	return most;
}

/* The line through the medians; `x` is sorted by size. */
static void fit(struct machine_network *net, const struct measured *x, size_t n)
{
	double w = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, slope = 0, spread;

	for (size_t i = 0, end; i < n; i = end) {
		double count, size = (double)x[i].bytes, ns;

		for (end = i; end < n && x[end].bytes == x[i].bytes;)
			end++;
		count = (double)(end - i);
		ns = (double)x[i + (end - i) / 2].ns;
		w += count;
		sx += count * size;
		sy += count * ns;
		sxx += count * size * size;
		sxy += count * size * ns;
	}
	spread = w * sxx - sx * sx;
	if (spread > 1e-9 * w * sxx)
		slope = (w * sxy - sx * sy) / spread;
	if (!(slope > 0) || slope * sx > sy) /* one size, or no latency is left */
		slope = sx > 0 ? sy / sx : 1 / (double)TRACE_MAX_BYTES;
	net->bytes_per_s = 1e9 / slope;
	net->latency_ns = llround(fmax(0, (sy - slope * sx) / w));
}

void network_measure(struct machine_network *net, const struct trace *t)
{
	struct crossing *c = ht_alloc(2 * t->nmessages, sizeof(*c));
	struct measured *x = ht_alloc(t->nmessages, sizeof(*x));
	unsigned char *is_shared = ht_alloc(t->nmessages, 1);
	size_t n = 0, alone = 0, total = 0;
	double most;

	*net = (struct machine_network){0};
	for (uint32_t i = 0; i < t->nmessages; i++) {
		const struct trace_message *m = &t->messages[i];
		int64_t start, ns = duration_ns(m, &start);

		for (int into = 0; ns && into < 2; into++)
			c[n++] = (struct crossing){start, m->arrive_ns, m->size_bytes,
			                           2 * (into ? m->to : m->from) + into, i};
	}
	most = find_shared(c, n, is_shared);
	for (uint32_t i = 0; i < t->nmessages; i++) {
		int64_t start;

		alone += duration_ns(&t->messages[i], &start) && !is_shared[i];
	}
	for (uint32_t i = 0; i < t->nmessages; i++) {
		int64_t start, ns = duration_ns(&t->messages[i], &start);

		if (ns && (!alone || !is_shared[i]))
			x[total++] = (struct measured){t->messages[i].size_bytes, ns};
	}
	if (total) {
		qsort(x, total, sizeof(*x), by_size);
		fit(net, x, total);
		net->link_bytes_per_s = fmax(most, net->bytes_per_s);
	}
	free(c);
	free(x);
	free(is_shared);
}
