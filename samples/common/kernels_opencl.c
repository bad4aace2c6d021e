/* samples/common/kernels_opencl.c - a sample's kernels on an OpenCL device. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compiled for each sample. A codelet waits for its kernel: where the device is a CPU, which shares its cores with
 * StarPU's thread, nothing else lets StarPU see when a task really ended.
 */
#include "samples/common/kernels.h"

#include SAMPLE_KERNELS

#if defined(STARPU_USE_OPENCL) && !defined(STARPU_SIMGRID)
static struct starpu_opencl_program program;
static int loaded;

static const char source[] =
#include SAMPLE_SOURCE
	;

static void must(cl_int err, const char *what)
{
	if (err != CL_SUCCESS)
		STARPU_OPENCL_REPORT_ERROR_WITH_MSG(what, err);
}

static void launch(const char *name, int nbuffers, void *buffers[], struct scalars s)
{
	int device = starpu_worker_get_devid(starpu_worker_get_id_check());
	size_t group = GROUP_ITEMS, all = group * (size_t)s.groups;
	cl_command_queue queue;
	cl_kernel kernel;

	must(starpu_opencl_load_kernel(&kernel, &queue, &program, name, device), name);
	for (int i = 0; i < nbuffers; i++) {
		cl_mem memory = (cl_mem)STARPU_MATRIX_GET_DEV_HANDLE(buffers[i]);

		must(clSetKernelArg(kernel, (cl_uint)i, sizeof(memory), &memory), "clSetKernelArg");
	}
	must(clSetKernelArg(kernel, (cl_uint)nbuffers, sizeof(s), &s), "clSetKernelArg");
	must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &all, &group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
	must(clFinish(queue), "clFinish");
	must(starpu_opencl_release_kernel(kernel), "clReleaseKernel");
}

#define ADAPTER(name, n) \
	static void opencl_##name(void *buffers[], void *arg) \
	{ \
		launch(#name, n, buffers, scalars_of(arg)); \
	}
KERNELS(ADAPTER)

#define FUNCTION_OF(name, n) opencl_##name,
const starpu_opencl_func_t kernels_opencl[] = {KERNELS(FUNCTION_OF)};

int kernels_begin(void)
{
	if (!starpu_opencl_worker_get_count())
		return 0;
	if (starpu_opencl_load_opencl_from_string(source, &program, NULL) != CL_SUCCESS)
		return -1;
	loaded = 1;
	return 0;
}

void kernels_end(void)
{
	if (loaded)
		starpu_opencl_unload_opencl(&program);
}
#else
int kernels_begin(void)
{
	return 0;
}

void kernels_end(void)
{
}
#endif
