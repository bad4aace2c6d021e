/* samples/cholesky/codelets.c - the four codelets, and the devices that this StarPU can run them on. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cholesky.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	const char *symbol; /* of StarPU's own example, whose models of real machines then serve this program too */
	int buffers;        /* the last one is written, the others are read */
	unsigned color;     /* in traces */
} kernel_info[KERNEL_COUNT] = {
	[KERNEL_POTRF] = {"potrf", "chol_model_potrf", 1, 0xffff00},
	[KERNEL_TRSM] = {"trsm", "chol_model_trsm", 2, 0x8080ff},
	[KERNEL_SYRK] = {"syrk", "chol_model_syrk", 2, 0x00ff00},
	[KERNEL_GEMM] = {"gemm", "chol_model_gemm", 3, 0x00c000},
};

#ifdef STARPU_SIMGRID
/* Nothing is computed: StarPU only asks whether a function is there, never calls it. */
static void set_functions(struct starpu_codelet *cl, enum kernel kernel, const struct devices *d)
{
	(void)kernel;
	(void)d;
	cl->cpu_funcs[0] = (starpu_cpu_func_t)(uintptr_t)1;
	cl->cuda_funcs[0] = (starpu_cuda_func_t)(uintptr_t)1;
	cl->opencl_funcs[0] = (starpu_opencl_func_t)(uintptr_t)1;
	cl->cuda_flags[0] = STARPU_CUDA_ASYNC;
	cl->opencl_flags[0] = STARPU_OPENCL_ASYNC;
}
#else
static void set_functions(struct starpu_codelet *cl, enum kernel kernel, const struct devices *d)
{
	(void)d;
	cl->cpu_funcs[0] = kernels_cpu[kernel];
#ifdef STARPU_USE_OPENCL
	cl->opencl_funcs[0] = kernels_opencl[kernel];
	cl->opencl_flags[0] = d->opencl && kernels_opencl_async(d->opencl) ? STARPU_OPENCL_ASYNC : 0;
#endif
#ifdef STARPU_USE_CUDA
	cl->cuda_funcs[0] = kernels_cuda[kernel];
	cl->cuda_flags[0] = STARPU_CUDA_ASYNC;
#endif
}
#endif

void codelets_init(struct codelets *c, const struct devices *d)
{
	memset(c, 0, sizeof(*c));
	for (int k = 0; k < KERNEL_COUNT; k++) {
		struct starpu_codelet *cl = &c->cl[k];
		int last = kernel_info[k].buffers - 1;

		c->model[k].type = STARPU_HISTORY_BASED;
		c->model[k].symbol = kernel_info[k].symbol;
		starpu_codelet_init(cl);
		set_functions(cl, (enum kernel)k, d);
		cl->nbuffers = last + 1;
		for (int i = 0; i < last; i++)
			cl->modes[i] = STARPU_R;
		cl->modes[last] = STARPU_RW;
		cl->name = kernel_info[k].name;
		cl->model = &c->model[k];
		cl->color = kernel_info[k].color;
	}
}

int devices_init(struct devices *d, const struct options *opt)
{
	(void)opt;
	*d = (struct devices){0};
#ifndef STARPU_SIMGRID
	kernels_cpu_init();
#ifdef STARPU_USE_OPENCL
	if (starpu_opencl_worker_get_count() && !(d->opencl = kernels_opencl_init(opt)))
		return -1;
#endif
#ifdef STARPU_USE_CUDA
	if (starpu_cuda_worker_get_count() && !(d->cuda = kernels_cuda_init(opt)))
		return -1;
#endif
#endif
	return 0;
}

void devices_fini(struct devices *d)
{
#ifndef STARPU_SIMGRID
#ifdef STARPU_USE_OPENCL
	kernels_opencl_fini(d->opencl);
#endif
#ifdef STARPU_USE_CUDA
	kernels_cuda_fini(d->cuda);
#endif
#endif
	*d = (struct devices){0};
}

static unsigned long executed(const struct starpu_codelet *cl, enum starpu_worker_archtype type)
{
	unsigned long sum = 0;

	for (unsigned w = 0; w < starpu_worker_get_count(); w++)
		if (starpu_worker_get_type((int)w) == type)
			sum += cl->per_worker_stats[w];
	return sum;
}

void codelets_print_counts(const struct codelets *c)
{
	static const struct {
		enum starpu_worker_archtype type;
		const char *name;
	} archs[] = {
		{STARPU_CPU_WORKER, "cpu"},
		{STARPU_CUDA_WORKER, "cuda"},
		{STARPU_OPENCL_WORKER, "opencl"},
	};

	for (size_t a = 0; a < sizeof(archs) / sizeof(archs[0]); a++) {
		if (starpu_worker_get_count_by_type(archs[a].type) <= 0)
			continue;
		printf("tasks: arch=%s", archs[a].name);
		for (int k = 0; k < KERNEL_COUNT; k++)
			printf(" %s=%lu", c->cl[k].name, executed(&c->cl[k], archs[a].type));
		printf("\n");
	}
}
