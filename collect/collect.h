/* collect/collect.h - an application run once under FxT, gathered into a run directory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_COLLECT_H
#define COLLECT_COLLECT_H

#include <stdint.h>

#include "collect/capacity.h"
#include "collect/sessions.h"

struct ht_err;
struct trace;

struct collect_options {
	char *const *argv;  /* the application, NULL-terminated */
	const char *run;    /* the directory to make; must not exist */
	int calibrate;      /* first run it until its models have enough samples */
	int retry;          /* record again with a larger buffer when events were flushed to disk during the run */
	int64_t buffer_mib; /* of FxT, at first; 0: 128 */
	int64_t limit_s;    /* for the recording; 0: none */
	int no_library;     /* the scheduler library is not loaded, so that the program runs as it does by itself */
	int whole;          /* all that the program does, also if it keeps StarPU from recording it */
	int priorities;     /* policies that take no priorities let the application give them all the same */
	int session;        /* of StarPU, to take where the program has several; 0: the longest (collect/sessions.h) */
	const char *papi;   /* names of PAPI events, separated by commas; NULL for none */
	/* A line of progress for the user, without line break. */
	void (*progress)(const char *line);
};

struct collect_result {
	int status; /* of the application */
	int64_t wall_ns;
	double others; /* the share of the cores that other programs used; NAN: not known, or it was simulated */
	int signal;    /* that has come while it ran, as of launch.h */
	int whole;     /* StarPU has recorded what the program had kept it from */
	struct sessions sessions;
	unsigned long lost_tasks; /* of sessions whose traces were overwritten */
	int lost_programs;        /* whose traces were: a script starts several */
	int left_running;         /* a process that the application has started goes on */
	char scheduler[64];       /* that it ran under; "": one of its own */
};

/*
 * The directory appears whole, under its name, after the application has ended and its trace was read; on failure there
 * is none. Returns 0 when there is a run, -1 when not; result->status is the application's own in both cases (125 and
 * up when it could not be started, launch.h).
 */
int collect_run(const struct collect_options *o, struct collect_result *result, struct ht_err *err);

/*
 * machine.xml of a run from its trace and, where `sampling` has bus files of `host`, their links, and of their
 * capacities what StarPU uses (collect/capacity.h).
 */
int collect_machine(const char *run, const struct trace *t, const char *sampling, const char *host,
                    enum capacity_limits limits, struct ht_err *err);

#endif
