/* tests/unit/test_costs_make.c - the costs in a config, by hand. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/costs_make.h"

#include "core/config/config.h"
#include "core/dag/dag.h"
#include "tests/lib/check.h"

enum { GEMM, TRSM, KNOWN, TYPES };

static struct dag_type types[TYPES] = {[GEMM] = {.name = "gemm", .codelet = "gemm", .model = "dgemm", .has_no_model = 1},
                                       [TRSM] = {.name = "trsm", .codelet = "trsm", .model = "", .has_no_model = 1},
                                       [KNOWN] = {.name = "known", .codelet = "known", .model = "k"}};

#define COSTS(cpu, cuda) \
	{ \
		[ARCH_CPU] = (cpu), [ARCH_CUDA] = (cuda), [ARCH_OPENCL] = -1 \
	}

static struct dag graph(struct dag_class *classes, uint32_t n)
{
	return (struct dag){.types = types, .ntypes = TYPES, .classes = classes, .nclasses = n};
}

/* Footprints of two runs, means by the number of tasks, and nothing of what has a model or no tasks. */
static void two_runs(void)
{
	struct dag_class first[] = {{.codelet = GEMM, .footprint = 1, .count = 1, .cost_ns = COSTS(100, 10)},
	                            {.codelet = GEMM, .footprint = 2, .count = 3, .cost_ns = COSTS(500, -1)},
	                            {.codelet = GEMM, .footprint = 3, .count = 0, .cost_ns = COSTS(9, 9)},
	                            {.codelet = TRSM, .footprint = 1, .count = 4, .cost_ns = COSTS(7, 8)},
	                            {.codelet = KNOWN, .footprint = 1, .count = 1, .cost_ns = COSTS(1, 1)}};
	struct dag_class second[] = {{.codelet = GEMM, .footprint = 1, .count = 3, .cost_ns = COSTS(200, 30)}};
	const struct dag a = graph(first, 5), b = graph(second, 1), *both[] = {&a, &b};
	struct config *c = config_create();

	costs_make(c, both, 2);
	/* Two footprints of gemm and all of them; the one of trsm is all. */
	CHECK_INT(c->ncosts, 4);
	CHECK_INT(config_cost_ns(c, "gemm", "dgemm", 1, ARCH_CPU), 175);
	CHECK_INT(config_cost_ns(c, "gemm", "dgemm", 1, ARCH_CUDA), 25);
	CHECK_INT(config_cost_ns(c, "gemm", "dgemm", 2, ARCH_CPU), 500);
	CHECK_INT(config_cost_ns(c, "gemm", "dgemm", 2, ARCH_CUDA), 25);
	CHECK_INT(config_cost_ns(c, "gemm", "dgemm", 3, ARCH_CPU), (100 + 3 * 500 + 3 * 200) / 7);
	CHECK_INT(config_cost_ns(c, "gemm", "dgemm", 3, ARCH_OPENCL), -1);
	CHECK_INT(config_cost_ns(c, "trsm", "trsm", 5, ARCH_CUDA), 8);
	CHECK_INT(config_cost_ns(c, "known", "k", 1, ARCH_CPU), -1);
	config_free(c);
}

/* Of very many sizes those of most tasks are kept, and the mean of all. */
static void many_sizes(void)
{
	enum { SIZES = COSTS_MOST + 10 };
	static struct dag_class classes[SIZES];
	const struct dag d = graph(classes, SIZES), *one[] = {&d};
	struct config *c = config_create();

	for (uint32_t i = 0; i < SIZES; i++)
		classes[i] = (struct dag_class){.codelet = GEMM,
		                                .footprint = i,
		                                .count = i < SIZES / 2 ? 1 : 2,
		                                .cost_ns = COSTS(10 + i, -1)};
	costs_make(c, one, 1);
	CHECK_INT(c->ncosts, COSTS_MOST);
	CHECK_INT(config_cost_ns(c, "gemm", "dgemm", SIZES - 1, ARCH_CPU), 10 + SIZES - 1);
	CHECK(config_cost_ns(c, "gemm", "dgemm", SIZES / 2 - 1, ARCH_CPU) > SIZES / 2 + 10);
	config_free(c);
}

/* An element has to be about some architecture: of tasks that took no time there is none. */
static void tasks_that_took_no_time(void)
{
	struct dag_class classes[] = {{.codelet = GEMM, .footprint = 1, .count = 2, .cost_ns = COSTS(0, -1)},
	                              {.codelet = TRSM, .footprint = 1, .count = 1, .cost_ns = COSTS(0, -1)},
	                              {.codelet = TRSM, .footprint = 2, .count = 1, .cost_ns = COSTS(0, 3)}};
	const struct dag d = graph(classes, 3), *one[] = {&d};
	struct config *c = config_create();

	costs_make(c, one, 1);
	REQUIRE(c->ncosts == 1);
	CHECK_STR(c->costs[0].codelet, "trsm");
	CHECK_INT(config_cost_ns(c, "trsm", "", 1, ARCH_CPU), -1);
	CHECK_INT(config_cost_ns(c, "trsm", "", 1, ARCH_CUDA), 3);
	config_free(c);
}

static void nothing_lacks_a_model(void)
{
	struct dag_class classes[] = {{.codelet = KNOWN, .footprint = 1, .count = 1, .cost_ns = COSTS(1, 1)}};
	const struct dag d = graph(classes, 1), *one[] = {&d};
	struct config *c = config_create();

	costs_make(c, one, 1);
	CHECK_INT(c->ncosts, 0);
	config_free(c);
}

int main(void)
{
	RUN(two_runs);
	RUN(many_sizes);
	RUN(tasks_that_took_no_time);
	RUN(nothing_lacks_a_model);
	return check_done();
}
