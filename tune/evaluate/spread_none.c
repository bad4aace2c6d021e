/* tune/evaluate/spread_none.c - one process alone: without MPI. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/spread.h"

void spread_begin(void)
{
}

void spread_end(void)
{
}

int spread_rank(void)
{
	return 0;
}

int spread_size(void)
{
	return 1;
}

void spread_max(int64_t *values, size_t n)
{
	(void)values, (void)n;
}

void spread_copy(void *data, size_t bytes)
{
	(void)data, (void)bytes;
}
