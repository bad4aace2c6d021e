/* tests/fuzz/guided.c - libFuzzer on one reader of files: READER in the environment names it, in DIR. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* libFuzzer counts wall time; these are seconds of CPU time, which mean the same on a machine that is busy. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/readers.h"

enum {
	MOST_SECONDS = 10, /* that one input may take */
	FIRST_TAKEN = 64,  /* inputs that are remembered to the end */
	MOST_TAKEN = 256,
};

static const char *dir;
static const struct reader *reader;
static volatile sig_atomic_t at_end;
static long long tried, refusals;
static struct mutant goods[MOST_TAKEN];
static size_t taken; /* of them */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

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

/* What was read without a refusal: the first ones, which the corpus begins with, and some of those that came later. */
static void remember(const uint8_t *data, size_t size)
{
	const size_t at = taken < MOST_TAKEN ? taken++ : FIRST_TAKEN + (size_t)tried % (MOST_TAKEN - FIRST_TAKEN);
	char *copy = realloc(goods[at].data, size + 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	goods[at] = (struct mutant){copy, size};
}

/*
 * Half of the inputs are files that the reader has taken, changed as tests/fuzz/mutate.c does: of XML whose bytes are
 * changed one in 500 is as its schema says, and so nearly nothing reaches what reads it.
 */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	const struct mutant other = {(char *)data, size};
	uint64_t state = mutate_seed(seed, size);
	struct mutant m;

	if (taken == 0 || mutate_pick(&state, 2) == 0)
		return LLVMFuzzerMutate(data, size, most);
	m = mutate(&goods[mutate_pick(&state, taken)], &other, &state);
	size = m.size_bytes < most ? m.size_bytes : most;
	memcpy(data, m.data, size);
	free(m.data);
	return size;
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
	if (!refused && size > 0)
		remember(data, size);
	if (at_end == 1) {
		at_end = 2;
		fprintf(stderr, "tried %lld, refused %lld\n", tried, refusals);
		raise(SIGUSR1); /* which makes libFuzzer end */
	}
	return 0;
}
