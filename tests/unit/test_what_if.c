/* tests/unit/test_what_if.c - what a run would take if something were otherwise. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/what_if.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/run/run.h"
#include "tests/lib/check.h"

static char dir[] = "/tmp/heterotune-test-XXXXXX";

/* On each of the two CPUs a chain of five tasks of 10 ms, "a" on the first and "b" on the second. */
static struct run *two_chains(struct ht_err *err)
{
	char *path = ht_asprintf("%s/tasks.rec", dir);
	FILE *f = fopen(path, "w");

	free(path);
	for (int i = 0; f && i < 10; i++) {
		fprintf(f, "Name: %c\nModel: %c\nJobId: %d\n", 'a' + i % 2, 'a' + i % 2, i + 1);
		if (i >= 2)
			fprintf(f, "DependsOn: %d\n", i - 1);
		fprintf(f,
		        "WorkerId: %d\nMemoryNode: 0\nSubmitTime: 0.0\nStartTime: %d.0\nEndTime: %d.0\nFootprint: 0\n\n",
		        i % 2, 10 * (i / 2), 10 * (i / 2) + 10);
	}
	if (f)
		fclose(f);
	return run_open(dir, err);
}

static const struct what_if *item(const struct what_ifs *x, const char *what)
{
	for (size_t i = 0; i < x->count; i++)
		if (strcmp(x->items[i].what, what) == 0)
			return &x->items[i];
	return NULL;
}

/* A third CPU has nothing to do, one alone twice as much; one chain twice as fast leaves the other. */
static void of_two_chains(void)
{
	struct ht_err err = {""};
	struct run *run = two_chains(&err);
	const struct what_if *w;
	struct what_ifs x;

	CHECK_STR(err.text, "");
	if (!run)
		return;
	CHECK_INT(what_ifs_make(&x, run, NULL, "eager", &err), 0);
	CHECK(fabs((double)x.base_ns / 50e6 - 1) < 0.02);
	CHECK(item(&x, "one more cpu worker") == NULL);
	CHECK(item(&x, "copies that take no time") == NULL);
	w = item(&x, "1 of the 2 cpu workers");
	CHECK(w && fabs(w->gain + 1) < 0.04);
	CHECK(w && w == &x.items[x.count - 1]);
	CHECK(w && !what_if_is_gain(w, 0));
	w = item(&x, "a twice as fast on cpu");
	CHECK(!w || fabs(w->gain) < 0.03);
	for (size_t i = 1; i < x.count; i++)
		CHECK(x.items[i - 1].gain >= x.items[i].gain);
	what_ifs_fini(&x);
	CHECK_INT(what_ifs_make(&x, run, NULL, "nonsense", &err), -1);
	CHECK_HAS(err.text, "nonsense");
	what_ifs_fini(&x);
	run_free(run);
}

static void gains(void)
{
	CHECK(what_if_is_gain(&(struct what_if){.gain = 0.1, .error = 0.01}, 0.05));
	CHECK(!what_if_is_gain(&(struct what_if){.gain = 0.04, .error = 0.01}, 0.05));
	CHECK(!what_if_is_gain(&(struct what_if){.gain = 0.1, .error = 0.06}, 0.05));
}

int main(void)
{
	if (!mkdtemp(dir))
		return 2;
	RUN(of_two_chains);
	RUN(gains);
	dir_remove(dir);
	return check_done();
}
