/* tests/unit/test_shell.c - words for a shell: as they are, or quoted; and what to type for this program. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/base/err.h"
#include "core/base/file.h"
#include "tests/lib/check.h"

static void words_can_be_pasted(void)
{
	static const char *const cases[][2] = {
		{"app.tuned/config.xml", "app.tuned/config.xml"},
		{"sp ace", "'sp ace'"},
		{"it's", "'it'\\''s'"},
		{"$HOME", "'$HOME'"},
		{"", "''"},
		{"{a,b}", "'{a,b}'"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *word = shell_word(cases[i][0]);

		CHECK_STR(word, cases[i][1]);
		free(word);
	}
}

static void types(const char *called, const char *path, const char *expected)
{
	char *text;

	program_invocation_name = (char *)called;
	setenv("PATH", path, 1);
	text = shell_heterotune();
	CHECK_STR(text, expected);
	free(text);
}

static void as_it_was_called(void)
{
	char dir[] = "/tmp/heterotune-shell.XXXXXX", tool[64];
	struct ht_err err = {""};

	CHECK(mkdtemp(dir) != NULL);
	snprintf(tool, sizeof(tool), "%s/heterotune", dir);
	types("build/heterotune", "/none", "build/heterotune");
	types("/sp ace/heterotune", "/none", "'/sp ace/heterotune'");
	types("heterotune", "/none", "heterotune");
	types("/usr/bin/test_shell", "/none", "heterotune");
	CHECK_INT(file_copy("/proc/self/status", tool, &err), 0);
	CHECK_INT(chmod(tool, 0755), 0);
	types("build/heterotune", dir, "heterotune");
	dir_remove(dir);
}

int main(void)
{
	RUN(words_can_be_pasted);
	RUN(as_it_was_called);
	return check_done();
}
