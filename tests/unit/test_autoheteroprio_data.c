/* tests/unit/test_autoheteroprio_data.c - what AutoHeteroprio's data file holds is kept when it is read and written. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/base/file.h"
#include "core/config/autoheteroprio_data.h"
#include "tests/lib/check.h"

/* With the four times of busy and free workers. */
#define HEAD(times) \
	"##################\n" \
	"# Known architectures\n" \
	"# number_of_archs arch_ids (CPU - 0, CUDA - 1, )\n" \
	"2 0 1\n" \
	"##################\n" \
	"# Busy/Free proportion per architecture\n" \
	"# ARCH1_busy_time ARCH1_free_time ... ARCHn_busy_time ARCHn_free_time\n" times "##################\n" \
	"# Codelets specific data\n" \
	"# codelet_name arch_1_can_exec ... arch_n_can_exec\n" \
	"# average_NOD average_NOD_count average_URT_count overall_proportion overall_proportion_count " \
	"arch_proportion_count avg_best_successor_time avg_best_successor_time_count prio_average_best " \
	"prio_average_best_count\n" \
	"# for each arch which can exec: average_URT_ARCH average_time_ARCH average_time_ARCH_count " \
	"ARCH_proportion\n" \
	"##########\n"
#define STARPU_TIMES " 4287171.475000 6388461.884000 1126732.621000 2811222.631000\n"
#define STARPU_TYPES \
	"potrf 1 0\n" \
	"5.225000 20 21 0.250000 22 23 8550.000000 24 1000.000000 25\n" \
	"83.219787 7379.027000 5 1.000000\n" \
	"#####\n" \
	"gemm 1 1\n" \
	"0.368722 256 256 0.750000 256 256 808.982482 256 757.425453 256\n" \
	"2.371313 34940.260000 48 0.125000\n" \
	"0.317378 757.386742 256 0.875000\n" \
	"#####\n"

#define TIMES " 4287171475000e-6 6388461884000e-6 1126732621000e-6 2811222631000e-6\n"
#define TYPES \
	"potrf 1 0\n" \
	"5225000e-6 20 21 250000e-6 22 23 8550000000e-6 24 1000000000e-6 25\n" \
	"83219787e-6 7379027000e-6 5 1000000e-6\n" \
	"#####\n" \
	"gemm 1 1\n" \
	"368722e-6 256 256 750000e-6 256 256 808982482e-6 256 757425453e-6 256\n" \
	"2371313e-6 34940260000e-6 48 125000e-6\n" \
	"317378e-6 757386742e-6 256 875000e-6\n" \
	"#####\n"

static char path[] = "/tmp/heterotune-learned-XXXXXX";

static void put(const char *text)
{
	FILE *f = fopen(path, "w");

	CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void test_round_trip(void)
{
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));
	struct ht_err err = {""};
	size_t len = 0;
	char *text;

	put(HEAD(STARPU_TIMES) STARPU_TYPES);
	CHECK_INT(autoheteroprio_load(l, path, &err), 0);
	CHECK_STR(err.text, "");
	CHECK_INT(l->ntypes, 2);
	CHECK_STR(l->types[0].name, "potrf");
	CHECK_INT(l->types[0].where, 1);
	CHECK_INT(l->types[0].nnods, 20);
	CHECK_INT(l->types[0].nurts, 21);
	CHECK_INT(l->types[0].nproportions, 22);
	CHECK_INT(l->types[0].nshares, 23);
	CHECK_INT(l->types[0].nreleased, 24);
	CHECK_INT(l->types[0].nbests, 25);
	CHECK_NEAR(l->types[1].arch[ARCH_CUDA].time_us, 757.386742, 0);
	CHECK_NEAR(l->types[1].arch[ARCH_CPU].urt, 2.371313, 0);
	CHECK_NEAR(l->types[1].arch[ARCH_CPU].share, 0.125, 0);
	CHECK_NEAR(l->busy_us[ARCH_CUDA], 1126732.621, 0);
	CHECK_NEAR(l->free_us[ARCH_CPU], 6388461.884, 0);
	CHECK_INT(autoheteroprio_save(l, path, NULL, &err), 0);
	text = file_read(path, 1 << 16, &len, &err);
	CHECK_STR(text, HEAD(TIMES) TYPES);
	free(text);
	CHECK_INT(autoheteroprio_load(l, path, &err), 0);
	CHECK_NEAR(l->types[1].arch[ARCH_CUDA].time_us, 757.386742, 0);
	CHECK_NEAR(l->busy_us[ARCH_CUDA], 1126732.621, 0);
	free(l);
}

