/* tests/unit/test_verdict.c - what auto says of a run and a config: each sentence, and when it is said. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/verdict.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "auto/measured.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/rng.h"
#include "core/config/config.h"
#include "core/run/run.h"
#include "tests/lib/check.h"
#include "tune/settings/config_make.h"

static char dir[] = "/tmp/heterotune test-XXXXXX";

struct recorded_task {
	const char *name, *after; /* after: job of the predecessor; NULL: none */
	int worker;
	double start_ms, end_ms;
};

/* Two CPU workers, 35 ms: root, two tasks after it, join. Its critical path is all of it, its area 27.5 ms. */
static const struct recorded_task diamond[] = {
	{"root", NULL, 0, 0, 10},
	{"wide", "1", 0, 10, 30},
	{"wide", "1", 1, 10, 30},
	{"join", "2", 0, 30, 35},
};

/* Full load, 20 ms. */
static const struct recorded_task loaded[] = {
	{"a", NULL, 0, 0, 10},
	{"a", NULL, 1, 0, 10},
	{"a", NULL, 0, 10, 20},
	{"a", NULL, 1, 10, 20},
};

/* Twice 10 ms, and 10 ms in between. */
static const struct recorded_task idle[] = {
	{"a", NULL, 0, 0, 10},
	{"a", NULL, 1, 0, 10},
	{"b", "1", 0, 20, 30},
};

static FILE *create(const char *folder, const char *name)
{
	char *path = ht_asprintf("%s/%s/%s", dir, folder, name);
	FILE *f = fopen(path, "w");

	free(path);
	return f;
}

static void record(const char *folder, const struct recorded_task *tasks, size_t n, const char *scheduler)
{
	char *path = ht_asprintf("%s/%s", dir, folder);
	FILE *f;

	dir_remove(path);
	CHECK_INT(dir_create(path, NULL), 0);
	free(path);
	f = create(folder, "tasks.rec");
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "Name: %s\nModel: %s\nJobId: %zu\n", tasks[i].name, tasks[i].name, i + 1);
		if (tasks[i].after)
			fprintf(f, "DependsOn: %s\n", tasks[i].after);
		fprintf(f,
		        "WorkerId: %d\nMemoryNode: 0\nSubmitTime: 0.0\nStartTime: %.1f\nEndTime: %.1f\nFootprint: 0\n\n",
		        tasks[i].worker, tasks[i].start_ms, tasks[i].end_ms);
	}
	fclose(f);
	f = create(folder, "manifest");
	fprintf(f, "scheduler: %s\ncommand: ./program --size 3\n", scheduler);
	fclose(f);
}

#define RECORD(folder, tasks, scheduler) record(folder, tasks, sizeof(tasks) / sizeof(*(tasks)), scheduler)

/* DIR/config.xml for DIR/run; the trials end with an empty name, times are in ms. */
struct given {
	const char *policy, *chosen;
	int cpus; /* of StarPU's environment; 0: all */
	struct {
		const char *name, *source;
		double ms;
	} trials[6];
};

static int nplans; /* of the configs that are made */

static void configure_as(const struct given *g, const char *file)
{
	char *path = ht_asprintf("%s/%s", dir, file), *run_path = ht_asprintf("%s/run", dir);
	struct ht_err err = {""};
	struct run *run = run_open(run_path, &err);
	struct config *c = run ? config_from_dag(run->dag, run->machine, &err) : NULL;
	struct config_trial trials[6];
	uint32_t hash[] = {1};
	int32_t rank[] = {1};
	struct config_plan plan = {.ntasks = 1, .hash = hash, .rank = rank, .longest_us = 1};

	if (c) {
		c->policy = g->policy;
		c->chosen = g->chosen;
		c->starpu_env.value[STARPU_ENV_CPUS] = g->cpus;
		c->trials = trials;
		for (; c->ntrials < 6 && g->trials[c->ntrials].name; c->ntrials++)
			trials[c->ntrials] = (struct config_trial){g->trials[c->ntrials].name,
			                                           g->trials[c->ntrials].source,
			                                           llround(g->trials[c->ntrials].ms * 1e6)};
		c->plans = &plan;
		c->nplans = nplans;
		CHECK_INT(config_save(c, path, &err), 0);
	}
	CHECK_STR(err.text, "");
	config_free(c);
	run_free(run);
	free(path);
	free(run_path);
}

