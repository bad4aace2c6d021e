/* collect/sessions.c - a program that starts StarPU several times: a trace for each, and the one that is the run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/sessions.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

enum { MOST = 1000 };

#define SESSION  "session_"
#define SESSIONS "sessions" /* below the run */

static int move(const char *from, const char *to, struct ht_err *err)
{
	return rename(from, to) == 0 ? 0 : ht_err_set(err, "%s: cannot be moved: %s", from, strerror(errno));
}

/* The trace of a rank of session i, where it has one. 1: it has; 0: it has not; -1: that failed. */
static int move_rank(const char *run, int i, int rank, struct ht_err *err)
{
	char *from = rank ? ht_asprintf("%s/fxt/" SESSION "%d_%d", run, i, rank) :
	                    ht_asprintf("%s/fxt/" SESSION "%d", run, i);
	char *dir = ht_asprintf("%s/" SESSIONS "/%d/fxt", run, i), *to = ht_asprintf("%s/prof_file_%d", dir, rank);
	int rc = file_exists(from);

	if (rc)
		rc = dir_create(dir, err) != 0 || move(from, to, err) != 0 ? -1 : 1;
	free(from);
	free(dir);
	free(to);
	return rc;
}

/* fxt/session_N, of all but the last session, into sessions/N/fxt; their number, -1: that failed. */
static int move_earlier(const char *run, struct ht_err *err)
{
	int n = 0;

	for (int i = 1; i < MOST; i++, n++) {
		int rank = 0, moved;

		while ((moved = move_rank(run, i, rank, err)) > 0)
			rank++;
		if (moved < 0)
			return -1;
		if (!rank)
			break;
	}
	return n;
}

/* Of equally long ones the first; -1: one cannot be read. */
static int longest(const char *run, int count, struct ht_err *err)
{
	int64_t most = -1;
	int taken = 1;

	for (int i = 1; i <= count; i++) {
		char *path = ht_asprintf("%s/" SESSIONS "/%d", run, i);
		struct trace *t = run_load_trace(path, err);
		int64_t ns = t && trace_executed(t) ? trace_makespan_ns(t, NULL) : 0;

		free(path);
		if (!t)
			return -1;
		if (ns > most) {
			most = ns;
			taken = i;
		}
		trace_free(t);
	}
	return taken;
}

/* fxt/, of the last session, `count`, becomes that of `taken`, 0: of the longest. Which it is; -1: that failed. */
static int take(const char *run, int count, int taken, struct ht_err *err)
{
	char *fxt = ht_asprintf("%s/fxt", run), *last = ht_asprintf("%s/" SESSIONS "/%d", run, count);
	char *last_fxt = ht_asprintf("%s/fxt", last), *dir = NULL, *from = NULL;
	int rc = dir_create(last, err) != 0 || move(fxt, last_fxt, err) != 0 ? -1 : 0;

	if (rc == 0 && taken == 0)
		taken = longest(run, count, err);
	if (taken < 0)
		rc = -1;
	if (rc == 0) {
		dir = ht_asprintf("%s/" SESSIONS "/%d", run, taken);
		from = ht_asprintf("%s/fxt", dir);
		rc = move(from, fxt, err);
		rmdir(dir);
	}
	free(fxt);
	free(last);
	free(last_fxt);
	free(dir);
	free(from);
	return rc == 0 ? taken : -1;
}

int sessions_split(struct sessions *s, const char *run, int wanted, struct ht_err *err)
{
	int earlier = move_earlier(run, err);

	*s = (struct sessions){.count = earlier + 1, .taken = 1};
	if (earlier <= 0)
		return earlier;
	s->taken = take(run, s->count, wanted <= s->count ? wanted : 0, err);
	return s->taken < 0 ? -1 : 0;
}

void sessions_remove(const char *run)
{
	char *path = ht_asprintf("%s/" SESSIONS, run);

	dir_remove(path);
	free(path);
}

unsigned long sessions_lost_tasks(const struct trace *t)
{
	uint64_t first = 0;

	if (t->defects.profiling_gaps)
		return 0;
	for (size_t i = 0; i < t->ntasks; i++)
		if (!first || t->tasks[i].job < first)
			first = t->tasks[i].job;
	return first > 1 ? (unsigned long)first - 1 : 0;
}

int sessions_watch(const char *fxt)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	/* Both, since events that follow their like are one. */
	if (watch >= 0 && inotify_add_watch(watch, fxt, IN_OPEN | IN_CLOSE_WRITE) < 0) {
		close(watch);
		return -1;
	}
	return watch;
}

static int is_of_first_rank(const char *name)
{
	size_t n = strlen(name);

	return strncmp(name, "prof_file_", strlen("prof_file_")) == 0 && strcmp(name + n - 2, "_0") == 0;
}

int sessions_watched(int watch)
{
	_Alignas(struct inotify_event) char events[4096];
	ssize_t size;
	int n = 0;

	if (watch < 0)
		return 0;
	while ((size = read(watch, events, sizeof(events))) > 0)
		for (const char *at = events; at < events + size;) {
			const struct inotify_event *e = (const void *)at;

			n += e->mask & IN_OPEN && e->len && is_of_first_rank(e->name);
			at += sizeof(*e) + e->len;
		}
	close(watch);
	return n;
}
