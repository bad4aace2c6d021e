/* core/config/plugin_path.c - where the scheduler library is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/plugin_path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"

#define PLUGIN_FILE "libheterotune_sched.so"

char *plugin_path(struct ht_err *err)
{
	static const char *const places[] = {PLUGIN_FILE, "../lib/heterotune/" PLUGIN_FILE};
	const char *given = getenv("HETEROTUNE_PLUGIN");
	char exe[PATH_MAX], *slash, *found = NULL;
	ssize_t n;

	if (given && *given) {
		if (access(given, R_OK) == 0)
			return path_absolute(given);
		ht_err_set(err,
		           "%s: cannot be read, expected the scheduler library: it is what HETEROTUNE_PLUGIN names",
		           given);
		return NULL;
	}
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	if (!slash) {
		ht_err_set(err, "/proc/self/exe: cannot be read: HETEROTUNE_PLUGIN can name the scheduler library");
		return NULL;
	}
	*slash = '\0';
	for (size_t i = 0; !found && i < sizeof(places) / sizeof(*places); i++) {
		char *path = ht_asprintf("%s/%s", exe, places[i]);

		if (access(path, R_OK) == 0)
			found = path_absolute(path);
		free(path);
	}
	if (!found)
		ht_err_set(err,
		           "%s: has no " PLUGIN_FILE
		           ", nor has ../lib/heterotune: it is built where StarPU 1.4 is, and "
		           "HETEROTUNE_PLUGIN can name it",
		           exe);
	return found;
}
