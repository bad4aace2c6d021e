/* tests/unit/test_advice.c - what to do about a run: each sentence, and when it is said. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/advice.h"

#include "auto/measured.h"
#include "core/config/config.h"
#include "core/metrics/task_size.h"
#include "tests/lib/check.h"

/* Times in ms. */
enum { MS = 1000000, OWN = 0, OURS, OTHER, TRIALS };

static struct config_trial trials[TRIALS];
static struct config config;
static struct advice_input in;
static struct task_size task_size;

/* A run of 40 ms under dmda, whose bound is 20 ms; its own schedule 40 ms in replays, dmdas 30 ms. */
static void begin(void)
{
	trials[OWN] = (struct config_trial){CONFIG_TRIAL_RECORDED_ORDER, "replay", 40 * MS};
	trials[OURS] = (struct config_trial){"dmdas", "replay", 30 * MS};
	trials[OTHER] = (struct config_trial){"lws", "replay", 80 * MS};
	config =
		(struct config){.policy = "dmdas", .knobs = "", .chosen = "dmdas", .trials = trials, .ntrials = TRIALS};
	task_size = task_size_make(MS, 0, 0);
	in = (struct advice_input){.config = &config,
	                           .scheduler = "dmda",
	                           .run_ns = 40 * MS,
	                           .bound_ns = 20 * MS,
	                           .task_size = &task_size};
}

static void advises(enum advice_kind kind, const char *text)
{
	struct advice a;

	advice_make(&a, &in);
	CHECK_INT(a.kind, kind);
	CHECK_STR(a.text, text);
}

static void by_prediction(void)
{
	begin();
	advises(ADVICE_VARIABLES,
	        "use STARPU_SCHED=dmdas: replays say 30.0 ms instead of 40.0 ms, 25 % less; --verify measures that");
	config.has_rank_priorities = 1;
	advises(ADVICE_LIBRARY, "use dmdas with priorities from the scheduler library: replays say 30.0 ms instead of "
	                        "40.0 ms, 25 % less; --verify measures that");
	config.has_rank_priorities = 0;
	in.is_native = 1;
	advises(ADVICE_VARIABLES,
	        "use STARPU_SCHED=dmdas: replays say 30.0 ms instead of 40.0 ms, 25 % less; --verify measures that");
	trials[OURS].makespan_ns = 35 * MS;
	advises(ADVICE_VARIABLES,
	        "use STARPU_SCHED=dmdas: replays say 35.0 ms instead of 40.0 ms, 12 % less; on a real machine "
	        "replays are sometimes that far off: --verify measures it");
	trials[OURS].makespan_ns = 37 * MS;
	advises(ADVICE_KEEP, "keep dmda: replays say 7 % less for STARPU_SCHED=dmdas, and on a real machine they are "
	                     "often that far off: --verify measures it");
	in.is_native = 0;
	advises(ADVICE_VARIABLES,
	        "use STARPU_SCHED=dmdas: replays say 37.0 ms instead of 40.0 ms, 7 % less; --verify measures that");
	trials[OURS].makespan_ns = 39200001;
	advises(ADVICE_KEEP, "keep dmda: of 2 candidates replayed none is clearly faster");
	trials[OURS].makespan_ns = 41 * MS;
	advises(ADVICE_KEEP, "keep dmda: of 2 candidates replayed none is clearly faster");
	in.scheduler = "";
	advises(ADVICE_KEEP,
	        "keep the scheduler of the recorded run: of 2 candidates replayed none is clearly faster; the "
	        "config has the best of them");
}

/* The last task is submitted at the end of the run, so no replay is shorter; measurements outweigh that. */
static void submission_limits(void)
{
	begin();
	trials[OURS].makespan_ns = 40 * MS;
	in.submitted_ns = 37 * MS;
	advises(ADVICE_KEEP,
	        "keep dmda until you know more: the last task was submitted at 92 % of the run, as it is in all replays, so "
	        "that none is clearly faster; the program may submit sooner under another scheduler: --verify measures it");
	in.submitted_ns = 36 * MS;
	advises(ADVICE_KEEP, "keep dmda: of 2 candidates replayed none is clearly faster");
	in.submitted_ns = 37 * MS;
	in.measured_ns = in.fastest_ns = 40 * MS;
	advises(ADVICE_KEEP, "keep dmda: of 2 candidates replayed, the best of them also run, none is clearly faster");
	begin();
	in.submitted_ns = 37 * MS;
	advises(ADVICE_VARIABLES,
	        "use STARPU_SCHED=dmdas: replays say 30.0 ms instead of 40.0 ms, 25 % less; --verify measures that");
}

