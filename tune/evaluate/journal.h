/* tune/evaluate/journal.h - what an interrupted tune has replayed already. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_EVALUATE_JOURNAL_H
#define TUNE_EVALUATE_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

struct ht_err;
struct journal;

struct journal_entry {
	uint64_t key;
	int64_t makespan_ns;
};

/*
 * Opens `path`, or makes it. What it has of the same `problem` is borrowed in *entries until the journal is closed; a
 * line that was not written to its end is cut off, a journal of another problem begins anew. NULL with the sentence for
 * what is no journal, which is left as it is: a link, a pipe, a file with another first line; and for a journal that
 * another process has open, where the file system has locks.
 */
struct journal *journal_open(const char *path, uint64_t problem, const struct journal_entry **entries, size_t *count,
                             struct ht_err *err);

/* Adds n entries with one write; they stay when the program is killed afterwards. */
int journal_add(struct journal *j, const struct journal_entry *entries, size_t n, struct ht_err *err);

void journal_close(struct journal *j);

/* Also takes the file away. */
void journal_remove(struct journal *j);

/* Removes the file where it is a journal, of any problem, that no other process has open. */
void journal_discard(const char *path);

#endif
