/* collect/sessions.h - a program that starts StarPU several times: a trace for each, and the one that is the run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_SESSIONS_H
#define COLLECT_SESSIONS_H

struct ht_err;
struct trace;

/* From starpu_init() to starpu_shutdown(). */
struct sessions {
	int count, taken; /* numbered from 1 in the order of time; count 1: there is one alone */
};

/*
 * Below the directory `run`, fxt/ has the trace of the last session, and session_1 and so on of those before, which the
 * scheduler library has kept (plugin/sessions.h). Afterwards it has that of session `wanted`, of the longest where
 * there is no such session or it is 0, and sessions/N/fxt that of each other one. -1: a trace cannot be read.
 */
int sessions_split(struct sessions *s, const char *run, int wanted, struct ht_err *err);

/* Takes sessions/ away. */
void sessions_remove(const char *run);

/*
 * Sees how often StarPU writes a trace of rank 0 into the directory: where the scheduler library is not there, each of
 * several programs that a script starts writes over the one before, whose tasks have the same numbers. A descriptor;
 * -1: that cannot be seen.
 */
int sessions_watch(const char *fxt);

/* How often it has since then; 0: not known. Ends the watch. */
int sessions_watched(int watch);

/*
 * How many tasks the program had before what the trace has of it: StarPU numbers them through all sessions, and
 * writes each trace over the one before where the scheduler library is not there (1.4.10, src/common/fxt.h). In a
 * program of one session they are those before its recording began (starpu_fxt_autostart_profiling(0)).
 */
unsigned long sessions_lost_tasks(const struct trace *t);

#endif
