/* replay/what_if.h - what a run would take if something were otherwise: machine, copies, submission, a kernel. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_WHAT_IF_H
#define REPLAY_WHAT_IF_H

#include <stddef.h>
#include <stdint.h>

struct config;
struct ht_err;
struct run;

enum { WHAT_IF_TEXT = 96 };

struct what_if {
	char what[WHAT_IF_TEXT]; /* "one more cuda worker", "gemm twice as fast on cuda" */
	int64_t makespan_ns;
	double gain,
		error; /* the mean share of the makespan that it saves over the replications, and its standard error */
};

/* Each change by itself, the largest gain first; equal ones in the order in which they are tried. */
struct what_ifs {
	struct what_if *items;
	size_t count, cap;
	int64_t base_ns; /* nothing changed; the mean, as all makespans */
};

/*
 * Replays the run as the config has it, or under `policy` ("dmda:beta=3") where that is not NULL, WHAT_IF_REPLICATIONS
 * times with durations that vary as recorded, or by 2 % at least, and so for each change: one worker more of each
 * architecture; one CPU worker less, half of them; copies that take no time; other pipelines; no prefetch; all tasks
 * submitted at once; and each of the types that take most of the time twice as fast where it does. A change that cannot
 * be replayed, or that changes nothing that is timed, has no item. -1 with the sentence where the run itself cannot be.
 * what_ifs_fini() in any case.
 */
enum { WHAT_IF_REPLICATIONS = 5 };
int what_ifs_make(struct what_ifs *x, const struct run *run, const struct config *c, const char *policy,
                  struct ht_err *err);
void what_ifs_fini(struct what_ifs *x);

/* Whether replays show that it saves time: by more than twice the standard error, and by `least` at least. */
int what_if_is_gain(const struct what_if *w, double least);

#endif