/* The file lists the architectures it has columns of: SYCL is number 8 of StarPU 1.5, of which 1.4 knows 0 to 7. */
static void test_sycl(void)
{
	static const char text[] = "2 0 8\n 1.000000 2.000000 3.000000 4.000000\nx 0 1\n0 1 1 1 1 1 0 1 0 1\n1 2 3 4\n";
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));
	struct ht_err err = {""};
	char *written;

	put(text);
	CHECK_INT(autoheteroprio_load(l, path, &err), 0);
	CHECK_INT(l->types[0].where, 1 << ARCH_SYCL);
	CHECK_NEAR(l->types[0].arch[ARCH_SYCL].time_us, 2, 0);
	CHECK_NEAR(l->busy_us[ARCH_SYCL], 3, 0);
	CHECK_INT(autoheteroprio_save(l, path, NULL, &err), 0);
	written = file_read(path, 1 << 16, NULL, &err);
	CHECK_HAS(written, "(SYCL - 8, )\n1 8\n");
	CHECK_HAS(written, "\nx 1\n");
	free(written);
	free(l);
}

/* Architecture 9 is of a later StarPU: its columns are left out. */
static void test_unknown_architecture(void)
{
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));

	put("3 1 9 0\n 1 2 3 4 5 6\nx 1 1 1\n0 1 1 1 1 1 0 1 0 1\n1 2 3 4\n5 6 7 8\n9 10 11 12\n#####\n");
	CHECK_INT(autoheteroprio_load(l, path, NULL), 0);
	CHECK_INT(l->types[0].where, 3);
	CHECK_NEAR(l->types[0].arch[ARCH_CPU].time_us, 10, 0);
	CHECK_NEAR(l->types[0].arch[ARCH_CUDA].time_us, 2, 0);
	CHECK_NEAR(l->busy_us[ARCH_CPU], 5, 0);
	free(l);
}

static void test_bad_files(void)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"", ":1: the file ends where the number of architectures"},
		{"two 0 1\n", ":1: expected the number of architectures, found \"two\""},
		{"1.5 0\n", "whole number"},
		{"1 0\n 1\n", ":3: the file ends where a free time"},
		{"1 0\n -1 0\n", "is -1, expected a number that is not negative"},
		{"1 0\n 0 0\nx 0\n", "x can run on no architecture"},
		{"1 0\n 0 0\nx 1\n1 1 1 1 1 1 1 1 1\n#####\n", "the file ends where a number of best times"},
		{"1 0\n 0 0\nx 1\n1 1 1 1 1 1 1 1 1 1\n1 0 1 1\n", "0 us"},
		{"1 0\n 0 0\nx 1\n1 1 1 nan 1 1 1 1 1 1\n1 1 1 1\n", ":4: a proportion is"},
		{"1 0\n 0 0\nabcdefghijklmnopqrstuvwxyz0123456 1\n", "33 bytes, StarPU reads 32"},
	};
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ht_err err = {""};

		put(bad[i].text);
		CHECK_INT(autoheteroprio_load(l, path, &err), -1);
		CHECK_HAS(err.text, bad[i].says);
		CHECK_HAS(err.text, path);
	}
	free(l);
}

/* A name is compared in its first 32 bytes, and the architectures exactly. */
static void test_types(void)
{
	struct autoheteroprio_data *l = calloc(1, sizeof(*l));
	struct ht_err err = {""};

	CHECK_INT(autoheteroprio_type_of(l, "a", 1), 0);
	CHECK_INT(autoheteroprio_type_of(l, "a", 3), 1);
	CHECK_INT(autoheteroprio_type_of(l, "a", 1), 0);
	CHECK_INT(autoheteroprio_type_of(l, "", 1), 2);
	CHECK_STR(l->types[2].name, "NO_NAME");
	CHECK_INT(autoheteroprio_type_of(l, "abcdefghijklmnopqrstuvwxyz0123456789", 1), 3);
	CHECK_STR(l->types[3].name, "abcdefghijklmnopqrstuvwxyz012345");
	CHECK_INT(autoheteroprio_type_of(l, "abcdefghijklmnopqrstuvwxyz012345xxxx", 1), 3);
	for (int i = 4; i < AUTOHETEROPRIO_MAX_TYPES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "t%d", i);
		CHECK_INT(autoheteroprio_type_of(l, name, 1), i);
	}
	CHECK_INT(autoheteroprio_type_of(l, "another", 1), -1);
	CHECK_INT(autoheteroprio_type_of(l, "t50", 1), 50);
	strcpy(l->types[7].name, "two words");
	CHECK_INT(autoheteroprio_save(l, path, NULL, &err), -1);
	CHECK_HAS(err.text, "two words");
	free(l);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	RUN(test_round_trip);
	RUN(test_sycl);
	RUN(test_unknown_architecture);
	RUN(test_bad_files);
	RUN(test_types);
	unlink(path);
	return check_done();
}
