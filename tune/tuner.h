/* tune/tuner.h - what the stages of tune() share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_TUNER_H
#define TUNE_TUNER_H

#include <stdint.h>
#include <time.h>

#include "replay/scenario.h"
#include "tune/outcome.h"
#include "tune/tune.h"

struct config;
struct dag;
struct evaluator;

struct tuner {
	const struct tune_problem *p;
	struct tune_result *r;
	struct evaluator *evaluator;
	struct config *base;              /* config_from_dag() */
	struct dag *parts[2];             /* of the graph, smallest first */
	int part_graphs[2], nparts, part; /* graphs of the evaluator; part: to search on */
	double planned;                   /* replays of the whole graph */
	int samples;                      /* of them, for each setting that is tried */
	struct timespec begin;
	int is_needed;           /* what is replayed now is, also where a signal has come */
	double search_s, over_s; /* with a budget, from the begin: when the search and the stage under way end */
	const char *doing; /* the stage, and the share of the work but for placement that was done when it began */
	double done;
	double placement_share; /* of the work */
	int nplaced;            /* runs whose placement has been searched */
	size_t placed_replays;  /* for those */
	int64_t placed_ns;      /* the least makespan of the first run under a plan, to be shown; -1: none */
	struct outcome_problem outcome;
	struct scenario at_once; /* as that of the run, with all tasks submitted at once */
};

#endif
