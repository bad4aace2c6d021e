/* samples/cholesky/options.c - the command line of the Cholesky sample. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cholesky.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TILE  16384 /* entries of a tile are indexed by int in the kernels */
#define MAX_TILES 512   /* per side: 22 million tasks */

static const char usage[] =
	"usage: cholesky [--size N] [--tile B] [--check] [...]\n"
	"Factorises a symmetric positive definite matrix into L L^T, in single precision, by tiles, with StarPU.\n"
	"\n"
	"  --size N           rows of the matrix, a multiple of the tile (2560)\n"
	"  --tile B           rows of a tile (320)\n"
	"  --repeat R         factorise R times; one line each (1)\n"
	"  --seed S           of the matrix (1)\n"
	"  --check            verify the factor; implies --stats; exit 1 when it is off\n"
	"  --stats            print how many tasks of each codelet each architecture executed\n"
	"  --no-priorities    give all tasks the same priority\n"
	"  --opencl-blocking auto|registers|local\n"
	"                     how the OpenCL kernels block: in registers (CPU devices), through local memory (GPUs)\n"
	"  --help             print this\n"
	"\n"
	"StarPU's own environment variables choose workers and scheduler: STARPU_NCPU, STARPU_SCHED, ...\n";

/* Returns -1 after a sentence. */
static int read_number(const char *option, const char *text, int64_t min, int64_t max, int64_t *value)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text, &end, 10);
	if (end == text || *end || errno || v < min || v > max) {
		fprintf(stderr, "cholesky: --%s: expected a whole number from %lld to %lld: found=%s\n", option,
		        (long long)min, (long long)max, text);
		return -1;
	}
	*value = v;
	return 0;
}

static int read_blocking(const char *text, enum blocking *value)
{
	static const char *const names[] = {
		[BLOCKING_AUTO] = "auto",
		[BLOCKING_REGISTERS] = "registers",
		[BLOCKING_LOCAL] = "local",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*value = (enum blocking)i;
			return 0;
		}
	}
	fprintf(stderr, "cholesky: --opencl-blocking: expected auto, registers or local: found=%s\n", text);
	return -1;
}

static int options_check(const struct options *opt)
{
	if (opt->size % opt->tile) {
		fprintf(stderr, "cholesky: --size must be a multiple of --tile: size=%lld tile=%lld remainder=%lld\n",
		        (long long)opt->size, (long long)opt->tile, (long long)(opt->size % opt->tile));
		return -1;
	}
	if (opt->size / opt->tile > MAX_TILES) {
		fprintf(stderr, "cholesky: too many tiles per side: found=%lld limit=%d; enlarge --tile\n",
		        (long long)(opt->size / opt->tile), MAX_TILES);
		return -1;
	}
#ifdef STARPU_SIMGRID
	if (opt->check) {
		fprintf(stderr,
		        "cholesky: --check: nothing is computed under SimGrid, so there is no factor to verify\n");
		return -1;
	}
#endif
	return 0;
}

int options_read(int argc, char **argv, struct options *opt)
{
	enum { SIZE = 256, TILE, REPEAT, SEED, CHECK, STATS, NO_PRIORITIES, BLOCKING, HELP };
	static const struct option table[] = {
		{"size", required_argument, NULL, SIZE},
		{"tile", required_argument, NULL, TILE},
		{"repeat", required_argument, NULL, REPEAT},
		{"seed", required_argument, NULL, SEED},
		{"check", no_argument, NULL, CHECK},
		{"stats", no_argument, NULL, STATS},
		{"no-priorities", no_argument, NULL, NO_PRIORITIES},
		{"opencl-blocking", required_argument, NULL, BLOCKING},
		{"help", no_argument, NULL, HELP},
		{NULL, 0, NULL, 0},
	};
	int64_t seed = 1;
	int letter, bad = 0;

	*opt = (struct options){.size = 2560, .tile = 320, .repeat = 1, .blocking = BLOCKING_AUTO};
	while (!bad && (letter = getopt_long(argc, argv, "", table, NULL)) != -1) {
		switch (letter) {
		case SIZE: bad = read_number("size", optarg, 1, (int64_t)MAX_TILE * MAX_TILES, &opt->size); break;
		case TILE: bad = read_number("tile", optarg, 1, MAX_TILE, &opt->tile); break;
		case REPEAT: bad = read_number("repeat", optarg, 1, 1000000, &opt->repeat); break;
		case SEED: bad = read_number("seed", optarg, 0, INT64_MAX, &seed); break;
		case CHECK: opt->check = true; break;
		case STATS: opt->stats = true; break;
		case NO_PRIORITIES: opt->no_priorities = true; break;
		case BLOCKING: bad = read_blocking(optarg, &opt->blocking); break;
		case HELP: fputs(usage, stdout); return 1;
		default: /* getopt_long has said what is wrong */ bad = -1;
		}
	}
	if (!bad && optind < argc) {
		fprintf(stderr, "cholesky: unexpected argument: found=%s\n", argv[optind]);
		bad = -1;
	}
	opt->seed = (uint64_t)seed;
	opt->stats |= opt->check;
	return bad || options_check(opt) ? 3 : 0;
}
