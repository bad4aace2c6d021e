/* core/base/file.h - an output file that is either whole or not there. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_FILE_H
#define CORE_BASE_FILE_H

#include <stdio.h>

struct ht_err;

/* Written beside its place under a temporary name, renamed on commit. Path "-" is standard output. */
struct outfile {
	FILE *f; /* write here; errors are looked at in outfile_commit() */
	char *path, *tmp;
};

int outfile_open(struct outfile *o, const char *path, struct ht_err *err);

/*
 * Flush, check every write that was made, rename. On failure (disk full) the temporary is gone and `path` is as it was.
 */
int outfile_commit(struct outfile *o, struct ht_err *err);

/* Give it up: nothing of it is left. Allowed after commit and on a zeroed struct. */
void outfile_abort(struct outfile *o);

/* The whole of a text file, NUL-terminated; free() it. NULL when it cannot be read or is larger than `max_bytes`. */
char *file_read(const char *path, size_t max_bytes, size_t *len, struct ht_err *err);

/* mkdir -p. */
int dir_create(const char *path, struct ht_err *err);
int file_copy(const char *from, const char *to, struct ht_err *err);
int file_exists(const char *path);

/* rm -rf of a directory that this program made. Failures are silent: it is for cleaning up after one. */
void dir_remove(const char *path);

#endif
