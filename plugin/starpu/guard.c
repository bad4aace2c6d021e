/* plugin/starpu/guard.c - work that needs memory, given up as a whole where there is none. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/starpu/guard.h"

#include <setjmp.h>
#include <stddef.h>
#include <unistd.h>

#include "core/base/alloc.h"

static _Thread_local jmp_buf *way_out;

int guarded(void (*work)(void *arg), void *arg)
{
	jmp_buf here;

	if (setjmp(here)) {
		way_out = NULL;
		return -1;
	}
	way_out = &here;
	work(arg);
	way_out = NULL;
	return 0;
}

/* All calls that allocate are guarded; one that is not would have nowhere to go, and waits for ever. */
void alloc_failed(size_t n, size_t size)
{
	(void)n;
	(void)size;
	if (way_out)
		longjmp(*way_out, 1);
	for (;;)
		pause();
}
