/* tests/lib/starting_preload.c - StarPU starts slowly, and it is said when the library asks for memory. LD_PRELOAD. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dlfcn.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int is_started;

int starpu_init(struct starpu_conf *conf)
{
	int (*init)(struct starpu_conf *) = (int (*)(struct starpu_conf *))dlsym(RTLD_NEXT, "starpu_init");
	int rc = init(conf);

	usleep(200000); /* Workers look for tasks, as fast devices do while slow ones are being started. */
	is_started = 1;
	return rc;
}

/* StarPU's own workers ask too. */
starpu_ssize_t starpu_memory_get_total(unsigned node)
{
	starpu_ssize_t (*total)(unsigned) = (starpu_ssize_t(*)(unsigned))dlsym(RTLD_NEXT, "starpu_memory_get_total");
	Dl_info caller;

	if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "libheterotune_sched"))
		fprintf(stderr, "memory of %u: %s\n", node, is_started ? "started" : "starting");
	return total(node);
}
