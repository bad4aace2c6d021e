/* tests/unit/test_steps.c - what was done: kept over runs, in order, whatever the file has. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

static char *below(const char *name)
{
	return ht_asprintf("%s/%s", dir, name);
}

static void somebody_elses_directory_is_not_taken(void)
{
	char *empty = below("empty"), *file = below("empty/report.html"), *other = below("empty/steps");
	struct ht_err err = {""};
	struct steps s;

	CHECK_INT(dir_create(empty, &err), 0);
	CHECK_INT(steps_take(&s, empty, 3, &err), 0);
	CHECK_INT(steps_put(&s, STEPS_FIRST, 1, &err), 0);
	steps_free(&s);
	CHECK_INT(file_copy("/proc/self/status", file, &err), 0);
	CHECK_INT(steps_take(&s, empty, 3, &err), 0); /* its own */
	steps_free(&s);
	CHECK_INT(unlink(other), 0);
	CHECK_INT(steps_take(&s, empty, 3, &err), -1);
	CHECK_HAS(err.text,
	          "has files that heterotune auto has not made, and could replace: give -o a directory that is "
	          "new or empty");
	CHECK_INT(file_copy("/proc/self/status", other, &err), 0);
	CHECK_INT(steps_take(&s, empty, 3, &err), -1);
	CHECK_INT(unlink(other), 0);
	CHECK_INT(unlink(file), 0);
	CHECK_INT(steps_take(&s, empty, 3, &err), 0);
	steps_free(&s);
	free(empty);
	free(file);
	free(other);
}

static void one_process_at_a_time(void)
{
	char *place = below("place");
	struct ht_err err = {""};
	struct steps s, second;

	CHECK_INT(dir_create(place, &err), 0);
	CHECK_INT(steps_take(&s, place, 3, &err), 0);
	CHECK_INT(steps_take(&second, place, 3, &err), -1);
	CHECK_HAS(err.text, "another heterotune auto is at work there: wait for it, or give -o another place");
	steps_free(&s);
	CHECK_INT(steps_take(&second, place, 3, &err), 0);
	steps_free(&second);
	free(place);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	RUN(what_comes_after_a_step_is_not_done_any_more);
	RUN(any_number_of_lines_is_read);
	RUN(somebody_elses_directory_is_not_taken);
	RUN(one_process_at_a_time);
	dir_remove(dir);
	return check_done();
}
