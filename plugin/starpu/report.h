/* plugin/starpu/report.h - what the scheduler library reports: sentences on stderr, lines for `heterotune run`. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGIN_REPORT_H
#define PLUGIN_REPORT_H

/* "heterotune: sentence" on standard error. */
void report_sentence(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same, by the first process of an MPI program alone, unless HETEROTUNE_QUIET is 1: what is as it should be. */
void report_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same when HETEROTUNE_VERBOSE is 1. */
void report_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Adds a line, with the process's number in front, to the file that HETEROTUNE_REPORT names, if it does. */
void report_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Writes the scheduler's name to the file that HETEROTUNE_SCHEDULER names, if it does: what a program runs under, which
 * it may have chosen itself.
 */
void report_scheduler(const char *name);

/* Whether there is a file HETEROTUNE_REPORT: then `heterotune run` says at the end what became of the config. */
int report_is_read(void);

#endif
