/* core/metrics/heuristic.h - heuristics: a score per type and architecture, and the priority list that it gives. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_HEURISTIC_H
#define CORE_METRICS_HEURISTIC_H

#include <stdint.h>

#include "core/machine/arch.h"

struct metrics;

/* What a score is made of, for one type on one architecture. All costs are normalised (core/metrics/metrics.h). */
struct heuristic_input {
	double cost;               /* w_a */
	double cost_other;         /* of the worst other architecture */
	double diff, rel_diff;     /* 0 and 1 where no other architecture can run it */
	double nod, urt, released; /* released: S of eq 9 */
	double released_us;        /* S as StarPU has it: in us */
	double nrt, nrt_other;
	double idle;               /* of the workers of this architecture */
	double share, share_other; /* of the type's executed tasks */
};

enum { HEURISTIC_MAX_KNOBS = 2 };

struct heuristic_knob {
	const char *name; /* NULL: none */
	double value;     /* the published default */
};

/* How a type is ranked that one architecture alone can run: eq 4 has no other cost then. */
enum heuristic_exclusive {
	EXCLUSIVE_FIRST,    /* in front of the shared ones, among themselves by what they release */
	EXCLUSIVE_AS_STARPU /* as if another architecture took 10^15 times an average task */
};

struct heuristic {
	const char *name; /* "PRWS" */
	const char *summary;
	const char *equation; /* as text */
	const char *source;   /* of the equation: "AutoHeteroprio, eq 9" */
	const char *note;     /* the same in a word or two: "eq 9", "URT_PURE" */
	enum heuristic_exclusive exclusive;
	struct heuristic_knob knobs[HEURISTIC_MAX_KNOBS];
	double (*score)(const struct heuristic_input *in, const double *knobs); /* more: earlier */
};

/* Those of the paper, published_heuristics.c. */
enum {
	HEURISTIC_PRWS,
	HEURISTIC_PURWS,
	HEURISTIC_OFFSET,
	HEURISTIC_SOFTPLUS,
	HEURISTIC_INTERPOLATION,
	HEURISTIC_NTC,
	PUBLISHED_HEURISTICS
};
extern const struct heuristic published_heuristics[PUBLISHED_HEURISTICS];

/* AutoHeteroprio's of StarPU 1.4, starpu_orderings.c: index = number of its policy. */
enum { STARPU_ORDERINGS = 28, STARPU_DEFAULT_ORDERING = 12 };
extern const struct heuristic starpu_orderings[STARPU_ORDERINGS];

/* EXTREMELY_LONG_TIME of StarPU 1.4 (src/sched_policies/heteroprio.h): what no other architecture takes. */
#define STARPU_NO_OTHER_COST 999999999999999.0

/* The score with the given knobs; NULL: the published ones. Never NAN: what is not known is the least. */
double heuristic_score(const struct heuristic *h, const struct heuristic_input *in, const double *knobs);

/*
 * The inputs of type `p` on `a`, which has to be legal there. Differences are 0 (ratio 1) where there is no other
 * architecture, or with EXCLUSIVE_AS_STARPU those against a cost of 10^15.
 */
void heuristic_input(struct heuristic_input *in, const struct metrics *x, uint32_t p, enum arch a,
                     enum heuristic_exclusive exclusive);

/*
 * The priority list of `a`: writes the types that can run there into list[], first to be looked at first, and returns
 * their number. `list` has space for all types. Equal scores keep the order of the types.
 *
 * With EXCLUSIVE_FIRST a type that no other architecture can run is in front: every published score grows with the cost
 * elsewhere, and two such types then differ in what they release (diff 0). The lists that the authors
 * made by hand (Tables 7 to 10) have it the same way.
 */
uint32_t heuristic_rank(const struct heuristic *h, const double *knobs, const struct metrics *x, enum arch a,
                        uint32_t *list);

/* ln(1 + exp(x)), for every x: neither overflows nor loses small values. */
double softplus(double x);

/* Eq 14: a quarter of a circle from (0, 0) to (1, 1); 0 before and 1 after. */
double rpg(double x);

#endif
