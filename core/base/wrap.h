/* core/base/wrap.h - text for people: lines broken at blanks before they get too long. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_WRAP_H
#define CORE_BASE_WRAP_H

#include <stdio.h>

/*
 * Both write to column `at`, the columns counted from 0, and return the column after what they wrote. Lines have at
 * most `width` columns where words allow it, and those that are begun have `indent` blanks in front. Text from files
 * may hold anything: control characters become '?', as in tables.
 */

/* The words of `text`, which blanks separate; the first one directly at `at`. */
int wrap_text(FILE *f, const char *text, int at, int indent, int width);

/* A blank and `piece`, which has blanks of its own, in one line. */
int wrap_piece(FILE *f, const char *piece, int at, int indent, int width);

#endif