static void configure(const struct given *g)
{
	configure_as(g, "config.xml");
}

/* What is printed, every line break and indentation being one space; free() it. */
static char *verdict(void)
{
	char *text = NULL;
	size_t size, n = 0;
	FILE *f = open_memstream(&text, &size);
	struct ht_err err = {""};

	CHECK_INT(verdict_print(dir, f, &err), 0);
	CHECK_STR(err.text, "");
	fclose(f);
	for (const char *s = text; *s; s++)
		if (!isspace((unsigned char)*s))
			text[n++] = *s;
		else if (n && text[n - 1] != ' ')
			text[n++] = ' ';
	text[n] = '\0';
	return text;
}

static void says(const struct given *g, const char *sentence)
{
	char *text;

	configure(g);
	text = verdict();
	CHECK_HAS(text, sentence);
	free(text);
}

/* What is proposed is said first, and the command for it last: a library's, or variables alone. */
static void proposals(void)
{
	struct given g = {"heteroprio",
	                  "PRWS",
	                  0,
	                  {{CONFIG_TRIAL_RECORDED_ORDER, "replay", 30},
	                   {"PRWS", "replay", 24},
	                   {"dmdas", "replay", 27}}};
	char *use = ht_asprintf(" use it heterotune run '%s/config.xml' -- ./program --size 3 ", dir);

	RECORD("run", idle, "dmda");
	says(&g, "verdict use Heteroprio with 2 buckets by codelet: replays say 24.0 ms instead of 30.0 ms, 20 % less; "
	         "--verify measures that STARPU_SCHED=dmdas alone: replays say 27.0 ms, 10 % less recorded ");
	says(&g, use);
	g.policy = g.chosen = "dmdas";
	says(&g, "verdict use STARPU_SCHED=dmdas: replays say 27.0 ms instead of 30.0 ms, 10 % less; on a real "
	         "machine replays are sometimes that far off: --verify measures it recorded ");
	says(&g, " tried 2 candidates in replays: the simplest of the fastest is STARPU_SCHED=dmdas Heteroprio with 2 "
	         "buckets by codelet, its best setting, is not clearly faster ");
	says(&g, " use it STARPU_SCHED=dmdas ./program --size 3 ");
	g.cpus = 1;
	says(&g, " startup STARPU_NCPU=1 ");
	says(&g, " use it STARPU_SCHED=dmdas STARPU_NCPU=1 ./program --size 3 ");
	free(use);
}

/* What two sizes gain together is said with what to use, and not where nothing is to be used. */
static void sizes(void)
{
	struct given g = {"dmdas",
	                  "dmdas",
	                  0,
	                  {{CONFIG_TRIAL_RECORDED_ORDER, "replay", 30},
	                   {"dmdas", "replay", 27},
	                   {"run-1", "recorded", 30},
	                   {"run-1", "predicted", 27},
	                   {"run-2", "recorded", 60},
	                   {"run-2", "predicted", 54}}};
	char *text;

	RECORD("run", idle, "dmda");
	says(&g,
	     "10 % less; on a real machine replays are sometimes that far off: --verify measures it over all sizes -10.0 % (below) recorded ");
	g.trials[5].ms = 70;
	configure(&g);
	text = verdict();
	CHECK_HAS(text, "verdict keep dmda: of 1 candidate replayed none is clearly faster over all sizes recorded ");
	CHECK_HAS(text, " sizes size recorded as it is, replayed the config, replayed change 1 30.0 ms - 27.0 ms "
	                "-10.0 % 2 60.0 ms - 70.0 ms +16.7 % ");
	free(text);
}

