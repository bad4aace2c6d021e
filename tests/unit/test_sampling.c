/* tests/unit/test_sampling.c - the directories that each StarPU searches for its models, and what calibration lacks. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "collect/sampling.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/perfmodel/model.h"
#include "tests/lib/check.h"

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void homes_in_the_order_of_each_version(void)
{
	static const struct {
		const char *xdg, *starpu;
		int minor;
		const char *dirs[3];
	} table[] = {
		{NULL, NULL, 4, {"/home/.starpu/sampling"}},
		{NULL, NULL, 5, {"/home/.starpu/sampling"}},
		{"/xdg", NULL, 5, {"/xdg/.starpu/sampling"}},
		{NULL, "/starpu", 4, {"/starpu/.starpu/sampling"}},
		{"/xdg", "", 4, {"/xdg/.starpu/sampling"}},
		{"/xdg", "/starpu", 3, {"/xdg/.starpu/sampling"}},
		{"/xdg", "/starpu", 5, {"/starpu/.starpu/sampling"}},
		/* One of 1.4 may have it either way. */
		{"/xdg", "/starpu", 4, {"/xdg/.starpu/sampling", "/starpu/.starpu/sampling"}},
		{"/xdg", "/starpu", 0, {"/xdg/.starpu/sampling", "/starpu/.starpu/sampling"}},
	};

	setenv("HOME", "/home", 1);
	setenv("HETEROTUNE_STARPU", "/none", 1);
	unsetenv("STARPU_PERF_MODEL_DIR");
	unsetenv("STARPU_PERF_MODEL_PATH");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char **dirs;
		size_t n = 0;

		set("XDG_CACHE_HOME", table[i].xdg);
		set("STARPU_HOME", table[i].starpu);
		dirs = sampling_dirs(table[i].minor);
		for (; dirs[n] && table[i].dirs[n]; n++)
			CHECK_STR(dirs[n], table[i].dirs[n]);
		CHECK(!dirs[n] && !table[i].dirs[n]);
		sampling_dirs_free(dirs);
	}
}

static void around_the_home(void)
{
	char **dirs;

	set("XDG_CACHE_HOME", NULL);
	set("STARPU_HOME", "/starpu");
	setenv("HETEROTUNE_STARPU", "/none", 1);
	setenv("STARPU_PERF_MODEL_DIR", "/dir", 1);
	setenv("STARPU_PERF_MODEL_PATH", "/a:/b,,", 1);
	dirs = sampling_dirs(4);
	CHECK_STR(dirs[0], "/dir");
	CHECK_STR(dirs[1], "/starpu/.starpu/sampling");
	CHECK_STR(dirs[2], "/a");
	CHECK_STR(dirs[3], "/b");
	CHECK(dirs[4] == NULL);
	sampling_dirs_free(dirs);
	sampling_dirs_free(NULL);
}

/* What StarPU is installed with comes last. */
static void installed(void)
{
	char dir[] = "/tmp/heterotune-sampling.XXXXXX", path[128];
	struct ht_err err = {""};
	char **dirs;
	FILE *f;

	CHECK(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/simgrid/lib/pkgconfig", dir);
	CHECK_INT(dir_create(path, &err), 0);
	snprintf(path, sizeof(path), "%s/simgrid/lib/pkgconfig/starpu-1.4.pc", dir);
	f = fopen(path, "w");
	CHECK(f && fputs("Version: 1.4.10\n", f) >= 0 && fclose(f) == 0);
	snprintf(path, sizeof(path), "%s/simgrid/share/starpu/perfmodels/sampling", dir);
	CHECK_INT(dir_create(path, &err), 0);
	setenv("HETEROTUNE_STARPU", dir, 1);
	setenv("STARPU_PERF_MODEL_DIR", "/dir", 1);
	set("STARPU_HOME", "/starpu");
	set("XDG_CACHE_HOME", NULL);
	unsetenv("STARPU_PERF_MODEL_PATH");
	dirs = sampling_dirs(4);
	CHECK_STR(dirs[1], "/starpu/.starpu/sampling");
	CHECK_STR(dirs[2], path);
	CHECK(dirs[3] == NULL);
	sampling_dirs_free(dirs);
	dir_remove(dir);
}

/* A model of one CPU with as many samples of its two footprints. */
static void put_model(const char *dir, const char *symbol, int first, int second)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/codelets/45/%s.here", dir, symbol);
	f = fopen(path, "w");
	CHECK(f != NULL);
	if (!f)
		return;
	fprintf(f,
	        "45\n1\n1\n0\n0\n1\n1\n%d\n0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n"
	        "617e5fe6 8 0 1e3 0 1 1 %d\n",
	        second ? 2 : 1, first);
	if (second)
		fprintf(f, "617e5fe7 8 0 1e3 0 1 1 %d\n", second);
	fclose(f);
}

static void what_others_lack_does_not_count(void)
{
	char dir[] = "/tmp/heterotune-sampling.XXXXXX", below[64];
	char *dirs[] = {"/none", dir, NULL};
	struct model_set *before, *now;
	struct ht_err err = {""};

	CHECK(mkdtemp(dir) != NULL);
	snprintf(below, sizeof(below), "%s/codelets/45", dir);
	CHECK_INT(dir_create(below, &err), 0);
	put_model(dir, "other", 3, 12);
	put_model(dir, "mine", 4, 0);
	before = sampling_models(dirs, "here");
	CHECK_INT(sampling_uncalibrated(before, NULL, 10), 2);
	CHECK_INT(sampling_uncalibrated(before, before, 10), 0);
	/* Another run of this program, then of another size: what is left from the first one does not count either. */
	put_model(dir, "mine", 9, 0);
	now = sampling_models(dirs, "here");
	CHECK_INT(sampling_uncalibrated(now, before, 10), 1);
	model_set_free(now);
	put_model(dir, "mine", 4, 9);
	now = sampling_models(dirs, "here");
	CHECK_INT(sampling_uncalibrated(now, before, 10), 1);
	model_set_free(now);
	put_model(dir, "mine", 4, 10);
	now = sampling_models(dirs, "here");
	CHECK_INT(sampling_uncalibrated(now, before, 10), 0);
	CHECK_INT(sampling_uncalibrated(now, NULL, 10), 2);
	model_set_free(now);
	model_set_free(before);
	dir_remove(dir);
}

int main(void)
{
	RUN(homes_in_the_order_of_each_version);
	RUN(around_the_home);
	RUN(installed);
	RUN(what_others_lack_does_not_count);
	return check_done();
}
