/* tests/lib/memory_preload.c - the N-th allocation that the scheduler library asks for fails. For LD_PRELOAD. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * FAIL_AT=N: the N-th call from libheterotune_sched.so of calloc(), malloc() or realloc() gives NULL; FAIL_FROM=N: so
 * does every later one. FAIL_COUNT=FILE: how many there were is written there at the end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long calls;

static int is_library(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, "libheterotune_sched");
}

static int fails(const void *caller)
{
	static const char *at, *from;
	unsigned long n;

	if (!is_library(caller))
		return 0;
	at = getenv("FAIL_AT");
	from = getenv("FAIL_FROM");
	n = __sync_add_and_fetch(&calls, 1);
	return (at && n == strtoul(at, NULL, 10)) || (from && n >= strtoul(from, NULL, 10));
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

__attribute__((destructor)) static void count(void)
{
	const char *path = getenv("FAIL_COUNT");
	FILE *f = path && calls ? fopen(path, "w") : NULL;

	if (f) {
		fprintf(f, "%lu\n", calls);
		fclose(f);
	}
}
