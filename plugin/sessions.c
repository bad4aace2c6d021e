/* plugin/sessions.c - a program that starts StarPU several times, recorded: the trace of each session is kept. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "plugin/starpu/starpu_api.h"

enum { MOST = 1000, PATH = 4096 };

/* As StarPU names it: 1.4.10, src/common/fxt.c, _starpu_profile_set_tracefile(). 0: that is too long. */
static int trace_of_rank(char file[PATH], const char *prefix, int rank)
{
	const char *user = getenv("USER");

	return snprintf(file, PATH, "%s/prof_file_%s_%d", prefix, user ? user : "", rank) < PATH;
}

/* Those of the other ranks, until there is no more. */
static void keep_others(const char *prefix, int session)
{
	char file[PATH], name[PATH];

	for (int rank = 1; rank < MOST; rank++)
		if (!trace_of_rank(file, prefix, rank) ||
		    snprintf(name, PATH, "%s/session_%d_%d", prefix, session, rank) >= PATH || rename(file, name) != 0)
			return;
}

void sessions_record(void)
{
	if (getenv("HETEROTUNE_RECORD") && sp.starpu_fxt_start_profiling)
		sp.starpu_fxt_start_profiling();
}

void sessions_keep(void)
{
	const char *prefix = getenv("STARPU_FXT_PREFIX");
	char file[PATH], name[PATH];

	if (!prefix || !trace_of_rank(file, prefix, 0) || access(file, F_OK) != 0)
		return;
	for (int i = 1; i < MOST; i++)
		if (snprintf(name, PATH, "%s/session_%d", prefix, i) >= PATH || access(name, F_OK) != 0) {
			if (rename(file, name) == 0)
				keep_others(prefix, i);
			return;
		}
}
