/* tests/fuzz/formats.h - every format the tool reads, and what is done with a damaged file of it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_FUZZ_FORMATS_H
#define TESTS_FUZZ_FORMATS_H

/*
 * Commands are words separated by blanks. `@` is the damaged file, `%` the run that it is in, or a good run where it is
 * in none; what they write is called out*. Where `commands` is NULL the file itself has commands, one a line, and it is
 * such a line that is damaged.
 */
struct format {
	const char *name;
	const char *files;           /* fnmatch() pattern of paths below the directory of good files */
	const char *const *commands; /* NULL-terminated */
	int passed_over;             /* what is damaged in it is passed over, and nothing is refused */
};

extern const struct format formats[]; /* a NULL name ends it */

#endif
