/* replay/submission.h - when the tasks of a replay are submitted: as in the run, all at once, or in a window. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef REPLAY_SUBMISSION_H
#define REPLAY_SUBMISSION_H

#include "replay/sim/window.h"

struct dag;
struct ht_err;
struct simulate_options;
struct trace;

struct submission {
	int ignore;           /* all at once */
	struct window window; /* most 0: none */
};

/* -1: the word is neither "recorded" nor "none" nor "window=N". */
int submission_check(const char *when, struct ht_err *err);

/*
 * `when` has passed the check. With "recorded" the window is that of the run, where it has one; with "window=N" the
 * application waits at N uncompleted tasks. free with submission_fini() in any case.
 */
void submission_open(struct submission *s, const char *when, const struct trace *t, const struct dag *d);
void submission_fini(struct submission *s);

/* Tells simulate(); `s` has to stay until it returns. NULL: as in the graph. */
void submission_set(const struct submission *s, struct simulate_options *how);

#endif
