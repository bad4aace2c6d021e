/* core/metrics/ordering.h - an ordering of types for an architecture: a score each; and StarPU's 28 of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_METRICS_ORDERING_H
#define CORE_METRICS_ORDERING_H

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
	enum heuristic_exclusive exclusive;
	struct heuristic_knob knobs[HEURISTIC_MAX_KNOBS];
	double (*score)(const struct heuristic_input *in, const double *knobs); /* more: earlier */
};

/* AutoHeteroprio's of StarPU 1.4: index = number of its policy. */
extern const struct heuristic starpu_orderings[];
enum { STARPU_ORDERINGS = 28, STARPU_DEFAULT_ORDERING = 12 };

/* EXTREMELY_LONG_TIME of StarPU 1.4 (src/sched_policies/heteroprio.h): what no other architecture takes. */
#define STARPU_NO_OTHER_COST 999999999999999.0

/* The score with the given knobs; NULL: the published ones. Never NAN: what cannot be told is the least. */
double heuristic_score(const struct heuristic *h, const struct heuristic_input *in, const double *knobs);

/* ln(1 + exp(x)), for every x: neither overflows nor loses small values. */
double softplus(double x);

#endif
