/* core/base/path.c - names of files and directories. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/path.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/file.h"

char *path_absolute(const char *path)
{
	char *real = realpath(path, NULL), *cwd, *joined;

	if (real)
		return real;
	cwd = *path == '/' ? NULL : getcwd(NULL, 0);
	joined = cwd ? ht_asprintf("%s/%s", cwd, path) : ht_strndup(path, strlen(path));
	for (size_t len = strlen(joined); len > 1 && joined[len - 1] == '/'; len--)
		joined[len - 1] = '\0';
	free(cwd);
	return joined;
}

char *path_unused(const char *program, const char *ending)
{
	const char *base = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
	char *name = ht_asprintf("%s%s", base, ending);

	for (int i = 2; file_exists(name); i++) {
		free(name);
		name = ht_asprintf("%s-%d%s", base, i, ending);
	}
	return name;
}

char *path_last(const char *path)
{
	size_t len = strlen(path), from;

	while (len > 1 && path[len - 1] == '/')
		len--;
	from = len;
	while (from > 0 && path[from - 1] != '/')
		from--;
	return ht_strndup(path + from, len - from);
}

int path_has_program(const char *name)
{
	const char *dirs = getenv("PATH");

	while (dirs && *dirs) {
		size_t len = strcspn(dirs, ":");
		char *path = ht_asprintf("%.*s/%s", (int)len, dirs, name);
		int found = len > 0 && access(path, X_OK) == 0;

		free(path);
		if (found)
			return 1;
		dirs += len + (dirs[len] == ':');
	}
	return 0;
}
