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
struct option_spec;
struct option_usage;

/* How a command answers a command line. */
struct command_answer {
	const char *words; /* what those are that are no options: "one RUN directory" */
	int least, most;   /* of them; most -1: any number */
	int failed;        /* exit status where it cannot; 0: STATUS_CANNOT */
	/*
	 * Gets the words, NULL after the last one, and command_run()'s `options`. Returns the exit status; -1: it
	 * cannot, the sentence in err.
	 */
	int (*answer)(char **words, void *options, struct ht_err *err);
};

/*
 * What every command does: reads its options (options_parse()), counts the words, answers, prints the error if there is
 * one, frees the lists that options made. Returns the exit status.
 */
int command_run(int argc, char **argv, const struct option_spec *specs, const struct option_usage *usage,
                const struct command_answer *how, void *options);

/* "heterotune: NAME: sentence" on standard error; returns STATUS_CANNOT. */
int command_error(const char *name, const struct ht_err *err);

#endif
