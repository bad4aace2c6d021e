/* samples/common/app.c - what the sample applications share: options, StarPU, codelets, tasks, time, checks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "samples/common/app.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "samples/common/kernels.h"

enum { MOST_OPTIONS = 16, STATUS_WRONG = 1, STATUS_FAILED = 2 };

static struct {
	const struct app *app;
	int64_t repeat, seed;
	int check, stats, no_models;
	int failed;
	struct block {
		REAL *values;
		size_t bytes;
	} * blocks;
	size_t nblocks;
	int64_t tasks;
	double flops;
	char symbols[64][64]; /* of models */
} state;

size_t app_element_bytes = sizeof(REAL);

void app_fail(const char *fmt, ...)
{
	va_list ap;

	if (!state.failed) {
		va_start(ap, fmt);
		fprintf(stderr, "%s: ", state.app->name);
		vfprintf(stderr, fmt, ap);
		putc('\n', stderr);
		va_end(ap);
	}
	state.failed = 1;
}

static void usage(void)
{
	printf("usage: %s [options]\n%s\n\n", state.app->name, state.app->summary);
	for (const struct app_option *o = state.app->options; o->name; o++)
		printf("  --%-12s N  %s (%lld)\n", o->name, o->help, (long long)*o->value);
	printf("  --%-12s N  run so often, one line each (%lld)\n", "repeat", (long long)state.repeat);
	printf("  --%-12s N  of the random data (%lld)\n", "seed", (long long)state.seed);
	printf("  --%-12s    verify the result; exit 1 when it is wrong\n", "check");
	printf("  --%-12s    codelets have no performance models\n", "no-models");
	printf("  --%-12s    print how many tasks of each codelet each architecture executed\n", "stats");
	printf("  --%-12s    print this\n\n", "help");
	puts("StarPU's own environment variables choose workers and scheduler: STARPU_NCPU, STARPU_SCHED, ...");
}

static void read_number(const struct app_option *o, const char *text)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text, &end, 10);
	if (end == text || *end || errno || v < o->least || v > o->most)
		app_fail("--%s: expected a whole number from %lld to %lld: found=%s", o->name, (long long)o->least,
		         (long long)o->most, text);
	else
		*o->value = v;
}

