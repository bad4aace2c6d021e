/* samples/mpi/rank_library.c - over SimGrid, a scheduler library for each rank. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All ranks are one process there, and SimGrid gives each a copy of the program and of the libraries that are listed in
 * smpi/privatize-libs. A library that is loaded later is one for all ranks, and does not see the StarPU of any. The
 * program is linked with the scheduler library instead, and with -Wl,--wrap=dlopen: where StarPU loads the library that
 * STARPU_SCHED_LIB names, it gets the copy of its rank.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name);
void *__real_dlopen(const char *path, int flags);
void *__wrap_dlopen(const char *path, int flags);

void *__wrap_dlopen(const char *path, int flags)
{
	const char *library = getenv("STARPU_SCHED_LIB");
	Dl_info own;

	if (path && library && strcmp(path, library) == 0 && dladdr((void *)starpu_get_sched_lib_policy, &own))
		path = own.dli_fname;
	return __real_dlopen(path, flags);
}
