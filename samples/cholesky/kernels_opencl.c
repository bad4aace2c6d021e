/* samples/cholesky/kernels_opencl.c - the four kernels on an OpenCL device, composed from those of kernels.cl. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A codelet enqueues several OpenCL kernels: StarPU's queue of a device is in order, so each sees what the one before
 * wrote. On GPUs the codelet then returns and StarPU polls for the end (STARPU_OPENCL_ASYNC). A CPU that poses as an
 * OpenCL device shares its cores with the thread that would poll: there the codelet waits, which also lets StarPU see
 * when a task really ended. The flag belongs to the codelet, so that one such device makes all of them wait.
 */
#include "cholesky.h"

#include <stdio.h>
#include <stdlib.h>

#define PANEL   32 /* columns of a panel */
#define XSTR(x) STR(x)
#define STR(x)  #x

static const char source[] =
#include "samples/kernels_cl.h"
	;

struct opencl_state {
	struct starpu_opencl_program program;
	bool local[STARPU_MAXOPENCLDEVS]; /* block through local memory, by device */
	bool wait;                        /* codelets return when their kernels are done */
};

struct view { /* part of a tile: column-major from element `first` of the buffer */
	cl_mem buffer;
	int first;
	int ld;
};

struct queue { /* where a codelet enqueues to */
	struct opencl_state *state;
	int devid;
};

static void must(cl_int err, const char *what)
{
	if (err != CL_SUCCESS)
		STARPU_OPENCL_REPORT_ERROR_WITH_MSG(what, err);
}

static struct view view_of(void *buffer)
{
	return (struct view){
		.buffer = (cl_mem)STARPU_MATRIX_GET_DEV_HANDLE(buffer),
		.first = (int)(STARPU_MATRIX_GET_OFFSET(buffer) / sizeof(float)),
		.ld = (int)STARPU_MATRIX_GET_LD(buffer),
	};
}

static struct view part(struct view v, int row, int column)
{
	v.first += row + column * v.ld;
	return v;
}

struct launch {
	cl_kernel kernel;
	cl_command_queue queue;
	cl_uint args;
};

static struct launch launch_begin(struct queue *q, const char *name)
{
	struct launch l = {.args = 0};
	must(starpu_opencl_load_kernel(&l.kernel, &l.queue, &q->state->program, name, q->devid), name);
	return l;
}

static void launch_int(struct launch *l, int value)
{
	must(clSetKernelArg(l->kernel, l->args++, sizeof(value), &value), "clSetKernelArg");
}

static void launch_view(struct launch *l, struct view v)
{
	must(clSetKernelArg(l->kernel, l->args++, sizeof(v.buffer), &v.buffer), "clSetKernelArg");
	launch_int(l, v.first);
	launch_int(l, v.ld);
}

/* `rows` x `columns` items, rounded up to whole groups: the kernels ignore the rest. */
static void launch_end(struct launch *l, size_t rows, size_t columns, size_t group_rows, size_t group_columns)
{
	size_t group[2] = {group_rows, group_columns};
	size_t global[2] = {
		(rows + group_rows - 1) / group_rows * group_rows,
		(columns + group_columns - 1) / group_columns * group_columns,
	};
	must(clEnqueueNDRangeKernel(l->queue, l->kernel, 2, NULL, global, group, 0, NULL, NULL),
	     "clEnqueueNDRangeKernel");
	must(starpu_opencl_release_kernel(l->kernel), "clReleaseKernel");
}

/* C -= A B^T, C of m x n, A and B of k columns. */
static void product(struct queue *q, int m, int n, int k, struct view a, struct view b, struct view c, bool lower)
{
	bool local = q->state->local[q->devid];
	struct launch l = launch_begin(q, local ? "product_local" : "product_registers");

	launch_int(&l, m);
	launch_int(&l, n);
	launch_int(&l, k);
	launch_view(&l, a);
	launch_view(&l, b);
	launch_view(&l, c);
	launch_int(&l, lower);
	if (local) /* 4 x 4 entries an item, in whole groups of 64 x 64 */
		launch_end(&l, (size_t)(m + 63) / 64 * 16, (size_t)(n + 63) / 64 * 16, 16, 16);
	else /* 8 x 8 entries an item */
		launch_end(&l, (size_t)(m + 7) / 8, (size_t)(n + 7) / 8, 8, 8);
}

static void solve_panel(struct queue *q, int m, int n, struct view factor, struct view b)
{
	struct launch l = launch_begin(q, "trsm_panel");

	launch_int(&l, m);
	launch_int(&l, n);
	launch_view(&l, factor);
	launch_view(&l, b);
	launch_end(&l, (size_t)m, 1, 64, 1);
}

static void factor_panel(struct queue *q, int n, struct view a)
{
	struct launch l = launch_begin(q, "potrf_panel");

	launch_int(&l, n);
	launch_view(&l, a);
	launch_end(&l, PANEL, 1, PANEL, 1);
}

static void tile_potrf(struct queue *q, int n, struct view a)
{
	for (int j = 0; j < n; j += PANEL) {
		int width = n - j < PANEL ? n - j : PANEL, below = n - j - width;
		struct view diagonal = part(a, j, j), under = part(a, j + width, j);

		factor_panel(q, width, diagonal);
		if (below) {
			solve_panel(q, below, width, diagonal, under);
			product(q, below, below, width, under, under, part(a, j + width, j + width), true);
		}
	}
}

