/* core/base/dir_copy.c - a directory's files and directories into another one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/dir_copy.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"

enum { MAX_DEPTH = 16 };

static int copy_all(const char *from, const char *to, int depth, struct ht_err *err);

static int copy_entry(const char *from, const char *to, int depth, struct ht_err *err)
{
	struct stat st;

	if (lstat(from, &st) != 0)
		return ht_err_set(err, "%s: cannot be read: %s", from, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return copy_all(from, to, depth + 1, err);
	return S_ISREG(st.st_mode) ? file_copy(from, to, err) : 0;
}

static int copy_all(const char *from, const char *to, int depth, struct ht_err *err)
{
	DIR *d = depth < MAX_DEPTH ? opendir(from) : NULL;
	struct dirent *e;
	int rc = 0;

	if (!d)
		return ht_err_set(err, "%s: %s", from,
		                  depth < MAX_DEPTH ? strerror(errno) : "too many directories within each other");
	rc = dir_create(to, err);
	while (rc == 0 && (e = readdir(d))) {
		char *a, *b;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		a = ht_asprintf("%s/%s", from, e->d_name);
		b = ht_asprintf("%s/%s", to, e->d_name);
		rc = copy_entry(a, b, depth, err);
		free(a);
		free(b);
	}
	closedir(d);
	return rc;
}

int dir_copy(const char *from, const char *to, struct ht_err *err)
{
	return copy_all(from, to, 0, err);
}
