/* core/arch.c - the architectures StarPU drives, and the numbers its files give them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/arch.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

static const char *const names[ARCH_COUNT] = {
	"cpu", "cuda", "opencl", "mic", "fpga", "mpi_ms", "tcpip_ms", "hip",
};

const char *arch_name(enum arch a)
{
	assert(a >= 0 && a < ARCH_COUNT);
	return names[a];
}

enum arch arch_parse(const char *s, int len)
{
	for (int a = 0; a < ARCH_COUNT; a++)
		if ((int)strlen(names[a]) == len && strncasecmp(s, names[a], (size_t)len) == 0)
			return (enum arch)a;
	return ARCH_NONE;
}
