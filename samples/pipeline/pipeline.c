/* samples/pipeline/pipeline.c - batches of many sizes that stream through the stages of an inference, with StarPU. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "samples/common/app.h"
#include "samples/pipeline/kernels.h"

enum { APP_KERNELS(KERNELS) };

static int64_t batches = 40, features = 128, hidden = 64, classes = 10, most = 32, window = 24;

enum { REACH = 8 };

static starpu_data_handle_t first, second, total;
static REAL *sums, *input; /* input: (most + 1) samples for each batch */

/* Samples of a batch: one half of the most to all of it. */
static int samples(int64_t batch)
{
	return (int)((double)most * (0.75 + (double)app_random(batch, 0) / 2)) + 1;
}

static REAL weight(int layer, int64_t out, int64_t in)
{
	return app_random(out + layer * hidden, batches + in);
}

static REAL raw_value(int64_t batch, int64_t sample, int64_t feature)
{
	return app_random(batch * (most + 1) + sample, batches + features + hidden + feature) + (REAL)0.25;
}

static starpu_data_handle_t make_layer(int layer, int64_t out, int64_t in)
{
	REAL *w = app_alloc(in, out);

	for (int64_t r = 0; w && r < out; r++)
		for (int64_t c = 0; c < in; c++)
			w[c + r * in] = weight(layer, r, c);
	return app_register(w, in, out);
}

static void prepare(void)
{
	first = make_layer(0, hidden, features);
	second = make_layer(1, classes, hidden);
	sums = app_alloc(classes, 1);
	total = app_register(sums, classes, 1);
	input = app_alloc(features, (most + 1) * batches);
}

static int groups(int64_t items)
{
	return (int)((items + 8 * GROUP_ITEMS - 1) / (8 * GROUP_ITEMS));
}

static void submit_batch(int64_t batch)
{
	int n = samples(batch);
	REAL *raw = input ? input + batch * (most + 1) * features : NULL;
	starpu_data_handle_t in, x, y, z;
	double size = n;

	for (int64_t c = 0; raw && c < n; c++)
		for (int64_t r = 0; r < features; r++)
			raw[r + c * features] = raw_value(batch, c, r);
	in = app_register(raw, features, n);
	x = app_temporary(features, n);
	y = app_temporary(hidden, n);
	z = app_temporary(classes, n);
	app_submit(KERNEL_smooth, 0, (struct scalars){.groups = groups(n * features), .i = {n, (int)features, REACH}},
	           size * (double)features * (2 * REACH + 1), in, x);
	app_submit(KERNEL_dense, 1,
	           (struct scalars){.groups = groups(n * hidden),
	                            .columns = (int)(n * hidden),
	                            .i = {n, (int)features, (int)hidden}},
	           2 * size * (double)(features * hidden), first, x, y);
	app_submit(KERNEL_dense, 2,
	           (struct scalars){.groups = groups(n * classes),
	                            .columns = (int)(n * classes),
	                            .i = {n, (int)hidden, (int)classes}},
	           2 * size * (double)(hidden * classes), second, y, z);
	app_submit(KERNEL_pool, 3, (struct scalars){.groups = 1, .i = {n, (int)classes}}, size * (double)classes, z,
	           total);
	starpu_data_unregister_submit(in);
	starpu_data_unregister_submit(x);
	starpu_data_unregister_submit(y);
	starpu_data_unregister_submit(z);
}

/* As a server does: it takes a batch when few are left to do. */
static void submit(void)
{
	for (int64_t batch = 0; batch < batches; batch++) {
		starpu_task_wait_for_n_submitted((unsigned)window);
		starpu_iteration_push((unsigned long)batch);
		submit_batch(batch);
		starpu_iteration_pop();
	}
}

static void finish(void)
{
	starpu_data_unregister(first);
	starpu_data_unregister(second);
	starpu_data_unregister(total);
}

/* What a sample adds to the totals, in double precision. */
static void infer(int64_t batch, int64_t sample, double *x, double *y, double *sum)
{
	for (int64_t r = 0; r < features; r++) {
		int64_t from = r > REACH ? r - REACH : 0, to = r + REACH < features ? r + REACH : features - 1;

		x[r] = 0;
		for (int64_t k = from; k <= to; k++)
			x[r] += (double)raw_value(batch, sample, k) / (double)(to - from + 1);
	}
	for (int64_t r = 0; r < hidden; r++) {
		y[r] = 0;
		for (int64_t k = 0; k < features; k++)
			y[r] += (double)weight(0, r, k) * x[k];
		y[r] = fmax(0, y[r]);
	}
	for (int64_t r = 0; r < classes; r++) {
		double z = 0;

		for (int64_t k = 0; k < hidden; k++)
			z += (double)weight(1, r, k) * y[k];
		sum[r] += fmax(0, z);
	}
}

static double check(double *limit)
{
	double *x = calloc((size_t)(features + hidden + classes), sizeof(*x)), off = 0, all = 0, *sum;
	int64_t count = 0;

	if (!x) {
		app_fail("out of memory");
		return NAN;
	}
	sum = x + features + hidden;
	for (int64_t batch = 0; batch < batches; batch++)
		for (int64_t c = 0; c < samples(batch); c++, count++)
			infer(batch, c, x, x + features, sum);
	for (int64_t r = 0; r < classes; r++) {
		off += ((double)sums[r] - sum[r]) * ((double)sums[r] - sum[r]);
		all += sum[r] * sum[r];
	}
	free(x);
	*limit = 8 * 0x1p-24 * sqrt((double)(features + count));
	return all > 0 ? sqrt(off / all) : sqrt(off);
}

static const struct app_option options[] = {
	{"batches", &batches, 1, 10000000, "batches"},
	{"features", &features, 1, 65536, "values of a sample"},
	{"hidden", &hidden, 1, 65536, "outputs of the first layer"},
	{"classes", &classes, 1, 65536, "outputs of the second"},
	{"most", &most, 1, 65536, "samples of a batch, at most; at least half of it"},
	{"window", &window, 0, 1000000, "tasks left when the next batch is taken"},
	{NULL, NULL, 0, 0, NULL},
};

static struct app_codelet codelets[] = {
	[KERNEL_smooth] = {"smooth", {STARPU_R, STARPU_W}, 0x8080ff},
	[KERNEL_dense] = {"dense", {STARPU_R, STARPU_R, STARPU_W}, 0x00c000},
	[KERNEL_pool] = {"pool", {STARPU_R, STARPU_RW | STARPU_COMMUTE}, 0xffff00},
};

int main(int argc, char **argv)
{
	static const struct app pipeline = {
		.name = "pipeline",
		.summary = "Streams batches of samples through the stages of an inference, with StarPU.",
		.options = options,
		.codelets = codelets,
		.prepare = prepare,
		.submit = submit,
		.check = check,
		.finish = finish,
	};

	return app_main(&pipeline, argc, argv);
}
