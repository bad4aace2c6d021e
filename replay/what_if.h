/* replay/what_if.h - options that replay, compare and tune share: another machine, submission, copies. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_WHAT_IF_H
#define REPLAY_WHAT_IF_H

#include "core/base/options.h"
#include "replay/sim/simulate.h"

struct dag;
struct ht_err;
struct machine;

/* As given; NULL: not given. replay/target.h and replay/submission.h say what the texts mean. */
struct what_if {
	const char *machine, *scale, *capacity; /* of target_open() */
	const char *submission;                 /* "recorded" when not given */
	const char *transfers;                  /* on, off; NULL: on where there is anything to time */
};

/* For the table of a command; `w` is a struct what_if. */
#define WHAT_IF_OPTIONS(w) \
	{OPTION_TEXT, 0, "machine", &(w).machine, "MACHINE", "another machine: a file, or \"cuda:4 cpu:20\""}, \
		{OPTION_TEXT,      0, \
	         "scale",          &(w).scale, \
	         "ARCH=COUNT,...", "other numbers of workers: copies of those there are, with their memory and links"}, \
		{OPTION_TEXT,     0, \
	         "capacity",      &(w).capacity, \
	         "ARCH=SIZE,...", "another size of the memory of each device of an architecture, such as cuda=600M"}, \
		{OPTION_TEXT, \
	         0, \
	         "submission", \
	         &(w).submission, \
	         "WHEN", \
	         "tasks are submitted as in the run (recorded), all at once (none), or at most N at a time (window=N)"}, \
	{ \
		OPTION_TEXT, 0, "transfers", &(w).transfers, "on|off", \
			"copies between memory nodes take time; on where the machine has links and tasks read data" \
	}

/* Submission and transfers: -1 with the sentence. What is wrong with a machine target_open() says. */
int what_if_check(const struct what_if *w, struct ht_err *err);

/* 1: any of them is given and asks for something else than the run. */
int what_if_asks(const struct what_if *w);

/* What `transfers` comes to on a graph and a machine. */
enum simulate_transfers what_if_transfers(const struct what_if *w, const struct dag *d, const struct machine *m);

#endif
