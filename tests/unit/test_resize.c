/* tests/unit/test_resize.c - recorded graphs at another size: as if the application had submitted that. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/resize.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "generate/execute.h"
#include "generate/graph.h"
#include "generate/nest.h"
#include "tests/lib/check.h"
#include "tests/lib/dag_build.h"
#include "tests/lib/held.h"

enum { POTRF, TRSM, SYRK, GEMM, TYPES };

struct recording {
	struct run run;
	struct trace trace;
	struct dag_builder *b;
	uint32_t ntasks;
};

/* `given`: the tiles have coordinates; else they count row by row. */
static void begin(struct recording *r, char *name, int tiles, int given)
{
	static const char *const names[] = {"potrf", "trsm", "syrk", "gemm"};
	static const int64_t cost[ARCH_COUNT] = COSTS(4000, 1000);

	*r = (struct recording){.b = dag_builder_create()};
	for (int i = 0; i < TYPES; i++)
		dag_builder_type(r->b, names[i], cost);
	r->trace.nhandles = (size_t)tiles * (size_t)tiles;
	r->trace.handles = ht_alloc(r->trace.nhandles, sizeof(*r->trace.handles));
	for (int i = 0; i < tiles * tiles; i++) {
		dag_builder_handle(r->b, 800);
		r->trace.handles[i].ncoordinates = given ? 2 : 0;
		r->trace.handles[i].coordinates[0] = i / tiles;
		r->trace.handles[i].coordinates[1] = i % tiles;
	}
	r->run.path = name;
	r->run.trace = &r->trace;
}

static void add(struct recording *r, int type, int written, int a, int b)
{
	dag_builder_task(r->b, (uint32_t)type);
	if (a >= 0)
		dag_builder_access(r->b, r->ntasks, (uint32_t)a, ACCESS_R);
	if (b >= 0)
		dag_builder_access(r->b, r->ntasks, (uint32_t)b, ACCESS_R);
	dag_builder_access(r->b, r->ntasks++, (uint32_t)written, ACCESS_R | ACCESS_W);
}

static void cholesky(struct recording *r, char *name, int tiles, int given)
{
	begin(r, name, tiles, given);
	for (int k = 0; k < tiles; k++) {
		add(r, POTRF, k * tiles + k, -1, -1);
		for (int i = k + 1; i < tiles; i++)
			add(r, TRSM, i * tiles + k, k * tiles + k, -1);
		for (int i = k + 1; i < tiles; i++) {
			add(r, SYRK, i * tiles + i, i * tiles + k, -1);
			for (int j = k + 1; j < i; j++)
				add(r, GEMM, i * tiles + j, i * tiles + k, j * tiles + k);
		}
	}
	r->run.dag = dag_builder_finish(r->b, NULL);
	for (uint32_t t = 0; t < r->run.dag->ntasks; t++)
		r->run.dag->tasks[t].priority = 3 * tiles - (int)dag_type_of(r->run.dag, t);
}

static void end(struct recording *r)
{
	dag_free(r->run.dag);
	free(r->trace.handles);
}

/* The same tasks, in the same order, with the same data up to its numbers. */
static int same(const struct graph *g, const struct dag *d)
{
	uint32_t *number = ht_alloc(d->nhandles, sizeof(*number)), used = 0;
	int equal = g->ntasks == d->ntasks;

	for (uint32_t t = 0; equal && t < d->ntasks; t++) {
		const struct dag_task *x = &d->tasks[t];

		equal = !strcmp(g->types[g->task_type[t]].name, d->types[dag_type_of(d, t)].name) &&
		        g->priority[t] == x->priority && g->access_first[t + 1] - g->access_first[t] == x->naccesses;
		for (uint32_t i = 0; equal && i < x->naccesses; i++) {
			const struct data_access *a = &d->accesses[x->first_access + i];

			if (!number[a->handle])
				number[a->handle] = ++used;
			equal = g->accesses[g->access_first[t] + i].handle + 1 == number[a->handle] &&
			        g->accesses[g->access_first[t] + i].mode == a->mode;
		}
	}
	free(number);
	return equal;
}

