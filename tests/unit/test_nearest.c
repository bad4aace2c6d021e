/* tests/unit/test_nearest.c - the word that was meant: typing errors are near, other words are not. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/nearest.h"

#include "tests/lib/check.h"

static const char *meant(const char *word, size_t len)
{
	static const char *const words[] = {"analyze", "auto", "dmda",   "dmdap", "dmdas",
	                                    "json",    "plot", "policy", "run"};
	struct nearest n = {.word = word, .len = len};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		nearest_try(&n, words[i]);
	return n.best ? n.best : "";
}

static void typing_errors_are_near(void)
{
	static const char *const cases[][2] = {
		{"atuo", "auto"}, {"anlyze", "analyze"}, {"analyse", "analyze"}, {"jsno", "json"},
		{"jsn", "json"},  {"polciy", "policy"},  {"dmdsa", "dmdas"},     {"rnu", "run"},
		{"run", "run"},   {"dmdaz", "dmdas"},    {"dmdao", "dmdap"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK_STR(meant(cases[i][0], strlen(cases[i][0])), cases[i][1]);
}

static void other_words_are_not(void)
{
	static const char *const cases[] = {"", "x", "frobnicate", "plan", "ru", "automatic"};
	char longer[200];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		CHECK_STR(meant(cases[i], strlen(cases[i])), i == 4 ? "run" : "");
	memset(longer, 'a', sizeof(longer));
	CHECK_STR(meant(longer, sizeof(longer)), "");
}

/* The nearest one, the first of equals, and only as much of the word as was given. */
static void the_nearest_is_taken(void)
{
	struct nearest n = {.word = "abcd=5", .len = 4};
	char text[NEAREST_TEXT];

	CHECK_STR(nearest_text(&n, "--", text), "");
	nearest_try(&n, "abxy");
	CHECK(n.best == NULL);
	nearest_try(&n, "abcx");
	nearest_try(&n, "abxd");
	CHECK_STR(n.best, "abcx");
	nearest_try(&n, "abcd");
	CHECK_STR(nearest_text(&n, "--", text), "; did you mean --abcd?");
}

int main(void)
{
	RUN(typing_errors_are_near);
	RUN(other_words_are_not);
	RUN(the_nearest_is_taken);
	return check_done();
}
