/* tests/unit/test_file.c - programs in PATH. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "tests/lib/check.h"

static char dir[] = "/tmp/heterotune-test-XXXXXX";

static void create(const char *name, mode_t mode)
{
	char *path = ht_asprintf("%s/%s", dir, name);

	CHECK_INT(fclose(fopen(path, "w")), 0);
	CHECK_INT(chmod(path, mode), 0);
	free(path);
}

static int is_found(const char *format)
{
	char *path = ht_asprintf("%s%s", format, dir);

	setenv("PATH", path, 1);
	free(path);
	return path_has_program("tool");
}

static void programs_are_found(void)
{
	char *path = ht_asprintf("/none:%s:/usr/bin", dir);

	CHECK(is_found(""));
	CHECK(is_found("/none:"));
	CHECK(is_found("::"));
	setenv("PATH", path, 1);
	CHECK(path_has_program("tool"));
	CHECK(!path_has_program("too"));
	CHECK(!path_has_program("text"));
	setenv("PATH", "/none", 1);
	CHECK(!path_has_program("tool"));
	unsetenv("PATH");
	CHECK(!path_has_program("tool"));
	free(path);
}

/* Neither the working directory nor the root. */
static void empty_entries_are_passed_over(void)
{
	static const char *const paths[] = {"", ":", "::", ":/none", "/none:"};

	CHECK_INT(chdir(dir), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		setenv("PATH", paths[i], 1);
		CHECK(!path_has_program("tool"));
		CHECK(!path_has_program("bin")); /* an empty entry and a slash would be /bin */
	}
}

int main(void)
{
	if (!mkdtemp(dir))
		return 2;
	create("tool", 0755);
	create("text", 0644);
	RUN(programs_are_found);
	RUN(empty_entries_are_passed_over);
	dir_remove(dir);
	return check_done();
}
