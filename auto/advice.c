/* auto/advice.c - what to do about a run, in a sentence: nothing, set variables, or use the config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/advice.h"

#include <stdio.h>
#include <string.h>

#include "auto/measured.h"
#include "core/base/table.h"
#include "core/config/config.h"
#include "core/config/config_words.h"
#include "core/metrics/reference.h"
#include "core/metrics/task_size.h"
#include "replay/scenario.h"
#include "tune/evaluate/noise.h"

/* A run that takes at most so many times its bound is as fast as it can be. */
static const double NEAR_BOUND = 1.05;

/* The scheduler of the run in a sentence. */
static const char *scheduler_words(const char *scheduler)
{
	return *scheduler ? scheduler : "the scheduler of the recorded run";
}

/*
 * Shares by which replays of another scheduler are off natively: many are by the first, some by the second
 * (heterotune-accuracy.7, "On a real machine", "On a machine with a GPU").
 */
static const double OFTEN_OFF = 0.1, SOMETIMES_OFF = 0.2;

/* The replay that a prediction is compared with; NULL: the run itself. */
static const struct config_trial *reference(const struct advice_input *in)
{
	const struct config_trial *own = config_trial_find(in->config, CONFIG_TRIAL_RECORDED_ORDER);
	const struct config_trial *same = strcmp(in->scheduler, in->config->chosen) ?
	                                          config_trial_find(in->config, in->scheduler) :
	                                          NULL;

	if (!own || (same && same->makespan_ns < own->makespan_ns))
		own = same;
	return own && reference_of(own->makespan_ns, in->run_ns) == own->makespan_ns ? own : NULL;
}

/* The best of StarPU's schedulers as they are. */
static const struct config_trial *best_plain(const struct config *c)
{
	const struct config_trial *best = NULL;

	for (int i = 0; i < c->ntrials; i++) {
		const struct config_trial *t = &c->trials[i];
		const struct config alone = {.policy = t->name};

		if (strcmp(t->source, "replay") == 0 && config_is_policy(t->name) && strcmp(t->name, c->chosen) != 0 &&
		    config_effort(&alone, NULL) == CONFIG_EFFORT_SCHED && (!best || t->makespan_ns < best->makespan_ns))
			best = t;
	}
	return best;
}

/* A prediction of a native program has to gain more than it is often off. */
static double least_gain(const struct advice_input *in)
{
	return in->is_native && in->measured_ns <= 0 ? OFTEN_OFF : NOISE_OF_RUNS;
}

/* Whether the config gains at least so much, over all sizes too. */
static int gains(const struct advice *a, const struct advice_input *in, double least)
{
	return config_effort(in->config, in->scheduler) != CONFIG_EFFORT_NONE &&
	       (double)a->now_ns <= (1 - least) * (double)a->before_ns && (in->sizes <= 0 || in->sizes <= 1 - least);
}

static const char *say_trust(const struct advice *a, const struct advice_input *in)
{
	if (in->measured_ns > 0)
		return "";
	if (in->is_native && (double)a->now_ns > (1 - SOMETIMES_OFF) * (double)a->before_ns)
		return "; on a real machine replays are sometimes that far off: --verify measures it";
	return "; --verify measures that";
}

/* "replays say 465 ms instead of 522 ms, 11 % less" */
static void say_use(struct advice *a, const struct advice_input *in, const char *words)
{
	const char *how = in->measured_ns > 0 ? "measured" : "replays say";
	char now[16], before[16];

	a->kind = config_needs_library(in->config) ? ADVICE_LIBRARY : ADVICE_VARIABLES;
	snprintf(a->text, sizeof(a->text), "use %s: %s %s%s%s, %.0f %% less%s", words, how, time_text(now, a->now_ns),
	         in->measured_ns > 0 || reference(in) ? " instead of " : ", and the run took ",
	         time_text(before, a->before_ns), 100 * (1 - (double)a->now_ns / (double)a->before_ns),
	         say_trust(a, in));
}

/* A run measured after the recording may take less than any schedule of the recorded durations. */
static void say_nothing(struct advice *a, const struct advice_input *in)
{
	double ratio = (double)in->run_ns / (double)in->bound_ns;
	char span[16], times[32] = "";

	a->kind = ADVICE_NOTHING;
	if (ratio >= 1)
		snprintf(times, sizeof(times), "%.2f times ", ratio);
	snprintf(a->text, sizeof(a->text),
	         "nothing to gain: the run takes %s, %sthe least that any schedule of its tasks %s",
	         time_text(span, in->run_ns), *times ? times : "no more than ",
	         *times ? "can take" : "as recorded can take");
}

/* A scheduler of the program's own is no config: it is kept beside one. */
static const char *beside(const struct advice_input *in)
{
	return config_is_policy(in->scheduler) ? "" : "; the config has the best of them";
}

