/* tests/unit/test_model.c - performance models: every version read, what they say, and what is refused. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/perfmodel/model.h"
#include "tests/lib/check.h"
#include "tests/lib/invariants.h"
#include "tests/lib/mangle.h"

static const struct model *load(struct model_set *set, const char *path, struct ht_err *err)
{
	const struct model *m;

	err->text[0] = '\0';
	CHECK_INT(model_set_add_file(set, path, "kernel", "box", err), 0);
	CHECK_STR(err->text, "");
	m = model_find(set, "kernel");
	CHECK(m && !model_check(m));
	return m;
}

/* Two implementations on the CPU, two devices with 30 and 10 samples, a parallel task, a row without samples. */
static void version_45(void)
{
	struct model_set *set = model_set_create();
	struct ht_err err;
	const struct model *m = load(set, "tests/data/model/v45", &err);

	if (m) {
		CHECK_INT(m->version, 45);
		CHECK_INT(m->nentries, 5);
		CHECK_STR(m->host, "box");
		CHECK_NEAR(model_mean_us(m, ARCH_CPU, 0xa), 80, 1e-15);
		CHECK_NEAR(model_deviation_us(m, ARCH_CPU, 0xa), 2, 1e-15);
		/* (30 * 10 + 10 * 20) / 40; variance (30 (1 + 2.5^2) + 10 (9 + 7.5^2)) / 40 = 21.75 */
		CHECK_NEAR(model_mean_us(m, ARCH_CUDA, 0xa), 12.5, 1e-15);
		CHECK_NEAR(model_deviation_us(m, ARCH_CUDA, 0xa), sqrt(21.75), 1e-14);
		CHECK_NEAR(model_device_mean_us(m, ARCH_CUDA, 0, 0xa), 10, 1e-15);
		CHECK_NEAR(model_device_mean_us(m, ARCH_CUDA, 1, 0xa), 20, 1e-15);
		CHECK(model_device_mean_us(m, ARCH_CUDA, 2, 0xa) < 0);
		CHECK(model_device_mean_us(m, ARCH_CUDA, -1, 0xa) < 0);
		CHECK(model_mean_us(m, ARCH_CPU, 0xb) < 0); /* n = 0 */
		CHECK(model_deviation_us(m, ARCH_CPU, 0xb) < 0);
		CHECK(model_mean_us(m, ARCH_HIP, 0xa) < 0);
		CHECK(model_mean_us(m, ARCH_CPU, 0xc) < 0);
	}
	model_set_free(set);
}

/* Without a line for multiple regressions; a row without flops; SCC, which is no architecture any more. */
static void version_44(void)
{
	struct model_set *set = model_set_create();
	struct ht_err err;
	const struct model *m = load(set, "tests/data/model/v44", &err);

	if (m) {
		CHECK_INT(m->version, 44);
		CHECK_INT(m->nentries, 2);
		CHECK_NEAR(model_device_mean_us(m, ARCH_CUDA, 2, 0x24c84a50), 10000, 1e-15);
		CHECK_NEAR(model_deviation_us(m, ARCH_CUDA, 0x617e5fe6), 300, 1e-15);
		CHECK_INT(m->entries[0].size_bytes, m->entries[0].footprint == 0x24c84a50 ? 22118400 : 7372800);
		CHECK(model_mean_us(m, ARCH_FPGA, 0x24c84a50) < 0);
	}
	model_set_free(set);
}

static void version_42(void)
{
	struct model_set *set = model_set_create();
	struct ht_err err;
	const struct model *m = load(set, "tests/data/model/v42", &err);

	if (m) {
		CHECK_INT(m->version, 42);
		CHECK_INT(m->nentries, 3);
		CHECK_NEAR(model_mean_us(m, ARCH_CPU, 0xcea37d6d), 3400, 1e-15); /* not the 2000 of two cores */
		CHECK_NEAR(model_device_mean_us(m, ARCH_CUDA, 0, 0xcea37d6d), 11000, 1e-15);
		CHECK(model_device_mean_us(m, ARCH_CUDA, 1, 0xcea37d6d) < 0);
	}
	model_set_free(set);
}

struct scratch {
	char dir[64];
};

static void scratch_make(struct scratch *s)
{
	strcpy(s->dir, "/tmp/heterotune-test-XXXXXX");
	if (!mkdtemp(s->dir))
		abort();
}

/* Writes `text` as dir/name, directories included. */
static void put(const struct scratch *s, const char *name, const char *text)
{
	char *path = ht_asprintf("%s/%s", s->dir, name), *parent = ht_strndup(path, strlen(path));
	FILE *f;

	*strrchr(parent, '/') = '\0';
	if (dir_create(parent, NULL) != 0 || !(f = fopen(path, "w")) || fputs(text, f) < 0 || fclose(f) != 0)
		abort();
	free(path);
	free(parent);
}

