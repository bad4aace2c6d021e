/* tune/verdict.h - one screen: what was recorded, what limits it, what was chosen and what it should bring. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_VERDICT_H
#define TUNE_VERDICT_H

#include <stdio.h>

struct ht_err;

/* The run under the config, below DIR. */
#define VERDICT_VERIFIED "verified"

/*
 * About DIR/run and DIR/config.xml, which the steps of `auto` have made, and DIR/verified where it is there. Also names
 * the other files of DIR.
 */
int verdict_print(const char *dir, FILE *f, struct ht_err *err);

#endif
