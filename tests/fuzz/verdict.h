/* tests/fuzz/verdict.h - one command run inside this process, and what is wrong with how it ended. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_FUZZ_VERDICT_H
#define TESTS_FUZZ_VERDICT_H

#include <stdio.h>

/* Where the command's standard output and error go: files that are emptied before each command. */
struct verdict {
	int out, err;
};

/* Both as files without a name. The process that runs commands makes them its standard output and error. */
void verdict_open(struct verdict *v);

/*
 * Runs the words, of which the first names the command; *status is how it ended. NULL, or what is wrong: a status that
 * no command has, a refusal that is not one sentence, an output left behind by a refusal, a number that cannot be, a
 * makespan below its bound. The text is valid until the next call.
 */
const char *verdict_run(struct verdict *v, int argc, char **argv, int *status);

/* Removes what a command wrote: how many files and directories that was. */
int verdict_clear(void);

/* What the last command wrote to standard error, as a line after `name`. */
void verdict_log(struct verdict *v, FILE *f, const char *name);

/* The beginning of it, as lines after "#": where the command ended the process, a sanitizer's report. */
void verdict_print(struct verdict *v, FILE *f);

#endif
