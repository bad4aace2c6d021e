/* samples/cholesky/main.c - a tiled Cholesky factorisation with StarPU, on CPU, OpenCL and CUDA. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cholesky.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* 0: the factor is right; 1: it is not; 2: not known. */
static int check(const struct matrix *l)
{
#ifdef STARPU_SIMGRID
	(void)l;
	return 2;
#else
	double limit, residual = factor_residual(l, &limit);

	if (residual < 0) {
		fprintf(stderr, "cholesky: --check: out of memory: tile=%lld\n", (long long)l->tile);
		return 2;
	}
	printf("check: residual=%.3g limit=%.3g %s\n", residual, limit, residual <= limit ? "ok" : "wrong");
	return !(residual <= limit);
#endif
}

static int factorise(struct matrix *a, struct codelets *c, struct devices *d, const struct options *opt)
{
	double us;

	matrix_fill(a);
	us = graph_run(a, c, d, opt);
	if (us < 0)
		return 2;
	printf("cholesky: n=%lld tile=%lld tasks=%lld time=%.3f ms, %.2f GFlop/s\n", (long long)a->size,
	       (long long)a->tile, (long long)graph_tasks(a->tiles), us / 1e3, graph_flops(a->size) / us / 1e3);
	fflush(stdout);
	return opt->check ? check(a) : 0;
}

int main(int argc, char **argv)
{
	struct codelets codelets;
	struct devices devices;
	struct matrix a = {0};
	struct options opt;
	int status = options_read(argc, argv, &opt), ret;

	if (status)
		return status - 1;
	ret = starpu_init(NULL);
	if (ret) {
		fprintf(stderr, "cholesky: cannot start StarPU: %s\n",
		        ret == -ENODEV ? "no worker; see STARPU_NCPU, STARPU_NCUDA, STARPU_NOPENCL" : strerror(-ret));
		return 2;
	}
	if (devices_init(&devices, &opt)) {
		status = 2;
		goto out;
	}
	codelets_init(&codelets, &devices);
	if (matrix_alloc(&a, &opt)) {
		fprintf(stderr, "cholesky: out of memory: size=%lld\n", (long long)opt.size);
		status = 2;
		goto out;
	}
	for (int64_t r = 0; r < opt.repeat && !status; r++)
		status = factorise(&a, &codelets, &devices, &opt);
	if (opt.stats)
		codelets_print_counts(&codelets);
out:
	matrix_free(&a);
	devices_fini(&devices);
	starpu_shutdown();
	return status;
}
