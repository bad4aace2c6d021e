/* core/machine/machine_scale.c - a machine with other numbers of workers. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/machine/machine.h"

/*
 * Workers are copied in rounds: the copies of the k-th of n workers of an architecture are its workers k + n, k + 2n,
 * ... Every round has copies of the devices' memories that its workers need. Copies come right after the last original
 * of their architecture, as StarPU would number them.
 */
struct scaled_node {
	int of, round; /* the node it is a copy of; round 0: the node itself */
};

struct scaling {
	const struct machine *m;
	int have[ARCH_COUNT], want[ARCH_COUNT];
	int rounds[MACHINE_MAX_NODES];
	struct scaled_node nodes[MACHINE_MAX_NODES];
	int nnodes;
};

/* "cuda=8,cpu=40" */
static int parse_counts(int *counts, const char *text, struct ht_err *err)
{
	unsigned given = 0;

	for (const char *word = text; *word;) {
		size_t len = strcspn(word, ",");
		const char *sign = memchr(word, '=', len);
		enum arch a = sign ? arch_parse(word, (int)(sign - word)) : ARCH_NONE;
		char *end = NULL;
		long n;

		if (a == ARCH_NONE)
			return ht_err_set(err, "expected ARCH=COUNT, such as cuda=8, found \"%.*s\"", (int)len, word);
		errno = 0;
		n = isdigit((unsigned char)sign[1]) ? strtol(sign + 1, &end, 10) : -1;
		if (n < 0 || end != word + len || errno || n > MACHINE_MAX_WORKERS)
			return ht_err_set(err, "%s: expected a number of workers from 0 to %d, found \"%.*s\"",
			                  arch_name(a), MACHINE_MAX_WORKERS, (int)(word + len - sign - 1), sign + 1);
		if (given >> a & 1)
			return ht_err_set(err, "%s stands twice in \"%s\"", arch_name(a), text);
		if (n && !counts[a])
			return ht_err_set(err, "the machine has no %s worker that could be copied", arch_name(a));
		given |= 1u << a;
		counts[a] = (int)n;
		word += len + (word[len] == ',');
	}
	return given ? 0 : ht_err_set(err, "expected ARCH=COUNT, such as cuda=8, found nothing");
}

static int is_shared(const struct scaling *s, int node)
{
	return s->m->nodes[node].arch == ARCH_CPU;
}

/* How often each node is in the machine: as often as its worker with most copies; once if it is without workers. */
static void count_rounds(struct scaling *s)
{
	const struct machine *m = s->m;
	int seen[ARCH_COUNT] = {0}, used[MACHINE_MAX_NODES] = {0};

	for (int i = 0; i < m->nworkers; i++) {
		const struct machine_worker *w = &m->workers[i];
		int n = s->have[w->arch], rounds = (s->want[w->arch] - seen[w->arch]++ + n - 1) / n;

		used[w->node] = 1;
		if (rounds > s->rounds[w->node])
			s->rounds[w->node] = rounds;
	}
	for (int i = 0; i < m->nnodes; i++) {
		if (!used[i] || is_shared(s, i))
			s->rounds[i] = 1;
	}
}

/* In each architecture's block of nodes, round after round. */
static int place_nodes(struct scaling *s, struct ht_err *err)
{
	const struct machine *m = s->m;

	for (int first = 0, last; first < m->nnodes; first = last) {
		int again = 1;

		for (last = first + 1; last < m->nnodes && m->nodes[last].arch == m->nodes[first].arch;)
			last++;
		for (int round = 0; again; round++) {
			again = 0;
			for (int i = first; i < last; i++) {
				if (s->rounds[i] <= round)
					continue;
				again = 1;
				if (s->nnodes == MACHINE_MAX_NODES)
					return ht_err_set(err, "that is more than %d memory nodes", MACHINE_MAX_NODES);
				s->nodes[s->nnodes++] = (struct scaled_node){i, round};
			}
		}
	}
	return 0;
}

