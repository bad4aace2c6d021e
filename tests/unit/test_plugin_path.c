/* tests/unit/test_plugin_path.c - where the scheduler library is: as the environment says, or beside the program. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/plugin_path.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/err.h"
#include "tests/lib/check.h"

static void what_is_named(void)
{
	char given[] = "/tmp/test_plugin_path.XXXXXX", *found;
	struct ht_err err = {""};

	close(mkstemp(given));
	setenv("HETEROTUNE_PLUGIN", given, 1);
	found = plugin_path(&err);
	CHECK_STR(found, given);
	free(found);
	CHECK(chdir("/tmp") == 0);
	setenv("HETEROTUNE_PLUGIN", given + strlen("/tmp/"), 1);
	found = plugin_path(&err);
	CHECK_STR(found, given);
	free(found);
	unlink(given);
	CHECK(!plugin_path(&err));
	CHECK_HAS(err.text, given + strlen("/tmp/"));
	CHECK_HAS(err.text, ": cannot be read, expected the scheduler library: it is what HETEROTUNE_PLUGIN names");
}

/* Tests are in a folder without it; an empty name is none. */
static void where_there_is_none(void)
{
	char exe[PATH_MAX] = "";
	struct ht_err err = {""};

	setenv("HETEROTUNE_PLUGIN", "", 1);
	REQUIRE(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	*strrchr(exe, '/') = '\0';
	CHECK(!plugin_path(&err));
	CHECK_HAS(err.text, exe);
	CHECK_HAS(err.text, ": has no libheterotune_sched.so, nor has ../lib/heterotune: ");
}

int main(void)
{
	RUN(what_is_named);
	RUN(where_there_is_none);
	return check_done();
}
