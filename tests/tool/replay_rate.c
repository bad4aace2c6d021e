/* tests/tool/replay_rate.c - tasks per second of the simulator, on a run that is already open. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usage: replay_rate RUN [POLICY...]
 *
 * Each policy (eager and heteroprio's two variants, or those that are named, with transfers) is replayed for about a
 * second; the fastest replay counts. Prints policy, tasks, tasks/s and makespan.
 */
#include <stdio.h>
#include <time.h>

#include "core/config.h"
#include "core/config_make.h"
#include "core/dag.h"
#include "core/err.h"
#include "core/machine.h"
#include "core/run.h"
#include "replay/simulate.h"
#include "sched/policy.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int rate(const struct run *r, const struct config *c, const char *name, enum simulate_transfers transfers,
                struct ht_err *err)
{
	struct simulate_options o = {.config = c, .transfers = transfers};
	double best = 1e30, start = now();
	int64_t makespan = 0;

	o.policy = policy_find(name, &o.policy_options, err);
	while (o.policy && now() - start < 1) {
		double begin = now();
		struct simulation *s = simulate(r->dag, r->machine, &o, err);

		if (!s)
			return -1;
		if (now() - begin < best)
			best = now() - begin;
		makespan = s->makespan_ns;
		simulation_free(s);
	}
	if (!o.policy)
		return -1;
	printf("replay %-26s %8u tasks %10.0f tasks/s   makespan %.1f ms\n", name, r->dag->ntasks,
	       r->dag->ntasks / best, (double)makespan / 1e6);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const usual[] = { "eager", "heteroprio", "heteroprio:variant=paper" };
	struct ht_err err;
	struct run *r = argc > 1 ? run_open(argv[1], &err) : NULL;
	struct config *c = r ? config_from_dag(r->dag, r->machine, &err) : NULL;
	int rc = !c;

	for (int i = 0; !rc && argc == 2 && i < 3; i++)
		rc = rate(r, c, usual[i], TRANSFERS_OFF, &err);
	for (int i = 2; !rc && i < argc; i++)
		rc = rate(r, c, argv[i], TRANSFERS_ON, &err);
	if (rc)
		fprintf(stderr, "replay_rate: %s\n", argc > 1 ? err.text : "usage: replay_rate RUN [POLICY...]");
	config_free(c);
	run_free(r);
	return rc;
}