static int node_at(const struct scaling *s, int of, int round)
{
	if (is_shared(s, of))
		round = 0;
	for (int i = 0; i < s->nnodes; i++) {
		if (s->nodes[i].of == of && s->nodes[i].round == round)
			return i;
	}
	return 0; /* not reached: place_nodes() has one for every worker */
}

/* Copies have the numbers after the largest of their architecture; s->nodes is in that order. */
static void copy_nodes(const struct scaling *s, struct machine *made)
{
	int next[ARCH_COUNT] = {0};

	for (int i = 0; i < s->m->nnodes; i++) {
		const struct machine_node *n = &s->m->nodes[i];

		if (n->devid >= next[n->arch])
			next[n->arch] = n->devid + 1;
	}
	made->nnodes = s->nnodes;
	made->nodes = arena_alloc(made->arena, (size_t)s->nnodes, sizeof(*made->nodes));
	for (int i = 0; i < s->nnodes; i++) {
		made->nodes[i] = s->m->nodes[s->nodes[i].of];
		if (s->nodes[i].round)
			made->nodes[i].devid = next[made->nodes[i].arch]++;
	}
}

static void copy_worker(const struct scaling *s, struct machine *made, int of, int round, int *core, int *cpu)
{
	const struct machine_worker *from = &s->m->workers[of];
	struct machine_worker *w = &made->workers[made->nworkers++];
	char name[32];

	*w = *from;
	w->node = node_at(s, from->node, round);
	if (!round) {
		w->name = arena_strndup(made->arena, from->name, strlen(from->name));
		return;
	}
	w->devid = is_shared(s, from->node) ? cpu[from->arch]++ : made->nodes[w->node].devid;
	w->binding = from->binding < 0 ? -1 : (*core)++;
	arch_worker_name(from->arch, w->devid, name);
	w->name = arena_strndup(made->arena, name, strlen(name));
}

/* The index of the n-th worker (from 0) of an architecture. */
static int nth_worker(const struct machine *m, enum arch a, int n)
{
	int i = 0;

	while (m->workers[i].arch != a || n-- > 0)
		i++;
	return i;
}

/* After the last worker of an architecture come its copies; of those that are too many, the last are left out. */
static void copy_workers(const struct scaling *s, struct machine *made, int total)
{
	const struct machine *m = s->m;
	int seen[ARCH_COUNT] = {0}, next[ARCH_COUNT] = {0}, core = 0;

	for (int i = 0; i < m->nworkers; i++) {
		const struct machine_worker *w = &m->workers[i];

		core = w->binding >= core ? w->binding + 1 : core;
		next[w->arch] = w->devid >= next[w->arch] ? w->devid + 1 : next[w->arch];
	}
	made->workers = arena_alloc(made->arena, (size_t)total, sizeof(*made->workers));
	for (int i = 0; i < m->nworkers; i++) {
		enum arch a = m->workers[i].arch;
		int have = s->have[a], index = seen[a]++;

		if (index < s->want[a])
			copy_worker(s, made, i, 0, &core, next);
		for (int k = have; index == have - 1 && k < s->want[a]; k++)
			copy_worker(s, made, nth_worker(m, a, k % have), k / have, &core, next);
	}
}

/* The link that the copy of one is: between copies of one device, that from it to the next of its kind. */
static const struct machine_link *link_like(const struct scaling *s, int from, int to)
{
	const struct machine *m = s->m;
	int a = s->nodes[from].of, b = s->nodes[to].of;

	if (a != b)
		return machine_link_between(m, a, b);
	for (int i = 1; i < m->nnodes; i++) {
		int other = (a + i) % m->nnodes;

		if (m->nodes[other].arch == m->nodes[a].arch)
			return machine_link_between(m, a, other);
	}
	return NULL;
}

static int longest_way(const struct machine *m)
{
	int longest = 0;

	for (int i = 0; i < m->nlinks; i++)
		longest = m->links[i].ncrossings > longest ? m->links[i].ncrossings : longest;
	return longest;
}