/* A plan is of one size: how others have one is said where no sizes were asked for. */
static void other_sizes(void)
{
	struct given g = {"placement",
	                  "placement",
	                  0,
	                  {{CONFIG_TRIAL_RECORDED_ORDER, "replay", 30},
	                   {"dmda", "replay", 30},
	                   {"placement", "replay", 20}}};
	char *text;

	RECORD("run", idle, "dmda");
	nplans = 1;
	g.policy = "heteroprio";
	says(&g, " sizes the config is planned for this one; ");
	nplans = 0;
	configure(&g);
	text = verdict();
	CHECK(!strstr(text, " sizes "));
	free(text);
	g.policy = "placement";
	says(&g,
	     " sizes the config is planned for this one; for others, too: auto --sizes, and --plan where they take long ");
	g.trials[3].name = "run-1";
	g.trials[3].source = "recorded";
	g.trials[3].ms = 30;
	g.trials[4].name = "run-1";
	g.trials[4].source = "predicted";
	g.trials[4].ms = 20;
	configure(&g);
	text = verdict();
	CHECK_HAS(text, " sizes size recorded ");
	CHECK(!strstr(text, "the config is planned for this one"));
	free(text);
}

/* Nothing is to be used then. */
static void nothing_to_do(void)
{
	struct given g = {"dmda", "dmda", 0, {{CONFIG_TRIAL_RECORDED_ORDER, "replay", 30}, {"dmda", "replay", 30}}};
	char *text, *check;

	RECORD("run", idle, "dmda");
	configure(&g);
	text = verdict();
	CHECK_HAS(text, "verdict keep dmda: of 1 candidate replayed none is clearly faster recorded ");
	CHECK(strstr(text, "use it") == NULL);
	check = ht_asprintf(" limits it: heterotune check '%s/run' ", dir);
	CHECK_HAS(text, " next run the program as it is; --verify runs it under the best candidates, too; this lists ");
	CHECK_HAS(text, check);
	free(text);
	RECORD("run", loaded, "dmda");
	g.policy = g.chosen = "dmdas";
	g.trials[1].name = "dmdas";
	g.trials[1].ms = 20;
	configure(&g);
	text = verdict();
	CHECK_HAS(text, "verdict nothing to gain: the run takes 20.0 ms, 1.00 times the least that any schedule of its "
	                "tasks can take recorded ");
	CHECK(strstr(text, "use it") == NULL);
	CHECK_HAS(text, " next run the program as it is; this lists what else limits it: ");
	CHECK_HAS(text, check);
	free(text);
	free(check);
}

static void put(const char *name, const char *text)
{
	FILE *f = create(".", name);

	fputs(text, f);
	fclose(f);
}

static void measure(const char *times)
{
	put("measured.tsv", times);
}

/* All lines but those that are to be copied. */
static void fits_a_terminal(void)
{
	char *text = NULL;
	size_t size, n;
	FILE *f = open_memstream(&text, &size);

	CHECK_INT(verdict_print(dir, f, NULL), 0);
	fclose(f);
	for (const char *line = text; *line; line += n + (line[n] == '\n')) {
		n = strcspn(line, "\n");
		CHECK(n <= 80 || strncmp(line, "use it", 6) == 0 || memmem(line, n, "heterotune check", 16) ||
		      memmem(line, n, "heterotune compare", 18));
	}
	free(text);
}

