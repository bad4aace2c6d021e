/* tests/unit/test_timeline_csv.c - timelines as CSV: every field by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/timeline.h"
#include "core/base/csv.h"
#include "tests/lib/check.h"
#include "tests/lib/made_trace.h"

/* From 100 on: ready 10-20, 11-21, 100-110 and, popped at once, 100. The last one runs to 200. Worker 1 is a GPU. */
static const struct row four[] = {
	{100, 110, 120, 130, 200, 0, 0},
	{101, 111, 121, 125, 180, 1, 1},
	{102, 200, 210, 215, 300, 0, 1},
	{103, 200, 200, 205, 250, 1, 0},
};

static char *written(const struct row *rows, int64_t interval_ns)
{
	struct trace *t = trace_of(rows, 4, 2, 2);
	struct timeline *tl;
	struct timeline_bins b;
	char *text = NULL;
	size_t size;
	struct csv c = {.f = open_memstream(&text, &size)};

	t->workers[1].arch = ARCH_CUDA;
	tl = timeline_create(t, NULL, NULL);
	CHECK_INT(timeline_bins_init(&b, tl, interval_ns, NULL), 0);
	timeline_csv(tl, &b, &c);
	fclose(c.f);
	timeline_bins_fini(&b);
	timeline_free(tl);
	trace_drop(t);
	return text;
}

#define HEAD \
	"from_ns,to_ns,ready_lowest,ready_mean,ready_highest,submitted,ended,pushed,popped," \
	"pushed_arch_cpu,popped_arch_cpu,pushed_arch_cuda,popped_arch_cuda," \
	"pushed_type_type00,popped_type_type00,pushed_type_type01,popped_type_type01\n"

/* In the first half 1 + 2 * 9 + 1 ns of ready tasks, in the second 10. */
static void test_halves(void)
{
	char *text = written(four, 100);

	CHECK_STR(text, HEAD "0,100,0,0.2,2,4,1,2,2,1,1,1,1,1,1,1,1\n"
	                     "100,200,0,0.1,1,4,4,2,2,1,1,1,1,1,1,1,1\n");
	free(text);
}

/* The third interval begins at 160 and ends with the run at 200. */
static void test_rest(void)
{
	char *text = written(four, 80);

	CHECK_STR(text, HEAD "0,80,0,0.25,2,4,0,2,2,1,1,1,1,1,1,1,1\n"
	                     "80,160,0,0.125,1,4,3,2,2,1,1,1,1,1,1,1,1\n"
	                     "160,200,0,0,0,4,4,0,0,0,0,0,0,0,0,0,0\n");
	free(text);
}

/* Until the very end something is ready: the mean of the last interval is of what lies within the run. */
static void test_mean_of_rest(void)
{
	static const struct row rows[] = {
		{0, 0, 0, 0, 10, 0, 0},
		{0, 0, 0, 0, 10, 0, 1},
		{0, 0, 30, 30, 30, 1, 0},
		{0, 0, 30, 30, 30, 1, 1},
	};
	char *text = written(rows, 20);

	CHECK_STR(text, HEAD "0,20,2,2,2,4,2,4,2,2,1,2,1,2,2,2,0\n"
	                     "20,30,0,2,2,4,4,0,2,0,1,0,1,0,0,0,2\n");
	free(text);
}

static void test_not_recorded(void)
{
	struct row rows[4];
	char *text;

	memcpy(rows, four, sizeof(rows));
	for (int i = 0; i < 4; i++)
		rows[i].submit = TIME_NONE;
	text = written(rows, 1000); /* from the first ready time on, 190 ns */
	CHECK_STR(text, HEAD "0,190,0,0.158,2,,4,4,4,2,2,2,2,2,2,2,2\n");
	free(text);
}

/* Submitted long after the last end: counted in the last interval. */
static void test_late_submission(void)
{
	struct row rows[4];
	char *text;

	memcpy(rows, four, sizeof(rows));
	rows[3].submit = 1000000;
	text = written(rows, 100);
	CHECK_HAS(text, "\n0,100,0,");
	CHECK_HAS(text, "\n100,200,");
	free(text);
}

int main(void)
{
	RUN(test_halves);
	RUN(test_rest);
	RUN(test_mean_of_rest);
	RUN(test_not_recorded);
	RUN(test_late_submission);
	return check_done();
}
