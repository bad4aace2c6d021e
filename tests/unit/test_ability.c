/* tests/unit/test_ability.c - inspiring ability: by hand, against the closure, and an estimate within its error. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/ability.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/graphs.h"
#include "tests/lib/twelve.h"

static const int64_t cost[ARCH_COUNT] = COSTS(10, -1);

/* T1 releases G1 G2 G3; T3 releases G2 G4 G5 and through G5 L; and so on. */
static void test_twelve(void)
{
	static const double want[12] = {12, 4, 3, 5, 5, 1, 1, 1, 1, 2, 2, 1};
	struct dag *d = twelve_graph(1);
	struct ability a;

	ability_init(&a, d);
	CHECK_INT(a.labels, 0);
	CHECK_NEAR(a.error, 0, 0);
	for (int t = 0; t < 12; t++)
		CHECK_NEAR(a.transitive[t], want[t], 0);
	ability_fini(&a);
	dag_free(d);
}

/* The first task of a factorisation has all others below it; the last one none. */
static void test_root(void)
{
	for (int tiles = 1; tiles <= 20; tiles += 3) {
		struct dag *d = graph_cholesky(tiles, 1);
		struct ability a;

		ability_count(&a, d);
		CHECK_NEAR(a.transitive[0], d->ntasks, 0);
		CHECK_NEAR(a.transitive[d->ntasks - 1], 1, 0);
		ability_fini(&a);
		dag_free(d);
	}
}

/* A random graph whose edges go up and down in the numbers of the tasks. */
static struct dag *shuffled(uint64_t seed, uint32_t n, uint32_t nedges)
{
	struct dag_builder *b = dag_builder_create();
	uint32_t *place = ht_alloc(n, sizeof(*place));

	dag_builder_type(b, "t", cost);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = graph_random(&seed) % (i + 1);

		dag_builder_task(b, 0);
		place[i] = place[j];
		place[j] = i;
	}
	for (uint32_t i = 0; n > 1 && i < nedges; i++) {
		uint32_t x = graph_random(&seed) % n, y = graph_random(&seed) % n;

		if (x != y)
			dag_builder_edge(b, place[x < y ? x : y], place[x < y ? y : x]);
	}
	free(place);
	return dag_builder_finish(b, NULL);
}

/* How many tasks can be reached from t, itself among them: depth first, the plain way. */
static uint32_t reach(const struct dag *d, uint32_t t, unsigned char *seen, uint32_t *stack)
{
	uint32_t n = 0, count = 0;

	memset(seen, 0, d->ntasks);
	seen[t] = 1;
	stack[n++] = t;
	while (n) {
		uint32_t v = stack[--n];

		count++;
		for (uint32_t e = d->succ_first[v]; e < d->succ_first[v + 1]; e++)
			if (!seen[d->succ[e]]) {
				seen[d->succ[e]] = 1;
				stack[n++] = d->succ[e];
			}
	}
	return count;
}

static void test_closure(void)
{
	static const uint32_t sizes[] = {1, 2, 63, 64, 65, 511, 512, 513, 1024, 1700};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (uint32_t degree = 0; degree <= 4; degree += 2) {
			struct dag *d = shuffled(i + 1, sizes[i], sizes[i] * degree);
			unsigned char *seen = ht_alloc(d->ntasks, 1);
			uint32_t *stack = ht_alloc(d->ntasks, sizeof(*stack));
			struct ability a;

			ability_count(&a, d);
			for (uint32_t t = 0; t < d->ntasks; t++)
				CHECK_NEAR(a.transitive[t], reach(d, t, seen, stack), 0);
			ability_fini(&a);
			free(seen);
			free(stack);
			dag_free(d);
		}
	}
}

/*
 * Over 400 seeds the estimates of one task scatter around the truth by the error that is stated: the deviation of a
 * standard deviation is then 3.5 %, and 15 % is more than four times that. The mean is within three of its own errors.
 */
