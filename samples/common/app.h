/* samples/common/app.h - what the sample applications share: options, StarPU, codelets, tasks, time, checks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef SAMPLES_COMMON_APP_H
#define SAMPLES_COMMON_APP_H

#include <stdint.h>

#include <starpu.h>

#include "samples/common/kernel.h"

enum { APP_MOST_BUFFERS = 4 };

struct app_option {
	const char *name; /* "tile"; NULL ends the table */
	int64_t *value;
	int64_t least, most;
	const char *help;
};

/* A codelet: filled in by the sample but for the last two members, one for each of its kernels, in their order. */
struct app_codelet {
	const char *name;
	enum starpu_data_access_mode modes[APP_MOST_BUFFERS];
	unsigned color;                               /* in traces */
	const char *symbol;                           /* of its model; NULL: SAMPLE_NAME */
	uint32_t (*footprint)(struct starpu_task *t); /* NULL: StarPU's own */
	int on_cpus;                                  /* nowhere else */
	struct starpu_codelet cl;
	struct starpu_perfmodel model;
};

/*
 * An application. Under SimGrid nothing is allocated or computed. prepare() makes the data as they are at the start;
 * submit() submits all tasks, and may wait for data; check() returns the error of the result, and in *limit what
 * rounding can explain. What fails is said by app_fail().
 */
struct app {
	const char *name, *summary;
	const struct app_option *options;
	struct app_codelet *codelets;
	void (*configure)(void); /* once the options are read, before StarPU starts; may be NULL */
	void (*prepare)(void);
	void (*submit)(void);
	double (*check)(double *limit);
	void (*finish)(void);
};

int app_main(const struct app *app, int argc, char **argv);

/* A sentence on stderr; the program ends with status 2 when the function that called this returns. */
void app_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A matrix of zeros, NULL under SimGrid; freed after check(). */
REAL *app_alloc(int64_t rows, int64_t columns);

/* Of data from app_alloc(); the caller unregisters. */
starpu_data_handle_t app_register(REAL *data, int64_t rows, int64_t columns);

/* Of data that StarPU allocates where they are first written; the caller unregisters. */
starpu_data_handle_t app_temporary(int64_t rows, int64_t columns);

/* Bytes of an element of data, sizeof(REAL); configure() may set another under SimGrid, where there are none. */
extern size_t app_element_bytes;

/* Uniform in [-1/2, 1/2), the same for the same seed (--seed), row and column. */
REAL app_random(int64_t row, int64_t column);

/* A task of the codelet, of as many operations, with a handle for each of its buffers. */
void app_submit(int codelet, int priority, struct scalars s, double flops, ...);

/* enum { APP_KERNELS(KERNELS) }: KERNEL_name for each kernel of the sample, which numbers its codelets. */
#define APP_KERNEL(name, n) KERNEL_##name,
#define APP_KERNELS(list)   list(APP_KERNEL)

#define APP_COUNT(array) (sizeof(array) / sizeof(*(array)))

#endif
