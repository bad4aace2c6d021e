/* core/base/nearest.h - the word that was meant by one that does not exist. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_NEAREST_H
#define CORE_BASE_NEAREST_H

#include <stddef.h>

/* {.word, .len}: what was typed, which need not end after `len` bytes. */
struct nearest {
	const char *word;
	size_t len;
	const char *best; /* of the candidates so far; NULL: none is near */
	size_t distance;
};

/*
 * Edit distance: letters that are inserted, left out, replaced, or exchanged with their neighbour. A candidate is near
 * within a third of the word, but at least one such letter; among equals one of the same length is taken, of these
 * one whose other letters are neighbours on the keyboard, then the first. Words of more than 63 bytes are near nothing.
 */
void nearest_try(struct nearest *n, const char *candidate);

/* "; did you mean BEST?", or "" where none is near, in buf; returns buf. */
enum { NEAREST_TEXT = 96 };
const char *nearest_text(const struct nearest *n, const char *prefix, char buf[NEAREST_TEXT]);

#endif
