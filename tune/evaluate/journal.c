/* tune/evaluate/journal.c - what an interrupted tune has replayed already. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/hash.h"

enum { MAX_BYTES = 1 << 28, LINE_BYTES = 64 };

struct journal {
	char *path;
	uint64_t problem;
	int fd; /* locked */
	struct journal_entry *entries;
	size_t count, cap;
};

static int heading(char line[LINE_BYTES], uint64_t problem)
{
	return snprintf(line, LINE_BYTES, "heterotune tune %016" PRIx64 "\n", problem);
}

/*
 * "KEY MAKESPAN CHECK\n": the last, which covers the problem too, reveals a line that was damaged or is of another one.
 * The number of bytes.
 */
static size_t write_line(const struct journal *j, char line[LINE_BYTES], const struct journal_entry *e)
{
	uint64_t check = hash64(HASH64_START, &j->problem, sizeof(j->problem));

	check = hash64(check, &e->key, sizeof(e->key));
	check = hash64(check, &e->makespan_ns, sizeof(e->makespan_ns));
	return (size_t)snprintf(line, LINE_BYTES, "%016" PRIx64 " %" PRId64 " %08" PRIx32 "\n", e->key, e->makespan_ns,
	                        (uint32_t)(check ^ check >> 32));
}

/* Its number of bytes; 0: it is something else. sscanf() would look for the end of the whole text for every line. */
static size_t read_line(const struct journal *j, const char *line, struct journal_entry *e)
{
	char again[LINE_BYTES], *end;
	size_t bytes;

	e->key = strtoull(line, &end, 16);
	e->makespan_ns = strtoll(end, NULL, 10);
	bytes = write_line(j, again, e);
	return e->makespan_ns >= 0 && strncmp(line, again, bytes) == 0 ? bytes : 0;
}

/* Whether the text is a journal, of any problem: what is cut off within the first line counts as one. */
static int is_journal(const char *text, size_t len)
{
	char first[LINE_BYTES];
	size_t bytes = (size_t)heading(first, 0);

	for (size_t i = 0; i < len && i < bytes; i++)
		if (text[i] != first[i] && !(first[i] == '0' && strchr("123456789abcdef", text[i]) && text[i]))
			return 0;
	return 1;
}

/* How much of the text is good. */
static size_t read_entries(struct journal *j, const char *text)
{
	char first[LINE_BYTES];
	size_t at = (size_t)heading(first, j->problem), bytes;
	struct journal_entry e;

	if (strncmp(text, first, at) != 0)
		return 0;
	while ((bytes = read_line(j, text + at, &e)) != 0) {
		*VEC_PUSH(j->entries, j->count, j->cap) = e;
		at += bytes;
	}
	return at;
}

