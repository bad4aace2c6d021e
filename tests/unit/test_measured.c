/* tests/unit/test_measured.c - what runs say of the program as it is and of the finalists, and which is taken. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auto/measured_text.h"
#include "core/base/rng.h"
#include "core/config/config.h"
#include "tests/lib/check.h"

/* A case of n runs, in ms. */
static void add(struct measured *m, const char *name, enum config_effort effort, const int *ms, int n)
{
	struct measured_case *c = &m->cases[m->count++];

	*c = (struct measured_case){
		.name = (char *)name, .words = (char *)name, .effort = effort, .predicted_ns = -1, .n = n};
	for (int i = 0; i < n; i++)
		c->ns[i] = (int64_t)ms[i] * 1000000;
}

static const int slow[] = {105, 104, 103, 107, 106}, fast[] = {90, 91, 92, 93, 94}, wide[] = {80, 120, 95, 88, 130},
		 near[] = {93, 94, 95, 96, 92};

/* The rounds that decide, of cases that have had the same times in those that chose. */
static void decide(struct measured *m, int n)
{
	struct measured again = *m;

	CHECK_INT(measured_rounds(m, n), n);
	CHECK_INT(measured_rounds_done(m), 0);
	for (int i = 0; i < m->count; i++)
		if (measured_is_part(m, i))
			m->cases[i] = again.cases[i],
			m->cases[i].role = i == m->proposed ? MEASURED_PROPOSED : MEASURED_BESIDE;
	measured_compare(m);
}

static void the_simplest_that_is_not_clearly_slower_is_taken(void)
{
	struct measured m = {.proposed = -1};

	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 5);
	add(&m, "placement", CONFIG_EFFORT_OWN, fast, 5);
	add(&m, "buckets", CONFIG_EFFORT_BUCKETS, near, 5);
	add(&m, "dmdas", CONFIG_EFFORT_SCHED, slow, 5);
	measured_compare(&m);
	CHECK_INT(m.fastest, 1);
	CHECK_INT(m.chosen, 0); /* the runs that choose are not those that decide */
	CHECK_INT(m.cases[0].median_ns, 105000000);
	CHECK_INT(m.cases[0].low_ns, 103000000);
	CHECK_INT(m.cases[0].high_ns, 107000000);
	CHECK_NEAR(measured_chance(&m.cases[0], &m.cases[1]), 2.0 / 252, 1e-9);
	CHECK(!m.cases[0].level);
	/* 94 is more than 1 % above 92, but its runs do not show it. */
	CHECK(m.cases[2].level);
	decide(&m, 5);
	CHECK_INT(m.proposed, 1);
	CHECK_INT(m.chosen, 2);
	CHECK_INT(measured_rounds(&m, 5), 5); /* it is decided */
	CHECK(!measured_is_part(&m, 3));
	CHECK_INT(m.cases[3].n, 5);
}

/* What is level with the fastest, and with the program as it is as well, is no reason for a change. */
static void what_is_level_with_both_is_not_taken(void)
{
	struct measured m = {.proposed = -1};

	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 5);
	add(&m, "placement", CONFIG_EFFORT_OWN, fast, 5);
	add(&m, "eager", CONFIG_EFFORT_SCHED, wide, 5);
	measured_compare(&m);
	CHECK(m.cases[2].level);
	decide(&m, 5);
	CHECK_INT(m.chosen, 1);
	/* It is where the program as it is does not run. */
	m.cases[0].n = 0;
	measured_compare(&m);
	CHECK_INT(m.chosen, 2);
}

/* A gain that five runs do not show is looked at with ten, and with fifteen; then it is none. */
static void more_runs_where_five_do_not_decide(void)
{
	static const int before[] = {199, 227, 214, 205, 220, 210, 216, 222, 203, 218, 212, 209, 225, 201, 215},
			 after[] = {184, 216, 192, 188, 212, 190, 196, 201, 189, 194, 210, 187, 193, 205, 191};
	struct measured m = {.proposed = -1};

	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, before, 5);
	add(&m, "dmdar", CONFIG_EFFORT_KNOBS, after, 5);
	decide(&m, 5);
	CHECK_INT(m.chosen, 0);
	CHECK_INT(measured_rounds(&m, 5), 10);
	m.cases[0].n = 7; /* gone on with where it was */
	m.cases[1].n = 7;
	CHECK_INT(measured_rounds(&m, 5), 10);
	m.count = 0;
	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, before, 10);
	add(&m, "dmdar", CONFIG_EFFORT_KNOBS, after, 10);
	m.cases[0].role = MEASURED_BESIDE;
	m.cases[1].role = MEASURED_PROPOSED;
	CHECK_INT(measured_rounds(&m, 5), 10);
	CHECK_INT(m.chosen, 1);
	m.count = 0;
	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, wide, 5);
	add(&m, "dmdar", CONFIG_EFFORT_KNOBS, near, 5);
	m.cases[0].role = MEASURED_BESIDE;
	m.cases[1].role = MEASURED_PROPOSED;
	CHECK_INT(measured_rounds(&m, 5), 5); /* 95 and 94: no gain */
	m.cases[0].ns[3] = m.cases[0].ns[2] = 100000000;
	CHECK_INT(measured_rounds(&m, 5), 10);
	CHECK_INT(measured_rounds(&m, 2), 5 + 1);
	m.cases[0].n = m.cases[1].n = 3;
	CHECK_INT(measured_rounds(&m, 1), 3);
}

