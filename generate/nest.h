/* generate/nest.h - a sequence of items as nested loops. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_NEST_H
#define GENERATE_NEST_H

#include <stddef.h>
#include <stdint.h>

struct ht_err;

/*
 * An item is a key and the values of that key, always as many. A loop is a body of items and loops whose values, and
 * whose numbers of iterations, are affine functions of the number of the iteration; three iterations make one, and a
 * further one is added where all its values are what the loop predicts. Nested loop recognition: A. Ketterlin and
 * P. Clauss, Prediction and trace compression of data access addresses through nested loop recognition, CGO 2008.
 *
 * Nests that are to be compared share their shapes: what an item or a loop is, without its values.
 */
struct nest_shapes;
struct nest;

enum { NEST_MOST_VALUES = 64 };      /* of an item */
#define NEST_MOST ((int64_t)1 << 36) /* values are from -NEST_MOST to NEST_MOST */

/* Never NULL; the shapes have to stay until the nest is freed. */
struct nest_shapes *nest_shapes_create(void);
void nest_shapes_free(struct nest_shapes *s);
struct nest *nest_create(struct nest_shapes *s);
void nest_free(struct nest *n);

/* The next item of the sequence. */
void nest_add(struct nest *n, uint32_t key, const int64_t *values, uint32_t nvalues);

/* The loop that the sequence begins with. */
struct nest_loop {
	int64_t iterations; /* 0: there is no such loop */
	size_t first;       /* items of its first iteration, */
	size_t items;       /* of all, */
	size_t all;         /* and of the sequence */
};
struct nest_loop nest_leading_loop(const struct nest *n);

/*
 * The nest whose values are, each for itself, on the line through those of `a` at `at_a` and of `b` at `at_b`, at `at`.
 * NULL with the sentence: a and b are not the same loops, or it has values that are not whole. *item is then the
 * first item of `b` in which they differ.
 */
struct nest *nest_between(const struct nest *a, int64_t at_a, const struct nest *b, int64_t at_b, int64_t at,
                          size_t *item, struct ht_err *err);

/* Whether two nests are the same sequence. */
int nest_equal(const struct nest *a, const struct nest *b);

/* One by one the items of the sequence; stops and returns what `visit` returns where that is not 0. */
typedef int nest_visitor(void *ctx, uint32_t key, const int64_t *values, uint32_t nvalues, struct ht_err *err);
int nest_walk(const struct nest *n, nest_visitor *visit, void *ctx, struct ht_err *err);

#endif
