/* samples/lu_mpi/rank_library.c - over SimGrid, a scheduler library for each rank. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All ranks are one process there, and SimGrid gives each its own copy of the program and of the libraries that it is
 * told of (smpi/privatize-libs). A library that is loaded later would be one for all, and call the StarPU of none. So the
 * program is linked with the scheduler library, and with -Wl,--wrap=dlopen: where StarPU loads the library that
 * STARPU_SCHED_LIB names, it gets the rank's copy.
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