static void is_what_the_application_would_submit(void)
{
	static const int sizes[] = {10, 11, 13, 25, 40};

	for (int given = 0; given < 2; given++) {
		struct recording small, large;
		const struct run *runs[] = {&small.run, &large.run};

		cholesky(&small, "small", 10, given);
		cholesky(&large, "large", 12, given);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct ht_err err = {0};
			struct graph *g = resize(runs, (const int64_t[]){10, 12}, 2, sizes[i], &err);
			struct recording real;

			cholesky(&real, "real", sizes[i], given);
			CHECK(g != NULL);
			CHECK(g && same(g, real.run.dag));
			CHECK(g && g->types[g->task_type[0]].cost_us[ARCH_CUDA] > 0.99);
			end(&real);
			graph_free(g);
		}
		end(&small);
		end(&large);
	}
}

/* Priorities that count down with what is left to do, as those of many factorisations. */
static void count_down(struct recording *r, int tiles)
{
	int left = tiles + 1;

	for (uint32_t t = 0; t < r->run.dag->ntasks; t++) {
		struct dag_task *x = &r->run.dag->tasks[t];

		left -= dag_type_of(r->run.dag, t) == POTRF;
		x->priority = 3 * left - (int)dag_type_of(r->run.dag, t);
	}
}

/* Without its first iteration a factorisation is that of a matrix with one tile less in each direction. */
static void one_run_says_how_it_goes_on(void)
{
	static const int sizes[] = {8, 10, 11, 25};

	for (int given = 0; given < 2; given++) {
		struct recording one;
		const struct run *run = &one.run;

		cholesky(&one, "one", 10, given);
		count_down(&one, 10);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct ht_err err = {0};
			struct graph *g = resize(&run, (const int64_t[]){10}, 1, sizes[i], &err);
			struct recording real;

			cholesky(&real, "real", sizes[i], given);
			count_down(&real, sizes[i]);
			CHECK(g != NULL);
			CHECK(g && same(g, real.run.dag));
			end(&real);
			graph_free(g);
		}
		end(&one);
	}
}

/* A third run agrees, or the graph is refused. */
static void other_runs_have_to_agree(void)
{
	struct recording r[3];
	const struct run *runs[] = {&r[0].run, &r[1].run, &r[2].run};
	struct ht_err err = {0};
	struct graph *g;

	cholesky(&r[0], "a", 10, 1);
	cholesky(&r[1], "b", 12, 1);
	cholesky(&r[2], "c", 14, 1);
	g = resize(runs, (const int64_t[]){10, 12, 14}, 3, 20, &err);
	CHECK(g != NULL);
	graph_free(g);
	g = resize(runs, (const int64_t[]){10, 11, 14}, 3, 20, &err);
	CHECK(g == NULL);
	CHECK_HAS(err.text, "b is not what the loops of a and c are at its size");
	g = resize((const struct run *const[]){runs[2], runs[0]}, (const int64_t[]){10, 14}, 2, 20, &err);
	CHECK(g == NULL);
	CHECK_HAS(err.text,
	          "c at size 10 has 560 tasks, and a at 14 has 220: expected runs in the order of their sizes");
	for (int i = 0; i < 3; i++)
		end(&r[i]);
}

/* Other loops: where some data has no coordinates, these may be why. */
static void loops_of_data_without_places(void)
{
	for (int given = 0; given < 2; given++) {
		struct recording a, b;
		const struct run *runs[] = {&a.run, &b.run};
		struct ht_err err = {0};

		cholesky(&a, "a", 10, given);
		begin(&b, "b", 12, given);
		for (int k = 0; k < 300; k++)
			add(&b, POTRF, k % 12 * 12 + k * k % 7, -1, -1);
		b.run.dag = dag_builder_finish(b.b, NULL);
		CHECK(!resize(runs, (const int64_t[]){10, 12}, 2, 20, &err));
		CHECK_HAS(err.text, given ? "more: record larger sizes" :
		                            "more: call starpu_data_set_coordinates() for the data that has none, or "
		                            "record larger sizes");
		end(&a);
		end(&b);
	}
}

enum { HALF = 1, OTHER_HALF };

/* The number of an entry on or below the diagonal, where these count by rows or by columns. */
static int half(int kind, int tiles, int row, int column)
{
	return kind == HALF ? row * (row + 1) / 2 + column : column * tiles - column * (column - 1) / 2 + row - column;
}