static void test_error(void)
{
	enum { SEEDS = 400 };
	struct dag *d = graph_layers(5, 40, 100, 1);
	struct ability exact, a;
	uint32_t task = 0;

	ability_count(&exact, d);
	while (exact.transitive[task] < 200 || exact.transitive[task] > 400)
		task++;
	CHECK(task < d->ntasks / 2); /* more than twice as many come after it, so nothing known limits its estimate */
	for (uint32_t labels = 16; labels <= 256; labels *= 4) {
		double sum = 0, squares = 0, error = 0;

		for (uint64_t seed = 0; seed < SEEDS; seed++) {
			double off;

			ability_estimate(&a, d, labels, seed);
			off = a.transitive[task] / exact.transitive[task] - 1;
			sum += off;
			squares += off * off;
			error = a.error;
			ability_fini(&a);
		}
		CHECK_NEAR(error, 1 / sqrt(labels - 2.0), 1e-15);
		CHECK(fabs(sum / SEEDS) < 3 * error / sqrt(SEEDS));
		CHECK(sqrt(squares / SEEDS) > 0.85 * error && sqrt(squares / SEEDS) < 1.15 * error);
	}
	ability_fini(&exact);
	dag_free(d);
}

/* An estimate is never above what it is for a task that waits for less, and the same seed gives the same. */
static void test_order(void)
{
	struct dag *d = graph_layers(9, 60, 80, 1);
	struct ability a, b, c;
	uint32_t different = 0;

	ability_estimate(&a, d, 32, 1);
	ability_estimate(&b, d, 32, 1);
	ability_estimate(&c, d, 32, 2);
	for (uint32_t t = 0; t < d->ntasks; t++) {
		CHECK(a.transitive[t] >= 1 + dag_nsucc(d, t) && a.transitive[t] <= d->ntasks);
		CHECK_NEAR(a.transitive[t], b.transitive[t], 0);
		different += a.transitive[t] != c.transitive[t];
		for (uint32_t e = d->succ_first[t]; e < d->succ_first[t + 1]; e++)
			CHECK(a.transitive[t] >= a.transitive[d->succ[e]]);
	}
	CHECK(different > d->ntasks / 8); /* many are leaves, and exact */
	ability_fini(&a);
	ability_fini(&b);
	ability_fini(&c);
	dag_free(d);
}

/* Where degrees and depths leave no choice, an estimate is exact: in chains, and in trees that grow. */
static void test_limits(void)
{
	struct dag_builder *b = dag_builder_create();
	struct dag *d;
	struct ability a;

	dag_builder_type(b, "t", cost);
	for (uint32_t i = 0; i < 1000; i++) {
		dag_builder_task(b, 0);
		if (i && i < 500)
			dag_builder_edge(b, i - 1, i);
	}
	for (uint32_t i = 501; i < 1000; i++)
		dag_builder_edge(b, 500, i);
	d = dag_builder_finish(b, NULL);
	ability_estimate(&a, d, 16, 0);
	for (uint32_t i = 0; i < 500; i++)
		CHECK_NEAR(a.transitive[i], 500 - i, 0);
	CHECK_NEAR(a.transitive[500], 500, 0);
	CHECK_NEAR(a.transitive[999], 1, 0);
	ability_fini(&a);
	dag_free(d);
}

/* Above 50 000 tasks it is an estimate, and says so. */
static void test_large(void)
{
	for (uint32_t more = 0; more < 2; more++) {
		struct dag_builder *b = dag_builder_create();
		struct dag *d;
		struct ability a;

		dag_builder_type(b, "t", cost);
		for (uint32_t i = 0; i < 50000 + more; i++) {
			dag_builder_task(b, 0);
			if (i)
				dag_builder_edge(b, i / 2, i);
		}
		d = dag_builder_finish(b, NULL);
		ability_init(&a, d);
		CHECK_INT(a.labels, more ? ABILITY_LABELS : 0);
		CHECK_NEAR(a.error, more ? 1 / sqrt(ABILITY_LABELS - 2.0) : 0, 1e-15);
		/* A tree that grows, so either is exact. Below 3 are 2^14 - 1 tasks to the level that ends at 32767. */
		CHECK_NEAR(a.transitive[0], d->ntasks, 0);
		CHECK_NEAR(a.transitive[3], 16383 + d->ntasks - 49152, 0);
		ability_fini(&a);
		dag_free(d);
	}
}

int main(void)
{
	RUN(test_twelve);
	RUN(test_root);
	RUN(test_closure);
	RUN(test_error);
	RUN(test_order);
	RUN(test_limits);
	RUN(test_large);
	return check_done();
}
