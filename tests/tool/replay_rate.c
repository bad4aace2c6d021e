/* tests/tool/replay_rate.c - tasks per second and bytes per task of the simulator, on a run that is already open. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usage: replay_rate [--transfers=off] RUN [POLICY...]
 *
 * Each policy (eager and heteroprio's two variants without transfers, or those that are named, with them) is replayed
 * for about a second; the fastest replay counts. Prints policy, tasks, tasks/s, makespan, what the first replay
 * added to the memory in use at its peak, and with transfers how many copies over links a task has. A policy that
 * refuses the graph is named with its reason.
 */
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/err.h"
#include "core/config/config.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "replay/memory/network.h"
#include "replay/sim/simulate.h"
#include "sched/policy.h"
#include "tune/settings/config_make.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Of /proc/self/status, in KiB. */
static double status_kib(const char *name)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[128];
	double kib = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, name, strlen(name)))
			sscanf(line + strlen(name), "%lf", &kib);
	}
	if (f)
		fclose(f);
	return kib;
}

/* What is in use, from which the peak is counted. */
static double reset_peak_kib(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");

	malloc_trim(0);
	if (f) {
		fputs("5", f);
		fclose(f);
	}
	return status_kib("VmRSS:");
}

static double links_used(const struct simulation *s)
{
	double times = 0;

	for (int i = 0; i < s->nlinks; i++)
		times += (double)s->links[i].transfers;
	return times;
}

static void rate(const struct run *r, const struct config *c, const char *name, enum simulate_transfers transfers)
{
	struct simulate_options o = {.config = c, .conditions = &r->conditions, .transfers = transfers};
	double best = 1e30, start = now(), used = reset_peak_kib(), peak = 0;
	struct ht_err err;
	int64_t makespan = 0;
	double copies = 0;

	o.policy = policy_find(name, &o.policy_options, &err);
	while (o.policy && now() - start < 1) {
		double begin = now();
		struct simulation *s = simulate(r->dag, r->machine, &o, &err);

		peak = peak > 0 ? peak : status_kib("VmHWM:");
		if (!s)
			break;
		if (now() - begin < best)
			best = now() - begin;
		makespan = s->makespan_ns;
		copies = links_used(s) / r->dag->ntasks;
		simulation_free(s);
	}
	if (best < 1e30) {
		printf("replay %-26s %8u tasks %10.0f tasks/s   makespan %.1f ms   %.0f bytes/task", name,
		       r->dag->ntasks, r->dag->ntasks / best, (double)makespan / 1e6,
		       (peak - used) * 1024 / r->dag->ntasks);
		if (transfers == TRANSFERS_ON)
			printf("   %.2f copies/task", copies);
		puts("");
	} else {
		printf("replay %-26s %8u tasks: %s\n", name, r->dag->ntasks, err.text);
	}
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"eager", "heteroprio", "heteroprio:variant=paper"};
	int off = argc > 1 && !strcmp(argv[1], "--transfers=off");
	struct ht_err err;
	struct run *r = argc > off + 1 ? run_open(argv[off + 1], &err) : NULL;
	struct config *c = r ? config_from_dag(r->dag, r->machine, &err) : NULL;

	for (int i = 0; c && argc == off + 2 && i < 3; i++)
		rate(r, c, usual[i], TRANSFERS_OFF);
	for (int i = off + 2; c && i < argc; i++)
		rate(r, c, argv[i], off ? TRANSFERS_OFF : TRANSFERS_ON);
	if (!c)
		fprintf(stderr, "replay_rate: %s\n",
		        argc > off + 1 ? err.text : "usage: replay_rate [--transfers=off] RUN [POLICY...]");
	config_free(c);
	run_free(r);
	return !c;
}
