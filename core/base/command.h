/* core/base/command.h - what heterotune.c knows of a command. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_COMMAND_H
#define CORE_BASE_COMMAND_H

/* Exit status. collect, run and auto pass the application's own status through, 125-127 as env(1) has them. */
enum {
	STATUS_DONE = 0,
	STATUS_NO = 1,     /* done, and the answer is no */
	STATUS_CANNOT = 2, /* cannot do it */
	STATUS_FAILED = 125,
};

/*
 * Each command is a file cmd_NAME.c with one of these at its bottom, listed in heterotune.c. `run` gets its own argv
 * (argv[0] is the command's name) and returns the exit status; it prints its own errors with command_error().
 */
struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

struct ht_err;

/* "heterotune: NAME: sentence" on standard error; returns STATUS_CANNOT. */
int command_error(const char *name, const struct ht_err *err);

#endif