/* As StarPU writes it in a program whose locale has it. */
static void decimal_comma(void)
{
	struct model_set *set = model_set_create();
	char *text = file_read("tests/data/model/v45", 1 << 16, NULL, NULL), *path;
	struct scratch s;
	struct ht_err err;
	const struct model *m;

	scratch_make(&s);
	path = ht_asprintf("%s/m", s.dir);
	for (char *at = text; at && (at = strchr(at, '.'));)
		*at = ',';
	put(&s, "m", text);
	m = load(set, path, &err);
	if (m) {
		CHECK_NEAR(model_mean_us(m, ARCH_CPU, 0xa), 80, 1e-15);
		CHECK_NEAR(model_deviation_us(m, ARCH_CPU, 0xa), 2, 1e-15);
		CHECK_NEAR(model_mean_us(m, ARCH_CUDA, 0xa), 12.5, 1e-15);
	}
	model_set_free(set);
	free(text);
	free(path);
	dir_remove(s.dir);
}

/* `from` with its version replaced by 43: the form is known by what fits. */
static void version_43(void)
{
	static const struct {
		const char *from;
		double cuda_us;
		uint32_t footprint;
	} table[] = {{"tests/data/model/v44", 10000, 0x24c84a50}, {"tests/data/model/v42", 11000, 0xcea37d6d}};
	struct scratch s;

	scratch_make(&s);
	for (int i = 0; i < 2; i++) {
		struct model_set *set = model_set_create();
		char *text = file_read(table[i].from, 1 << 16, NULL, NULL),
		     *version = text ? strstr(text, "\n4") : NULL;
		char *path = ht_asprintf("%s/m", s.dir);
		struct ht_err err;
		const struct model *m;

		if (!version)
			abort();
		version[2] = '3';
		put(&s, "m", text);
		m = load(set, path, &err);
		if (m) {
			CHECK_INT(m->version, 43);
			CHECK_NEAR(model_mean_us(m, ARCH_CUDA, table[i].footprint), table[i].cuda_us, 1e-15);
		}
		model_set_free(set);
		free(text);
		free(path);
	}
	dir_remove(s.dir);
}

static void xml(void)
{
	struct model_set *set = model_set_create();
	struct ht_err err;
	const struct model *m = load(set, "tests/data/model/model.xml", &err);

	if (m) {
		CHECK_INT(m->nentries, 2);
		CHECK_NEAR(model_mean_us(m, ARCH_CPU, 0xa), 100, 1e-15);
		CHECK_NEAR(model_device_mean_us(m, ARCH_OPENCL, 3, 0xa), 10, 1e-15);
	}
	model_set_free(set);
}

#define HEAD "45\n1\n1\n0\n0\n1\n1\n"
#define FIT  "0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n"

static void refused(void)
{
	static const struct {
		const char *text, *message;
	} table[] = {
		{"", "m:1: "},
		{"# only comments\n", "m:2: "},
		{"46\n", "m:1: "},
		{"41\n", "m:1: "},
		{"x\n", "m:1: "},
		{"45\n4000000000\n", "m:2: "},
		{"45\n-1\n", "m:2: "},
		{"45\n1\n0\n", "m:3: "},
		{"45\n1\n1\n9\n0\n1\n", "m:4: "},
		{"45\n1\n1\n0\n-1\n1\n", "m:5: "},
		{"45\n1\n1\n0\n0\n1\n3000000000\n", "m:7: "},
		{HEAD "2000000000\n" FIT, "m:8: "},
		{HEAD "1\n0 0 0 0 nan nan 0 0\n", "m:"},
		{HEAD "1\n" FIT, "the file ends"},
		{HEAD "1\n" FIT "0000000a 1 1 1 1 1\n", "m:12: "},
		{HEAD "1\n" FIT "0000000a 1 1 1 1 1 1 1 1\n", "m:12: "},
		{HEAD "1\n" FIT "x 1 1 1 1 1 1 1\n", "m:12: "},
		{HEAD "1\n" FIT "123456789 1 1 1 1 1 1 1\n", "m:12: "},
		{HEAD "1\n" FIT "a -1 1 1 1 1 1 1\n", "m:12: "},
		{HEAD "1\n" FIT "a 1 1 -5 1 1 1 1\n", "m:12: "},
		{HEAD "1\n" FIT "a 1 1 nan 1 1 1 1\n", "m:12: "},
		{HEAD "1\n" FIT "a 1 1 inf 1 1 1 1\n", "m:12: "},
		{HEAD "1\n" FIT "a 1 1 1 -1 1 1 1\n", "m:12: "},
		{HEAD "1\n" FIT "a 1 1 1 1 1 1 -1\n", "m:12: "},
		{"42\n0\n0\n0\n0\n0\n7\n", "m:7: "},
		{"43\n0\n0\n0\n0\n0\n7\n", "m:3: "},
		{"<perfmodel version=\"46\"/>", "m:1: "},
		{"<perfmodel/>", "m:1: "},
		{"<model version=\"45\"/>", "m:1: "},
		{"<perfmodel version=\"45\">\n<combination/></perfmodel>", "m:2: "},
		{"<perfmodel version=\"45\"><combination>\n<device type=\"TPU\" id=\"0\"/></combination></perfmodel>",
	         "m:2: "},
	};
	struct scratch s;
	char *path;

	scratch_make(&s);
	path = ht_asprintf("%s/m", s.dir);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct model_set *set = model_set_create();
		struct ht_err err = {""};

		put(&s, "m", table[i].text);
		CHECK_INT(model_set_add_file(set, path, "kernel", "box", &err), -1);
		CHECK_HAS(err.text, table[i].message);
		CHECK_HAS(err.text, path);
		CHECK_INT(set->count, 0);
		model_set_free(set);
	}
	free(path);
	dir_remove(s.dir);
}