static int write_all(struct journal *j, const char *text, size_t bytes, struct ht_err *err)
{
	while (bytes) {
		ssize_t n = write(j->fd, text, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return ht_err_set(err, "%s: cannot be written: %s", j->path, strerror(errno));
		text += n;
		bytes -= (size_t)n;
	}
	return 0;
}

/* 0: the lock is held, or the file system has none; else -1. */
static int lock(const struct journal *j, struct ht_err *err)
{
	struct flock whole = {.l_type = F_WRLCK}; /* from the start of the file */

	if (fcntl(j->fd, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN))
		return 0;
	if (fcntl(j->fd, F_GETLK, &whole) != 0 || whole.l_type == F_UNLCK || whole.l_pid <= 0)
		return ht_err_set(err, "%s: another heterotune tune writes it now: expected another output", j->path);
	return ht_err_set(err, "%s: process %ld, another heterotune tune, writes it now: expected another output",
	                  j->path, (long)whole.l_pid);
}

/* Whether the path still leads to the open file. */
static int is_there(const struct journal *j)
{
	struct stat here, there;

	return fstat(j->fd, &here) == 0 && lstat(j->path, &there) == 0 && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

/* Opens and locks the file. A journal may be removed by its process between the two: then there is none. */
static int open_locked(struct journal *j, int flags, struct ht_err *err)
{
	struct stat st;

	for (int attempt = 0; attempt < 100; attempt++) {
		j->fd = open(j->path, flags | O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
		if (j->fd < 0 && errno == ELOOP)
			return ht_err_set(err, "%s: is a symbolic link, expected a journal of heterotune tune",
			                  j->path);
		if (j->fd < 0 || fstat(j->fd, &st) != 0)
			return ht_err_set(err, "%s: cannot be written: %s", j->path, strerror(errno));
		if (!S_ISREG(st.st_mode))
			return ht_err_set(err, "%s: is no regular file, expected a journal of heterotune tune",
			                  j->path);
		if (lock(j, err) != 0)
			return -1;
		if (is_there(j))
			return 0;
		close(j->fd);
		j->fd = -1;
	}
	return ht_err_set(err, "%s: another process makes and removes it all the time", j->path);
}

/* The text, or its first MAX_BYTES; free() it. NULL with the sentence, also where it is none of a journal. */
static char *read_text(const struct journal *j, struct ht_err *err)
{
	size_t used = 0, cap = 1 << 16;
	char *text = ht_alloc(cap, 1);
	ssize_t n;

	while ((n = pread(j->fd, text + used, cap - 1 - used, (off_t)used)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			ht_err_set(err, "%s: cannot be read: %s", j->path, strerror(errno));
			goto fail;
		}
		used += (size_t)n;
		if (!is_journal(text, used)) {
			ht_err_set(err, "%s: is no journal of heterotune tune: expected another output", j->path);
			goto fail;
		}
		if (used >= MAX_BYTES)
			break;
		if (used == cap - 1)
			text = ht_realloc(text, cap *= 2, 1);
	}
	text[used] = '\0';
	return text;
fail:
	free(text);
	return NULL;
}

static struct journal *journal_at(const char *path)
{
	struct journal *j = ht_alloc(1, sizeof(*j));

	j->path = ht_strndup(path, strlen(path));
	j->fd = -1;
	return j;
}

struct journal *journal_open(const char *path, uint64_t problem, const struct journal_entry **entries, size_t *count,
                             struct ht_err *err)
{
	struct journal *j = journal_at(path);
	char *text = NULL, first[LINE_BYTES];
	size_t good;

	j->problem = problem;
	if (open_locked(j, O_CREAT, err) != 0 || !(text = read_text(j, err)))
		goto fail;
	good = read_entries(j, text);
	if (ftruncate(j->fd, (off_t)good) != 0) {
		ht_err_set(err, "%s: cannot be written: %s", path, strerror(errno));
		goto fail;
	}
	if (!good && write_all(j, first, (size_t)heading(first, problem), err) != 0) {
		journal_remove(j);
		j = NULL;
		goto fail;
	}
	free(text);
	*entries = j->entries;
	*count = j->count;
	return j;
fail:
	free(text);
	journal_close(j);
	return NULL;
}

int journal_add(struct journal *j, const struct journal_entry *entries, size_t n, struct ht_err *err)
{
	char *text = ht_alloc(n + 1, LINE_BYTES);
	size_t bytes = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		bytes += write_line(j, text + bytes, &entries[i]);
	rc = write_all(j, text, bytes, err);
	free(text);
	return rc;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	if (j->fd >= 0)
		close(j->fd);
	free(j->entries);
	free(j->path);
	free(j);
}

void journal_remove(struct journal *j)
{
	if (j && is_there(j))
		unlink(j->path);
	journal_close(j);
}

void journal_discard(const char *path)
{
	struct journal *j = journal_at(path);
	char *text = open_locked(j, 0, NULL) == 0 ? read_text(j, NULL) : NULL;

	if (text)
		journal_remove(j);
	else
		journal_close(j);
	free(text);
}
