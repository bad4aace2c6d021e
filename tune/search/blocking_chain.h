/* tune/search/blocking_chain.h - why a schedule is as long as it is: the chain of tasks that ends with its last one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TUNE_SEARCH_BLOCKING_CHAIN_H
#define TUNE_SEARCH_BLOCKING_CHAIN_H

#include <stddef.h>
#include <stdint.h>

struct dag;
struct simulation;

#define BLOCKING_CHAIN_NONE UINT32_MAX

/* A task of the chain, and the one that its worker executed until then, if it was ready before that ended. */
struct blocking_link {
	uint32_t task, blocker; /* BLOCKING_CHAIN_NONE: it began as soon as it was ready and its data was there */
};

/*
 * From the task that ends last backwards: each task has waited for the next one, which is its blocker or, where it has
 * none, the predecessor that ended last. In links[], which has room for all tasks of the graph; returns how many. The
 * simulation has its schedule.
 */
size_t blocking_chain(const struct dag *d, int nworkers, const struct simulation *s, struct blocking_link *links);

#endif