/* Tiles that are updated by a factor each, on or below the diagonal; nothing has coordinates. */
static void factors(struct recording *r, char *name, int tiles, int kind)
{
	const int first = tiles * tiles;

	begin(r, name, tiles, 0);
	r->trace.nhandles += (size_t)(tiles * (tiles + 1) / 2);
	free(r->trace.handles);
	r->trace.handles = ht_alloc(r->trace.nhandles, sizeof(*r->trace.handles));
	for (int i = 0; i < tiles * (tiles + 1) / 2; i++)
		dag_builder_handle(r->b, 80);
	for (int k = 0; k < tiles; k++) {
		add(r, POTRF, first + half(kind, tiles, k, k), k * tiles + k, -1);
		for (int i = k + 1; i < tiles; i++)
			add(r, TRSM, first + half(kind, tiles, i, k), i * tiles + k, -1);
		for (int i = k + 1; i < tiles; i++)
			for (int j = k + 1; j < tiles; j++)
				add(r, GEMM, i * tiles + j, first + half(kind, tiles, i, k), k * tiles + j);
	}
	r->run.dag = dag_builder_finish(r->b, NULL);
}

static void data_may_be_a_half_of_a_matrix(void)
{
	static const int sizes[] = {6, 11, 20};

	for (int kind = HALF; kind <= OTHER_HALF; kind++) {
		struct recording small, large;
		const struct run *runs[] = {&small.run, &large.run};
		struct ht_err why = {0};

		factors(&small, "small", 8, kind); /* 36 factors, which are a square as well */
		factors(&large, "large", 11, kind);
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct ht_err err = {0};
			struct graph *g = resize(runs, (const int64_t[]){8, 11}, 2, sizes[i], &err);
			struct recording real;

			factors(&real, "real", sizes[i], kind);
			CHECK(g && same(g, real.run.dag));
			end(&real);
			graph_free(g);
		}
		/* What else is wrong is said, and not that other shapes make other loops. */
		CHECK(!resize(runs, (const int64_t[]){8, 11}, 2, -4, &why));
		CHECK_HAS(why.text, "size -4: a loop would have -");
		end(&small);
		end(&large);
	}
}

/* As many vectors as there are blocks in one run only are no square in it. */
static void vectors(struct recording *r, char *name, int blocks)
{
	begin(r, name, 0, 0);
	r->trace.nhandles = (size_t)(4 * blocks);
	r->trace.handles = ht_realloc(r->trace.handles, r->trace.nhandles, sizeof(*r->trace.handles));
	memset(r->trace.handles, 0, r->trace.nhandles * sizeof(*r->trace.handles));
	for (int i = 0; i < 4 * blocks; i++)
		dag_builder_handle(r->b, 80);
	for (int k = 0; k < 6; k++)
		for (int i = 0; i < blocks; i++)
			add(r, GEMM, 4 * i, 4 * i + 1, 4 * i + 2 + k % 2);
	r->run.dag = dag_builder_finish(r->b, NULL);
}

static void a_square_is_one_in_each_run(void)
{
	struct recording a, b, real;
	const struct run *runs[] = {&a.run, &b.run};
	struct ht_err err = {0};
	struct graph *g;

	vectors(&a, "a", 4);
	vectors(&b, "b", 6);
	vectors(&real, "real", 9);
	g = resize(runs, (const int64_t[]){4, 6}, 2, 9, &err);
	CHECK(g && same(g, real.run.dag));
	graph_free(g);
	end(&a);
	end(&b);
	end(&real);
}

/* Three matrices, filled one after the other, and their product; nothing has coordinates. */
static void product(struct recording *r, char *name, int tiles)
{
	const int all = tiles * tiles;

	begin(r, name, 0, 0);
	r->trace.nhandles = (size_t)(3 * all);
	r->trace.handles = ht_realloc(r->trace.handles, r->trace.nhandles, sizeof(*r->trace.handles));
	memset(r->trace.handles, 0, r->trace.nhandles * sizeof(*r->trace.handles));
	for (int i = 0; i < 3 * all; i++)
		dag_builder_handle(r->b, 800);
	for (int i = 0; i < 3 * all; i++)
		add(r, POTRF, i, -1, -1);
	for (int i = 0; i < tiles; i++)
		for (int j = 0; j < tiles; j++)
			for (int k = 0; k < tiles; k++)
				add(r, GEMM, 2 * all + i * tiles + j, i * tiles + k, all + k * tiles + j);
	r->run.dag = dag_builder_finish(r->b, NULL);
}