/* Whether all links that cross the segment have the node at an end: a copy of the device has such a part of its own. */
static int belongs_to(const struct machine *m, int segment, int node)
{
	for (int i = 0; i < m->nlinks; i++) {
		const struct machine_link *l = &m->links[i];

		for (int k = 0; k < l->ncrossings; k++) {
			if (m->crossings[l->first_crossing + k] == segment && l->from != node && l->to != node)
				return 0;
		}
	}
	return 1;
}

/* What a link crosses; where an end is a copy of a device, without the parts that belong to the original. */
static void copy_crossings(const struct machine *m, struct machine *made, struct machine_link *to, int is_copy)
{
	const int *crossed = m->crossings + to->first_crossing;
	int n = to->ncrossings;

	to->first_crossing = made->ncrossings;
	to->ncrossings = 0;
	for (int i = 0; i < n; i++) {
		int own = 0;

		for (int node = 1; is_copy && node < m->nnodes; node++)
			own |= m->nodes[node].arch != ARCH_CPU && belongs_to(m, crossed[i], node);
		if (own)
			continue;
		made->crossings[made->ncrossings++] = crossed[i];
		to->ncrossings++;
	}
}

static void copy_links(const struct scaling *s, struct machine *made)
{
	made->nsegments = s->m->nsegments;
	made->segments = arena_alloc(made->arena, (size_t)made->nsegments, sizeof(*made->segments));
	for (int i = 0; i < made->nsegments; i++) {
		made->segments[i] = s->m->segments[i];
		made->segments[i].name = arena_strndup(made->arena, s->m->segments[i].name,
		                                       strlen(s->m->segments[i].name));
	}
	/* At most what each link of the original crosses, for each pair of nodes. */
	made->crossings = arena_alloc(made->arena, (size_t)s->nnodes * (size_t)s->nnodes * (size_t)longest_way(s->m),
	                              sizeof(*made->crossings));
	made->links = arena_alloc(made->arena, (size_t)s->nnodes * (size_t)s->nnodes, sizeof(*made->links));
	for (int from = 0; from < s->nnodes; from++) {
		for (int to = 0; to < s->nnodes; to++) {
			const struct machine_link *l = from == to ? NULL : link_like(s, from, to);

			if (!l)
				continue;
			made->links[made->nlinks] = *l;
			copy_crossings(s->m, made, &made->links[made->nlinks], l->from != from || l->to != to);
			made->links[made->nlinks].from = from;
			made->links[made->nlinks++].to = to;
		}
	}
}

void machine_counts(const struct machine *m, int counts[ARCH_COUNT])
{
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		counts[a] = machine_workers_of(m, a);
}

struct machine *machine_resize(const struct machine *m, const int counts[ARCH_COUNT], struct ht_err *err)
{
	struct scaling s = {.m = m};
	struct machine *made;
	int total = 0;

	if (machine_ranks(m) > 1) {
		ht_err_set(err, "a machine of %d ranks cannot have other numbers of workers", machine_ranks(m));
		return NULL;
	}
	machine_counts(m, s.have);
	for (int a = 0; a < ARCH_COUNT; a++)
		total += s.want[a] = counts[a];
	if (total < 1 || total > MACHINE_MAX_WORKERS) {
		ht_err_set(err, "that is %d workers, expected 1 to %d", total, MACHINE_MAX_WORKERS);
		return NULL;
	}
	count_rounds(&s);
	if (place_nodes(&s, err) != 0)
		return NULL;
	made = ht_alloc(1, sizeof(*made));
	made->arena = arena_create();
	made->name = arena_strndup(made->arena, m->name, strlen(m->name));
	copy_nodes(&s, made);
	copy_workers(&s, made, total);
	copy_links(&s, made);
	return made;
}

struct machine *machine_scale(const struct machine *m, const char *counts, struct ht_err *err)
{
	int want[ARCH_COUNT];

	machine_counts(m, want);
	return parse_counts(want, counts, err) == 0 ? machine_resize(m, want, err) : NULL;
}

int machine_node_like(const struct machine *m, const struct machine *of, int node)
{
	for (int i = 0; i < m->nnodes; i++) {
		if (m->nodes[i].arch == of->nodes[node].arch && m->nodes[i].devid == of->nodes[node].devid)
			return i;
	}
	return 0;
}
