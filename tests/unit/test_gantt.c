/* tests/unit/test_gantt.c - marks above a chart: names that do not overlap, and lines that go through none. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/plots/gantt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/check.h"

enum { WIDTH = 1000, HEIGHT = 400, CHARACTER = 8, LINE = 16, RANGE = 1000 };

/* A name as it is drawn: its line's place and the place of its text, in pixels; from which line of text on. */
struct drawn {
	double at, from, to;
	int line;
};

/* Reads what gantt_ruler() has written, a line for an arrow and one for a label. */
static int read_script(char *script, struct drawn *names)
{
	char *rest = NULL;
	int n = 0;

	for (char *s = strtok_r(script, "\n", &rest); s; s = strtok_r(NULL, "\n", &rest)) {
		char text[64], side[8];
		double x, top, y;

		if (sscanf(s, "set arrow from first %lf, graph 1 to first %*f, graph %lf", &x, &top) == 2)
			names[n].line = (int)((top - 1) * HEIGHT / LINE + 0.5) - 1;
		else if (sscanf(s, "set label '%63[^']' at first %lf, graph %lf %7s", text, &x, &y, side) == 4) {
			double length = CHARACTER * (double)strlen(text);

			names[n].at = x;
			names[n].from = strcmp(side, "right") ? x : x - length;
			names[n].to = names[n].from + length;
			n++;
		}
	}
	return n;
}

/* Whether all names are two characters apart, and no line goes through one below its own. */
static int is_clear(const struct drawn *names, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++) {
			const struct drawn *a = &names[i], *b = &names[k];

			if (i != k && a->line == b->line && a->from < b->to + 2 * CHARACTER &&
			    b->from < a->to + 2 * CHARACTER)
				return 0;
			if (i != k && a->line > b->line && a->at > b->from && a->at < b->to)
				return 0;
		}
	return 1;
}

static int draw(struct gantt_mark *marks, int n, struct drawn *names)
{
	char *script = NULL;
	size_t size;
	FILE *f = open_memstream(&script, &size);
	int pixels = gantt_ruler(f, marks, n, RANGE, 1, WIDTH, HEIGHT);

	fclose(f);
	CHECK_INT(read_script(script, names), n);
	CHECK_INT(gantt_ruler(NULL, marks, n, RANGE, 1, WIDTH, HEIGHT), pixels);
	for (int i = 0; i < n; i++)
		CHECK(names[i].line < pixels / LINE);
	free(script);
	return pixels / LINE;
}

static struct gantt_mark mark(const char *text, int64_t ns)
{
	struct gantt_mark m = {"", ns, 0};

	snprintf(m.text, sizeof(m.text), "%s", text);
	return m;
}

static void two_ends_that_are_close(void)
{
	struct gantt_mark marks[] = {mark("before 465 ms", 1000), mark("after 461 ms", 990), mark("area 300 ms", 650)};
	struct drawn names[GANTT_MARKS];

	CHECK_INT(draw(marks, 3, names), 2);
	CHECK(is_clear(names, 3));
}

/* Each name beside its own line, towards the other: there is nothing between them. */
static void names_that_face_each_other(void)
{
	struct gantt_mark marks[] = {mark("area bound 172 ms", 735), mark("before 232 ms", 1000)};
	struct drawn names[GANTT_MARKS];

	CHECK_INT(draw(marks, 2, names), 2);
	CHECK(is_clear(names, 2));
	marks[0].ns = 300;
	CHECK_INT(draw(marks, 2, names), 1);
}

static void any_marks_are_clear(void)
{
	uint32_t state = 1;

	for (int round = 0; round < 2000; round++) {
		struct gantt_mark marks[GANTT_MARKS];
		struct drawn names[GANTT_MARKS];
		int n = 1 + round % GANTT_MARKS;

		for (int i = 0; i < n; i++) {
			state = state * 1664525 + 1013904223;
			marks[i] = mark(round & 1 ? "mixed bound 465 ms" : "after 461 ms", 200 + state / 7 % 801);
		}
		draw(marks, n, names);
		CHECK(is_clear(names, n));
	}
}

/* Where the text of a key ends there is none of the next one: 6 of these letters are wider than 12 of others. */
static void keys_do_not_overlap(void)
{
	struct palette palette = {
		.groups = {{"mmmm_gemm", NULL, 1}, {"WWWWWW", NULL, 2}, {"iiiiii_lijt", NULL, 3}, {"x", NULL, 4}},
		.ngroups = 4};
	static const double least[] = {108, 87, 55, 9}; /* pixels, as they are drawn */
	struct plot_input in = {0};
	struct gantt x = {.in = &in, .palette = &palette};
	char *script = NULL, *rest = NULL;
	double text = 0, box;
	size_t size;
	int n = 0;
	FILE *f = open_memstream(&script, &size);

	gantt_legend(&x, f, 0, 0, WIDTH, HEIGHT);
	fclose(f);
	for (char *s = strtok_r(script, "\n", &rest); s; s = strtok_r(NULL, "\n", &rest)) {
		char *at = strstr(s, "at screen ");

		if (sscanf(s, "set object rectangle from screen %lf", &box) == 1)
			CHECK(n == 0 || box * WIDTH > text + least[n - 1] + 4);
		else if (at && sscanf(at, "at screen %lf", &text) == 1) {
			text *= WIDTH;
			n++;
		}
	}
	CHECK_INT(n, 4);
	free(script);
}

int main(void)
{
	RUN(two_ends_that_are_close);
	RUN(names_that_face_each_other);
	RUN(any_marks_are_clear);
	RUN(keys_do_not_overlap);
	return check_done();
}
