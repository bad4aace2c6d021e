/* tests/unit/test_data_rec.c - core/trace/data_rec.c: homes and coordinates of the data that tasks access. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/data_rec.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/trace/trace.h"
#include "core/trace/trace_build.h"
#include "tests/lib/check.h"

/* A temporary file, that unlink() is to be called for. */
static FILE *temporary(char path[32])
{
	snprintf(path, 32, "/tmp/test_data_rec.XXXXXX");
	return fdopen(mkstemp(path), "w");
}

/* One task that accesses the data at 1, 2 and 3, and what `text` says of these. */
static struct trace *load(const char *text, struct ht_err *err)
{
	char tasks[32], data[32];
	FILE *f = temporary(tasks);
	struct trace *t;

	fputs("Name: t\nJobId: 1\nSubmitOrder: 1\nWorkerId: 0\nStartTime: 0\nEndTime: 1\n"
	      "Handles: 1 2 3\nModes: R R W\nSizes: 8 16 24\n\n",
	      f);
	fclose(f);
	f = temporary(data);
	fputs(text, f);
	fclose(f);
	t = trace_load_rec(&(struct trace_rec_files){.tasks = tasks, .data = data}, err);
	unlink(tasks);
	unlink(data);
	return t;
}

/* Data is in the order in which it was registered, whatever uses it first. */
static void test_homes(void)
{
	struct ht_err err = {{0}};
	struct trace *t = load("Handle: 2\nHomeNode: 0\nSize: 16\nDescription: M4x1x4\nCoordinates: 3 18 \n\n"
	                       "Handle: 1\r\nHomeNode: 2\r\nSize: 8\r\n\r\n"
	                       "Handle: ab\nHomeNode: -1\nCoordinates: 1 18446744073709551615",
	                       &err);

	REQUIRE(t);
	CHECK_INT(t->nhandles, 4);
	CHECK_INT(t->handles[0].address, 2);
	CHECK_INT(t->handles[0].home_node, 0);
	CHECK_INT(t->handles[0].size_bytes, 16);
	CHECK_INT(t->handles[0].ncoordinates, 2);
	CHECK_INT(t->handles[0].coordinates[1], 18);
	CHECK_INT(t->handles[1].address, 1);
	CHECK_INT(t->handles[1].home_node, 2);
	CHECK_INT(t->handles[1].ncoordinates, 0);
	CHECK_INT(t->handles[2].address, 0xab);
	CHECK_INT(t->handles[2].ncoordinates, 0); /* larger than any tile's */
	CHECK_INT(t->handles[3].address, 3);
	CHECK_INT(t->handles[3].home_node, -1); /* of which it says nothing */
	CHECK_INT(t->accesses[0].handle, 1);
	CHECK_INT(t->accesses[1].handle, 0);
	trace_free(t);
}

static void test_what_was_written(void)
{
	char text[256];
	FILE *f = fmemopen(text, sizeof(text), "w");
	struct ht_err err = {{0}};
	struct trace *t;

	data_rec_write(f, 1, 0, 16);
	data_rec_write(f, 0, 1, 8);
	fclose(f);
	t = load(text, &err);
	REQUIRE(t);
	CHECK_INT(t->nhandles, 3);
	CHECK_INT(t->handles[0].address, 2);
	CHECK_INT(t->handles[0].home_node, 0);
	CHECK_INT(t->handles[1].home_node, 1);
	trace_free(t);
}

/* Of a run without data. */
static void test_empty(void)
{
	struct ht_err err = {{0}};
	struct trace *t = load("", &err);

	CHECK_STR(err.text, "");
	CHECK(t);
	trace_free(t);
}

static void test_refused(void)
{
	static const char *const bad[] = {"Handle: x\n\n", "Handle: 1\nHomeNode: far\n\n", "HomeNode: -2\n",
	                                  "Handle: 1\nMPIRank: 100000\n\n"};
	struct ht_err err = {{0}};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK(!load(bad[i], &err));
		CHECK_HAS(err.text, "expected a field of data.rec of starpu_fxt_tool");
	}
	CHECK(!load("Name: t\nJobId: 1\nHandles: 1 2 3\n\n", &err));
	CHECK_HAS(err.text, ": has no data (Handle: ADDRESS), expected data.rec of starpu_fxt_tool");
	CHECK(!trace_load_rec(&(struct trace_rec_files){.tasks = "/dev/null", .data = "/nowhere"}, &err));
}

/* A regular file that can be opened, and not be read: nothing is at address 0. */
static void test_read_error(void)
{
	struct trace_builder b;
	struct ht_err err = {{0}};

	trace_build_init(&b, TRACE_TASKS_REC);
	CHECK_INT(data_rec_add(&b, "/proc/self/mem", &err), -1);
	CHECK_HAS(err.text, "/proc/self/mem: cannot be read: ");
	trace_build_abort(&b);
}

int main(void)
{
	RUN(test_homes);
	RUN(test_what_was_written);
	RUN(test_empty);
	RUN(test_refused);
	RUN(test_read_error);
	return check_done();
}
