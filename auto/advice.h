/* auto/advice.h - what to do about a run, in a sentence: nothing, set variables, or use the config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_ADVICE_H
#define AUTO_ADVICE_H

#include <stdint.h>

struct config;
struct config_trial;
struct task_size;

/* What is known; config and scheduler are borrowed. */
struct advice_input {
	const struct config *config;
	const char *scheduler; /* of the run; "": not known */
	int64_t run_ns;        /* the run as it was measured */
	int64_t bound_ns;      /* no schedule of its tasks takes less */
	int64_t measured_ns;   /* the program under the config; 0: that was not measured */
	int64_t fastest_ns;    /* the least median of what was measured; 0: nothing was */
	int fastest_runs;      /* how many runs that is the median of */
	int64_t too_short_ns;  /* measured_too_short() */
	const struct task_size *task_size;
	int is_native;        /* the run is of a real machine */
	int64_t submitted_ns; /* scenario_submitted_ns() */
	double sizes;         /* what the config makes of the times of all sizes, sizes_factor(); 0: there is one */
};

enum advice_kind {
	ADVICE_NOTHING,   /* the run is as fast as it can be */
	ADVICE_KEEP,      /* nothing that was tried is clearly faster */
	ADVICE_VARIABLES, /* the config is environment variables alone */
	ADVICE_LIBRARY    /* the config needs the scheduler library: heterotune run */
};

enum { ADVICE_TEXT = 1024 };

struct advice {
	enum advice_kind kind;
	const struct config_trial *plain;  /* a scheduler of StarPU's alone that gains clearly for less; or NULL */
	const struct config_trial *before; /* the replay that predictions are compared with; NULL: the run itself */
	int64_t before_ns, now_ns;         /* what is compared; 0: nothing */
	char cause[ADVICE_TEXT]; /* tasks that are too small, which no scheduler makes up for, and what to do; or "" */
	char text[ADVICE_TEXT];  /* the sentence, without a stop */
};

/*
 * What is no gain here does not become the config: verdict_settle(). A prediction of a native program has to gain
 * 10 %, all else 2 % (noise_of_runs.h). What was measured outweighs what was predicted. A prediction is compared with
 * the lesser of two replays, of the run's own order and of its scheduler: what only the first takes longer was lost by
 * chance; or with the run itself, by reference_of(). A run of at most 1.05 times its bound is left alone, unless a
 * measurement says otherwise, significant or not: the bound is of the durations of the recording. Of several sizes all
 * together have to gain.
 */
void advice_make(struct advice *a, const struct advice_input *in);

#endif
