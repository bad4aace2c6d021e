/* tune/settings/trial_id.h - what a trial is, and what it is called. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SETTINGS_TRIAL_ID_H
#define TUNE_SETTINGS_TRIAL_ID_H

#include "core/config/starpu_env.h"
#include "tune/settings/granularity.h"

struct heuristic;

enum trial_origin {
	TRIAL_INITIAL,  /* an initial setting of the search */
	TRIAL_SEARCHED, /* a setting that the search found from an initial one */
	TRIAL_POLICY,   /* another policy of StarPU */
};

/* What the priority lists of an initial setting follow; `number` is of that kind. */
enum trial_order {
	ORDER_HEURISTIC, /* a published heuristic: place in published_heuristics[] */
	ORDER_PLAIN,     /* config_from_dag() as it is: types as they first appear */
	ORDER_STARPU,    /* an ordering of AutoHeteroprio: its number in StarPU */
	ORDER_URGENCY,   /* setting_by_urgency(): the share of upward rank in percent */
	ORDER_SCORE      /* scores_mean(): enum score */
};

/* How slow factors are made from the ratios of costs, and what that is called in a label. */
struct slow_variant {
	double scale; /* 0: no slow factors */
	const char *suffix;
};

enum { SLOW_VARIANTS = 4 };
extern const struct slow_variant slow_variants[SLOW_VARIANTS];

struct trial_id {
	enum trial_origin origin;
	const char *policy; /* TRIAL_POLICY: its name, borrowed */
	const char *knobs;  /* of the policy, "beta=3", borrowed; NULL: none */
	int by_rank;        /* the policy sees upward ranks as the priorities of tasks */
	struct starpu_env starpu_env;
	int search; /* TRIAL_SEARCHED: place among those that the search found, from 1 */
	/* Of settings: */
	enum granularity_kind granularity;
	enum trial_order order;
	int number;
	int slow;     /* how slow factors are made: place in slow_variants[] */
	int locality; /* 1: the initial setting has locality */
	int simplified;
};

enum { TRIAL_LABEL = 256 };

/* SHORT: a setting that was searched without its initial setting, an initial setting without its granularity. */
enum trial_label_form { TRIAL_LABEL_WHOLE, TRIAL_LABEL_SHORT };

/*
 * "PRWS/no-slow", "rank:urgency-75+LA", "search-1:rank:PRWS/no-slow, 18 CPUs, simplified" (short: "search-1, 18 CPUs,
 * simplified"), "dmdas:beta=3+rank, no prefetch". Returns `text`.
 */
const char *trial_label(char text[TRIAL_LABEL], const struct trial_id *id, enum trial_label_form form);

int trial_id_equal(const struct trial_id *a, const struct trial_id *b);

/* Whether both are settings whose initial lists and locality are the same, whatever their slow factors. */
int trial_id_same_origin(const struct trial_id *a, const struct trial_id *b);

/* The heuristic, or the ordering of StarPU, of the lists; NULL: none. */
const struct heuristic *trial_id_heuristic(const struct trial_id *id);

#endif
