/* tune/evaluate/journal.c - what an interrupted tune has replayed already. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/evaluate/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "tune/settings/problem_hash.h"

enum { MAX_BYTES = 1 << 28, LINE_BYTES = 64 };

struct journal {
	char *path;
	int fd;
	struct journal_entry *entries;
	size_t count, cap;
};

static int heading(char line[LINE_BYTES], uint64_t problem)
{
	return snprintf(line, LINE_BYTES, "heterotune tune %016" PRIx64 "\n", problem);
}

/* "KEY MAKESPAN CHECK\n": the last tells a line that was damaged. The number of bytes. */
static size_t write_line(char line[LINE_BYTES], const struct journal_entry *e)
{
	uint64_t check = problem_hash(problem_hash(problem_hash_begin(), &e->key, sizeof(e->key)), &e->makespan_ns,
	                              sizeof(e->makespan_ns));

	return (size_t)snprintf(line, LINE_BYTES, "%016" PRIx64 " %" PRId64 " %08" PRIx32 "\n", e->key, e->makespan_ns,
	                        (uint32_t)check);
}

/* Its number of bytes; 0: it is something else. sscanf() would look for the end of the whole text for every line. */
static size_t read_line(const char *line, struct journal_entry *e)
{
	char again[LINE_BYTES], *end;
	size_t bytes;

	e->key = strtoull(line, &end, 16);
	e->makespan_ns = strtoll(end, NULL, 10);
	bytes = write_line(again, e);
	return strncmp(line, again, bytes) == 0 ? bytes : 0;
}

/* How much of the text is good. */
static size_t read_entries(struct journal *j, const char *text, uint64_t problem)
{
	char first[LINE_BYTES];
	size_t at = (size_t)heading(first, problem), bytes;
	struct journal_entry e;

	if (strncmp(text, first, at) != 0)
		return 0;
	while ((bytes = read_line(text + at, &e)) != 0) {
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

struct journal *journal_open(const char *path, uint64_t problem, const struct journal_entry **entries, size_t *count,
                             struct ht_err *err)
{
	struct journal *j = ht_alloc(1, sizeof(*j));
	char *text = file_exists(path) ? file_read(path, MAX_BYTES, NULL, NULL) : NULL, first[LINE_BYTES];
	size_t good = text ? read_entries(j, text, problem) : 0;

	free(text);
	j->path = ht_strndup(path, strlen(path));
	j->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (j->fd < 0 || ftruncate(j->fd, (off_t)good) != 0) {
		ht_err_set(err, "%s: cannot be written: %s", path, strerror(errno));
		goto fail;
	}
	if (!good && write_all(j, first, (size_t)heading(first, problem), err) != 0)
		goto fail;
	*entries = j->entries;
	*count = j->count;
	return j;
fail:
	journal_remove(good ? NULL : j);
	journal_close(good ? j : NULL);
	return NULL;
}

int journal_add(struct journal *j, const struct journal_entry *entries, size_t n, struct ht_err *err)
{
	char *text = ht_alloc(n + 1, LINE_BYTES);
	size_t bytes = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		bytes += write_line(text + bytes, &entries[i]);
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
	if (j)
		unlink(j->path);
	journal_close(j);
}