/* Returns 1 where --help was asked for. */
static int read_options(int argc, char **argv)
{
	enum { CHECK = 256, STATS, NO_MODELS, HELP };
	const struct app_option own[] = {{"repeat", &state.repeat, 1, 1000000, ""},
	                                 {"seed", &state.seed, 0, INT32_MAX, ""}};
	const struct app_option *all[MOST_OPTIONS];
	struct option table[MOST_OPTIONS + 5] = {{0}};
	int n = 0, letter;

	for (const struct app_option *o = state.app->options; o->name; o++)
		all[n++] = o;
	for (size_t i = 0; i < APP_COUNT(own); i++)
		all[n++] = &own[i];
	for (int i = 0; i < n; i++)
		table[i] = (struct option){all[i]->name, required_argument, NULL, i};
	table[n] = (struct option){"check", no_argument, NULL, CHECK};
	table[n + 1] = (struct option){"stats", no_argument, NULL, STATS};
	table[n + 2] = (struct option){"no-models", no_argument, NULL, NO_MODELS};
	table[n + 3] = (struct option){"help", no_argument, NULL, HELP};
	while (!state.failed && (letter = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (letter == CHECK)
			state.check = 1;
		else if (letter == STATS)
			state.stats = 1;
		else if (letter == NO_MODELS)
			state.no_models = 1;
		else if (letter == HELP)
			return 1;
		else if (letter == '?')
			state.failed = 1; /* getopt_long() has said what is wrong */
		else
			read_number(all[letter], optarg);
	}
	if (optind < argc)
		app_fail("unexpected argument: found=%s", argv[optind]);
#ifdef STARPU_SIMGRID
	if (state.check)
		app_fail("--check: nothing is computed under SimGrid, so there is nothing to verify");
	if (state.no_models)
		app_fail("--no-models: SimGrid simulates what models say");
#endif
	return 0;
}

static void init_codelet(int k)
{
	struct app_codelet *c = &state.app->codelets[k];

	starpu_codelet_init(&c->cl);
	snprintf(state.symbols[k], sizeof(state.symbols[k]), "%s_%s", state.app->name, c->name);
	c->model = (struct starpu_perfmodel){.type = STARPU_HISTORY_BASED,
	                                     .symbol = c->symbol ? c->symbol : state.symbols[k],
	                                     .footprint = c->footprint};
	c->cl.name = c->name;
	c->cl.model = state.no_models ? NULL : &c->model;
	c->cl.color = c->color;
	c->cl.where = c->on_cpus ? STARPU_CPU : 0;
	c->cl.nbuffers = kernels_buffers[k];
	for (int i = 0; i < kernels_buffers[k]; i++)
		c->cl.modes[i] = c->modes[i];
#ifdef STARPU_SIMGRID
	/* StarPU only asks whether a function is there, never calls it. */
	c->cl.cpu_funcs[0] = (starpu_cpu_func_t)(uintptr_t)1;
	c->cl.cuda_funcs[0] = (starpu_cuda_func_t)(uintptr_t)1;
	c->cl.opencl_funcs[0] = (starpu_opencl_func_t)(uintptr_t)1;
	c->cl.cuda_flags[0] = STARPU_CUDA_ASYNC;
#else
	c->cl.cpu_funcs[0] = kernels_cpu[k];
#ifdef STARPU_USE_OPENCL
	c->cl.opencl_funcs[0] = kernels_opencl[k];
#endif
#ifdef STARPU_USE_CUDA
	c->cl.cuda_funcs[0] = kernels_cuda[k];
	c->cl.cuda_flags[0] = STARPU_CUDA_ASYNC;
#endif
#endif
}

REAL *app_alloc(int64_t rows, int64_t columns)
{
#ifdef STARPU_SIMGRID
	(void)rows;
	(void)columns;
	return NULL;
#else
	struct block *more = realloc(state.blocks, (state.nblocks + 1) * sizeof(*more));
	size_t bytes = (size_t)rows * (size_t)columns * sizeof(REAL);
	void *values = NULL;

	if (!more || starpu_malloc(&values, bytes)) {
		fprintf(stderr, "%s: out of memory: rows=%lld columns=%lld\n", state.app->name, (long long)rows,
		        (long long)columns);
		exit(STATUS_FAILED);
	}
	memset(values, 0, bytes);
	state.blocks = more;
	state.blocks[state.nblocks++] = (struct block){values, bytes};
	return values;
#endif
}

starpu_data_handle_t app_register(REAL *data, int64_t rows, int64_t columns)
{
	starpu_data_handle_t h;

	starpu_matrix_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)data, (uint32_t)rows, (uint32_t)rows,
	                            (uint32_t)columns, app_element_bytes);
	return h;
}

starpu_data_handle_t app_temporary(int64_t rows, int64_t columns)
{
	starpu_data_handle_t h;

	starpu_matrix_data_register(&h, -1, 0, (uint32_t)rows, (uint32_t)rows, (uint32_t)columns, app_element_bytes);
	return h;
}

