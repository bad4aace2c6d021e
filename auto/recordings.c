/* auto/recordings.c - the recording that all else rests on: the median of a few, since one may be slow by chance. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/recordings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auto/application.h"
#include "auto/measured.h"
#include "auto/steps.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/input.h"
#include "core/base/interrupt.h"
#include "core/run/manifest.h"

struct recording {
	char *run, *log, *path; /* the names below DIR, and the run's path */
	int64_t ns;             /* its makespan; -1: not known */
};

static struct recording recording_of(const struct application *a, const char *run, const char *log, int i)
{
	struct recording r = {.ns = -1};

	r.run = ht_asprintf("%s.fresh-%d", run, i + 1);
	r.log = ht_asprintf("%s.fresh-%d", log, i + 1);
	r.path = ht_asprintf("%s/%s", a->dir, r.run);
	return r;
}

static void recording_free(struct recording *r)
{
	free(r->run);
	free(r->log);
	free(r->path);
}

static void remove_below(const struct application *a, const char *name)
{
	char *path = ht_asprintf("%s/%s", a->dir, name);

	unlink(path);
	free(path);
}

static int rename_below(const struct application *a, const char *from, const char *to, struct ht_err *err)
{
	char *old = ht_asprintf("%s/%s", a->dir, from), *new = ht_asprintf("%s/%s", a->dir, to);
	int rc = rename(old, new) == 0 ? 0 : ht_err_set(err, "%s: cannot be renamed: %s", old, strerror(errno));

	free(old);
	free(new);
	return rc;
}

/* In the log collect names the run as it was made: it is called `to` now, or, where that is NULL, gone. */
static void rename_in_log(const struct application *a, const char *log, const char *from, const char *to)
{
	char *path = ht_asprintf("%s/%s", a->dir, log), *line = NULL;
	FILE *f = fopen(path, "re");
	size_t len = strlen(from), cap = 0;
	struct outfile o = {0};
	ssize_t n;

	if (f && outfile_open(&o, path, NULL) == 0) {
		while ((n = getline(&line, &cap, f)) > 0) { /* of the program: any bytes, and any number of them */
			const int names_it = strncmp(line, from, len) == 0 && line[len] == ':';

			if (names_it && to)
				fprintf(o.f, "%s%s", to, line + len);
			else if (!names_it)
				fwrite(line, 1, (size_t)n, o.f);
		}
		if (!ferror(f))
			outfile_commit(&o, NULL);
		outfile_abort(&o);
	}
	if (f)
		fclose(f);
	free(line);
	free(path);
}

/* StarPU over SimGrid takes the same time again. */
static int is_simulated(const struct recording *r)
{
	char *path = ht_asprintf("%s/manifest", r->path);
	struct manifest m = {0};
	int simulated = manifest_load(&m, path, NULL) != 0 || strcmp(manifest_get(&m, "simulated"), "yes") == 0;

	manifest_fini(&m);
	free(path);
	return simulated;
}

static void discard(const struct application *a, struct recording *r)
{
	dir_remove(r->path);
	remove_below(a, r->log);
}

/*
 * The recordings that were made, at least one, or the status of the first. One that fails later, or has no makespan,
 * ends them and is not kept; where it was interrupted none is.
 */
static int make_all(const struct application *a, struct recording *all, const char *size, int *n, struct ht_err *err)
{
	int status = 0, most = input_is_same(a->input) ? RECORDINGS : 1;

	for (*n = 0; *n < most; ++*n) {
		struct recording *r = &all[*n];
		double begin = steps_now_s();
		struct ht_err ignored;

		dir_remove(r->path);
		status = application_record(a, r->run, size, r->log, *n > 0, *n ? &ignored : err);
		if (status != 0)
			break;
		r->ns = measured_run_ns(r->path, &ignored);
		if (r->ns < 0 && *n)
			break;
		if (r->ns < 0 || is_simulated(r) || steps_now_s() - begin > RECORDINGS_LIMIT_S)
			most = 1;
	}
	return *n && !interrupt_is_status(status) ? 0 : status;
}

/* Of those whose makespan is known. */
static int median_of(const struct recording *all, int n)
{
	for (int i = 0; i < n; i++) {
		int less = 0;

		for (int k = 0; k < n; k++)
			less += all[k].ns < all[i].ns || (k < i && all[k].ns == all[i].ns);
		if (less == (n - 1) / 2)
			return i;
	}
	return 0;
}

static int put_makespans(const struct recording *kept, const struct recording *all, int n, struct ht_err *err)
{
	char *path = ht_asprintf("%s/manifest", kept->path), text[RECORDINGS * 24] = "";
	int rc;

	for (int i = 0, len = 0; i < n; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%lld", i ? " " : "", (long long)all[i].ns);
	rc = manifest_add(path, RECORDINGS_KEY, text, err);
	free(path);
	return rc;
}

static int keep(const struct application *a, const struct recording *kept, const char *run, const char *log,
                struct ht_err *err)
{
	char *path = ht_asprintf("%s/%s", a->dir, run);
	int rc;

	dir_remove(path);
	rc = rename_below(a, kept->run, run, err) != 0 || rename_below(a, kept->log, log, err) != 0 ? -1 : 0;
	rename_in_log(a, log, kept->path, path);
	free(path);
	return rc;
}

/* The first has failed, or one was interrupted: what it printed stays, and a run that it left does not. */
static void give_up(const struct application *a, const struct recording *last, const char *log)
{
	struct ht_err ignored;

	if (rename_below(a, last->log, log, &ignored) == 0 && file_exists(last->path)) {
		fputs("heterotune: auto: its recording is not kept\n", stderr);
		rename_in_log(a, log, last->path, NULL);
	}
}

int recordings_make(const struct application *a, const char *run, const char *size, const char *log, struct ht_err *err)
{
	struct recording all[RECORDINGS];
	int n, status;

	for (int i = 0; i < RECORDINGS; i++)
		all[i] = recording_of(a, run, log, i);
	status = make_all(a, all, size, &n, err);
	if (status == 0) {
		const struct recording *kept = &all[median_of(all, n)];

		status = n > 1 ? put_makespans(kept, all, n, err) : 0;
		if (status == 0)
			status = keep(a, kept, run, log, err);
	} else {
		give_up(a, &all[n], log);
	}
	for (int i = 0; i < RECORDINGS; i++) {
		discard(a, &all[i]);
		recording_free(&all[i]);
	}
	return status;
}

int recordings_range(const char *dir, const char *run, int64_t *least_ns, int64_t *most_ns)
{
	char *path = ht_asprintf("%s/%s/manifest", dir, run);
	struct manifest m = {0};
	int n = 0;

	if (manifest_load(&m, path, NULL) == 0) {
		const char *at = manifest_get(&m, RECORDINGS_KEY);

		for (char *end; *at; at = end) {
			int64_t ns = strtoll(at, &end, 10);

			if (end == at)
				break;
			*least_ns = !n || ns < *least_ns ? ns : *least_ns;
			*most_ns = !n || ns > *most_ns ? ns : *most_ns;
			n++;
		}
	}
	manifest_fini(&m);
	free(path);
	return n;
}
