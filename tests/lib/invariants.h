/* tests/lib/invariants.h - what always holds of the central structures. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TESTS_INVARIANTS_H
#define TESTS_INVARIANTS_H

struct dag;
struct graph;
struct model;
struct timeline;

/* NULL when every invariant holds, else what is broken; graph_check() is for a graph after graph_finish(). */
const char *dag_check(const struct dag *d);
const char *graph_check(const struct graph *g);
const char *model_check(const struct model *m);
const char *timeline_check(const struct timeline *tl);

#endif
