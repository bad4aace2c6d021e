/* tests/unit/test_dag_where.c - what a type can run on, from where it never ran under a scheduler that takes turns. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag.h"
#include "core/perfmodel/model.h"
#include "tests/lib/check.h"
#include "tests/lib/made_trace.h"

enum { CPU, GPU, WORKERS };
enum { EITHER, RARE, TYPES }; /* both have models of both architectures; RARE runs on the GPU only */
enum { TASKS = 60 };

struct run {
	struct trace *t;
	struct model_entry entries[2];
	struct model models[TYPES];
	struct model_set set;
};

/* The CPU takes every `cpu_every`th EITHER task; `busy_cpu`: it has its next one before a RARE task is ready. */
static struct run make(int rare, int cpu_every, int busy_cpu)
{
	static const char *const symbols[TYPES] = {"m_either", "m_rare"};
	struct row rows[TASKS];
	struct run r = {.entries = {{.arch = ARCH_CPU, .ncores = 1, .mean_us = 3, .samples = 9},
	                            {.arch = ARCH_CUDA, .ncores = 1, .mean_us = 1, .samples = 9}}};

	for (int i = 0; i < TASKS; i++) {
		int is_rare = i % 3 == 2 && i / 3 < rare, here = !is_rare && i % cpu_every == 0;

		/* Ready 10 ns before it is taken; one that takes 400 ns keeps the CPU beyond the next ones. */
		rows[i] = (struct row){.submit = 0,
		                       .ready = i * 100,
		                       .pop = i * 100 + 10,
		                       .start = i * 100 + 10,
		                       .end = i * 100 + (here && busy_cpu ? 400 : 90),
		                       .type = is_rare ? RARE : EITHER,
		                       .worker = here ? CPU : GPU};
	}
	r.t = trace_of(rows, TASKS, TYPES, WORKERS);
	r.t->workers[GPU].arch = ARCH_CUDA;
	for (int i = 0; i < TYPES; i++) {
		r.t->codelets[i].model = intern_str(r.t->strings, symbols[i]);
		r.models[i] = (struct model){.symbol = symbols[i], .host = "h", .nentries = 2};
	}
	return r;
}

static struct dag *graph_of(struct run *r, int by_turn)
{
	for (int i = 0; i < TYPES; i++)
		r->models[i].entries = r->entries;
	r->set = (struct model_set){.models = r->models, .count = TYPES};
	return dag_from_trace(r->t, &r->set, &(struct dag_options){.min_samples = 1, .by_turn = by_turn}, NULL);
}

static uint32_t type_named(const struct dag *d, const char *name)
{
	for (uint32_t i = 0; i < d->ntypes; i++) {
		if (strcmp(d->types[i].name, name) == 0)
			return i;
	}
	return d->ntypes;
}

enum { BOTH = 1 << ARCH_CPU | 1 << ARCH_CUDA };

/* 20 tasks, none of them on a CPU that took half of the 40 others: it cannot run there. */
static void test_never_there(void)
{
	struct run r = make(20, 2, 0);
	struct dag *d = graph_of(&r, 1);
	uint32_t rare = type_named(d, "type01");
	double expected = 1;

	CHECK_INT(d->nabsences, 1);
	CHECK_INT(d->absences[0].type, rare);
	CHECK_INT(d->absences[0].arch, ARCH_CPU);
	CHECK_INT(d->absences[0].tasks, 20);
	CHECK_INT(d->absences[0].others, 40);
	CHECK_INT(d->absences[0].others_there, 20);
	for (int i = 1; i <= 20; i++)
		expected *= (20. + i) / (40. + i);
	CHECK_NEAR(d->absences[0].probability, expected, 1e-12);
	CHECK_INT(d->types[rare].where, 1 << ARCH_CUDA);
	CHECK_INT(d->types[1 - rare].where, BOTH);
	CHECK_INT(d->classes[d->tasks[2].class_id].cost_ns[ARCH_CPU], -1);
	dag_free(d);
	/* The scheduler may have left the CPU out because it is slow. */
	d = graph_of(&r, 0);
	CHECK_INT(d->nabsences, 0);
	CHECK_INT(d->types[rare].where, BOTH);
	dag_free(d);
	/* What the collector has recorded is not doubted. */
	r.t->codelets[RARE].where = BOTH;
	d = graph_of(&r, 1);
	CHECK_INT(d->types[rare].where, BOTH);
	dag_free(d);
	trace_drop(r.t);
}

/* Too few tasks, or no other type that runs on both, or a CPU that never had time: nothing is concluded. */
static void test_no_conclusion(void)
{
	static const struct {
		int rare, cpu_every, busy_cpu;
	} cases[] = {{5, 2, 0}, {20, TASKS + 1, 0}, {20, 3, 1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run r = make(cases[i].rare, cases[i].cpu_every, cases[i].busy_cpu);
		struct dag *d = graph_of(&r, 1);

		CHECK_INT(d->nabsences, 0);
		CHECK_INT(d->types[type_named(d, "type01")].where, BOTH);
		dag_free(d);
		trace_drop(r.t);
	}
}

int main(void)
{
	RUN(test_never_there);
	RUN(test_no_conclusion);
	return check_done();
}
