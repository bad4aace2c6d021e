/* tests/unit/test_measure.c - runs in turns: a candidate is asked for by runs that did not choose it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "auto/application.h"
#include "auto/measured.h"
#include "auto/steps.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "tests/lib/check.h"

enum { LIMIT = 30, RUNS = 5, FIRST = 1 + RUNS }; /* a warm-up, and the rounds that choose */

static char dir[] = "/tmp/heterotune-measure.XXXXXX";
static int calls[2],
	later_ms;      /* of the program as it is, and under the candidate, which takes that after FIRST calls */
static int is_endless; /* the candidate: it is ended at its limit */
static int interrupted_at = -1; /* which of the candidate's calls, after it has recorded a run */

static void put(const char *name, const char *text)
{
	char *path = ht_asprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");

	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
	free(path);
}

/* In place of the library's: a run of one task, 100 ms and a bit, and 60 in the candidate's first rounds. */
int application_time(const struct application *a, const char *run, const char *size, const char *config,
                     const char *log, int64_t limit_s, struct ht_err *err)
{
	int call = calls[config != NULL]++, ms = config ? (call < FIRST ? 60 : later_ms) : 100;
	char *path = ht_asprintf("%s/%s", a->dir, run), *tasks = ht_asprintf("%s/tasks.rec", run);
	char text[256];

	(void)size, (void)log, (void)err;
	CHECK(config ? limit_s >= LIMIT && limit_s < 2 * LIMIT : limit_s == 0);
	if (config && is_endless) {
		free(tasks);
		free(path);
		return 137;
	}
	dir_remove(path);
	CHECK_INT(mkdir(path, 0777), 0);
	snprintf(text, sizeof(text),
	         "Name: a\nModel: a\nJobId: 1\nSubmitOrder: 1\nWorkerId: 0\nMemoryNode: 0\nSubmitTime: 0.0\n"
	         "StartTime: 0.0\nEndTime: %d.%d\nFootprint: 617e5fe6\nMPIRank: -1\n\n",
	         ms, call);
	put(tasks, text);
	free(tasks);
	free(path);
	return config && call == interrupted_at ? 130 : 0;
}

static void begin(int ms)
{
	static const char *const folders[] = {"run", MEASURED_FINALISTS};

	calls[0] = calls[1] = 0;
	later_ms = ms;
	CHECK(mkdtemp(dir) != NULL);
	for (int i = 0; i < 2; i++) {
		char *path = ht_asprintf("%s/%s", dir, folders[i]);

		CHECK_INT(mkdir(path, 0777), 0);
		free(path);
	}
	put("run/manifest", "scheduler: lws\n");
	put(MEASURED_FINALISTS "/1.xml",
	    "<config version=\"1\" policy=\"eager\" chosen=\"eager\" starpu=\"1.4\"><machine name=\"m\">"
	    "<workers arch=\"cpu\" count=\"2\"/></machine><bucket id=\"0\" name=\"a\" where=\"cpu\"><member codelet=\"a\"/></bucket>"
	    "<list arch=\"cpu\"><slot bucket=\"0\"/></list></config>\n");
}

/* The index of what is chosen, with the median in ms of the program as it is and of the candidate. */
static int chosen(int64_t ms[2])
{
	const struct application a = {.dir = dir};
	struct ht_err err = {""};
	struct steps steps;
	struct measured m;
	int choice;

	steps_open(&steps, dir, 1);
	CHECK_INT(measure(&a, &steps, NULL, RUNS, &err), 0);
	CHECK_STR(err.text, "");
	steps_free(&steps);
	CHECK_INT(measured_open(&m, dir, &err), 0);
	choice = m.chosen;
	for (int i = 0; i < 2; i++) {
		CHECK_INT(m.cases[i].n, i && is_endless ? 0 : RUNS);
		ms[i] = m.cases[i].median_ns / 1000000;
	}
	measured_free(&m);
	dir_remove(dir);
	return choice;
}

static void chance_is_not_confirmed(void)
{
	int64_t ms[2];

	begin(110);
	CHECK_INT(chosen(ms), 0);
	CHECK_INT(ms[0], 100);
	CHECK_INT(ms[1], 110);
	CHECK_INT(calls[1], FIRST + RUNS);
}

/* Its time is what the runs say that did not choose it. */
static void a_gain_is_confirmed(void)
{
	int64_t ms[2];

	begin(80);
	CHECK_INT(chosen(ms), 1);
	CHECK_INT(ms[1], 80);
	CHECK_INT(calls[0], FIRST + RUNS);
}

/* It is left out after its first run. */
static void an_endless_candidate_is_left_out(void)
{
	int64_t ms[2];

	begin(80);
	is_endless = 1;
	CHECK_INT(chosen(ms), 0);
	CHECK_INT(calls[1], 1);
	is_endless = 0;
}

/* What it has recorded goes, and the same command does that round again. */
static void an_interrupted_run_does_not_count(void)
{
	const struct application a = {.dir = dir};
	struct ht_err err = {""};
	struct steps steps;
	char *run;
	int64_t ms[2];

	begin(80);
	run = ht_asprintf("%s/" MEASURED_FINALISTS "/1", dir);
	interrupted_at = 3;
	steps_open(&steps, dir, 1);
	CHECK_INT(measure(&a, &steps, NULL, RUNS, &err), 130);
	steps_free(&steps);
	CHECK(!file_exists(run));
	interrupted_at = -1;
	free(run);
	calls[1] = FIRST;
	CHECK_INT(chosen(ms), 1);
	CHECK_INT(calls[1], FIRST + RUNS - 2 + RUNS);
}

int main(void)
{
	RUN(chance_is_not_confirmed);
	RUN(a_gain_is_confirmed);
	RUN(an_endless_candidate_is_left_out);
	RUN(an_interrupted_run_does_not_count);
	return check_done();
}
