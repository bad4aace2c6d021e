/* core/base/nearest.c - the word that was meant by one that does not exist. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment, of which three rows are kept. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][LONGEST + 1];

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *before = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

/* Where the letter is on most keyboards: its row, and its column within. -1: elsewhere. */
static int key_of(char c, int *column)
{
	static const char *const rows[] = {"qwertyuiop", "asdfghjkl", "zxcvbnm"};

	for (int i = 0; i < 3; i++) {
		const char *at = c ? strchr(rows[i], c) : NULL;

		if (at) {
			*column = (int)(at - rows[i]);
			return i;
		}
	}
	return -1;
}

/* Letters of words of one length that differ and are no neighbours on the keyboard. */
static int count_far(const char *a, const char *b, size_t len)
{
	int far = 0;

	for (size_t i = 0; i < len; i++) {
		int x = 0, y = 0, row = key_of(a[i], &x), other = key_of(b[i], &y);

		far += a[i] != b[i] && (row < 0 || other < 0 || abs(row - other) > 1 || abs(x - y) > 1);
	}
	return far;
}

/* Whether a candidate of length `len` is meant rather than the best one, which is as near. */
static int is_rather(const struct nearest *n, const char *candidate, size_t len)
{
	if (len != n->len)
		return 0;
	return strlen(n->best) != n->len || count_far(n->word, candidate, len) < count_far(n->word, n->best, len);
}

void nearest_try(struct nearest *n, const char *candidate)
{
	size_t len = strlen(candidate), most = n->len < 6 ? 1 : n->len / 3, d;

	if (n->len > LONGEST || len > LONGEST)
		return;
	d = distance(n->word, n->len, candidate, len);
	if (d <= most && (!n->best || d < n->distance || (d == n->distance && is_rather(n, candidate, len)))) {
		n->best = candidate;
		n->distance = d;
	}
}

const char *nearest_text(const struct nearest *n, const char *prefix, char buf[NEAREST_TEXT])
{
	snprintf(buf, NEAREST_TEXT, n->best ? "; did you mean %s%s?" : "", prefix, n->best);
	return buf;
}