/* The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): every bit of the input reaches every bit of the output. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

REAL app_random(int64_t row, int64_t column)
{
	uint64_t bits = mix(mix((uint64_t)state.seed + UINT64_C(0x9e3779b97f4a7c15)) ^
	                    ((uint64_t)row << 32 | (uint64_t)column));

	return (REAL)(bits >> 40) * 0x1p-24f - 0.5f;
}

void app_submit(int codelet, int priority, struct scalars s, double flops, ...)
{
	struct app_codelet *c = &state.app->codelets[codelet];
	struct starpu_task *task = starpu_task_create();
	struct scalars *copy = malloc(sizeof(*copy));
	va_list ap;

	if (!copy) {
		app_fail("out of memory");
		return;
	}
	*copy = s;
	task->cl = &c->cl;
	task->name = c->name;
	task->cl_arg = copy;
	task->cl_arg_size = sizeof(*copy);
	task->cl_arg_free = 1;
	task->priority = priority;
	task->flops = flops;
	va_start(ap, flops);
	for (int i = 0; i < c->cl.nbuffers; i++)
		task->handles[i] = va_arg(ap, starpu_data_handle_t);
	va_end(ap);
	if (starpu_task_submit(task)) {
		task->destroy = 0;
		starpu_task_destroy(task);
		app_fail("cannot submit a task: no worker can run it: codelet=%s", c->name);
	}
	state.tasks++;
	state.flops += flops;
}

static void print_counts(void)
{
	static const char *const names[] = {"cpu", "cuda", "opencl"};
	static const enum starpu_worker_archtype archs[] = {STARPU_CPU_WORKER, STARPU_CUDA_WORKER,
	                                                    STARPU_OPENCL_WORKER};

	for (size_t a = 0; a < APP_COUNT(archs); a++) {
		if (starpu_worker_get_count_by_type(archs[a]) <= 0)
			continue;
		printf("tasks: arch=%s", names[a]);
		for (int k = 0; k < kernels_count; k++) {
			unsigned long sum = 0;

			for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
				if (starpu_worker_get_type((int)w) == archs[a])
					sum += state.app->codelets[k].cl.per_worker_stats[w];
			}
			printf(" %s=%lu", state.app->codelets[k].name, sum);
		}
		putchar('\n');
	}
}

static void print_options(void)
{
	for (const struct app_option *o = state.app->options; o->name; o++)
		printf(" %s=%lld", o->name, (long long)*o->value);
}

/* Returns the status to exit with. */
static int run_once(void)
{
	double start, us, error, limit;
	int status = 0;

	state.tasks = 0;
	state.flops = 0;
	state.app->prepare();
	if (state.failed)
		return STATUS_FAILED;
	start = starpu_timing_now();
	state.app->submit();
	starpu_task_wait_for_all();
	us = starpu_timing_now() - start;
	state.app->finish();
	if (state.failed)
		return STATUS_FAILED;
	printf("%s:", state.app->name);
	print_options();
	printf(" tasks=%lld time=%.3f ms, %.2f GFlop/s\n", (long long)state.tasks, us / 1e3, state.flops / us / 1e3);
	if (state.check) {
		error = state.app->check(&limit);
		status = error <= limit ? 0 : STATUS_WRONG; /* wrong, too, where it is not a number */
		printf("check: error=%.3g limit=%.3g %s\n", error, limit, status ? "wrong" : "ok");
	}
	fflush(stdout);
	for (size_t i = 0; i < state.nblocks; i++)
		starpu_free_noflag(state.blocks[i].values, state.blocks[i].bytes);
	state.nblocks = 0;
	return status;
}

int app_main(const struct app *app, int argc, char **argv)
{
	int status = 0, ret;

	state.app = app;
	state.repeat = state.seed = 1;
	if (read_options(argc, argv)) {
		usage();
		return 0;
	}
	if (state.failed)
		return STATUS_FAILED;
	if (app->configure)
		app->configure();
	ret = starpu_init(NULL);
	if (ret) {
		app_fail("cannot start StarPU: %s",
		         ret == -ENODEV ? "no worker; see STARPU_NCPU, STARPU_NCUDA, STARPU_NOPENCL" : strerror(-ret));
		return STATUS_FAILED;
	}
	if (kernels_begin() != 0) {
		app_fail("the OpenCL kernels do not compile; the compiler's log is above");
		status = STATUS_FAILED;
	}
#if defined(STARPU_USE_CUDA) && !defined(STARPU_SIMGRID)
	if (starpu_cuda_worker_get_count())
		kernels_cuda_begin();
#endif
	for (int k = 0; k < kernels_count; k++)
		init_codelet(k);
	for (int64_t r = 0; r < state.repeat && !status; r++)
		status = run_once();
	if (state.stats)
		print_counts();
	kernels_end();
	starpu_shutdown();
	free(state.blocks);
	return status;
}
