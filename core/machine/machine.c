/* core/machine/machine.c - a machine: workers, memory nodes, links. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/machine/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/file.h"

void machine_free(struct machine *m)
{
	if (!m)
		return;
	arena_free(m->arena);
	free(m);
}

int machine_workers_of(const struct machine *m, enum arch a)
{
	int n = 0;

	for (int i = 0; i < m->nworkers; i++)
		n += m->workers[i].arch == a;
	return n;
}

arch_mask machine_archs(const struct machine *m)
{
	arch_mask mask = 0;

	for (int i = 0; i < m->nworkers; i++)
		mask |= (arch_mask)(1u << m->workers[i].arch);
	return mask;
}

const struct machine_link *machine_link_between(const struct machine *m, int from, int to)
{
	int lo = 0, hi = m->nlinks;

	while (lo < hi) { /* sorted by (from, to) */
		int mid = (lo + hi) / 2;
		const struct machine_link *l = &m->links[mid];

		if (l->from == from && l->to == to)
			return l;
		if (l->from < from || (l->from == from && l->to < to))
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

double machine_host_bytes_per_s(const struct machine *m)
{
	double widest = 0;

	for (int i = 0; i < m->nlinks; i++) {
		const struct machine_link *l = &m->links[i];

		if ((m->nodes[l->from].arch == ARCH_CPU) != (m->nodes[l->to].arch == ARCH_CPU))
			widest = fmax(widest, l->bytes_per_s);
	}
	return widest;
}

struct machine *machine_open(const char *text, struct ht_err *err)
{
	return file_exists(text) ? machine_load(text, err) : machine_parse(text, err);
}

static const char *check_segments(const struct machine *m)
{
	for (int i = 0; i < m->nsegments; i++) {
		if (!(m->segments[i].bytes_per_s > 0) || m->segments[i].latency_ns < 0 ||
		    m->segments[i].latency_ns > MACHINE_MOST_LATENCY_NS)
			return "the bandwidth of a segment is not above 0, or its latency is out of range";
	}
	for (int i = 0; i < m->ncrossings; i++) {
		if (m->crossings[i] < 0 || m->crossings[i] >= m->nsegments)
			return "a link crosses a segment that does not exist";
	}
	return NULL;
}

static const char *check_links(const struct machine *m)
{
	for (int i = 0; i < m->nlinks; i++) {
		const struct machine_link *l = &m->links[i], *p = l - 1;

		if (l->from < 0 || l->from >= m->nnodes || l->to < 0 || l->to >= m->nnodes)
			return "a link names a memory node that does not exist";
		if (l->from == l->to)
			return "a link leads from a memory node to itself";
		if (!isfinite(l->bytes_per_s) || l->bytes_per_s <= 0 || l->latency_ns < 0 ||
		    l->latency_ns > MACHINE_MOST_LATENCY_NS)
			return "the bandwidth of a link is not above 0, or its latency is out of range";
		if (i > 0 && (p->from > l->from || (p->from == l->from && p->to >= l->to)))
			return "links are not in the order of (from, to), or one stands twice";
	}
	return NULL;
}

const char *machine_check(const struct machine *m)
{
	if (m->nworkers < 1 || m->nworkers > MACHINE_MAX_WORKERS)
		return "the number of workers is not in 1 to 4096";
	if (m->nnodes < 1 || m->nnodes > MACHINE_MAX_NODES)
		return "the number of memory nodes is not in 1 to 64";
	for (int i = 0; i < m->nnodes; i++) {
		if (m->nodes[i].arch < 0 || m->nodes[i].arch >= ARCH_COUNT)
			return "a memory node has no architecture";
		if (m->nodes[i].capacity_bytes < 0)
			return "the capacity of a memory node is below 0";
		if (m->nodes[i].rank < 0 || (i ? m->nodes[i].rank < m->nodes[i - 1].rank : m->nodes[i].rank))
			return "the ranks of memory nodes do not grow from 0";
		if (m->nodes[i].arch != ARCH_CPU && i && m->nodes[i].rank != m->nodes[i - 1].rank)
			return "the first memory node of a rank is not main memory";
	}
	for (int i = 0; i < m->nworkers; i++) {
		const struct machine_worker *w = &m->workers[i];

		if (w->arch < 0 || w->arch >= ARCH_COUNT)
			return "a worker has no architecture";
		if (w->node < 0 || w->node >= m->nnodes)
			return "a worker is on a memory node that does not exist";
		if (!w->name)
			return "a worker has no name";
	}
	return check_segments(m) ? check_segments(m) : check_links(m);
}

/* "node-12" and "node-7": nodes of a cluster. */
int machine_names_match(const char *x, const char *y)
{
	static const char digits[] = "0123456789";

	if (!*x || !*y)
		return 1;
	for (;; x++, y++) {
		x += strspn(x, digits);
		y += strspn(y, digits);
		if (*x != *y)
			return 0;
		if (!*x)
			return 1;
	}
}

const char *machine_summary(const struct machine *m, char *buf, int size)
{
	int n = 0;

	buf[0] = '\0';
	for (int a = 0; a < ARCH_COUNT && n < size; a++) {
		int count = machine_workers_of(m, (enum arch)a);

		if (count)
			n += snprintf(buf + n, (size_t)(size - n), "%s%d %s", n ? " + " : "", count,
			              arch_name((enum arch)a));
	}
	return buf;
}

char *machine_host(void)
{
	const char *s = getenv("STARPU_MPI_HOSTNAMES");
	char name[256];

	if (!s || !*s)
		s = getenv("STARPU_HOSTNAME");
	if (s && *s)
		return ht_strndup(s, strcspn(s, " "));
	if (gethostname(name, sizeof(name)) != 0)
		name[0] = '\0';
	name[sizeof(name) - 1] = '\0';
	return ht_strndup(name, strcspn(name, "."));
}
