/* auto/measure.c - heterotune auto --verify: the program as it is and under the finalists, run in turns. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/measure.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto/application.h"
#include "auto/measured.h"
#include "auto/steps.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/interrupt.h"
#include "tune/settings/problem_hash.h"

#define BEGUN MEASURE_STEP " begun"

enum { KILLED = 128 + SIGKILL, LEAST_LIMIT_S = 30, MOST_TIMES = 10 };

struct measuring {
	const struct application *a;
	struct steps *steps;
	struct measured m;
	const char *size, *what; /* of a round, for its progress */
	int rounds, warm_up, left_out[MEASURED_CASES];
	double took_s; /* the longest run as it is, with all that recording takes */
};

static char *run_of(int i)
{
	return ht_asprintf(MEASURED_FINALISTS "/%d", i);
}

/* Under a finalist a program may wait for ever, or take so long that it is no use to know how long. */
static int64_t limit_of(const struct measuring *x, const struct measured_case *c)
{
	return c->config && x->took_s > 0 ? (int64_t)(LEAST_LIMIT_S + MOST_TIMES * x->took_s) : 0;
}

/* One run of a case; its time counts where `counts`. The status of a program that was interrupted, else 0. */
static int run_case(struct measuring *x, int i, int counts)
{
	struct measured_case *c = &x->m.cases[i];
	char *run = run_of(i), *log = ht_asprintf("verify-%d.txt", i), *path = ht_asprintf("%s/%s", x->a->dir, run);
	struct ht_err err = {""};
	double begin = steps_now_s();
	int status = application_time(x->a, run, x->size, c->config, log, limit_of(x, c), &err);
	int64_t ns = status == 0 ? measured_run_ns(path, &err) : -1;

	if (!c->config)
		x->took_s = fmax(x->took_s, steps_now_s() - begin);
	if (ns < 0 && !interrupt_is_status(status)) {
		if (status < 0)
			fprintf(stderr, "heterotune: auto: the program was not run under %s: %s\n", c->words, err.text);
		else
			fprintf(stderr, "heterotune: auto: the program did not end well %s%s%s: see %s/%s\n",
			        c->config ? "under " : "as it is", c->config ? c->words : "",
			        status == KILLED ? " in the time that it may take" : "", x->a->dir, log);
		x->left_out[i] = 1;
		c->n = 0;
	} else if (counts && ns >= 0) {
		c->ns[c->n++] = ns;
	}
	if (interrupt_is_status(status)) /* whatever it has recorded is not of a whole run */
		dir_remove(path);
	free(run);
	free(log);
	free(path);
	return interrupt_is_status(status) ? status : 0;
}

/* Each round begins with another case, so that none always comes after the same. */
static int run_round(struct measuring *x, int round)
{
	char text[64];

	for (int k = 0; k < x->m.count; k++) {
		int i = (k + round) % x->m.count, status;

		if (round < 0)
			i = k;
		snprintf(text, sizeof(text), round < 0 ? "warm-up" : "%sround %d of %d", x->what, round + 1, x->rounds);
		progress_bar(&x->steps->line,
		             (double)((round < 0 ? 0 : round) * x->m.count + k) / (x->rounds * x->m.count), text);
		status = x->left_out[i] ? 0 : run_case(x, i, round >= 0);
		progress_clear(&x->steps->line);
		if (status)
			return status;
	}
	return 0;
}

/* Rounds from those that are done on until there are `rounds`; what has no times of them has failed, or no part. */
static int run_rounds(struct measuring *x, int rounds, struct ht_err *err)
{
	int done = measured_rounds_done(&x->m), status = 0;

	x->rounds = rounds;
	x->what = x->m.proposed < 0 ? "" : "deciding, ";
	for (int i = 0; i < x->m.count; i++)
		x->left_out[i] = !measured_is_part(&x->m, i) || x->m.cases[i].n < done;
	for (int round = done || x->m.proposed >= 0 ? done : -x->warm_up; round < rounds && !status; round++) {
		status = run_round(x, round);
		if (!status && round >= 0 && measured_write(&x->m, err) != 0)
			return -1;
	}
	return status;
}

/* Until the times decide; a round in which all fail ends it, too. */
static int run_stages(struct measuring *x, int runs, struct ht_err *err)
{
	int status = 0, rounds = measured_rounds(&x->m, runs);

	while (!status && measured_rounds_done(&x->m) < rounds) {
		status = run_rounds(x, rounds, err);
		if (measured_rounds_done(&x->m) < rounds)
			break;
		rounds = measured_rounds(&x->m, runs);
	}
	measured_compare(&x->m);
	return status;
}

/* The last run of the choice is DIR/verified. */
static int keep_run(const struct measuring *x, struct ht_err *err)
{
	char *run = run_of(x->m.chosen), *from = ht_asprintf("%s/%s", x->a->dir, run);
	char *to = ht_asprintf("%s/" MEASURED_VERIFIED, x->a->dir);
	int rc = 0;

	dir_remove(to);
	if (rename(from, to) != 0)
		rc = ht_err_set(err, "%s: cannot be renamed: %s", from, strerror(errno));
	free(run);
	free(from);
	free(to);
	return rc;
}

/* Of the rounds, the finalists, and the run they come from. */
static uint64_t key_of(const struct measured *m, int runs)
{
	uint64_t h = problem_hash(problem_hash_begin(), &runs, sizeof(runs));

	for (int i = 0; i < m->count; i++) {
		char *path = ht_asprintf("%s/%s", m->dir, m->cases[i].config ? m->cases[i].config : "run");
		uint64_t input = steps_fingerprint(path);

		h = problem_hash(h, &input, sizeof(input));
		free(path);
	}
	return h;
}

static int run_all(struct measuring *x, int runs, uint64_t key, struct ht_err *err)
{
	int status;

	if (!steps_is_done(x->steps, BEGUN, key))
		measured_begin(&x->m);
	if (steps_put(x->steps, BEGUN, key, err) != 0)
		return -1;
	steps_begin(x->steps, MEASURE_STEP, 0);
	status = run_stages(x, runs, err);
	if (status)
		return status;
	if (x->m.chosen < 0)
		return ht_err_set(err, "the program ended well neither as it is nor under a finalist");
	if (measured_settle(&x->m, err) != 0 || keep_run(x, err) != 0)
		return -1;
	return steps_end(x->steps, MEASURE_STEP, key, err);
}

int measure(const struct application *a, struct steps *steps, const char *size, int runs, struct ht_err *err)
{
	struct measuring x = {.a = a, .steps = steps, .size = size, .what = "", .warm_up = 1};
	int status = measured_open(&x.m, a->dir, err);
	uint64_t key = status == 0 ? key_of(&x.m, runs) : 0;

	for (int i = 0; status == 0 && i < x.m.cases[0].n; i++) /* of rounds before an interruption */
		x.took_s = fmax(x.took_s, 1e-9 * (double)x.m.cases[0].ns[i]);
	if (x.m.simulated) {
		runs = 1;
		x.warm_up = 0;
	}
	if (status == 0 && steps_is_done(steps, MEASURE_STEP, key))
		steps_keep(steps, MEASURE_STEP, "as before");
	else if (status == 0)
		status = run_all(&x, runs, key, err);
	measured_free(&x.m);
	return status;
}
