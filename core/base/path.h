/* core/base/path.h - names of files and directories. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_PATH_H
#define CORE_BASE_PATH_H

/* The absolute form of a path, without slashes at its end; the file need not exist. free() it. */
char *path_absolute(const char *path);

/* A name here from a program's: "cholesky.ht", "cholesky-2.ht", ... the first that does not exist. free() it. */
char *path_unused(const char *program, const char *ending);

/*
 * Whether a directory of PATH has an executable file `name`. Empty entries of PATH, which mean the working directory,
 * are passed over: a child may be started in another one.
 */
int path_has_program(const char *name);

/* The last part of a path, without slashes behind it, for titles; free() it. */
char *path_last(const char *path);

#endif