static void nothing_changes(void)
{
	begin();
	config.policy = config.chosen = "dmda";
	trials[OURS].name = "dmda";
	advises(ADVICE_KEEP, "keep dmda: of 2 candidates replayed none is clearly faster");
	in.measured_ns = 30 * MS; /* by chance */
	advises(ADVICE_KEEP, "keep dmda: of 2 candidates replayed, the best of them also run, none is clearly faster");
	config.knobs = "beta=3";
	in.measured_ns = 0;
	advises(ADVICE_VARIABLES,
	        "use STARPU_SCHED=dmda STARPU_SCHED_BETA=3: replays say 30.0 ms instead of 40.0 ms, 25 "
	        "% less; --verify measures that");
}

/* Sixteen equal tasks on two equal workers: replays with mean durations take its own schedule for a bad one. */
static void nothing_to_gain(void)
{
	begin();
	trials[OWN].makespan_ns = 44 * MS;
	trials[OURS].makespan_ns = 39 * MS;
	in.bound_ns = 39 * MS;
	advises(ADVICE_NOTHING,
	        "nothing to gain: the run takes 40.0 ms, 1.03 times the least that any schedule of its tasks can take");
	in.bound_ns = 41 * MS; /* of tasks that were recorded on a busier machine than the run */
	advises(ADVICE_NOTHING,
	        "nothing to gain: the run takes 40.0 ms, no more than the least that any schedule of its tasks as "
	        "recorded can take");
	in.bound_ns = 39 * MS;
	in.measured_ns = 39 * MS;
	advises(ADVICE_VARIABLES, "use STARPU_SCHED=dmdas: measured 39.0 ms instead of 40.0 ms, 3 % less");
	in.measured_ns = 39500000;
	advises(ADVICE_NOTHING,
	        "nothing to gain: the run takes 40.0 ms, 1.03 times the least that any schedule of its tasks can take");
	in.measured_ns = 40 * MS; /* under the run's own scheduler, beside a candidate whose runs vary */
	in.fastest_ns = 39500000;
	advises(ADVICE_NOTHING,
	        "nothing to gain: the run takes 40.0 ms, 1.03 times the least that any schedule of its tasks can take");
	in.fastest_ns = 36 * MS;
	in.fastest_runs = 15;
	advises(ADVICE_KEEP,
	        "keep dmda: the fastest candidate took 10 % less in 15 runs each, which may be chance, since "
	        "runs of one scheduler differ, too; to know, take more: --verify --runs 10");
	in.fastest_runs = 1;
	advises(ADVICE_KEEP,
	        "keep dmda: the fastest candidate took 10 % less in 1 run each, which may be chance, since "
	        "runs of one scheduler differ, too; to know, take more: --verify --runs 5");
	in.fastest_runs = MEASURED_RUNS * MEASURED_LOOKS;
	advises(ADVICE_KEEP,
	        "keep dmda: the fastest candidate took 10 % less in 63 runs each, which may be chance, since "
	        "runs of one scheduler differ, too");
	in.too_short_ns = 100000;
	advises(ADVICE_KEEP, "keep dmda: a run of 40.0 ms is too short to compare: the fastest candidate takes 100 us "
	                     "less; take a larger size");
	in.too_short_ns = 0;
}

/* A run that took clearly less than its replay is what a prediction has to be below. */
static void without_its_schedule(void)
{
	begin();
	trials[OWN].makespan_ns = 50 * MS;
	advises(ADVICE_VARIABLES, "use STARPU_SCHED=dmdas: replays say 30.0 ms, and the run took 40.0 ms, 25 % less; "
	                          "--verify measures that");
	trials[OURS].makespan_ns = 41 * MS;
	advises(ADVICE_KEEP, "keep dmda: of 2 candidates replayed none is clearly faster");
	trials[OWN].name = "dmda"; /* no schedule, but its scheduler */
	trials[OWN].makespan_ns = 35 * MS;
	trials[OURS].makespan_ns = 28 * MS;
	advises(ADVICE_VARIABLES,
	        "use STARPU_SCHED=dmdas: replays say 28.0 ms instead of 35.0 ms, 20 % less; --verify measures that");
}

