/* core/base/alloc_exit.c - the tool without memory: the one place where that ends the program. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"

void alloc_failed(size_t n, size_t size)
{
	fprintf(stderr, "heterotune: out of memory: asked for %zu x %zu bytes\n", n, size);
	exit(2);
}
