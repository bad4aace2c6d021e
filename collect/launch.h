/* collect/launch.h - start a program with changes to its environment, wait for it, and say how it ended. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_LAUNCH_H
#define COLLECT_LAUNCH_H

#include <stdint.h>

struct ht_err;

/* A change to the environment the program gets; this program's own is left alone. */
struct launch_var {
	const char *name;
	const char *value; /* NULL: the variable is removed */
};

struct launch {
	char *const *argv;             /* NULL-terminated; argv[0] is looked up on PATH when it has no slash */
	const struct launch_var *vars; /* the last entry has name NULL; vars may be NULL. A later entry wins */
	const char *dir;               /* working directory; NULL: the caller's */
	const char *output;            /* file for standard output and error, appended to; NULL: the caller's */
	int64_t limit_s;               /* then it and all below it get SIGTERM, SIGKILL a little later; 0: any time */
	void (*often)(void *ctx);      /* called every `often_s` seconds while it runs; NULL: nothing is */
	void *ctx;
	int often_s;
};

struct launch_result {
	int status; /* the program's exit status, 128 + n when signal n ended it; 125, 126 or 127 when it never ran */
	int64_t wall_ns; /* from its start to its end */
	int was_ended;   /* by the limit; the status is that of SIGKILL */
	int signal;      /* one of interrupt_signals that came while it ran, so that it may have ended early; 0: none */
	int left_running; /* a process that it has started goes on */
	int left_starpu;  /* and has loaded StarPU */
};

/*
 * Runs the program to its end. The signals that a user or a batch system sends to this process (TERM, HUP, INT, QUIT,
 * USR1, USR2, ALRM, XCPU, CONT, TSTP, WINCH) are passed on to it, but for those that the terminal has already sent to
 * both. Where this process is killed the program gets SIGTERM. Returns 0 when it ran, whatever its status. Else -1, the
 * sentence, and status 127 (no such program), 126 (it is there and cannot be executed) or 125 (any other reason).
 */
int launch_wait(const struct launch *l, struct launch_result *r, struct ht_err *err);

/* No such program; one of which a shared library is missing ends with it too, before main(). */
enum { LAUNCH_NOT_FOUND = 127 };

/* How it ended, in words: "ended with status 3", "ended with status 139, that of signal 11 (Segmentation fault)". */
const char *launch_ended(int status, char text[96]);

/* What to do about LAUNCH_NOT_FOUND, as the end of a sentence, ": ..."; "" of another status. free() it. */
char *launch_not_loaded(int status);

#endif
