/* tests/unit/test_sampling.c - the directories that each StarPU searches for its models. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "collect/sampling.h"
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

int main(void)
{
	RUN(homes_in_the_order_of_each_version);
	RUN(around_the_home);
	return check_done();
}
