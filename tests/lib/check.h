/* tests/lib/check.h - how a unit test says what it found: one line a test case, "ok", "FAIL" or "SKIP". */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_LIB_CHECK_H
#define TESTS_LIB_CHECK_H

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* |got - want| is at most `share` of |want|: a `want` of 0 is met by 0 alone. */
#define CHECK_NEAR(got, want, share) \
	do { \
		double near_ = (want); \
		CHECK_WITHIN(got, near_, (share)*fabs(near_)); \
	} while (0)

/* |got - want| is at most `distance`. */
#define CHECK_WITHIN(got, want, distance) \
	do { \
		double got_ = (got), want_ = (want); \
		if (!(fabs(got_ - want_) <= (distance))) { \
			check_failures++; \
			printf("# %s:%d: %s is %.12g, expected %.12g\n", __FILE__, __LINE__, #got, got_, want_); \
		} \
	} while (0)

/* For what the rest of a case needs: the case ends here, failed. */
#define REQUIRE(cond) \
	do { \
		if (!(cond)) { \
			check_failures++; \
			printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, #cond); \
			return; \
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

/*
 * In main: RUN(case_a); ... return check_done(); A case is a function without arguments. It runs in a process of its
 * own, so that one that crashes is a failed case and the others run; its line is printed when it has ended.
 */
static int check_cases, check_failed;
static const char *check_skip;

#define SKIP(reason) \
	do { \
		check_skip = (reason); \
		return; \
	} while (0)

#define RUN(fn) check_run(#fn, fn)

static inline void check_run(const char *name, void (*fn)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		fn();
		if (check_skip && !check_failures)
			printf("SKIP %s: %s\n", name, check_skip);
		else
			printf("%s %s\n", check_failures ? "FAIL" : "ok", name);
		exit(check_failures != 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || WIFSIGNALED(status))
		printf("FAIL %s: ended by signal %d\n", name, pid < 0 ? 0 : WTERMSIG(status));
	else if (WEXITSTATUS(status) > 1)
		printf("FAIL %s: ended with status %d\n", name, WEXITSTATUS(status));
	check_cases++;
	check_failed += status != 0 || pid < 0;
	fflush(stdout);
}

static inline int check_done(void)
{
	return check_failed != 0 || check_cases == 0;
}

#endif