/* 48 and 192 tiles are three squares each, of 4 and 8 in one direction. */
static void squares_may_be_several(void)
{
	static const int sizes[] = {5, 12, 16};
	struct recording small, large;
	const struct run *runs[] = {&small.run, &large.run};

	product(&small, "small", 4);
	product(&large, "large", 8);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct ht_err err = {0};
		struct graph *g = resize(runs, (const int64_t[]){4, 8}, 2, sizes[i], &err);
		struct recording real;

		product(&real, "real", sizes[i]);
		CHECK_STR(err.text, "");
		CHECK(g && same(g, real.run.dag));
		end(&real);
		graph_free(g);
	}
	end(&small);
	end(&large);
}

/* LU of 9 x 9 tiles with a vector of pivots for each step, which are no 3 x 3 others. */
static void pivots(struct recording *r, char *name, int tiles)
{
	begin(r, name, tiles, 0);
	r->trace.nhandles += (size_t)tiles;
	free(r->trace.handles);
	r->trace.handles = ht_alloc(r->trace.nhandles, sizeof(*r->trace.handles));
	for (int i = 0; i < tiles; i++)
		dag_builder_handle(r->b, 80);
	for (int k = 0; k < tiles; k++) {
		add(r, POTRF, tiles * tiles + k, k * tiles + k, -1);
		for (int i = k + 1; i < tiles; i++)
			add(r, TRSM, tiles * tiles + k, i * tiles + k, -1);
		for (int i = k + 1; i < tiles; i++)
			for (int j = k + 1; j < tiles; j++)
				add(r, GEMM, i * tiles + j, i * tiles + k, k * tiles + j);
	}
	r->run.dag = dag_builder_finish(r->b, NULL);
}

static void a_line_may_be_as_long_as_a_square(void)
{
	struct recording a, real;
	const struct run *runs[] = {&a.run};
	struct ht_err err = {0};
	struct graph *g;

	pivots(&a, "a", 9);
	pivots(&real, "real", 12);
	g = resize(runs, (const int64_t[]){9}, 1, 12, &err);
	CHECK(g && same(g, real.run.dag));
	graph_free(g);
	end(&a);
	end(&real);
}

/* Rows that are updated one by one; after each row the application waits, for the first tile of it or for all. */
static void waiting(struct recording *r, char *name, int tiles, int for_all)
{
	struct dag *d;

	begin(r, name, tiles, 1);
	for (int i = 0; i < tiles; i++)
		for (int j = 0; j < tiles; j++)
			add(r, TRSM, i * tiles + j, -1, -1);
	d = r->run.dag = dag_builder_finish(r->b, NULL);
	d->waits = arena_alloc(d->arena, (size_t)tiles, sizeof(*d->waits));
	d->wait_tasks = arena_alloc(d->arena, d->ntasks, sizeof(*d->wait_tasks));
	for (uint32_t t = 0; t < d->ntasks; t++)
		d->wait_tasks[t] = t;
	for (uint32_t i = 1; i < (uint32_t)tiles; i++) {
		const uint32_t row = (i - 1) * (uint32_t)tiles;

		d->waits[d->nwaits++] = (struct dag_wait){.before = i * (uint32_t)tiles,
		                                          .first = row,
		                                          .count = for_all ? (uint32_t)tiles : 1,
		                                          .handle = for_all ? DAG_NO_HANDLE : row};
	}
}

