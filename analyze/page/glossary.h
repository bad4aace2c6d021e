/* analyze/page/glossary.h - the words of heterotune(7), explained where they stand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_GLOSSARY_H
#define ANALYZE_PAGE_GLOSSARY_H

#include <stdio.h>

/*
 * Text as html_text() writes it, in which each word that is explained is an <abbr> with its meaning where it first
 * stands. Words that everybody knows are left alone unless they are all of the text.
 */
void glossary_text(FILE *f, const char *text);

#endif
