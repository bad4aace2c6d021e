/* tests/unit/test_paje.c - what tasks.rec gets from the paje.trace beside it, of several ranks, and what is refused. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/paje.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/trace/trace.h"
#include "tests/lib/check.h"

#define HEADER \
	"%EventDef PajeCreateContainer 7\n%  Time date\n%EndEventDef\n%EventDef PajeSetVariable 13\n%EndEventDef\n" \
	"%EventDef PajeStartLink 18\n%EndEventDef\n%EventDef PajeEndLink 19\n%EndEventDef\n"
#define RANK(r) \
	"7 0.0 " r "_t0 T " r "_mn0 \"T0\"\n7 0.0 " r "_w0 W " r "_t0 \"" r "_CPU0\"\n7 0.0 " r "_t1 T " r \
	"_mn1 \"T5\"\n" \
	"7 0.0 " r "_w1 W " r "_t1 \"" r "_CUDA1_0\"\n"

static char dir[] = "/tmp/heterotune-test-XXXXXX";

/* Two ranks with a task each, and this paje.trace. */
static struct trace *load(const char *paje_text, struct ht_err *err)
{
	static const char tasks[] = "JobId: 0_1\nWorkerId: 0\nStartTime: 1\nEndTime: 2\n\n"
				    "JobId: 1_1\nWorkerId: 1\nStartTime: 1\nEndTime: 2\n\n";
	char *rec = ht_asprintf("%s/tasks.rec", dir), *paje = ht_asprintf("%s/paje.trace", dir);
	FILE *f = fopen(rec, "w");
	struct trace *t;

	fputs(tasks, f);
	fclose(f);
	f = fopen(paje, "w");
	fputs(paje_text, f);
	fclose(f);
	err->text[0] = '\0';
	t = trace_load_rec(&(struct trace_rec_files){.tasks = rec, .paje = paje}, err);
	free(rec);
	free(paje);
	return t;
}

static void ranks_have_workers_of_their_own(void)
{
	struct ht_err err;
	struct trace *t = load(HEADER RANK("0") RANK("1") "13 0.5 sched nready 3.0\n13 0.75 sched nready -1\n"
	                                                  "13 soon sched nready 4.0\n13 nan sched nready 4.0\n"
	                                                  "13 0.5\n99 0.5 of no known event\n\n",
	                       &err);

	CHECK_STR(err.text, "");
	REQUIRE(t);
	CHECK_INT(t->nworkers, 4);
	for (int i = 0; i < 4; i++) {
		const struct trace_worker *w = &t->workers[i];

		CHECK_INT(w->rank, i / 2);
		CHECK_INT(w->id, i % 2);
		CHECK_INT(w->arch, i % 2 ? ARCH_CUDA : ARCH_CPU);
		CHECK_INT(w->devid, i % 2);
		CHECK_INT(w->node, i % 2);
		CHECK_INT(w->binding, i % 2 ? 5 : 0);
	}
	CHECK_INT(t->tasks[1].worker, 3);
	CHECK_INT(t->tasks[1].node, 1); /* of its worker */
	CHECK_INT(t->nready, 1);
	CHECK_INT(t->ready[0].ns, 500000);
	CHECK_INT(t->ready[0].value, 3);
	trace_free(t);
}

/* A copy begins and ends at a memory manager; where that is none, where it has no size, or no end, there is none. */
static void links_are_copies(void)
{
	struct ht_err err;
	struct trace *t = load(HEADER RANK("0") RANK("1") "18 1.0 F 0_MPIroot 4096 0_mm0 com_1\n"
	                                                  "19 1.5 F 0_MPIroot 4096 0_mm1 com_1\n"
	                                                  "18 2.0 F 0_MPIroot 4096 0_mm64 com_2\n"
	                                                  "18 2.0 F 0_MPIroot -8 0_mm0 com_3\n"
	                                                  "18 2.0 F 0_MPIroot 8 99999_mm0 com_4\n"
	                                                  "18 2.0 F 0_MPIroot 8 0_xx0 com_5\n",
	                       &err);

	CHECK_STR(err.text, "");
	REQUIRE(t);
	CHECK_INT(t->ncopies, 1);
	if (t->ncopies == 1) {
		CHECK_INT(t->copies[0].start_ns, 1000000);
		CHECK_INT(t->copies[0].end_ns, 1500000);
		CHECK_INT(t->copies[0].size_bytes, 4096);
		CHECK_INT(t->copies[0].from, 0);
		CHECK_INT(t->copies[0].to, 1);
	}
	trace_free(t);
}

/* In the seven bits of a task node 128 would be main memory. */
static void nodes_that_a_task_cannot_hold_are_none(void)
{
	static const struct {
		const char *node;
		int expected;
	} cases[] = {{"0", 0}, {"63", 63}, {"64", -1}, {"128", -1}, {"4095", -1}, {"4096", -1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = ht_asprintf("%s7 0.0 0_t0 T 0_mn%s \"T0\"\n"
		                         "7 0.0 0_w0 W 0_t0 \"0_CPU0\"\n"
		                         "18 1.0 F 0_MPIroot 4096 0_mm%s com_1\n"
		                         "19 1.5 F 0_MPIroot 4096 0_mm1 com_1\n",
		                         HEADER, cases[i].node, cases[i].node);
		struct ht_err err;
		struct trace *t = load(text, &err);

		CHECK_STR(err.text, "");
		REQUIRE(t);
		CHECK_INT(t->workers[0].node, cases[i].expected);
		CHECK_INT(t->tasks[0].node, cases[i].expected);
		CHECK_INT(t->ncopies, cases[i].expected >= 0);
		if (t->ncopies == 1)
			CHECK_INT(t->copies[0].from, cases[i].expected);
		trace_free(t);
		free(text);
	}
}

static void what_is_refused(void)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"", "names no worker, expected paje.trace of starpu_fxt_tool"},
		{HEADER "7 0.0 0_t0 T 0_mn0 \"T0\"\n", "names no worker"},
		{HEADER "7 0.0 x0 W t0 \"CPU0\"\n", "paje.trace:10: expected a worker such as"},
		{HEADER "7 0.0 w4096 W t0 \"CPU0\"\n", "expected a worker such as"},
		{HEADER "7 0.0 0w1 W t0 \"CPU0\"\n", "expected a worker such as"},
		{HEADER "7 0.0 99999_w1 W t0 \"CPU0\"\n", "expected a worker such as"},
		{HEADER "7 0.0 w1 W t0 \"GPU0\"\n", "found \"w1 ... GPU0\""},
	};
	struct ht_err err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK(!load(cases[i].text, &err));
		CHECK_HAS(err.text, cases[i].sentence);
	}
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	RUN(ranks_have_workers_of_their_own);
	RUN(links_are_copies);
	RUN(nodes_that_a_task_cannot_hold_are_none);
	RUN(what_is_refused);
	dir_remove(dir);
	return check_done();
}
