/* tests/unit/test_interval.c - lengths of intervals as people say them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/interval.h"
#include "core/base/err.h"
#include "tests/lib/check.h"

static void test_lengths(void)
{
	static const struct {
		const char *text;
		int64_t want;
	} table[] = {
		{"1/100", 10}, {"1/3", 334},      {"2/5", 400},     {"1/1", 1000},        {"1/5000", 1},  {"500", 500},
		{"7ns", 7},    {"250us", 250000}, {"5ms", 5000000}, {"1.5s", 1500000000}, {"", -1},       {"x", -1},
		{"0", -1},     {"-1", -1},        {"5 ms", -1},     {"5m", -1},           {"1/0", -1},    {"3/2", -1},
		{"1/", -1},    {"1/2/3", -1},     {"nan", -1},      {"inf", -1},          {"1e300s", -1}, {"0.5", -1},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		CHECK_INT(interval_parse(table[i].text, 1000), table[i].want);
}

static void test_sentence(void)
{
	struct ht_err err = {""};

	CHECK_INT(interval_check(INTERVAL_DEFAULT, &err), 0);
	CHECK_STR(err.text, "");
	CHECK_INT(interval_check("often", &err), -1);
	CHECK_HAS(err.text, "--interval is a part of the run (1/100) or a length (250us, 5ms, 1.5s): found often");
}

int main(void)
{
	RUN(test_lengths);
	RUN(test_sentence);
	return check_done();
}
