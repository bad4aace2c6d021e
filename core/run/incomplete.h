/* core/run/incomplete.h - whether a run is no recording, or only a part of what its program would have done. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_INCOMPLETE_H
#define CORE_RUN_INCOMPLETE_H

struct run;

enum { INCOMPLETE_TEXT = 256 };

/*
 * What the manifest says of how the program ended, and the trace of MPI ranks that are missing, or else of tasks that
 * were submitted and never seen to end, as a sentence in `text`, which is returned; or that it is a prediction. NULL:
 * nothing is known to be missing.
 */
const char *run_incomplete(const struct run *r, char text[INCOMPLETE_TEXT]);

#endif
