/* core/run/run_writer.c - a run directory in the making: whole under its name, or not there. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/run_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/machine/machine.h"

int run_writer_check(const char *path, const char *option, struct ht_err *err)
{
	struct stat st;

	if (!*path) /* would be the working directory */
		return ht_err_set(err, "the name of the run is empty: give one with %s", option);
	if (lstat(path, &st) != 0) /* a link that leads nowhere is in the way, too */
		return 0;
	return ht_err_set(err, "%s: exists already: a run is never overwritten, give another name with %s", path,
	                  option);
}

int run_writer_begin(struct run_writer *n, const char *path, const char *option, struct ht_err *err)
{
	*n = (struct run_writer){.shown = path};
	if (run_writer_check(path, option, err) != 0)
		return -1;
	n->path = path_absolute(path);
	n->dir = dir_create_beside(n->path, err);
	return n->dir ? 0 : -1;
}

int run_writer_open(const struct run_writer *n, struct outfile *out, const char *name, struct ht_err *err)
{
	char *path = ht_asprintf("%s/%s", n->dir, name);
	int rc = outfile_open(out, path, err);

	free(path);
	return rc;
}

int run_writer_machine(const struct run_writer *n, const struct machine *m, struct ht_err *err)
{
	char *path = ht_asprintf("%s/machine.xml", n->dir);
	int rc = machine_save(m, path, err);

	free(path);
	return rc;
}

static void put_archs(FILE *f, arch_mask where, char between)
{
	char separator = '\t';

	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!(where >> a & 1))
			continue;
		fprintf(f, "%c%s", separator, arch_name((enum arch)a));
		separator = between;
	}
}

void run_writer_where(FILE *f, const char *codelet, int length, arch_mask where, int has_no_model)
{
	fprintf(f, "%.*s", length, codelet);
	put_archs(f, where, ' ');
	fputs(has_no_model ? "\tno model\n" : "\n", f);
}

void run_writer_narrowed(FILE *f, uint64_t job, uint32_t footprint, arch_mask where)
{
	fprintf(f, "%" PRIu64 "\t%08" PRIx32 "\t%08" PRIx32, job, footprint, footprint);
	put_archs(f, where, '+');
	fputc('\n', f);
}

int run_writer_end(struct run_writer *n, int rc, struct ht_err *err)
{
	int is_kept = 0;
	struct stat st;

	if (rc == 0 && rename(n->dir, n->path) != 0) {
		rc = ht_err_set(err, "%s: cannot be made: %s", n->shown, strerror(errno));
		is_kept = lstat(n->path, &st) == 0;
	}
	if (is_kept)
		ht_err_set(err, "%s: another process has made it since: the run is %s", n->shown, n->dir);
	else if (rc != 0 && n->dir)
		dir_remove(n->dir);
	free(n->dir);
	free(n->path);
	return rc;
}
