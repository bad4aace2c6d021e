/* auto/recordings.h - the recording that all else rests on: the median of a few, since one may be slow by chance. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_RECORDINGS_H
#define AUTO_RECORDINGS_H

#include <stdint.h>

struct application;
struct ht_err;

enum { RECORDINGS = 3, RECORDINGS_LIMIT_S = 5 };
#define RECORDINGS_KEY "recordings_ns" /* in the manifest */

/*
 * Records the program as DIR/`run`, in place of one that is there, which stays where the first recording fails. A
 * native program that is recorded within RECORDINGS_LIMIT_S, and is not given its input by a pipe, is recorded
 * RECORDINGS times: the one with the median makespan stays, and its manifest has the makespans of all
 * (RECORDINGS_KEY). What the program printed then goes to DIR/`log`. Returns as application_record() does.
 */
int recordings_make(const struct application *a, const char *run, const char *size, const char *log,
                    struct ht_err *err);

/* How many makespans the manifest of DIR/`run` has, and the least and the most of them, in ns; 0 where it has none. */
int recordings_range(const char *dir, const char *run, int64_t *least_ns, int64_t *most_ns);

#endif