/* A run of 100 ms, times `factor`, whose times vary by a tenth, and now and then by half. */
static int64_t draw(struct rng *rng, double factor)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += rng_real(rng);
	return (int64_t)(1e8 * factor * (1 + 0.1 * (sum - 6) / 2 + (rng_real(rng) < 0.1 ? 0.5 * rng_real(rng) : 0)));
}

/* How many of `programs` change, each with candidates that take these times of the program as it is. */
static int changes(const double factors[MEASURED_CASES], int runs, int programs)
{
	struct rng rng = {(uint64_t)runs};
	int changed = 0;

	for (int k = 0; k < programs; k++) {
		struct measured m = {.proposed = -1};
		int rounds;

		for (int i = 0; i < MEASURED_CASES; i++)
			add(&m, "", i ? CONFIG_EFFORT_SCHED : CONFIG_EFFORT_NONE, NULL, 0);
		while (rounds = measured_rounds(&m, runs), measured_rounds_done(&m) < rounds)
			for (int i = 0; i < m.count; i++)
				while (measured_is_part(&m, i) && m.cases[i].n < rounds)
					m.cases[i].ns[m.cases[i].n++] = draw(&rng, factors[i]);
		changed += m.chosen > 0;
	}
	return changed;
}

/* Of programs that nothing can be gained for, at most one in twenty is changed, however often one looks. */
static void what_is_no_gain_is_seldom_taken(void)
{
	static const double same[MEASURED_CASES] = {1, 1, 1, 1, 1, 1};

	CHECK(changes(same, 2, 1000) <= 1000 / 20);
	CHECK(changes(same, 5, 1000) <= 1000 / 20);
	CHECK(changes(same, 10, 400) <= 400 / 20);
}

static void what_is_a_gain_is_mostly_taken(void)
{
	static const double faster[MEASURED_CASES] = {1, 1, 0.85, 1, 0.95, 1};

	CHECK(changes(faster, 3, 1000) >= 1000 * 8 / 10);
	CHECK(changes(faster, 5, 1000) >= 1000 * 95 / 100);
}

/* Three runs cannot show a difference, however large: nothing is changed for it. */
static void few_runs_show_nothing(void)
{
	struct measured m = {.proposed = -1};

	CHECK_INT(measured_least_runs(), 5);
	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 3);
	add(&m, "dmdas", CONFIG_EFFORT_SCHED, fast, 3);
	decide(&m, 3);
	CHECK_INT(m.fastest, 1);
	CHECK_INT(m.chosen, 0);
	/* But where StarPU only simulates, one run is as good as many. */
	m.proposed = -1;
	m.simulated = 1;
	m.cases[0].n = m.cases[1].n = 1;
	CHECK_INT(measured_rounds(&m, 1), 1);
	CHECK_INT(m.chosen, 1);
	/* Less than 2 % is no difference there either. */
	m.cases[0].ns[0] = m.cases[1].ns[0] + m.cases[1].ns[0] / 51;
	measured_compare(&m);
	CHECK_INT(m.chosen, 0);
}

/* A gain of 0.13 ms is nothing that runs of a program can show, however many; simulated runs can. */
static void what_is_too_short_is_no_gain(void)
{
	struct measured m = {.proposed = -1};

	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 5);
	add(&m, "dmdas", CONFIG_EFFORT_SCHED, fast, 5);
	for (int i = 0; i < 5; i++) {
		m.cases[0].ns[i] /= 100; /* 1.05 ms, and 0.92 */
		m.cases[1].ns[i] /= 100;
	}
	CHECK_INT(measured_rounds(&m, 5), 5);
	CHECK_INT(m.proposed, -1);
	CHECK_INT(m.chosen, 0);
	CHECK_INT(measured_too_short(&m), 1050000 - 920000);
	m.simulated = 1;
	measured_compare(&m);
	CHECK_INT(m.chosen, 1);
	CHECK_INT(measured_too_short(&m), 0);
	/* What is no gain is not too short, either, and what is long enough is looked at. */
	m.simulated = 0;
	memcpy(m.cases[1].ns, m.cases[0].ns, sizeof(m.cases[1].ns));
	measured_compare(&m);
	CHECK_INT(measured_too_short(&m), 0);
	for (int i = 0; i < 5; i++)
		m.cases[1].ns[i] -= MEASURED_LEAST_NS;
	CHECK_INT(measured_rounds(&m, 5), 5);
	CHECK_INT(m.proposed, 1);
}

