/* auto/measured_text.h - what runs have shown, for people. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_MEASURED_TEXT_H
#define AUTO_MEASURED_TEXT_H

#include <stdio.h>

struct measured;

enum { MEASURED_SENTENCE = 512 };

/* "replays do not hold here: ... was predicted to take 0.77 s and takes 2.84 s"; "" where they do. Returns `text`. */
const char *measured_warning(const struct measured *m, char text[MEASURED_SENTENCE]);

/*
 * A table: for each case the median, its interval, the prediction, and the change against the program as it is; then
 * whether that of the choice is significant. Nothing where nothing was run.
 */
void measured_print(const struct measured *m, FILE *f);

#endif