/* StarPU may write nan for flops and for anything of a row without samples. */
static void nan_where_allowed(void)
{
	struct model_set *set = model_set_create();
	struct ht_err err = {""};
	struct scratch s;
	char *path;
	const struct model *m;

	scratch_make(&s);
	path = ht_asprintf("%s/m", s.dir);
	put(&s, "m", HEAD "2\n" FIT "a 1 nan 5 0 1 inf 2\nb 1 nan nan nan nan nan 0\n");
	m = load(set, path, &err);
	CHECK(m && m->nentries == 1 && m->entries[0].flops == 0);
	model_set_free(set);
	free(path);
	dir_remove(s.dir);
}

/* As in files that StarPU ships: a combination too many, and the coefficients' number in front of a, b, c. */
static void known_defects(void)
{
	static const char *const texts[] = {
		HEAD "1\n" FIT "a 1 1 5 0 1 1 2\n1\n1\n0\n1\n1\n1\n" FIT "a 1 1 7 0 1 1 2\n",
		HEAD "1\n0 0 0 0 nan nan 0 0 0\n# not multiple-regression-base\n0\nnan nan nan\na 1 1 5 0 1 1 2\n",
	};
	struct scratch s;
	char *path;

	scratch_make(&s);
	path = ht_asprintf("%s/m", s.dir);
	for (int i = 0; i < 2; i++) {
		struct model_set *set = model_set_create();
		struct ht_err err = {""};
		const struct model *m;

		put(&s, "m", texts[i]);
		m = load(set, path, &err);
		CHECK(m && m->nentries == 1 && model_mean_us(m, ARCH_CPU, 0xa) == 5);
		model_set_free(set);
	}
	free(path);
	dir_remove(s.dir);
}

static void directories(void)
{
	static const char *const row = HEAD "1\n" FIT "a 1 1 5 0 1 1 2\n", *const old = "44\n0\n";
	struct model_set *set = model_set_create();
	struct ht_err err = {""};
	struct scratch s;

	scratch_make(&s);
	CHECK_INT(model_set_add_dir(set, s.dir, NULL, &err), 0);
	CHECK_INT(set->count, 0);
	put(&s, "codelets/45/zeta.box", row);
	put(&s, "codelets/45/alpha.box", row);
	put(&s, "codelets/44/alpha.box", old);
	put(&s, "codelets/44/older.box", old);
	CHECK_INT(model_set_add_dir(set, s.dir, NULL, &err), 0);
	CHECK_STR(err.text, "");
	CHECK_INT(set->count, 3);
	CHECK_STR(set->count == 3 ? set->models[0].symbol : "", "alpha");
	CHECK_STR(set->count == 3 ? set->models[2].symbol : "", "zeta");
	CHECK_INT(set->count == 3 ? set->models[0].version : 0, 45);
	CHECK(!model_find(set, "beta"));
	CHECK_INT(model_set_add_file(set, "tests/data/model/v45", "zeta", "box", &err), -1);
	CHECK_HAS(err.text, "zeta");
	model_set_free(set);

	put(&s, "codelets/45/alpha.other", row);
	set = model_set_create();
	CHECK_INT(model_set_add_dir(set, s.dir, NULL, &err), -1);
	CHECK_HAS(err.text, "box, other");
	CHECK_INT(set->count, 0);
	CHECK_INT(model_set_add_dir(set, "/nonexistent", NULL, &err), -1);
	CHECK_HAS(err.text, "/nonexistent");
	model_set_free(set);
	dir_remove(s.dir);
}

static int survives(const char *path, void *ctx)
{
	struct model_set *set = model_set_create();
	struct ht_err err = {""};
	int rc = model_set_add_file(set, path, "kernel", "box", &err);
	int fine = rc == 0 ? set->count == 1 && !model_check(&set->models[0]) : set->count == 0 && err.text[0] != '\0';

	(void)ctx;
	model_set_free(set);
	return fine;
}

static void cut_and_mangled(void)
{
	CHECK_INT(mangle("tests/data/model/v45", 400, 1, survives, NULL), 0);
	CHECK_INT(mangle("tests/data/model/v44", 200, 2, survives, NULL), 0);
	CHECK_INT(mangle("tests/data/model/v42", 200, 3, survives, NULL), 0);
	CHECK_INT(mangle("tests/data/model/model.xml", 200, 4, survives, NULL), 0);
}

int main(void)
{
	RUN(version_45);
	RUN(version_44);
	RUN(version_42);
	RUN(version_43);
	RUN(decimal_comma);
	RUN(xml);
	RUN(refused);
	RUN(nan_where_allowed);
	RUN(known_defects);
	RUN(directories);
	RUN(cut_and_mangled);
	return check_done();
}
