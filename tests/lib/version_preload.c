/* tests/lib/version_preload.c - a StarPU that says it is another version: STARPU_SAYS="1 9 0". For LD_PRELOAD. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>

void starpu_get_version(int *major, int *minor, int *release);

void starpu_get_version(int *major, int *minor, int *release)
{
	const char *says = getenv("STARPU_SAYS");

	if (!says || sscanf(says, "%d %d %d", major, minor, release) != 3)
		abort();
}