/* What was faster in runs, but not significantly. */
static void say_chance(struct advice *a, const struct advice_input *in)
{
	int runs = 2 * in->fastest_runs / MEASURED_LOOKS, least = measured_least_runs();
	char more[64] = "";

	runs = runs < least ? least : runs < MEASURED_RUNS ? runs : MEASURED_RUNS;
	if (in->fastest_runs < MEASURED_RUNS * MEASURED_LOOKS)
		snprintf(more, sizeof(more), "; to know, take more: --verify --runs %d", runs);
	snprintf(a->text, sizeof(a->text),
	         "keep %s: the fastest candidate took %.0f %% less in %d run%s each, which may be chance, since runs of "
	         "one scheduler differ, too%s%s",
	         scheduler_words(in->scheduler), 100 * (1 - (double)in->fastest_ns / (double)in->run_ns),
	         in->fastest_runs, plural((uint64_t)in->fastest_runs), more, beside(in));
}

static void say_keep(struct advice *a, const struct advice_input *in)
{
	int n = config_candidates(in->config);
	char less[16], run[16];

	a->kind = ADVICE_KEEP;
	if (in->too_short_ns > 0) {
		snprintf(a->text, sizeof(a->text),
		         "keep %s: a run of %s is too short to compare: the fastest candidate takes %s less; take a "
		         "larger size",
		         scheduler_words(in->scheduler), time_text(run, in->run_ns), time_text(less, in->too_short_ns));
		return;
	}
	if (in->measured_ns > 0 && in->fastest_ns > 0 && noise_is_gain(in->run_ns, in->fastest_ns) &&
	    !noise_is_gain(in->run_ns, in->measured_ns)) {
		say_chance(a, in);
		return;
	}
	if (in->measured_ns <= 0 && (double)in->submitted_ns > SUBMISSION_LIMITS * (double)in->run_ns) {
		snprintf(a->text, sizeof(a->text),
		         "keep %s until you know more: the last task was submitted at %.0f %% of the run, as it is in "
		         "all replays, so that none is clearly faster; the program may submit sooner under another "
		         "scheduler: --verify measures it",
		         scheduler_words(in->scheduler), 100 * (double)in->submitted_ns / (double)in->run_ns);
		return;
	}
	snprintf(a->text, sizeof(a->text), "keep %s: of %d candidate%s %s none is clearly faster%s%s",
	         scheduler_words(in->scheduler), n, plural((uint64_t)n),
	         in->measured_ns > 0 ? "replayed, the best of them also run," : "replayed",
	         in->sizes > 0 ? " over all sizes" : "", beside(in));
}

/* What is predicted to gain, but not by more than predictions are often off. */
static void say_unsure(struct advice *a, const struct advice_input *in, const char *words)
{
	double gain = in->sizes > 0 ? 1 - in->sizes : 1 - (double)a->now_ns / (double)a->before_ns;

	a->kind = ADVICE_KEEP;
	snprintf(a->text, sizeof(a->text),
	         "keep %s: replays say %.0f %% less%s for %s, and on a real machine they are often that far off: --verify "
	         "measures it",
	         scheduler_words(in->scheduler), 100 * gain, in->sizes > 0 ? " over all sizes" : "", words);
}

static int is_near_bound(const struct advice_input *in)
{
	return in->bound_ns > 0 && (double)in->run_ns <= NEAR_BOUND * (double)in->bound_ns &&
	       (in->fastest_ns <= 0 || !noise_is_gain(in->run_ns, in->fastest_ns));
}

void advice_make(struct advice *a, const struct advice_input *in)
{
	const struct config_trial *ours = config_trial_find(in->config, in->config->chosen), *before = reference(in);
	char words[CONFIG_WORDS], size[TASK_SIZE_TEXT];
	int clear;

	*a = (struct advice){.before = before, .before_ns = in->run_ns, .now_ns = in->run_ns};
	if (in->measured_ns > 0)
		a->now_ns = in->measured_ns;
	else if (ours)
		a->now_ns = ours->makespan_ns;
	if (in->measured_ns <= 0 && before)
		a->before_ns = before->makespan_ns;
	if (in->task_size->longer > 1)
		snprintf(a->cause, sizeof(a->cause), "make tasks about %d times longer, by larger blocks: %s",
		         in->task_size->longer, task_size_text(in->task_size, size));
	config_words(in->config, words);
	clear = gains(a, in, least_gain(in));
	if (clear && in->measured_ns > 0)
		say_use(a, in, words);
	else if (is_near_bound(in))
		say_nothing(a, in);
	else if (clear)
		say_use(a, in, words);
	else if (gains(a, in, NOISE_OF_RUNS))
		say_unsure(a, in, words);
	else
		say_keep(a, in);
	/* What asks for less than the answer; of several sizes only the first is known under it. */
	a->plain = clear && in->measured_ns <= 0 && in->sizes <= 0 &&
	                           config_effort(in->config, NULL) > CONFIG_EFFORT_SCHED ?
	                   best_plain(in->config) :
	                   NULL;
	if (a->plain && (double)a->plain->makespan_ns > (1 - least_gain(in)) * (double)a->before_ns)
		a->plain = NULL;
}
