/* plugin/sessions.c - a program that starts StarPU several times, recorded: the trace of each session is kept. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1000, PATH = 4096 };

void sessions_keep(void)
{
	const char *prefix = getenv("STARPU_FXT_PREFIX"), *user = getenv("USER");
	char file[PATH], name[PATH];

	/* As StarPU names it: 1.4.10, src/common/fxt.c, _starpu_profile_set_tracefile(). */
	if (!prefix || snprintf(file, PATH, "%s/prof_file_%s_0", prefix, user ? user : "") >= PATH ||
	    access(file, F_OK) != 0)
		return;
	for (int i = 1; i < MOST; i++)
		if (snprintf(name, PATH, "%s/session_%d", prefix, i) >= PATH || access(name, F_OK) != 0) {
			rename(file, name);
			return;
		}
}
