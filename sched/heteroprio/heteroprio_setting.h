/* sched/heteroprio/heteroprio_setting.h - buckets and lists of Heteroprio: those of a config, or StarPU's default. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SCHED_HETEROPRIO_HETEROPRIO_SETTING_H
#define SCHED_HETEROPRIO_HETEROPRIO_SETTING_H

#include <stdint.h>

struct config;
struct dag;
struct heteroprio;
struct ht_err;

/*
 * The bucket of every task of `d` in the config, into bucket_of[ntasks]; tasks are submitted in the order of their
 * indices. -1: the config has none for some task, and the sentence names its type.
 */
int heteroprio_buckets(const struct config *c, const struct dag *d, uint8_t *bucket_of, struct ht_err *err);

/*
 * Gives a state that heteroprio_open() has made its buckets and lists, and its tasks their buckets. Without a config
 * the application's priority is the bucket, and every architecture looks at 0, 1, ..., 99. Of a graph that grows the
 * buckets are StarPU's numbers. -1 with the sentence: the config does not fit the graph, or a bucket is in the list of
 * an architecture on which its tasks cannot run, or in none.
 */
int heteroprio_set(struct heteroprio *h, struct ht_err *err);

#endif
