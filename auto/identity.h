/* auto/identity.h - what a result of `auto` is of: command line, environment, program. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_IDENTITY_H
#define AUTO_IDENTITY_H

#include <stdint.h>

struct ht_err;
struct steps;

enum { IDENTITY_COMMAND, IDENTITY_ENVIRONMENT, IDENTITY_PROGRAM, IDENTITY_PARTS };

/* A number of each: of the words, of the variables that a manifest keeps, of the program's path, size and time. */
struct identity {
	uint64_t parts[IDENTITY_PARTS];
};

/* `words` is the command line, NULL after the last one. */
void identity_of(struct identity *x, char *const *words);

/* What is another one than that of the steps: "command line", ..., "" where they have none; NULL: all are the same. */
const char *identity_differs(const struct identity *x, const struct steps *s);

/* It becomes that of the steps, which forget everything else. -1: that cannot be written. */
int identity_save(const struct identity *x, struct steps *s, struct ht_err *err);

/*
 * Of PROGRAM.tuned, PROGRAM-2.tuned, ... the first that is of x; where `fresh` is set, or none is, the first that is
 * not there. free() it.
 */
char *identity_dir(const struct identity *x, const char *program, int fresh);

#endif
