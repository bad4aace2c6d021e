/* core/config/priority_list_text.h - a priority list for people: levels that follow each other are one word. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_PRIORITY_LIST_TEXT_H
#define CORE_CONFIG_PRIORITY_LIST_TEXT_H

#include <stdio.h>

#include "core/config/config.h"

enum { PRIORITY_LIST_TEXT = 112 };

/*
 * What the list of `a` has from *place on, as far as it is one thing: a bucket, or buckets of one name whose levels
 * count up and whose slow factors are the same: "gemm 3-16 (slow 5.6)". *place becomes the first after it. Returns the
 * length of the text; 0 at the end of the list.
 */
int priority_list_text(const struct config *c, enum arch a, int *place, char text[PRIORITY_LIST_TEXT]);

/*
 * Writes the whole list from column `at` on, a comma between things, in lines of at most `width` columns that begin
 * `indent` columns in; the last line is not ended. With more than `most` lines, 0 being any number, what does not
 * fit is replaced by its number of buckets.
 */
void priority_list_print(FILE *f, const struct config *c, enum arch a, int at, int indent, int width, int most);

#endif
