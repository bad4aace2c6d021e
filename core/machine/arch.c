/* core/machine/arch.c - the architectures StarPU drives, and the numbers its files give them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/machine/arch.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const names[ARCH_COUNT] = {
	"cpu", "cuda", "opencl", "mic", "fpga", "mpi_ms", "tcpip_ms", "hip", "sycl",
};

const char *arch_name(enum arch a)
{
	assert(a >= 0 && a < ARCH_COUNT);
	return names[a];
}

const char *arch_worker_name(enum arch a, int devid, char buf[32])
{
	snprintf(buf, 32, "%s %d", arch_name(a), devid);
	for (char *c = buf; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return buf;
}

enum arch arch_parse(const char *s, int len)
{
	for (int a = 0; a < ARCH_COUNT; a++)
		if ((int)strlen(names[a]) == len && strncasecmp(s, names[a], (size_t)len) == 0)
			return (enum arch)a;
	return ARCH_NONE;
}

int arch_parse_set(const char *s, int len, arch_mask *set)
{
	*set = 0;
	for (int at = 0, word; at <= len; at += word + 1) {
		const char *plus = memchr(s + at, '+', (size_t)(len - at));
		enum arch a;

		word = plus ? (int)(plus - s) - at : len - at;
		a = arch_parse(s + at, word);
		if (a == ARCH_NONE)
			return -1;
		*set |= (arch_mask)(1u << a);
	}
	return 0;
}
