/* tests/unit/test_mix.c - a pipeline of given types: what the file says is what the graph has. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/err.h"
#include "core/machine/machine.h"
#include "generate/graph.h"
#include "generate/mix.h"
#include "tests/lib/check.h"

static char path[] = "/tmp/heterotune-mix-XXXXXX";

static struct mix *load(const char *text, struct ht_err *err)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
	*err = (struct ht_err){""};
	return mix_load(path, err);
}

static const char panel[] = "# type share costs\n\n"
			    "panel 1 cpu:1200 0 0.5 0\r\n"
			    "update\t3\tcuda:400,cpu:8000 1 0.25 2.5\n"
			    "tail 1 cpu:4000,cuda:500 0 0 0";

static void a_file_is_read(void)
{
	struct ht_err err;
	struct mix *m = load(panel, &err);

	CHECK_INT(m->ntypes, 3);
	CHECK_STR(m->types[1].name, "update");
	CHECK(m->types[1].share == 3 && m->types[0].cost_us[ARCH_CPU] == 1200);
	CHECK(m->types[0].cost_us[ARCH_CUDA] < 0 && m->types[1].cost_us[ARCH_CUDA] == 400);
	CHECK(m->types[1].predecessors[2] == 2.5 && m->types[0].predecessors[1] == 0.5);
	free(m);
}

#define A16 "aaaaaaaaaaaaaaaa"
#define A64 A16 A16 A16 A16

static void nonsense_is_named(void)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"", "there is no type"},
		{"# nothing\n", "there is no type"},
		{"a 1 cpu:1 0\nb 1 cpu:1 0 0\n", ":1: predecessors: \"\", expected a number"},
		{"a 1 cpu:1 0\na 1 cpu:1 0\n", ":2: a stands twice"},
		{"a 0 cpu:1 0\n", ":1: share: \"0\", expected a number"},
		{"a 1\n", ":1: a: there are no costs"},
		{"a 1 gpu:1 0\n", ":1: costs: \"gpu:1\", expected ARCH:US"},
		{"a 1 cpu:1 17\n", ":1: predecessors: \"17\", expected a number from 0 to 16"},
		{"a 1 cpu:1 nan\n", ":1: predecessors: \"nan\""},
		{"a 1 cpu:1 0 0\n", ":1: a: more than 1 numbers of predecessors"},
		{A64 A64 A64 A64 " 1 cpu:1 0\n", "a name has at most 255 characters"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ht_err err;
		struct mix *m = load(bad[i].text, &err);

		CHECK(m == NULL);
		CHECK_HAS(err.text, bad[i].says);
		free(m);
	}
}

/* Predecessors by type of both sides, over the tasks of the type that waits. */
static void the_matrix_holds(void)
{
	const double knob[] = {20000, 6, 960};
	struct ht_err err;
	struct mix *mix = load(panel, &err);
	struct machine *m = machine_parse("cpu:4 cuda:2", &err);
	struct graph_input in = {.knob = knob, .seed = 5, .machine = m, .mix = mix};
	struct graph *g = graph_make(&graph_pipeline, &in, NULL, &err);
	double found[3][3] = {{0}};

	CHECK_INT(g->ntypes, 3);
	for (size_t t = 0; t < g->ntasks; t++)
		for (uint32_t i = g->pred_first[t]; i < g->pred_first[t + 1]; i++)
			found[g->task_type[t]][g->task_type[g->pred[i]]]++;
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t j = 0; j < 3; j++)
			CHECK_NEAR(found[i][j] / g->types[i].count, mix->types[i].predecessors[j], 0.02);
	/* Of the types that are fastest on the GPUs: three parts to one. */
	CHECK_NEAR((double)g->types[1].count / g->types[2].count, 3, 0.05);
	graph_free(g);
	machine_free(m);
	free(mix);
}

static void a_type_that_cannot_run_is_named(void)
{
	const double knob[] = {100, 6, 960};
	struct ht_err err;
	struct mix *mix = load("a 1 cuda:5 0\n", &err);
	struct machine *m = machine_parse("cpu:4", &err);
	struct graph_input in = {.knob = knob, .seed = 5, .machine = m, .mix = mix};

	CHECK(graph_make(&graph_pipeline, &in, NULL, &err) == NULL);
	CHECK_HAS(err.text, "no worker of the machine can run a");
	machine_free(m);
	free(mix);
}

int main(void)
{
	close(mkstemp(path));
	RUN(a_file_is_read);
	RUN(nonsense_is_named);
	RUN(the_matrix_holds);
	RUN(a_type_that_cannot_run_is_named);
	unlink(path);
	return check_done();
}
