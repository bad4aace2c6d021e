/* tests/lib/check.h - how a unit test says what it found: one line a test case, "ok", "FAIL" or "SKIP". */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_CHECK_H
#define TESTS_LIB_CHECK_H

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int check_failures; /* in the case that runs now */

#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			check_failures++; \
			printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, #cond); \
		} \
	} while (0)

#define CHECK_INT(got, want) \
	do { \
		int64_t got_ = (int64_t)(got), want_ = (int64_t)(want); \
		if (got_ != want_) { \
			check_failures++; \
			printf("# %s:%d: %s is %" PRId64 ", expected %" PRId64 "\n", __FILE__, __LINE__, #got, got_, \
			       want_); \
		} \
	} while (0)

/* Within a relative tolerance, absolute below 1. */
#define CHECK_NEAR(got, want, tolerance) \
	do { \
		double got_ = (got), want_ = (want); \
		if (!(fabs(got_ - want_) <= (tolerance)*fmax(1, fabs(want_)))) { \
			check_failures++; \
			printf("# %s:%d: %s is %.12g, expected %.12g\n", __FILE__, __LINE__, #got, got_, want_); \
		} \
	} while (0)

#define CHECK_STR(got, want) \
	do { \
		const char *got_ = (got), *want_ = (want); \
		if (!got_ || strcmp(got_, want_) != 0) { \
			check_failures++; \
			printf("# %s:%d: %s is \"%s\", expected \"%s\"\n", __FILE__, __LINE__, #got, \
			       got_ ? got_ : "(null)", want_); \
		} \
	} while (0)

#define CHECK_HAS(text, part) \
	do { \
		const char *text_ = (text), *part_ = (part); \
		if (!strstr(text_, part_)) { \
			check_failures++; \
			printf("# %s:%d: \"%s\" does not have \"%s\"\n", __FILE__, __LINE__, text_, part_); \
		} \
	} while (0)

/* Runs a case, a function without arguments, and prints its line. In main: RUN(case_a); ... return check_done(); */
static int check_cases, check_failed;
static const char *check_skip;

#define SKIP(reason) \
	do { \
		check_skip = (reason); \
		return; \
	} while (0)

#define RUN(fn) \
	do { \
		check_failures = 0; \
		check_skip = NULL; \
		fn(); \
		check_cases++; \
		if (check_failures) \
			check_failed++; \
		if (check_skip && !check_failures) \
			printf("SKIP %s: %s\n", #fn, check_skip); \
		else \
			printf("%s %s\n", check_failures ? "FAIL" : "ok", #fn); \
		fflush(stdout); \
	} while (0)

static inline int check_done(void)
{
	return check_failed != 0 || check_cases == 0;
}

#endif