static void waits_of_the_application_are_steps(void)
{
	for (int for_all = 0; for_all < 2; for_all++) {
		struct recording a, b;
		const struct run *runs[] = {&a.run, &b.run};
		struct ht_err err = {0};
		struct graph *g;
		struct executed *x;
		struct machine *m = machine_open("cpu:3", NULL);
		int64_t makespan_ns = 0;

		waiting(&a, "a", 5, for_all);
		waiting(&b, "b", 6, for_all);
		g = resize(runs, (const int64_t[]){5, 6}, 2, 8, &err);
		REQUIRE(g);
		CHECK_INT(graph_ntasks(g), 64);
		CHECK_INT(graph_ntypes(g), 1);
		CHECK_INT(g->ntasks, 64 + 7);
		x = execute(g, m, &makespan_ns, &err);
		REQUIRE(x);
		for (uint32_t t = 0; t < g->ntasks; t++) {
			const int waits = t % 9 == 8;

			CHECK_INT(graph_waits(g, t), !waits  ? GRAPH_NO_WAIT :
			                             for_all ? GRAPH_WAIT_FOR_ALL :
			                                       GRAPH_WAIT_FOR_DATA);
			CHECK_INT(g->pred_first[t + 1] - g->pred_first[t], waits && !for_all);
			if (waits && !for_all)
				CHECK_INT(g->pred[g->pred_first[t]], t - 8);
			CHECK(t < 9 || x[t].start_ns >= x[t / 9 * 9 - (for_all ? 2 : 9)].end_ns);
		}
		CHECK_INT(makespan_ns, for_all ? 8 * 3 * 4000 : 88000);
		free(x);
		graph_free(g);
		machine_free(m);
		end(&a);
		end(&b);
	}
}

/* Tasks in no order that loops have. */
static void irregular(struct recording *r, char *name, int tiles)
{
	begin(r, name, tiles, 1);
	for (unsigned i = 0, x = 7; i < (unsigned)(tiles * tiles); i++, x = x * 1103515245 + 12345)
		add(r, (int)(x >> 16 & 1), (int)(x >> 8) % (tiles * tiles) & 0x7fff, -1, -1);
	r->run.dag = dag_builder_finish(r->b, NULL);
}

/* A row of tasks, and then each row from the one above. */
static void rows(struct recording *r, char *name, int tiles)
{
	begin(r, name, tiles, 1);
	for (int j = 0; j < tiles; j++)
		add(r, POTRF, j, -1, -1);
	for (int i = 1; i < tiles; i++)
		for (int j = 0; j < tiles; j++)
			add(r, TRSM, i * tiles + j, (i - 1) * tiles + j, -1);
	r->run.dag = dag_builder_finish(r->b, NULL);
}

/* Its first row without a task is another problem than one that is smaller by one. */
static void the_first_loop_may_be_an_inner_one(void)
{
	struct recording a, b, real;
	const struct run *runs[] = {&a.run, &b.run};
	struct ht_err err = {0};
	struct graph *g;

	rows(&a, "a", 8);
	CHECK(resize(runs, (const int64_t[]){8}, 1, 12, &err) == NULL);
	CHECK_HAS(err.text,
	          "a: the loop that it begins with has 8 of its 64 tasks and waits, so that is not its outer one");
	rows(&b, "b", 9);
	rows(&real, "real", 12);
	g = resize(runs, (const int64_t[]){8, 9}, 2, 12, &err);
	CHECK(g && same(g, real.run.dag));
	graph_free(g);
	end(&a);
	end(&b);
	end(&real);
}

static void one_run_may_not_say_it(void)
{
	struct recording a, b;
	const struct run *runs[] = {&a.run, &b.run};
	struct ht_err err = {0};

	cholesky(&a, "a", 10, 1);
	CHECK(resize(runs, (const int64_t[]){9600}, 1, 20, &err) == NULL);
	CHECK_HAS(err.text, "a: its outer loop has 4 iterations, or some more that differ");
	CHECK_HAS(err.text, "found 9600: try --sizes 4,NEW, or a size up to 16 where the last iterations differ");
	CHECK(resize(runs, (const int64_t[]){3}, 1, 20, &err) == NULL);
	CHECK_HAS(err.text, "found 3");
	irregular(&b, "b", 6);
	CHECK(resize(runs + 1, (const int64_t[]){6}, 1, 9, &err) == NULL);
	CHECK_HAS(err.text,
	          "b does not begin with a loop of 4 iterations: record a larger size (10 tiles in one direction");
	end(&b);
	cholesky(&b, "b", 9, 1); /* whose loop has 3 iterations: 2 are none */
	CHECK(resize(runs + 1, (const int64_t[]){9}, 1, 20, &err) == NULL);
	CHECK_HAS(err.text, "b: without its first iteration it is not the same loops: record a larger size (10 tiles");
	end(&a);
	end(&b);
}