/* What was measured outweighs what was predicted. */
static void measurements(void)
{
	const struct given g = {"heteroprio",
	                        "search-1:PRWS",
	                        0,
	                        {{CONFIG_TRIAL_RECORDED_ORDER, "replay", 35},
	                         {"search-1:PRWS", "replay", 40},
	                         {"dmdas, with a name that is long", "replay", 33},
	                         {"run", MEASURED, 34.1},
	                         {"search-1:PRWS", MEASURED, 20},
	                         {"dmdas, with a name that is long", MEASURED, 26}}};
	struct given dmdas = g, other = g;
	char *finalists = ht_asprintf("%s/" MEASURED_FINALISTS, dir), *text;

	dmdas.policy = "dmdas";
	dmdas.chosen = "dmdas, with a name that is long";
	RECORD("run", diamond, "dmda");
	CHECK_INT(dir_create(finalists, NULL), 0);
	configure(&g);
	configure_as(&g, MEASURED_FINALISTS "/1.xml");
	configure_as(&dmdas, MEASURED_FINALISTS "/2.xml");
	measure("run\tdeciding\t34000000\t34200000\t33900000\t34100000\t34150000\n"
	        "search-1:PRWS\tproposed\t20000000\t20100000\t19900000\t20000000\t20000000\n"
	        "dmdas, with a name that is long\tchoosing\t25000000\t26000000\t21000000\t30000000\t26000000\n");
	text = verdict();
	CHECK_HAS(text,
	          "verdict use Heteroprio with 3 buckets by codelet: measured 20.0 ms instead of 34.1 ms, 41 % "
	          "less replays do not hold here: Heteroprio with 3 buckets by codelet was predicted to take 40.0 "
	          "ms, and takes 20.0 ms recorded ");
	CHECK_HAS(text, "tried 2 candidates in replays, 2 of them in runs: the simplest of the fastest is Heteroprio ");
	CHECK_HAS(text, "measured in turns runs median from to change "
	                "as it is 5 34.1 ms 33.9 ms 34.2 ms "
	                "* search-1:PRWS 5 20.0 ms 19.9 ms 20.1 ms -41.3 % "
	                "STARPU_SCHED=dmdas 5 26.0 ms 21.0 ms 30.0 ms earlier "
	                "* is what the config is tuning.txt explains the names of trials "
	                "earlier: in other rounds than the others, so not to be compared "
	                "-41.3 % is significant (rank-sum test: chance is 0.008) "
	                "less than the bound: tasks took longer when they were recorded ");
	free(text);
	other.chosen = "run:PRWS";
	configure_as(&other, MEASURED_FINALISTS "/3.xml");
	measure("run\tdeciding\t34000000\t34200000\t33900000\t34100000\t34150000\n"
	        "search-1:PRWS\tproposed\t20000000\t20100000\t19900000\t20000000\t20000000\n"
	        "run:PRWS\tchoosing\t25000000\t26000000\t21000000\t30000000\t26000000\n");
	says(&g, " * search-1:PRWS 5 20.0 ms 19.9 ms 20.1 ms -41.3 % run:PRWS 5 26.0 ms ");
	measure("run\tdeciding\t34000000\t34200000\t34300000\t36000000\n"
	        "search-1:PRWS\tproposed\t33000000\t33100000\t34100000\t39000000\n");
	says(&g, " * as it is 4 34.2 ms ");
	says(&g, " * is what to keep tuning.txt explains the names of trials ");
	measure("run\tdeciding\t34000000\t34200000\t34300000\t36000000\t40000000\n"
	        "search-1:PRWS\tproposed\t33000000\t33100000\t33500000\t36500000\t39000000\n");
	says(&g, "Heteroprio with 3 buckets by codelet: -2.3 % is not significant (rank-sum test: chance is 0.421) ");
	says(&g,
	     "verdict keep dmda: the fastest candidate took 2 % less in 5 runs each, which may be chance, since runs of "
	     "one scheduler differ, too; to know, take more: --verify --runs 5 ");
	measure("run\tdeciding\t34000000\t34200000\t34300000\t36000000\t40000000\n"
	        "search-1:PRWS\tproposed\t33000000\t33100000\t33200000\t33500000\t34250000\n");
	says(&g,
	     "Heteroprio with 3 buckets by codelet: -3.2 % is not significant (rank-sum test: chance is 0.032, and 0.022 would be) ");
	measure("search-1:PRWS\tchoosing\t20000000\t20100000\n");
	says(&g, " * search-1:PRWS 2 20.1 ms 20.0 ms 20.1 ms * is what the config is tuning.txt explains the names of "
	         "trials less than the bound: tasks took longer when they were recorded files ");
	other = g;
	other.trials[2].name = "dmda";
	says(&other, "the config 40.0 ms 1.14 +21.2 % STARPU_SCHED=dmda, as it is 33.0 ms 0.94 the bound, ");
	measure("run\tdeciding\t34000000\t34200000\t34300000\t36000000\t40000000\t41000000\n"
	        "search-1:PRWS\tproposed\t131000000\t132000000\t132000000\t134000000\t134000000\t135000000\n"
	        "dmdas, with a name that is long\tchoosing\t935000\t995000\t999000\n");
	fits_a_terminal();
	text = ht_asprintf("%s/measured.tsv", dir);
	unlink(text);
	free(text);
	dir_remove(finalists);
	free(finalists);
}

