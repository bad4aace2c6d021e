/* auto/application.h - the program that `auto` is about: where it is, what it is called with, how it is recorded. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_APPLICATION_H
#define AUTO_APPLICATION_H

#include <stdint.h>

struct ht_err;
struct input;

struct application {
	const char *dir;    /* where everything goes */
	char *const *words; /* its command line, NULL after the last one; with sizes {} stands for one */
	int calibrate;
	int64_t session;     /* of StarPU's starts in it, the one to record; 0: the longest */
	struct input *input; /* what all its runs read */
};

/*
 * Records the program as DIR/`run` for later, with the priorities of its tasks; `size` stands in place of {}, NULL: it
 * has no sizes. What it prints on standard output goes to DIR/`log`. `again`: as before, so without calibration, and
 * what it prints on standard error goes there too. The exit status of `heterotune collect`, or, where the run says that
 * it was interrupted, that of the signal; -1: the sentence in err.
 */
int application_record(const struct application *a, const char *run, const char *size, const char *log, int again,
                       struct ht_err *err);

/*
 * Records it once as DIR/`run`, which is made anew, to see how long it takes: under DIR/`config`, by `heterotune run`
 * or, where that needs no library, by its variables alone, as a verdict says to use it; or, where that is NULL, as it
 * is. The scheduler library is not there for the recording: what it does for names takes longer than some runs. But it
 * is where DIR/run has several sessions. All that the program prints goes to the log. After limit_s, unless that is 0,
 * the program is ended. Returns as application_record() does.
 */
int application_time(const struct application *a, const char *run, const char *size, const char *config,
                     const char *log, int64_t limit_s, struct ht_err *err);

/* What is in a file below DIR, such as what the program printed; "" where there is none. free() it. */
char *application_text(const struct application *a, const char *name);

#endif
