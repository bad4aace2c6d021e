/* tests/unit/test_areas.c - areas in block characters: heights to an eighth of a line, and the axis below. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/plots/areas.h"

#include <stdlib.h>

#include "tests/lib/check.h"

static char *area(const double *values, int columns, int rows, double top)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	areas_draw(f, "top", values, columns, rows, top);
	fclose(f);
	return text;
}

static void heights_are_eighths(void)
{
	const double values[] = {0, 1, 4, 8, 0};
	char *text = area(values, 5, 1, 8);

	CHECK_STR(text, "    top  \342\226\201\342\226\204\342\226\210\n");
	free(text);
}

static void rows_are_stacked(void)
{
	const double values[] = {16, 8, 12};
	char *text = area(values, 3, 2, 16);

	CHECK_STR(text, "    top \342\226\210 \342\226\204\n        \342\226\210\342\226\210\342\226\210\n");
	free(text);
}

/* What is there is seen, however small; nothing is nothing. */
static void little_is_seen(void)
{
	const double values[] = {1e-9, 0};
	char *text = area(values, 2, 1, 100);

	CHECK_STR(text, "    top \342\226\201\n");
	free(text);
	text = area(values + 1, 1, 1, 0);
	CHECK_STR(text, "    top\n");
	free(text);
}

static void the_axis_ends_with_the_run(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	areas_axis(f, 20, 153000000);
	fclose(f);
	CHECK_STR(text, "        0             153 ms\n");
	free(text);
}

int main(void)
{
	RUN(heights_are_eighths);
	RUN(rows_are_stacked);
	RUN(little_is_seen);
	RUN(the_axis_ends_with_the_run);
	return check_done();
}
