/* tests/fuzz/guided.c - libFuzzer on one reader of files: READER in the environment names it, in DIR. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* libFuzzer counts wall time; these are seconds of CPU time, which mean the same on a machine that is busy. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "tests/fuzz/readers.h"

enum { MOST_SECONDS = 10 }; /* that one input may take */

static const char *dir;
static const struct reader *reader;
static volatile sig_atomic_t at_end;
static long long tried, refusals;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void end(int signal)
{
	(void)signal;
	at_end = 1;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("READER"), *seconds = getenv("SECONDS_OF_CPU");
	const struct itimerval until = {{0}, {seconds ? strtol(seconds, NULL, 10) : 0, 0}};

	(void)argc, (void)argv;
	dir = getenv("DIR");
	reader = name ? reader_find(name) : NULL;
	if (!reader || !dir || reader_prepare(reader, dir) != 0) {
		fprintf(stderr, "READER=%s: expected one of tests/fuzz/readers.c, in the root of the tree\n",
		        name ? name : "");
		exit(2);
	}
	signal(SIGPROF, end);
	setitimer(ITIMER_PROF, &until, NULL);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int refused;
	const clock_t start = clock();
	const char *wrong = reader_run(reader, dir, data, size, &refused);

	if (!wrong && (clock() - start) / CLOCKS_PER_SEC >= MOST_SECONDS)
		wrong = "it takes too long";
	if (wrong) {
		fprintf(stderr, "%s\n", wrong);
		abort();
	}
	tried++;
	refusals += refused;
	if (at_end == 1) {
		at_end = 2;
		fprintf(stderr, "tried %lld, refused %lld\n", tried, refusals);
		raise(SIGUSR1); /* which makes libFuzzer end */
	}
	return 0;
}
