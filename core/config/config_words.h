/* core/config/config_words.h - a config in a user's words: what it asks for, what it is, and the command for it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_CONFIG_WORDS_H
#define CORE_CONFIG_CONFIG_WORDS_H

struct config;

/* What a user has to do for it, least first. */
enum config_effort {
	CONFIG_EFFORT_NONE,    /* the scheduler of the run, as it is */
	CONFIG_EFFORT_SCHED,   /* STARPU_SCHED */
	CONFIG_EFFORT_KNOBS,   /* other variables of StarPU's too */
	CONFIG_EFFORT_RANKS,   /* a scheduler of StarPU's, with priorities from the scheduler library */
	CONFIG_EFFORT_BUCKETS, /* Heteroprio with the buckets of the library */
	CONFIG_EFFORT_OWN      /* the library's own scheduler */
};

/*
 * By policy, knobs, has_rank_priorities and starpu_env alone. `recorded` is the scheduler of the run; NULL or "": it is
 * not known.
 */
enum config_effort config_effort(const struct config *c, const char *recorded);

enum { CONFIG_WORDS = 512 };

/*
 * The variables to put before a command, "STARPU_SCHED=dmdas STARPU_SCHED_BETA=3", for a config that needs no library;
 * for one that does, those of StarPU's start alone, and "" where there are none. Returns `text`.
 */
char *config_variables(const struct config *c, char text[CONFIG_WORDS]);

/*
 * "STARPU_SCHED=dmdas", "dmdas with priorities from the scheduler library", "Heteroprio with 56 buckets by priority and
 * STARPU_NCPU=18". Returns `text`.
 */
const char *config_words(const struct config *c, char text[CONFIG_WORDS]);

/* How many candidates were replayed: the trials of a config without the run and its own schedule. */
int config_candidates(const struct config *c);

#endif
