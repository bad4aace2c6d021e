/* core/run/new_run.h - a run directory in the making: whole under its name, or not there. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_NEW_RUN_H
#define CORE_RUN_NEW_RUN_H

struct ht_err;
struct machine;
struct outfile;

struct new_run {
	char *dir;         /* where it is made, absolute, beside its place */
	char *path;        /* its place, absolute */
	const char *shown; /* as the user named it */
};

/* 0 where there is nothing of that name; else -1 and a sentence that asks for another name with `option` ("-o"). */
int new_run_check(const char *path, const char *option, struct ht_err *err);

/* Checks, and makes the directory. new_run_end() in either case. */
int new_run_begin(struct new_run *n, const char *path, const char *option, struct ht_err *err);

/* A file in it, to be committed. */
int new_run_open(const struct new_run *n, struct outfile *out, const char *name, struct ht_err *err);

int new_run_machine(const struct new_run *n, const struct machine *m, struct ht_err *err); /* its machine.xml */

/* rc 0: puts it in its place; else, and where that fails, removes it. Returns 0 or -1, and frees. */
int new_run_end(struct new_run *n, int rc, struct ht_err *err);

#endif
