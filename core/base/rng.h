/* core/base/rng.h - random numbers that are the same on every machine: splitmix64 (Steele, Lea, Flood 2014). */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_RNG_H
#define CORE_BASE_RNG_H

#include <stdint.h>

#include "core/base/mix.h"

/* A seed is a state: any number. */
struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	return mix64(r->state += MIX_GAMMA);
}

/* In [0, 1), a multiple of 2^-53. */
static inline double rng_real(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/* In [0, n), n > 0; the bias is below n / 2^53. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(rng_real(r) * n);
}

/* In [from, to), uniform. */
static inline double rng_between(struct rng *r, double from, double to)
{
	return from + rng_real(r) * (to - from);
}

#endif
