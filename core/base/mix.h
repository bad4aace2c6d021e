/* core/base/mix.h - 64 bits mixed well: the finalizer of splitmix64 (Steele, Lea, Flood 2014). */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_MIX_H
#define CORE_BASE_MIX_H

#include <stdint.h>

#define MIX_GAMMA UINT64_C(0x9e3779b97f4a7c15) /* an odd step: i * MIX_GAMMA are the states of splitmix64 */

static inline uint64_t mix64(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

#endif
