/* core/run/run_writer.h - a run directory in the making: whole under its name, or not there. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_RUN_WRITER_H
#define CORE_RUN_RUN_WRITER_H

#include <stdint.h>
#include <stdio.h>

#include "core/machine/arch.h"

struct ht_err;
struct machine;
struct outfile;

struct run_writer {
	char *dir;         /* where it is made, absolute, beside its place */
	char *path;        /* its place, absolute */
	const char *shown; /* as the user named it */
};

/*
 * 0 where there is nothing of that name, not even a link; else -1 and a sentence that asks for another name with
 * `option` ("-o").
 */
int run_writer_check(const char *path, const char *option, struct ht_err *err);

/* Checks, and makes the directory. run_writer_end() in either case. */
int run_writer_begin(struct run_writer *n, const char *path, const char *option, struct ht_err *err);

/* A file in it, to be committed. */
int run_writer_open(const struct run_writer *n, struct outfile *out, const char *name, struct ht_err *err);

int run_writer_machine(const struct run_writer *n, const struct machine *m, struct ht_err *err); /* its machine.xml */

/* A line of its where.tsv: a codelet, of `length` bytes, where it can run, and whether StarPU has no model of it. */
void run_writer_where(FILE *f, const char *codelet, int length, arch_mask where, int has_no_model);

/* A line of its footprints.tsv: a task that can run on less than others of its codelet, and what its data has. */
void run_writer_narrowed(FILE *f, uint64_t job, uint32_t footprint, arch_mask where);

/*
 * rc 0: puts it in its place, or leaves it where it is if that has been taken since; else, and where that fails, it is
 * removed. Returns 0 or -1, and frees.
 */
int run_writer_end(struct run_writer *n, int rc, struct ht_err *err);

#endif
