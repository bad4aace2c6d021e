/* core/base/progress.h - how far a command is: a bar on a terminal, nothing elsewhere. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_PROGRESS_H
#define CORE_BASE_PROGRESS_H

#include <stdio.h>

struct progress {
	FILE *f;
	int is_terminal;
	int width; /* of what stands in the line now, in columns */
};

/* `f` is borrowed. */
void progress_init(struct progress *p, FILE *f);

/* "[#####-----]  50 %  text" in place of what stood in the line, in the terminal's width; share is 0 to 1. */
void progress_bar(struct progress *p, double share, const char *text);

/* The line is empty again. */
void progress_clear(struct progress *p);

#endif
