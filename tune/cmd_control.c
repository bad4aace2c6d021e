/* tune/cmd_control.c - heterotune control: AutoHeteroprio's heuristics against lists found by trying all orders. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/options.h"
#include "core/base/records.h"
#include "core/base/stats.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/bound.h"
#include "core/metrics/heuristic.h"
#include "core/run/run.h"
#include "sched/policy.h"
#include "tune/search/control.h"
#include "tune/settings/config_make.h"

struct control_command {
	const char *variant, *transfers;
	int64_t seed;
	int csv, slow_factors;
};

struct control_answer {
	const struct run *run;
	struct control_lists control, settled[PUBLISHED_HEURISTICS];
	int64_t eager_ns;
	struct bounds bounds;
};

static int check_options(const struct control_command *o, struct ht_err *err)
{
	if (strcmp(o->variant, "starpu") != 0 && strcmp(o->variant, "paper") != 0)
		return ht_err_set(err, "--policy-variant is starpu or paper, found \"%s\"", o->variant);
	if (strcmp(o->transfers, "on") != 0 && strcmp(o->transfers, "off") != 0)
		return ht_err_set(err, "--transfers is on or off, found \"%s\"", o->transfers);
	return 0;
}

static int try_all(const struct control_problem *p, struct control_answer *x, struct ht_err *err)
{
	const struct simulate_options eager = {
		.policy = &policy_eager,
		.policy_options = "",
		.conditions = p->conditions,
		.transfers = p->transfers,
	};
	struct simulation *s = simulate(p->dag, p->machine, &eager, err);

	if (!s)
		return -1;
	x->eager_ns = s->makespan_ns;
	simulation_free(s);
	for (int i = 0; i < PUBLISHED_HEURISTICS; i++)
		if (control_settle(p, &published_heuristics[i], &x->settled[i], err) != 0)
			return ht_err_wrap(err, "%s", published_heuristics[i].name);
	if (control_search(p, &x->control, err) != 0)
		return -1;
	return bounds_of(&x->bounds, p->dag, p->machine,
	                 p->transfers == TRANSFERS_ON ? BOUNDS_WITH_COPIES : BOUNDS_WITHOUT_COPIES, err);
}

static double ratio(int64_t a, int64_t b)
{
	return stats_ratio((double)a, (double)b, NAN);
}

/* "gemm trsm | trsm gemm": a list an architecture, in their order. */
static char *lists_text(const struct control_answer *x, const struct control_lists *l)
{
	char *text = ht_asprintf("%s", ""), *longer;

	for (int a = 0; a < ARCH_COUNT; a++) {
		if (l->lists[a].count && *text)
			longer = ht_asprintf("%s |", text), free(text), text = longer;
		for (int i = 0; i < l->lists[a].count; i++) {
			longer = ht_asprintf("%s%s%s", text, *text ? " " : "",
			                     x->run->dag->types[l->lists[a].buckets[i]].name);
			free(text);
			text = longer;
		}
	}
	return text;
}

static const struct column columns[] = {
	{"lists", "lists of", COLUMN_TEXT, 0},
	{"makespan_ns", "makespan", COLUMN_NS, 0},
	{"bound_ns", NULL, COLUMN_NS, 0},
	{"slowdown", "slowdown", COLUMN_RATIO, COLUMN_CSV_6},
	{NULL, "to bound", COLUMN_RATIO, 0},
	{"replays", NULL, COLUMN_COUNT, 0},
	{"order", "cpu first, then the other architectures", COLUMN_TEXT, 0},
	{0},
};

static void add_row(struct records *x, const struct control_answer *c, const char *name, int64_t makespan_ns,
                    const struct control_lists *l)
{
	char *lists = l ? lists_text(c, l) : NULL;

	records_add(x, V(name), V(makespan_ns), V(c->bounds.largest_ns), V(ratio(makespan_ns, c->control.makespan_ns)),
	            V(ratio(makespan_ns, c->bounds.largest_ns)), V(l ? l->replays : 1), V(lists));
	free(lists);
}

static void print(const struct control_answer *c, int csv)
{
	struct records *x = records_create(columns);

	add_row(x, c, "control", c->control.makespan_ns, &c->control);
	for (int i = 0; i < PUBLISHED_HEURISTICS; i++)
		add_row(x, c, published_heuristics[i].name, c->settled[i].makespan_ns, &c->settled[i]);
	add_row(x, c, "eager", c->eager_ns, NULL);
	if (csv)
		records_csv(x, stdout);
	else
		records_print(x, stdout);
	records_free(x);
}

static int answer(char **words, void *options, struct ht_err *err)
{
	const struct control_command *o = options;
	struct control_answer *x = ht_alloc(1, sizeof(*x));
	char *variant = ht_asprintf("variant=%s", o->variant);
	struct control_problem p = {.policy_options = variant, .seed = (uint64_t)o->seed};
	struct config *base = NULL;
	struct run *run = NULL;
	int rc = -1;

	if (check_options(o, err) != 0)
		goto out;
	x->run = run = run_open(words[0], err);
	if (!run)
		goto out;
	base = config_from_dag(run->dag, run->machine, err);
	if (!base) {
		ht_err_wrap(err, "%s", words[0]);
		goto out;
	}
	for (int b = 0; b < base->nbuckets && !o->slow_factors; b++)
		memset(base->buckets[b].slow_factor, 0, sizeof(base->buckets[b].slow_factor));
	p.dag = run->dag;
	p.machine = run->machine;
	p.conditions = &run->conditions;
	p.base = base;
	if (strcmp(o->transfers, "on") == 0 && simulate_has_transfers(run->dag, run->machine))
		p.transfers = TRANSFERS_ON;
	if (try_all(&p, x, err) != 0) {
		ht_err_wrap(err, "%s", words[0]);
		goto out;
	}
	print(x, o->csv);
	rc = 0;
out:
	config_free(base);
	run_free(run);
	free(variant);
	free(x);
	return rc;
}

static int cmd_control_run(int argc, char **argv)
{
	struct control_command o = {.variant = "paper", .transfers = "off", .seed = 1};
	const struct option_spec specs[] = {
		{OPTION_INT, 0, "seed", &o.seed, "N", "of the lists to begin with, and of ties (default: 1)"},
		{OPTION_FLAG, 0, "slow-factors", &o.slow_factors, NULL, "with the ratios of costs as slow factors"},
		{OPTION_TEXT, 0, "policy-variant", &o.variant, "NAME",
	         "replay Heteroprio as published (paper) or as StarPU has it (starpu)"},
		{OPTION_TEXT, 0, "transfers", &o.transfers, "on|off",
	         "replay copies between memory nodes too (default: off)"},
		{OPTION_FLAG, 0, "csv", &o.csv, NULL, "as CSV"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "control",
		.synopsis = "RUN",
		.summary = "Measure heuristics against priority lists found by trying all orders.",
		.epilogue = "  heterotune control run.ht --seed 7\n",
	};
	return command_run(argc, argv, specs, &usage, &(struct command_answer){"one RUN directory", 1, 1, 0, answer},
	                   &o);
}

const struct command cmd_control = {"control", "heuristics against lists found by trying all orders", cmd_control_run};
