/* tests/unit/test_dependencies.c - what tasks wait for, from the data that they access. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/base/err.h"
#include "core/trace/trace.h"
#include "generate/graph.h"
#include "tests/lib/check.h"
#include "tests/lib/invariants.h"

enum { R = ACCESS_R, W = ACCESS_W, RW = ACCESS_R | ACCESS_W, RWC = ACCESS_R | ACCESS_W | ACCESS_COMMUTE };

/* A task that has only this access, or whose first one it is. */
static uint32_t task(struct graph *g, uint32_t handle, uint32_t mode)
{
	uint32_t t = graph_task(g, 0);

	graph_use(g, handle, mode);
	return t;
}

static struct graph *begin(size_t nhandles)
{
	struct graph *g = graph_create(NULL);

	graph_type_pair(g, "a", 10, 1);
	graph_data(g, nhandles, 8);
	return g;
}

static void end(struct graph *g)
{
	struct ht_err err = {""};

	CHECK(graph_infer(g, &err) == 0);
	graph_finish(g);
	CHECK(graph_check(g) == NULL);
}

/* The predecessors of t as text: "0 2". */
static const char *preds(const struct graph *g, uint32_t t, char text[256])
{
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t k = g->pred_first[t]; k < g->pred_first[t + 1]; k++)
		len += (size_t)snprintf(text + len, 256 - len, "%s%u", len ? " " : "", (unsigned)g->pred[k]);
	return text;
}

static void infers_reads_and_writes(void)
{
	static const struct {
		uint32_t mode;
		const char *waits;
	} cases[] = {
		{R, ""}, /* nobody wrote it */
		{R, ""},
		{W, "0 1"}, /* after the readers */
		{R, "2"},   /* after the writer */
		{R, "2"},
		{RW, "3 4"}, /* after the readers, which imply the writer */
		{RW, "5"},
		{W, "6"}, /* writes do not overtake each other */
		{ACCESS_SCRATCH | RW, ""},
		{R, "7"}, /* scratch data orders nothing */
	};
	struct graph *g = begin(1);
	char text[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		task(g, 0, cases[i].mode);
	end(g);
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(preds(g, i, text), cases[i].waits);
	graph_free(g);
}

static void infers_commuting_writes(void)
{
	static const struct {
		uint32_t mode;
		const char *waits;
	} cases[] = {
		{W, ""},
		{RWC, "0"},
		{RWC, "0"},
		{ACCESS_W | ACCESS_COMMUTE, "0"},
		{R, "1 2 3"},
		{R, "1 2 3"},
		{RWC, "4 5"},
		{RW, "6"},
		{RWC, "7"},
		{ACCESS_REDUX, "8"},
		{ACCESS_REDUX, "8"},
		{R, "9 10"},
		{ACCESS_REDUX, "11"},
	};
	struct graph *g = begin(1);
	char text[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		task(g, 0, cases[i].mode);
	end(g);
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(preds(g, i, text), cases[i].waits);
	graph_free(g);
}

/* A predecessor is one for each piece of data, however often that is used; a task does not wait for itself. */
static void infers_each_piece_once(void)
{
	struct graph *g = begin(2);
	char text[256];

	task(g, 0, W);
	graph_use(g, 1, W);
	task(g, 0, R);
	graph_use(g, 1, R);
	graph_use(g, 0, RW);
	graph_use(g, 1, W);
	task(g, 1, R);
	graph_use(g, 0, R);
	end(g);
	CHECK_STR(preds(g, 0, text), "");
	CHECK_STR(preds(g, 1, text), "0 0");
	CHECK_STR(preds(g, 2, text), "1 1");
	CHECK_INT(graph_edges(g), 2);
	CHECK_INT(g->depth[0], 3);
	CHECK_INT(g->depth[2], 1);
	graph_free(g);
}

/* The same rule by brute force: all accesses of the data before, seen from each access. */
static int together(uint32_t a, uint32_t b)
{
	return (a == R && b == R) || (a == RWC && b == RWC);
}

static void infers_as_brute_force(void)
{
	static const uint32_t modes[] = {R, W, RW, RWC};
	enum { TASKS = 300, DATA = 4 };
	uint32_t mode[TASKS], handle[TASKS], state = 12345;
	struct graph *g = begin(DATA);
	char want[256], text[256];

	for (uint32_t t = 0; t < TASKS; t++) {
		state = state * 1664525 + 1013904223;
		mode[t] = modes[state >> 28 & 3];
		handle[t] = state >> 26 & (DATA - 1);
		task(g, handle[t], mode[t]);
	}
	end(g);
	for (uint32_t t = 0; t < TASKS; t++) {
		uint32_t waits[TASKS], n = 0, group = 0; /* mode of the group before; 0: not reached */
		uint32_t last = t;
		size_t len = 0;

		for (uint32_t p = t; p-- > 0;) {
			if (handle[p] != handle[t])
				continue;
			if (!group && together(mode[p], mode[t]) && (last == t || together(mode[last], mode[p]))) {
				last = p; /* of the own group */
				continue;
			}
			if (group && !together(group, mode[p]))
				break;
			group = mode[p];
			waits[n++] = p;
		}
		want[0] = '\0';
		while (n-- > 0)
			len += (size_t)snprintf(want + len, sizeof(want) - len, "%s%u", len ? " " : "",
			                        (unsigned)waits[n]);
		CHECK_STR(preds(g, t, text), want);
	}
	graph_free(g);
}

int main(void)
{
	RUN(infers_reads_and_writes);
	RUN(infers_commuting_writes);
	RUN(infers_each_piece_once);
	RUN(infers_as_brute_force);
	return check_done();
}