/*
 * Whatever replays and runs say: the config is the run's scheduler as it is where the verdict keeps that, and what the
 * verdict proposes else.
 */
static void one_winner(void)
{
	static const char *const policies[] = {"heteroprio", "dmdas", "placement"};
	struct rng rng = {1};
	char *tuning = ht_asprintf("%s/tuning.txt", dir), *path = ht_asprintf("%s/config.xml", dir);
	int kept = 0;

	for (int i = 0; i < 90; i++) {
		const char *policy = policies[rng_below(&rng, 3)];
		struct given g = {policy,
		                  policy,
		                  0,
		                  {{CONFIG_TRIAL_RECORDED_ORDER, "replay", 0},
		                   {policy, "replay", 0},
		                   {"dmda", "replay", 0}}};
		struct ht_err err = {""};
		char *text, *chosen;
		struct config *c;
		int keeps;

		for (int k = 0; k < 3; k++)
			g.trials[k].ms = (k == 1 ? 18 : 24) + rng_real(&rng) * 6;
		if (i % 3)
			RECORD("run", idle, "dmda");
		else
			RECORD("run", loaded, "dmda");
		configure(&g);
		put("tuning.txt", "\nchosen: what tuning has printed\n");
		CHECK(verdict_settle(dir, &err) >= 0);
		CHECK_INT(verdict_settle(dir, &err), 0); /* it is settled */
		text = verdict();
		keeps = strstr(text, "verdict use ") == NULL;
		c = config_load(path, &err);
		CHECK_STR(c->policy, keeps ? "dmda" : policy);
		CHECK_STR(c->chosen, c->policy);
		CHECK(!keeps == (strstr(text, " use it ") != NULL));
		chosen = file_read(tuning, 1 << 16, NULL, &err);
		CHECK_HAS(chosen,
		          keeps ? "chosen by the verdict: STARPU_SCHED=dmda, the trial dmda\n" : "chosen: what");
		kept += keeps;
		free(chosen);
		config_free(c);
		free(text);
	}
	CHECK(kept > 35 && kept < 85); /* a third is of a run that has nothing to gain */
	unlink(tuning);
	free(tuning);
	free(path);
}

/* A config that was made where the schedule could not be replayed: why is said. */
static void no_recorded_schedule(void)
{
	const struct given g = {"heteroprio", "PRWS", 0, {{"PRWS", "replay", 26}}};
	char *text;

	RECORD("run", idle, "dmda");
	configure(&g);
	text = verdict();
	CHECK_HAS(text, "verdict use Heteroprio with 2 buckets by codelet: replays say 26.0 ms, and the run took 30.0 "
	                "ms, 13 % less; on a real machine replays are sometimes that far off: --verify measures it ");
	CHECK_HAS(text, " the recorded order cannot be replayed: the config is of another run ");
	free(text);
}

static void limits(void)
{
	const struct given g = {"heteroprio", "PRWS", 0, {{"PRWS", "replay", 28}}};

	RECORD("run", diamond, "dmda");
	says(&g, "recorded 4 tasks of 3 codelets on 2 cpu under dmda: 35.0 ms, 1.00 times the least that any "
	         "schedule takes limited by its longest chain of tasks that wait for each other: 35.0 ms, 100 % of the "
	         "run; no order of tasks takes less ");
	RECORD("run", loaded, "dmda");
	says(&g,
	     "limited by its workers' speed: with all work shared perfectly they need 20.0 ms, 100 % of the run idle: "
	     "cpu 0 % ");
	RECORD("run", idle, "dmda");
	says(&g,
	     "limited by neither its workers' speed nor its dependencies: all work shared perfectly would take 15.0 ms (50 "
	     "% of the run), the longest chain of tasks 20.0 ms (67 %) what adds most to that: workers had no task while "
	     "some were ready, 10.0 ms (33 % of the run: idle, ready) idle: cpu 50 % the chain of tasks that ended last "
	     "waited 10.0 ms (for what was not recorded) ");
}

