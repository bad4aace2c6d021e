/* plugin/follow.c - whether the program submits a graph that the config has a plan for, and what the plan says. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/follow.h"

#include <string.h>

#include "core/base/alloc.h"
#include "core/dag/submission_hash.h"
#include "plugin/starpu/report.h"

enum { UNDECIDED = 64 }; /* tasks that several plans may begin with, until the first one counts for owners and knobs */

enum { FEW_LEFT = 8 }; /* a graph begins as if alone where at most its number of tasks / FEW_LEFT are live */

static struct {
	struct arena *arena;
	struct config_plan *plans;
	double *rank_ns;           /* per plan: what a rank of 1 stands for */
	uint8_t *fits;             /* per plan: it is that of the graph so far */
	int nplans, nfits, nalike; /* nalike: of those that fit, whose first task has the graph's priority */
	int priority;              /* of the first task of the graph */
	struct submission_hash hashes;
	const struct config_plan *current; /* NULL: no graph is being submitted */
	uint32_t next;                     /* task of the graph */
	uint32_t graph, iteration;         /* how many have begun */
	int overlaps;                      /* more than a few tasks were live when the last one began */
	int is_other;                      /* what is submitted is no recorded graph, until no task is live */
	unsigned long submitted, planned;  /* tasks, of them those with a plan */
} follow;

static void *copied(const void *from, size_t n, size_t size)
{
	void *to = arena_alloc(follow.arena, n, size);

	if (n)
		memcpy(to, from, n * size);
	return to;
}

void follow_set(const struct config *c)
{
	arena_free(follow.arena);
	submission_hash_fini(&follow.hashes);
	memset(&follow, 0, sizeof(follow));
	if (!c->nplans)
		return;
	follow.arena = arena_create();
	follow.plans = copied(c->plans, (size_t)c->nplans, sizeof(*c->plans));
	follow.rank_ns = arena_alloc(follow.arena, (size_t)c->nplans, sizeof(*follow.rank_ns));
	follow.fits = arena_alloc(follow.arena, (size_t)c->nplans, sizeof(*follow.fits));
	for (int i = 0; i < c->nplans; i++) {
		struct config_plan *p = &follow.plans[i];

		p->hash = copied(p->hash, p->ntasks, sizeof(*p->hash));
		p->rank = copied(p->rank, p->ntasks, sizeof(*p->rank));
		p->owner = copied(p->owner, p->nhandles, sizeof(*p->owner));
		p->place = p->place ? copied(p->place, p->ntasks, sizeof(*p->place)) : NULL;
		p->knobs = p->knobs ? copied(p->knobs, strlen(p->knobs) + 1, 1) : NULL;
		follow.rank_ns[i] = config_plan_rank_ns(p);
	}
	follow.nplans = c->nplans;
}

void follow_end(void)
{
	if (follow.nplans)
		report_line("done planned=%lu submitted=%lu", follow.planned, follow.submitted);
	if (follow.nplans && !report_is_read())
		report_note("%lu of %lu tasks by the config's plan", follow.planned, follow.submitted);
	submission_hash_fini(&follow.hashes);
	follow.current = NULL;
	follow.iteration = 0;
	follow.overlaps = follow.is_other = 0;
	follow.submitted = follow.planned = 0;
}

/* The plans whose next task has this hash go on. */
static void go_on(uint32_t hash)
{
	follow.current = NULL;
	follow.nfits = follow.nalike = 0;
	for (int i = 0; i < follow.nplans; i++) {
		const struct config_plan *p = &follow.plans[i];
		int alike = p->priority == follow.priority;

		follow.fits[i] = (follow.next == 0 || follow.fits[i]) && follow.next < p->ntasks &&
		                 p->hash[follow.next] == hash;
		if (!follow.fits[i])
			continue;
		if (!follow.current || (alike && !follow.nalike))
			follow.current = p;
		follow.nfits++;
		follow.nalike += alike;
	}
}

/* 1: it overlaps with what is live, which so far did not. */
static int begin(const char *name, const struct data_access *a, uint32_t n, int priority, size_t nlive)
{
	int before = follow.overlaps;

	follow.priority = priority;
	follow.next = 0;
	submission_hash_restart(&follow.hashes);
	go_on(submission_hash_next(&follow.hashes, name, a, n));
	if (!follow.current)
		return 0;
	follow.graph++;
	follow.overlaps = nlive > follow.current->ntasks / FEW_LEFT;
	return follow.overlaps && !before;
}

/* 1: what is live turns out to be no recorded graph, or not alone. */
static int go_on_or_begin(const char *name, const struct data_access *a, uint32_t n, int priority, size_t nlive)
{
	int was_inside = follow.current && follow.next < follow.current->ntasks, lost;

	follow.submitted++;
	if (follow.current)
		go_on(submission_hash_next(&follow.hashes, name, a, n));
	lost = was_inside && !follow.current;
	follow.is_other |= lost;
	if (!follow.current && (!nlive || !follow.is_other)) {
		follow.is_other = 0;
		lost |= begin(name, a, n, priority, nlive);
	}
	return lost;
}

void follow_again(struct followed *f)
{
	if (follow.current->place)
		f->place = follow.current->place[f->number];
	else
		f->place = (struct config_place){ARCH_NONE, 0};
	f->rank_ns = follow.rank_ns[follow.current - follow.plans] * follow.current->rank[f->number];
}

struct followed follow_submit(const char *name, const struct data_access *a, uint32_t n, int priority, size_t nlive)
{
	const struct config_plan *before = follow.current;
	uint32_t graph = follow.graph;
	struct followed f = {.lost = follow.nplans ? go_on_or_begin(name, a, n, priority, nlive) : 0,
	                     .place = {ARCH_NONE, 0}};

	follow.iteration += follow.graph != graph || (!nlive && !follow.current);
	f.iteration = follow.iteration;
	if (!follow.current)
		return f;
	f.number = follow.next++;
	if (follow.overlaps)
		return f;
	follow.planned++;
	f.graph = follow.graph;
	f.changed = f.number && before != follow.current ? f.graph : 0;
	follow_again(&f);
	return f;
}

void follow_lost(unsigned long tasks)
{
	follow.planned -= tasks;
}

/* NULL: none, or one of several. */
static const struct config_plan *decided(void)
{
	if (follow.overlaps || (follow.nfits != 1 && follow.nalike != 1 && follow.next <= UNDECIDED))
		return NULL;
	return follow.current;
}

const char *follow_knobs(void *unused)
{
	const struct config_plan *p = decided();

	(void)unused;
	return p ? p->knobs : NULL;
}

void follow_forget(uint32_t handle)
{
	submission_hash_forget(&follow.hashes, handle);
}

struct config_place follow_owner(uint32_t handle)
{
	const struct config_plan *p = decided();
	uint32_t number = p ? submission_hash_number(&follow.hashes, handle) : SUBMISSION_HASH_NONE;

	if (number == SUBMISSION_HASH_NONE || number >= p->nhandles)
		return (struct config_place){ARCH_NONE, 0};
	return p->owner[number];
}
