/* core/dag/submission_hash.h - a number for each task as it is submitted, by which a graph is known again. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_DAG_SUBMISSION_HASH_H
#define CORE_DAG_SUBMISSION_HASH_H

#include <stddef.h>
#include <stdint.h>

struct dag;
struct data_access;

/*
 * The hash of a task is of its name, and of what it reads and writes; a piece of data counts by its number, its place
 * in the order in which the tasks of the graph first access data. So the same graph on other data, or on larger pieces,
 * has the same hashes, and no task of another place in the graph is likely to. All members are 0 at first.
 */
struct submission_hash {
	uint64_t *seen; /* per handle: its number in all graphs, from 1; 0: never accessed */
	size_t cap;
	uint64_t first, last; /* before the first number of this graph; the last number given */
};

#define SUBMISSION_HASH_NONE UINT32_MAX

void submission_hash_fini(struct submission_hash *s);

/* The next task that is submitted is the first one of a graph. */
void submission_hash_restart(struct submission_hash *s);

/* `name` may be "". Accesses are those of struct dag: indices of data are given to other data when it is gone. */
uint32_t submission_hash_next(struct submission_hash *s, const char *name, const struct data_access *a, uint32_t n);

/* The index is given to other data. */
void submission_hash_forget(struct submission_hash *s, uint32_t handle);

/* The hashes of all tasks of a graph: hash[ntasks]. */
void submission_hash_dag(struct submission_hash *s, const struct dag *d, uint32_t *hash);

/* The number of a piece of data in this graph, from 0; SUBMISSION_HASH_NONE: no task of it has accessed it. */
uint32_t submission_hash_number(const struct submission_hash *s, uint32_t handle);

#endif
