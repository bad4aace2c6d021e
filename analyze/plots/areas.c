/* analyze/plots/areas.c - areas over time in the block characters of Unicode, for a terminal. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/plots/areas.h"

#include <math.h>

#include "core/base/table.h"

enum { EIGHTHS = 8 };

/* U+2581 to U+2588: lower one eighth block to full block. */
static void put_block(FILE *f, int eighths)
{
	if (eighths <= 0)
		putc(' ', f);
	else
		fprintf(f, "\342\226%c", 0x80 + (eighths < EIGHTHS ? eighths : EIGHTHS));
}

static int eighths_of(double value, int row, int rows, double top)
{
	double all = top > 0 ? EIGHTHS * rows * value / top : 0;

	return (int)lround(value > 0 && all < 1 ? 1 : all) - EIGHTHS * row;
}

void areas_draw(FILE *f, const char *label, const double *values, int columns, int rows, double top)
{
	for (int row = rows - 1; row >= 0; row--) {
		int end = columns;

		while (end && eighths_of(values[end - 1], row, rows, top) <= 0)
			end--;
		if (row == rows - 1)
			fprintf(f, "%*.*s", AREAS_LABEL - 1, AREAS_LABEL - 1, label);
		if (end)
			fprintf(f, "%*s", row == rows - 1 ? 1 : AREAS_LABEL, "");
		for (int c = 0; c < end; c++)
			put_block(f, eighths_of(values[c], row, rows, top));
		putc('\n', f);
	}
}

void areas_axis(FILE *f, int columns, int64_t span_ns)
{
	char end[16];

	time_text(end, span_ns);
	fprintf(f, "%*s0%*s\n", AREAS_LABEL, "", columns - 1, end);
}
