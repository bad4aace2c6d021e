/* tests/unit/test_steps.c - what was done: kept over runs, in order, whatever the file has. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/steps.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "tests/lib/check.h"

static char dir[] = "/tmp/heterotune-steps.XXXXXX";

static void what_comes_after_a_step_is_not_done_any_more(void)
{
	struct ht_err err = {""};
	struct steps s;

	steps_open(&s, dir, 3);
	CHECK_INT(steps_put(&s, "recording", 1, &err), 0);
	CHECK_INT(steps_put(&s, "tuning", 2, &err), 0);
	steps_free(&s);
	steps_open(&s, dir, 3);
	CHECK(steps_is_done(&s, "recording", 1) && !steps_is_done(&s, "recording", 2));
	CHECK(steps_is_done(&s, "tuning", 2));
	CHECK_INT(steps_put(&s, "recording", 3, &err), 0);
	CHECK(!steps_has(&s, "tuning"));
	steps_free(&s);
}

/* A file that somebody has added to. */
static void any_number_of_lines_is_read(void)
{
	char *path = ht_asprintf("%s/steps", dir);
	FILE *f = fopen(path, "w");
	struct ht_err err = {""};
	struct steps s;

	for (int i = 0; f && i < 100; i++)
		fprintf(f, "step %d: %x\n", i, i);
	CHECK(f && fclose(f) == 0);
	steps_open(&s, dir, 3);
	CHECK(steps_is_done(&s, "step 99", 99));
	CHECK_INT(steps_put(&s, "tuning", 7, &err), 0);
	CHECK(steps_is_done(&s, "step 99", 99) && steps_is_done(&s, "tuning", 7));
	steps_free(&s);
	free(path);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	RUN(what_comes_after_a_step_is_not_done_any_more);
	RUN(any_number_of_lines_is_read);
	dir_remove(dir);
	return check_done();
}
