/* core/base/file.h - files and directories: read, written whole, copied, removed, named. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_FILE_H
#define CORE_BASE_FILE_H

#include <stdio.h>

struct ht_err;
struct stat;

/*
 * Written beside its place under a temporary name, which is a new one and cannot be foreseen, and renamed on commit. A
 * file that was there before hands on its mode, and a symbolic link stays: the file that it leads to is written. Path
 * "-" is standard output.
 */
struct outfile {
	FILE *f; /* write here; errors are looked at in outfile_commit() */
	char *path, *tmp;
	char *target; /* what the link leads to; NULL: no link */
};

/* -1: `path` cannot be written, or is a directory. A device or a pipe is written in place. */
int outfile_open(struct outfile *o, const char *path, struct ht_err *err);

/* All writes so far are on the disk: -1 as below. Of several files that belong together, before any is committed. */
int outfile_flush(struct outfile *o, struct ht_err *err);

/* Flushes, checks every write that was made, renames. -1 (disk full): the temporary is gone and `path` is as it was. */
int outfile_commit(struct outfile *o, struct ht_err *err);

/* -1: outfile_open() would fail. For a command that works long before it writes. */
int outfile_check(const char *path, struct ht_err *err);

/* Removes the temporary file; `path` is as it was. Does nothing after a commit and for a zeroed struct. */
void outfile_abort(struct outfile *o);

/*
 * A regular file, opened for reading; *st is its fstat(). -1: it cannot be read, or is a directory, a pipe or a device:
 * those may never end, or never begin.
 */
int file_open(const char *path, struct stat *st, struct ht_err *err);

/* For text: behind a byte order mark. NULL in place of -1; fclose() it. */
FILE *file_open_stream(const char *path, struct ht_err *err);

/* From the start of a file, behind the byte order mark that some editors put in front of UTF-8. */
void file_skip_mark(int fd);

/*
 * The whole of a file behind a byte order mark, with a NUL after it; free() it. *len gets its size without the NUL; a
 * NULL `len` asks for text. NULL: it cannot be opened as above, cannot be read, is larger than `max_bytes`, or is to be
 * text and has a byte 0.
 */
char *file_read(const char *path, size_t max_bytes, size_t *len, struct ht_err *err);

int file_copy(const char *from, const char *to, struct ht_err *err); /* `to` is whole or as it was */
int file_exists(const char *path);                                   /* a directory too */

/* Makes the directory and those above it; one that exists is no error. */
int dir_create(const char *path, struct ht_err *err);

/* -1: the directory cannot be made, or takes no new files. Nothing is left behind. */
int dir_check(const char *path, struct ht_err *err);

/* Makes a new directory, to be renamed to `path`, and those above it. Returns its name, or NULL; free() it. */
char *dir_create_beside(const char *path, struct ht_err *err);

/*
 * Makes `to` with copies of the plain files of `from`, and of those in its directories; links and special files are
 * left out. Deeper than 16 directories is an error. What was copied before a failure stays.
 */
int dir_copy(const char *from, const char *to, struct ht_err *err);

/* Removes a directory that this program made, with all that is in it. Failures are silent: it cleans up after one. */
void dir_remove(const char *path);

/* The absolute form of a path, without slashes at its end; the file need not exist. free() it. */
char *path_absolute(const char *path);

/*
 * "cholesky.ht", "cholesky-2.ht", ... of a program, an ending, and a number from 1; "cholesky.plots" of the run
 * cholesky.ht. free() it.
 */
char *path_numbered(const char *of, const char *ending, int number);

/* The first of these that does not exist here. free() it. */
char *path_unused(const char *of, const char *ending);

/*
 * Whether a directory of PATH has an executable file `name`. Empty entries of PATH, which mean the working directory,
 * are passed over: a child may be started in another one.
 */
int path_has_program(const char *name);

/* The last part of a path, without the slashes after it, for titles; free() it. */
char *path_last(const char *path);

#endif
