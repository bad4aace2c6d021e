/* tests/unit/test_knob.c - the table of a policy's knobs: what is read, what stays at its default, what is refused. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>

#include "core/base/err.h"
#include "core/machine/arch.h"
#include "sched/knob.h"
#include "tests/lib/check.h"

struct values {
	int word, three, step[ARCH_COUNT];
	double number, any;
	int64_t count;
	struct knob_text text;
};

static const struct knob knobs[] = {
	WORD_KNOB(values, word, "word", "no|yes", -1),
	WORD_KNOB(values, three, "three", "a|ab|abc", 1),
	NUMBER_KNOB(values, number, "number", "US", 1.5, 10),
	{.name = "any",
         .type = KNOB_NUMBER,
         .values = "N",
         .min = -INFINITY,
         .max = INFINITY,
         .offset = offsetof(struct values, any)},
	COUNT_KNOB(values, count, "count", "N", 7, 1, UINT32_MAX),
	ARCH_KNOB(values, step, "step", "N", 3, 1, 100),
	TEXT_KNOB(values, text, "text", "FILE"),
	LAST_KNOB,
};

static void test_defaults(void)
{
	struct values v = {.step = {0}};

	CHECK_INT(knobs_read("p", knobs, "", &v, NULL), 0);
	CHECK_INT(v.word, -1);
	CHECK_INT(v.three, 1);
	CHECK(v.number == 1.5 && v.any == 0);
	CHECK_INT(v.count, 7);
	CHECK_INT(v.step[ARCH_HIP], 3);
	CHECK(v.text.at == NULL);
}

static void test_values(void)
{
	struct values v;

	CHECK_INT(knobs_read("p", knobs, "three=abc,word=yes,number=10,any=-3e5,count=4294967295", &v, NULL), 0);
	CHECK_INT(v.three, 2);
	CHECK_INT(v.word, 1);
	CHECK(v.number == 10 && v.any == -3e5);
	CHECK_INT(v.count, UINT32_MAX);
	CHECK_INT(knobs_read("p", knobs, "step_cuda=5,step_mpi_ms=100,word=no,word=yes,three=ab", &v, NULL), 0);
	CHECK_INT(v.step[ARCH_CUDA], 5);
	CHECK_INT(v.step[ARCH_MPI_MS], 100);
	CHECK_INT(v.step[ARCH_CPU], 3);
	CHECK_INT(v.word, 0); /* the first one counts */
	CHECK_INT(v.three, 1);
}

/* A text is anything up to the comma, of any length. */
static void test_text(void)
{
	char options[256];
	struct values v;

	snprintf(options, sizeof(options), "text=/%0150d,word=yes", 0);
	CHECK_INT(knobs_read("p", knobs, options, &v, NULL), 0);
	CHECK_INT(v.text.len, 151);
	CHECK(v.text.at == options + 5);
	CHECK_INT(v.word, 1);
	CHECK_INT(knobs_read("p", knobs, "text=", &v, NULL), 0);
	CHECK(v.text.at != NULL);
	CHECK_INT(v.text.len, 0);
}

static void test_refused(void)
{
	static const char *const bad[][2] = {
		{"word=x", "policy p: word is no or yes, found \"x\""},
		{"word=", "policy p: word is no or yes, found \"\""},
		{"three=abcd", "policy p: three is one of a|ab|abc, found \"abcd\""},
		{"number=-1", "policy p: number is a number from 0 to 10, found \"-1\""},
		{"number=nan", "policy p: number is a number from 0 to 10, found \"nan\""},
		{"number=10.1", "policy p: number is a number from 0 to 10, found \"10.1\""},
		{"any=1x", "policy p: any is a number, found \"1x\""},
		{"count=0", "policy p: count is a number from 1 to 4294967295, found \"0\""},
		{"count=1.5", "policy p: count is a number from 1 to 4294967295, found \"1.5\""},
		{"step_cuda=101", "policy p: step_cuda is a number from 1 to 100, found \"101\""},
		{"step=1", "policy p has no knob \"step\"; it has: word|three|number|any|count|step_ARCH|text"},
		{"step_ARCH=1",
	         "policy p has no knob \"step_ARCH\"; it has: word|three|number|any|count|step_ARCH|text"},
		{"wor=yes", "policy p has no knob \"wor\"; it has: word|three|number|any|count|step_ARCH|text"},
		{"word", "policy p: expected NAME=VALUE, found \"word\""},
		{"word=yes,,three=a", "policy p: expected NAME=VALUE, found \"\""},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ht_err err = {""};
		struct values v;

		CHECK_INT(knobs_read("p", knobs, bad[i][0], &v, &err), -1);
		CHECK_STR(err.text, bad[i][1]);
	}
}

/* A policy without a table takes no knob. */
static void test_none(void)
{
	struct ht_err err = {""};

	CHECK_INT(knobs_read("p", NULL, "", NULL, &err), 0);
	CHECK_INT(knobs_read("p", NULL, "a=1", NULL, &err), -1);
	CHECK_STR(err.text, "policy p has no knob \"a\"; it has: none");
}

/* One knob is read whatever else there is. */
static void test_one(void)
{
	struct values v = {.word = 5};

	CHECK_INT(knob_read("p", &knobs[1], "unknown=1,three=a", &v, NULL), 0);
	CHECK_INT(v.three, 0);
	CHECK_INT(v.word, 5);
}

int main(void)
{
	RUN(test_defaults);
	RUN(test_values);
	RUN(test_text);
	RUN(test_refused);
	RUN(test_none);
	RUN(test_one);
	return check_done();
}
