/* tests/fuzz/readers.h - every reader of files and texts as a function of bytes: what a guided fuzzer calls. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_FUZZ_READERS_H
#define TESTS_FUZZ_READERS_H

#include <stddef.h>

struct ht_err;

/* Where the bytes go below a directory of the reader's own. read() gives 0, or -1 with the sentence. */
struct reader {
	const char *name;
	const char *file;
	const char *from; /* a directory of good files that stand beside it, or NULL */
	int (*read)(const char *dir, const char *path, struct ht_err *err);
};

extern const struct reader readers[]; /* a NULL name ends it */

const struct reader *reader_find(const char *name);

/* Makes `dir`, which has to be empty, ready for reader_run(). -1: it cannot be written. */
int reader_prepare(const struct reader *r, const char *dir);

/*
 * NULL where the bytes are refused in one sentence, or read into what holds together; else what is wrong. *refused: the
 * former.
 */
const char *reader_run(const struct reader *r, const char *dir, const void *bytes, size_t size_bytes, int *refused);

#endif
