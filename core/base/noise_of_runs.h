/* core/base/noise_of_runs.h - by how much two runs of one program may differ. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_NOISE_OF_RUNS_H
#define CORE_BASE_NOISE_OF_RUNS_H

#include <stdint.h>

/* Two runs of one program differ by up to this share: less than that is no gain, for a search as for a verdict. */
#define NOISE_OF_RUNS 0.02

/* Whether `now` is less than `before` by so much or more. */
static inline int noise_is_gain(int64_t before_ns, int64_t now_ns)
{
	return 1 - (double)now_ns / (double)before_ns >= NOISE_OF_RUNS;
}

#endif