static void what_failed_is_out(void)
{
	struct measured m = {.proposed = -1};

	measured_compare(&m);
	CHECK_INT(m.chosen, -1);
	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 0);
	add(&m, "dmdas", CONFIG_EFFORT_SCHED, slow, 5);
	measured_compare(&m);
	CHECK_INT(m.chosen, 1);
	CHECK_INT(measured_surprise(&m), -1);
}

static void predictions_that_are_off_are_found(void)
{
	struct measured m = {.proposed = -1};

	add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, slow, 5);
	add(&m, "buckets", CONFIG_EFFORT_BUCKETS, fast, 5);
	add(&m, "dmdas", CONFIG_EFFORT_SCHED, wide, 5);
	m.cases[0].predicted_ns = 95000000; /* 10 % */
	m.cases[2].predicted_ns = 70000000; /* 36 %, where runs differ by 62 % */
	measured_compare(&m);
	CHECK_INT(measured_surprise(&m), -1);
	m.cases[1].predicted_ns = 30000000;
	CHECK_INT(measured_surprise(&m), 1);
	m.cases[0].predicted_ns = 900000000;
	CHECK_INT(measured_surprise(&m), 0);
}

/* An order that its durations have made is none for mean durations: it predicts nothing of another run. */
static void an_order_of_its_durations_is_no_prediction(void)
{
	struct config_trial trials[] = {{CONFIG_TRIAL_RUN, "recorded", 352000000},
	                                {CONFIG_TRIAL_RECORDED_ORDER, "replay", 455000000}};
	const struct config c = {.trials = trials, .ntrials = 2};

	CHECK_INT(measured_predicted(&c), -1);
	trials[1].makespan_ns = 330000000;
	CHECK_INT(measured_predicted(&c), 330000000);
	trials[0].name = "eager";
	CHECK_INT(measured_predicted(&c), 330000000);
	trials[1].name = "dmda";
	CHECK_INT(measured_predicted(&c), -1);
}

/* Six runs hold the median in 96.9 % of all cases, and five in 93.8 %. */
static void six_runs_have_an_interval(void)
{
	static const int ms[] = {105, 104, 103, 107, 106, 108};

	for (int n = 5; n <= 6; n++) {
		struct measured m = {.proposed = -1};
		char *text = NULL;
		size_t size;
		FILE *f;

		add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, ms, n);
		add(&m, "dmdas", CONFIG_EFFORT_SCHED, ms, n);
		measured_compare(&m);
		f = open_memstream(&text, &size);
		measured_print(&m, f);
		fclose(f);
		CHECK(!strstr(text, "95 %: from") == (n < 6));
		free(text);
	}
}

/* A program in two modes has a median that says how often it was in each. */
static void runs_of_two_kinds_are_named(void)
{
	static const int modes[] = {120, 84, 121, 85, 83, 84}, alone[] = {120, 84, 85, 83, 84, 86},
			 close[] = {90, 84, 91, 85, 83, 84}, spread[] = {120, 84, 100, 85, 110, 84};
	static const struct {
		const int *ms;
		int simulated;
		const char *says;
	} cases[] = {{modes, 0, "as it is has two speeds: 4 runs of about 84.0 ms, 2 of about 121 ms;"},
	             {modes, 1, NULL},
	             {alone, 0, NULL},
	             {close, 0, NULL},
	             {spread, 0, NULL}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct measured m = {.proposed = -1, .simulated = cases[i].simulated};
		char *text = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		add(&m, CONFIG_TRIAL_RUN, CONFIG_EFFORT_NONE, cases[i].ms, 6);
		add(&m, "dmdas", CONFIG_EFFORT_SCHED, cases[i].ms, 6);
		measured_compare(&m);
		measured_print(&m, f);
		fclose(f);
		if (cases[i].says)
			CHECK_HAS(text, cases[i].says);
		else
			CHECK(!strstr(text, "two speeds"));
		free(text);
	}
}

int main(void)
{
	RUN(the_simplest_that_is_not_clearly_slower_is_taken);
	RUN(what_is_level_with_both_is_not_taken);
	RUN(more_runs_where_five_do_not_decide);
	RUN(what_is_no_gain_is_seldom_taken);
	RUN(what_is_a_gain_is_mostly_taken);
	RUN(few_runs_show_nothing);
	RUN(what_is_too_short_is_no_gain);
	RUN(what_failed_is_out);
	RUN(predictions_that_are_off_are_found);
	RUN(an_order_of_its_durations_is_no_prediction);
	RUN(six_runs_have_an_interval);
	RUN(runs_of_two_kinds_are_named);
	return check_done();
}
