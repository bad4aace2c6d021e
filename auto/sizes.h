/* auto/sizes.h - heterotune auto --sizes and --plan: one program in several sizes, and what the config is for each. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_SIZES_H
#define AUTO_SIZES_H

#include <stdio.h>

#include "auto/steps.h"
#include "tune/tune.h"

struct config;
struct ht_err;

#define SIZES_RUN "run" /* below DIR: the run that is analysed; with sizes a link to that of the first */

/*
 * Sources of trials in a config, whose names are those of the runs: measured; as it is, which is the lesser of two
 * replays, of its order, where it was recorded, and of its scheduler; and the config, replayed.
 */
#define SIZES_RECORDED  "recorded"
#define SIZES_SCHEDULE  "schedule"
#define SIZES_PREDICTED "predicted"

enum { SIZES_MAX = TUNE_MAX_RUNS };

struct sizes {
	char *names[SIZES_MAX]; /* names[0] NULL: there are no sizes, but one run */
	char *runs[SIZES_MAX];  /* below DIR: "run-9600"; without sizes "run" */
	int count, nrecorded;   /* of all runs; of those that are recorded, which come first */
};

/*
 * "9600 19200": words of letters, digits, '.', '_' and '-', with blanks or commas between them; NULL: no sizes. Some of
 * the program's words has to have {} where there are sizes. `planned` has those that are not recorded, NULL: none; then
 * all are numbers. -1: it is not so. sizes_free() in either case.
 */
int sizes_parse(struct sizes *s, const char *text, const char *planned, char *const *words, struct ht_err *err);
void sizes_free(struct sizes *s);

/* The words of heterotune graph, as in steps.h, for the run of size `i`, which is not recorded; sizes_free_words(). */
void sizes_graph_words(const struct sizes *s, int i, const char *words[STEP_WORDS]);
void sizes_free_words(const char *words[STEP_WORDS]);

/* SIZES_RUN becomes a link to the first run, where there are sizes. */
int sizes_link(const struct sizes *s, const char *dir, struct ht_err *err);

/* DIR/config.xml gets these trials for each run. -1: that failed. */
int sizes_predict(const struct sizes *s, const char *dir, struct ht_err *err);

/* The time under the config as a factor of that before (reference_of()), the geometric mean of all; 0: no sizes. */
double sizes_factor(const struct config *c);

/* The trials as a table, each size a row. */
void sizes_print(const struct config *c, FILE *f);

#endif