static void refuses_what_is_not_regular(void)
{
	struct recording a, b;
	const struct run *runs[] = {&a.run, &b.run};
	struct ht_err err = {0};

	irregular(&a, "a", 5);
	irregular(&b, "b", 6);
	CHECK(resize(runs, (const int64_t[]){5, 6}, 2, 9, &err) == NULL);
	CHECK_HAS(err.text, "a and b do not submit the same loops: they differ from task ");
	b.run.dag->nranks = 2;
	CHECK(resize(runs, (const int64_t[]){5, 6}, 2, 9, &err) == NULL);
	CHECK_HAS(err.text, "b: has 2 MPI ranks, expected one: ");
	end(&a);
	end(&b);
	cholesky(&a, "a", 10, 1);
	cholesky(&b, "b", 12, 1);
	for (uint32_t h = 0; h < 12 * 12; h++)
		b.run.dag->handle_bytes[h] *= 2;
	CHECK(resize(runs, (const int64_t[]){10, 12}, 2, 20, &err) == NULL);
	CHECK_HAS(err.text,
	          "a and b: the data of potrf, the first task, differs in size; expected sizes that change how ");
	end(&a);
	end(&b);
}

/* Between even numbers there may be no whole number of iterations. */
static void refuses_parts_of_iterations(void)
{
	struct recording a, b;
	const struct run *runs[] = {&a.run, &b.run};
	struct ht_err err = {0};

	cholesky(&a, "a", 10, 1);
	cholesky(&b, "b", 11, 1);
	CHECK(resize(runs, (const int64_t[]){20, 22}, 2, 25, &err) == NULL);
	CHECK_HAS(err.text, "no whole number of iterations");
	CHECK(resize(runs, (const int64_t[]){20, 22}, 2, 2, &err) == NULL);
	CHECK_HAS(err.text, "size 2: ");
	end(&a);
	end(&b);
}

static int add_up(void *ctx, uint32_t key, const int64_t *values, uint32_t nvalues, struct ht_err *err)
{
	int64_t *sum = ctx;

	(void)err;
	sum[0]++;
	sum[1] = sum[1] * 31 + (int64_t)key + (nvalues ? values[0] * 7 : 0);
	sum[1] %= 1000000007;
	return 0;
}

/* What was put into a nest comes out of it, in the same order, and loops are short. */
static void a_nest_keeps_its_items(void)
{
	struct nest_shapes *shapes = nest_shapes_create();
	struct nest *n = nest_create(shapes);
	int64_t put[2] = {0}, got[2] = {0};
	const size_t before = held_bytes();

	for (int64_t i = 0; i < 400; i++) {
		for (int64_t j = 0; j < i; j++) {
			const int64_t value = 3 * i - j;

			nest_add(n, 1, &value, 1);
			add_up(put, 1, &value, 1, NULL);
		}
		nest_add(n, 2, NULL, 0);
		add_up(put, 2, NULL, 0, NULL);
	}
	CHECK(held_bytes() - before < (size_t)put[0]); /* of 80000 items */
	CHECK_INT(nest_walk(n, add_up, got, NULL), 0);
	CHECK_INT(got[0], put[0]);
	CHECK_INT(got[1], put[1]);
	nest_free(n);
	nest_shapes_free(shapes);
}

int main(void)
{
	RUN(a_nest_keeps_its_items);
	RUN(is_what_the_application_would_submit);
	RUN(one_run_says_how_it_goes_on);
	RUN(the_first_loop_may_be_an_inner_one);
	RUN(one_run_may_not_say_it);
	RUN(other_runs_have_to_agree);
	RUN(loops_of_data_without_places);
	RUN(data_may_be_a_half_of_a_matrix);
	RUN(a_square_is_one_in_each_run);
	RUN(squares_may_be_several);
	RUN(a_line_may_be_as_long_as_a_square);
	RUN(waits_of_the_application_are_steps);
	RUN(refuses_what_is_not_regular);
	RUN(refuses_parts_of_iterations);
	return check_done();
}
