/* tune/after_search.h - the stages of tune() that compare what was found, simplify it and say what it brings. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_AFTER_SEARCH_H
#define TUNE_AFTER_SEARCH_H

struct ht_err;
struct tuner;

/*
 * The final round, which has StarPU's own schedulers and placement as well; how StarPU is started; the best setting
 * without what is noise; machines with fewer workers; what each part of it brings. -1: a replay failed.
 */
int after_search(struct tuner *t, struct ht_err *err);

#endif
