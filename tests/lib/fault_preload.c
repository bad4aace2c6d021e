/* tests/lib/fault_preload.c - the N-th call of heterotune or of its library that may fail does. For LD_PRELOAD. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * FAULT_KIND=memory: calloc() and realloc() by heterotune's own allocator, not by a library, linked into it or not:
 * FAULT_ALLOCATORS="ADDRESS SIZE ADDRESS SIZE", hexadecimal, are its functions in the program's file. FAULT_KIND=file:
 * calls on files and directories. FAULT_LIBRARY=1: those of the scheduler library instead, in whatever program.
 * FAULT_AT=N: the N-th call of that kind fails; FAULT_FROM=N: so does every later one. FAULT_BYTES=N: no file may have
 * more than N bytes, so that the write that would exceed this fails. FAULT_COUNT=FILE: how many calls there were is
 * written there at the end. FAULT_EACH=DIR, with fault_each.c: each call fails in a child, FAULT_STEP=N: each N-th one.
 * Programs that heterotune starts are left alone.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/fault_each.h"

enum kind { NONE, MEMORY, FILES };

static uintptr_t base, begin, end; /* of the program in memory; none: another program */
static struct {
	uintptr_t at, size;
} allocators[2];
static enum kind wanted;
static int of_library;
static unsigned long at, from, calls;
static const char *count_file, *each_dir;
static unsigned long step = 1;

static int find_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	base = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD)
			continue;
		begin = begin && begin < from ? begin : from;
		end = end > from + p->p_memsz ? end : from + p->p_memsz;
	}
	return 1; /* the first one is the program */
}

__attribute__((constructor)) static void find(void)
{
	const char *kind = getenv("FAULT_KIND"), *n = getenv("FAULT_AT"), *first = getenv("FAULT_FROM");
	const char *bytes = getenv("FAULT_BYTES"), *every = getenv("FAULT_STEP");

	of_library = getenv("FAULT_LIBRARY") != NULL;
	if (!of_library && strcmp(program_invocation_short_name, "heterotune") != 0)
		return;
	wanted = !kind ? NONE : strcmp(kind, "memory") == 0 ? MEMORY : FILES;
	at = n ? strtoul(n, NULL, 10) : 0;
	from = first ? strtoul(first, NULL, 10) : 0;
	count_file = getenv("FAULT_COUNT");
	each_dir = getenv("FAULT_EACH");
	step = every ? strtoul(every, NULL, 10) : 1;
	if (bytes) {
		const struct rlimit limit = {strtoul(bytes, NULL, 10), RLIM_INFINITY};

		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
	}
	dl_iterate_phdr(find_program, NULL);
	if (getenv("FAULT_ALLOCATORS"))
		sscanf(getenv("FAULT_ALLOCATORS"), "%lx %lx %lx %lx", &allocators[0].at, &allocators[0].size,
		       &allocators[1].at, &allocators[1].size);
}

static int is_ours(enum kind kind, uintptr_t caller)
{
	Dl_info info;

	if (of_library)
		return dladdr((void *)caller, &info) && info.dli_fname && strstr(info.dli_fname, "libheterotune_sched");
	return caller >= begin && caller < end &&
	       (kind != MEMORY || caller - base - allocators[0].at < allocators[0].size ||
	        caller - base - allocators[1].at < allocators[1].size);
}

static int fails(enum kind kind, const void *caller, int error)
{
	unsigned long n;

	if (kind != wanted || !is_ours(kind, (uintptr_t)caller))
		return 0;
	n = __sync_add_and_fetch(&calls, 1);
	if (each_dir && n % step == 0 && fault_in_child(each_dir, n)) {
		each_dir = count_file = NULL;
		errno = error;
		return 1;
	}
	if (n != at && (!from || n < from))
		return 0;
	errno = error;
	return 1;
}

#define FAILS(kind, error) fails(kind, __builtin_return_address(0), error)

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

void *malloc(size_t size)
{
	return FAILS(MEMORY, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return FAILS(MEMORY, ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return FAILS(MEMORY, ENOMEM) ? NULL : __libc_realloc(p, size);
}

/* Defines NAME, which returns `failed` where it has to fail. */
#define WRAP(type, name, params, args, failed, error) \
	type name params \
	{ \
		type(*real) params = (type(*) params)dlsym(RTLD_NEXT, #name); \
		return FAILS(FILES, error) ? (failed) : real args; \
	}

WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
WRAP(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL, EMFILE)
WRAP(DIR *, opendir, (const char *path), (path), NULL, EMFILE)
WRAP(int, rename, (const char *from, const char *to), (from, to), -1, EIO)
WRAP(int, fsync, (int fd), (fd), -1, EIO)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, ENOSPC)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), -1, EIO)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1, EPERM)
WRAP(ssize_t, read, (int fd, void *data, size_t n), (fd, data, n), -1, EIO)
WRAP(ssize_t, pread, (int fd, void *data, size_t n, off_t from), (fd, data, n, from), -1, EIO)
WRAP(ssize_t, write, (int fd, const void *data, size_t n), (fd, data, n), -1, ENOSPC)
WRAP(ssize_t, getrandom, (void *data, size_t n, unsigned flags), (data, n, flags), -1, ENOSYS)
WRAP(char *, realpath, (const char *path, char *to), (path, to), NULL, EACCES)

int open(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	mode_t mode;
	va_list ap;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return FAILS(FILES, EMFILE) ? -1 : real(path, flags, mode);
}

/* The stream is closed, as it is where close() says that a write has failed. */
int fclose(FILE *f)
{
	int (*real)(FILE *) = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose"), bad = FAILS(FILES, EIO);
	int status = real(f);

	if (bad)
		errno = EIO;
	return bad ? EOF : status;
}

__attribute__((destructor)) static void count(void)
{
	FILE *f = count_file && calls ? fopen(count_file, "w") : NULL;

	if (f) {
		fprintf(f, "%lu\n", calls);
		fclose(f);
	}
}
