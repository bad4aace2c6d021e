/* auto/verdict.h - one screen: what was recorded, what limits it, what was chosen and what it should bring. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_VERDICT_H
#define AUTO_VERDICT_H

#include <stdio.h>

struct ht_err;

/* What verdict_print() has written, below DIR. */
#define VERDICT_TEXT "verdict.txt"

/*
 * Makes DIR/config.xml what the verdict on it is (advice.h): where that is to keep the scheduler of the run, or that
 * there is nothing to gain, it becomes that scheduler as it is, if a config can have it. VERDICT_CHANGED: it has; -1:
 * it cannot be read or written.
 */
enum { VERDICT_CHANGED = 1 };
int verdict_settle(const char *dir, struct ht_err *err);

/*
 * About DIR/run and DIR/config.xml, which the steps of `auto` have made, and what was measured. Also names
 * the other files of DIR, and report.html, which has the verdict in it and is written after it.
 */
int verdict_print(const char *dir, FILE *f, struct ht_err *err);

/* Where DIR/run has codelets that no config can know: what to do about that, and what there is of the run alone. */
int verdict_print_nameless(const char *dir, FILE *f, struct ht_err *err);

/* What was written, on a screen: the labels are bold where it is a terminal. */
void verdict_show(const char *text, FILE *f);

#endif