/* Replays of the same scheduler take as little: what the run lost, it did not lose by its scheduler. */
static void not_by_its_scheduler(void)
{
	begin();
	trials[OTHER] = (struct config_trial){"dmda", "replay", 30 * MS};
	advises(ADVICE_KEEP, "keep dmda: of 2 candidates replayed none is clearly faster");
	trials[OTHER].makespan_ns = 35 * MS;
	advises(ADVICE_VARIABLES,
	        "use STARPU_SCHED=dmdas: replays say 30.0 ms instead of 35.0 ms, 14 % less; --verify measures that");
}

/* What is better for the size that was tuned for and worse for others is no advice. */
static void several_sizes(void)
{
	begin();
	in.sizes = 0.9;
	advises(ADVICE_VARIABLES,
	        "use STARPU_SCHED=dmdas: replays say 30.0 ms instead of 40.0 ms, 25 % less; --verify measures that");
	in.is_native = 1;
	in.sizes = 0.95;
	advises(ADVICE_KEEP,
	        "keep dmda: replays say 5 % less over all sizes for STARPU_SCHED=dmdas, and on a real machine "
	        "they are often that far off: --verify measures it");
	in.sizes = 0.99;
	advises(ADVICE_KEEP, "keep dmda: of 2 candidates replayed none is clearly faster over all sizes");
}

static void by_measurement(void)
{
	begin();
	in.measured_ns = 20 * MS;
	trials[OURS].makespan_ns = 50 * MS;
	advises(ADVICE_VARIABLES, "use STARPU_SCHED=dmdas: measured 20.0 ms instead of 40.0 ms, 50 % less");
	in.measured_ns = 41 * MS;
	advises(ADVICE_KEEP, "keep dmda: of 2 candidates replayed, the best of them also run, none is clearly faster");
}

/* What a scheduler of StarPU's brings by itself, beside one that asks for more. */
static void the_plain_one(void)
{
	struct advice a;

	begin();
	config.chosen = "dmdas:beta=3";
	config.knobs = "beta=3";
	trials[OTHER] = (struct config_trial){"dmdas:beta=3", "replay", 25 * MS};
	advice_make(&a, &in);
	CHECK(a.plain == &trials[OURS]);
	in.sizes = 0.8;
	advice_make(&a, &in);
	CHECK(a.plain == NULL);
	in.sizes = 0;
	config.knobs = ""; /* the answer is a scheduler alone itself */
	config.chosen = "dmdas";
	trials[OTHER].name = "dmdap";
	advice_make(&a, &in);
	CHECK(a.plain == NULL);
	config.chosen = "dmdas:beta=3";
	config.knobs = "beta=3";
	trials[OTHER].name = config.chosen;
	trials[OURS].name = "placement";
	advice_make(&a, &in);
	CHECK(a.plain == NULL);
	trials[OURS].name = "dmdas";
	trials[OURS].makespan_ns = 39500000;
	advice_make(&a, &in);
	CHECK(a.plain == NULL);
}

/* The cause stands apart: what to do with tasks as they are is said all the same. */
static void small_tasks(void)
{
	struct advice a;

	begin();
	advice_make(&a, &in);
	CHECK_STR(a.cause, "");
	task_size = task_size_make(28000, 62000, 35000);
	advice_make(&a, &in);
	CHECK_STR(a.cause,
	          "make tasks about 32 times longer, by larger blocks: a task typically takes 28.0 us, and 97.0 us pass "
	          "around it (35.0 us to submit it, 62.0 us before its worker starts it)");
	CHECK_HAS(a.text, "use STARPU_SCHED=dmdas: ");
}

int main(void)
{
	RUN(by_prediction);
	RUN(submission_limits);
	RUN(nothing_changes);
	RUN(nothing_to_gain);
	RUN(without_its_schedule);
	RUN(not_by_its_scheduler);
	RUN(several_sizes);
	RUN(by_measurement);
	RUN(the_plain_one);
	RUN(small_tasks);
	return check_done();
}