static void tile_trsm(struct queue *q, int m, int n, struct view factor, struct view b)
{
	for (int j = 0; j < n; j += PANEL) {
		int width = n - j < PANEL ? n - j : PANEL, right = n - j - width;

		solve_panel(q, m, width, part(factor, j, j), part(b, 0, j));
		if (right)
			product(q, m, right, width, part(b, 0, j), part(factor, j + width, j), part(b, 0, j + width),
			        false);
	}
}

static struct queue current(void *arg)
{
	return (struct queue){
		.state = ((struct devices *)arg)->opencl,
		.devid = starpu_worker_get_devid(starpu_worker_get_id_check()),
	};
}

static void leave(struct queue *q)
{
	cl_command_queue queue;

	if (!q->state->wait)
		return;
	starpu_opencl_get_queue(q->devid, &queue);
	must(clFinish(queue), "clFinish");
}

static void potrf(void *buffers[], void *arg)
{
	struct queue q = current(arg);

	tile_potrf(&q, (int)STARPU_MATRIX_GET_NX(buffers[0]), view_of(buffers[0]));
	leave(&q);
}

static void trsm(void *buffers[], void *arg)
{
	struct queue q = current(arg);

	tile_trsm(&q, (int)STARPU_MATRIX_GET_NX(buffers[1]), (int)STARPU_MATRIX_GET_NY(buffers[1]), view_of(buffers[0]),
	          view_of(buffers[1]));
	leave(&q);
}

static void syrk(void *buffers[], void *arg)
{
	struct queue q = current(arg);
	int n = (int)STARPU_MATRIX_GET_NX(buffers[1]);

	product(&q, n, n, (int)STARPU_MATRIX_GET_NY(buffers[0]), view_of(buffers[0]), view_of(buffers[0]),
	        view_of(buffers[1]), true);
	leave(&q);
}

static void gemm(void *buffers[], void *arg)
{
	struct queue q = current(arg);

	product(&q, (int)STARPU_MATRIX_GET_NX(buffers[2]), (int)STARPU_MATRIX_GET_NY(buffers[2]),
	        (int)STARPU_MATRIX_GET_NY(buffers[0]), view_of(buffers[0]), view_of(buffers[1]), view_of(buffers[2]),
	        false);
	leave(&q);
}

const starpu_opencl_func_t kernels_opencl[KERNEL_COUNT] = {
	[KERNEL_POTRF] = potrf,
	[KERNEL_TRSM] = trsm,
	[KERNEL_SYRK] = syrk,
	[KERNEL_GEMM] = gemm,
};

static bool is_cpu(int devid)
{
	cl_device_id device;
	cl_device_type type;

	starpu_opencl_get_device(devid, &device);
	must(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL), "clGetDeviceInfo");
	return type & CL_DEVICE_TYPE_CPU;
}

/* A CPU's "local memory" is ordinary memory, and its barriers cost registers. */
static void choose(struct opencl_state *state, int devid, enum blocking blocking)
{
	bool cpu = is_cpu(devid);

	state->wait |= cpu;
	state->local[devid] = blocking == BLOCKING_AUTO ? !cpu : blocking == BLOCKING_LOCAL;
}

/* Runs every kernel once, on a tile of ones that nobody reads. Implementations finish compiling a kernel when it is
   first run: that time belongs neither to the factorisation nor into the performance models. -1: out of memory. */
static int warm_up(struct queue *q, int b)
{
	size_t cells = (size_t)b * (size_t)b;
	float *ones = malloc(cells * sizeof(*ones));
	struct view v = {.ld = b};
	cl_context context;
	cl_command_queue queue;
	cl_int err;

	if (!ones)
		return -1;
	for (size_t i = 0; i < cells; i++)
		ones[i] = 1;
	starpu_opencl_get_context(q->devid, &context);
	starpu_opencl_get_queue(q->devid, &queue);
	v.buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, cells * sizeof(*ones), ones, &err);
	must(err, "clCreateBuffer");
	free(ones);
	tile_potrf(q, b, v);
	tile_trsm(q, b, b, v, v);
	product(q, b, b, b, v, v, v, false);
	must(clFinish(queue), "clFinish");
	must(clReleaseMemObject(v.buffer), "clReleaseMemObject");
	return 0;
}

void *kernels_opencl_init(const struct options *opt)
{
	struct opencl_state *state = calloc(1, sizeof(*state));
	unsigned count = starpu_worker_get_count();

	if (!state)
		goto no_memory;
	if (starpu_opencl_load_opencl_from_string(source, &state->program, "-DPANEL=" XSTR(PANEL)) != CL_SUCCESS) {
		fprintf(stderr, "cholesky: the OpenCL kernels do not compile; the compiler's log is above\n");
		free(state);
		return NULL;
	}
	for (unsigned w = 0; w < count; w++) {
		struct queue q = {.state = state, .devid = starpu_worker_get_devid((int)w)};
		if (starpu_worker_get_type((int)w) != STARPU_OPENCL_WORKER)
			continue;
		choose(state, q.devid, opt->blocking);
		if (warm_up(&q, (int)opt->tile))
			goto no_memory;
	}
	return state;
no_memory:
	fprintf(stderr, "cholesky: out of memory\n");
	kernels_opencl_fini(state);
	return NULL;
}

bool kernels_opencl_async(const void *opencl)
{
	return !((const struct opencl_state *)opencl)->wait;
}

void kernels_opencl_fini(void *opencl)
{
	struct opencl_state *state = opencl;

	if (!state)
		return;
	starpu_opencl_unload_opencl(&state->program);
	free(state);
}