/* What the chain of tasks is made of brings most. */
static void other_machines(void)
{
	const struct given g = {"eager",
	                        "eager",
	                        0,
	                        {{CONFIG_TRIAL_RECORDED_ORDER, "replay", 35}, {"eager", "replay", 35}}};
	char *text;

	RECORD("run", diamond, "eager");
	configure(&g);
	text = verdict();
	CHECK_HAS(text, " what if wide twice as fast on cpu: 2");
	CHECK_HAS(text, " % less; root twice as fast on cpu: 1");
	CHECK_HAS(text, " % less; more of these: heterotune compare '");
	CHECK_HAS(text, "/run --what-if tried ");
	free(text);
}

static void predictions_and_files(void)
{
	const struct given g = {"heteroprio",
	                        "PRWS",
	                        0,
	                        {{CONFIG_TRIAL_RECORDED_ORDER, "replay", 40},
	                         {"PRWS", "replay", 36},
	                         {"dmdas", "replay", 35.5},
	                         {"AutoHeteroprio", "replay", 72}}};
	char *text;

	RECORD("run", diamond, "dmda");
	fclose(create(".", "report.html"));
	configure(&g);
	text = verdict();
	CHECK_HAS(text,
	          " workers take from the first of these buckets that has a task for them: cpu root, wide, join ");
	CHECK_HAS(text, " root runs on cpu only, makes 2.00 tasks ready ");
	CHECK_HAS(
		text,
		" to bound change the recorded run 35.0 ms 1.00 recorded order, mean durations 40.0 ms 1.14 +14.3 % the "
		"config 36.0 ms 1.03 +2.9 % STARPU_SCHED=dmdas 35.5 ms 1.01 +1.4 % heteroprio, its first run 72.0 ms "
		"2.06 +105.7 % the bound, which no schedule is below 35.0 ms 1.00 change: against the recorded run; "
		"below 0 is faster the run took 35.0 ms, and its order replayed with mean durations takes 40.0 ms: "
		"durations vary, and its scheduler saw what they were one replay each, of mean durations; ");
	CHECK_HAS(text, ": report.html, config.xml ");
	CHECK(strstr(text, "measured") == NULL);
	free(text);
}

/* Its own scheduler, replayed, is no gain of a run. */
static void what_is_kept_gains_nothing(void)
{
	const struct given g = {"dmda",
	                        "dmda",
	                        0,
	                        {{CONFIG_TRIAL_RECORDED_ORDER, "replay", 35.6},
	                         {"dmda", "replay", 35.2},
	                         {"dmdas", "replay", 35.4}}};
	char *text;

	RECORD("run", diamond, "dmda");
	configure(&g);
	text = verdict();
	CHECK_HAS(text, " the recorded run 35.0 ms 1.00 -0.6 % recorded order, mean durations 35.6 ms 1.02 +1.1 % "
	                "STARPU_SCHED=dmda, as it is 35.2 ms 1.01 STARPU_SCHED=dmdas 35.4 ms 1.01 +0.6 % the bound, ");
	CHECK_HAS(text, " change: against STARPU_SCHED=dmda, as it is; below 0 is faster ");
	free(text);
}

static void missing_files_are_named(void)
{
	struct ht_err err = {""};
	char *path = ht_asprintf("%s/config.xml", dir);

	unlink(path);
	CHECK_INT(verdict_print(dir, stdout, &err), -1);
	CHECK_HAS(err.text, path);
	free(path);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 2;
	RUN(proposals);
	RUN(sizes);
	RUN(other_sizes);
	RUN(nothing_to_do);
	RUN(measurements);
	RUN(one_winner);
	RUN(no_recorded_schedule);
	RUN(limits);
	RUN(other_machines);
	RUN(predictions_and_files);
	RUN(what_is_kept_gains_nothing);
	RUN(missing_files_are_named);
	dir_remove(dir);
	return check_done();
}
