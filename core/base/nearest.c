/* core/base/nearest.c - the word that was meant by one that does not exist. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/nearest.h"

#include <stdio.h>
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

void nearest_try(struct nearest *n, const char *candidate)
{
	size_t len = strlen(candidate), most = n->len < 6 ? 1 : n->len / 3, d;

	if (n->len > LONGEST || len > LONGEST)
		return;
	d = distance(n->word, n->len, candidate, len);
	if (d <= most &&
	    (!n->best || d < n->distance || (d == n->distance && len == n->len && strlen(n->best) != n->len))) {
		n->best = candidate;
		n->distance = d;
	}
}

const char *nearest_text(const struct nearest *n, const char *prefix, char buf[NEAREST_TEXT])
{
	snprintf(buf, NEAREST_TEXT, n->best ? "; did you mean %s%s?" : "", prefix, n->best);
	return buf;
}
