/* tests/unit/test_finding_spread.c - findings about durations that vary. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <time.h>

#include "tests/lib/dag_build.h"
#include "tests/lib/made_run.h"

static void test_spread(void)
{
	static const double ends[] = {0.2, 1.8};
	struct made x;

	for (int sizes = 1; sizes <= 2; sizes++) {
		const struct finding *f;

		begin(&x);
		for (int i = 0; i < 20; i++)
			task(&x, PLAIN, GPU0, 2 * i, 2 * i, 2 * i, 2 * i + ends[i % 2]);
		end(&x);
		if (sizes == 2) { /* long and short ones are of two classes */
			static struct dag_class classes[3];

			classes[0] = classes[1] = classes[2] = x.dag->classes[0];
			x.dag->classes = classes;
			x.dag->nclasses = 3;
			for (uint32_t i = 0; i < 20; i++)
				x.dag->tasks[i].class_id = i % 2 ? 2 : 0;
		}
		look(&x);
		f = found(&x, "spread");
		CHECK(f != NULL);
		CHECK_NEAR(evidence(f, "explained_share"), sizes - 1, 1e-9);
		CHECK_NEAR(evidence(f, "deviation_ns"), 0.8 * MS, 1e-6);
		CHECK(f && (f->severity > 0) == (sizes == 1));
		CHECK_HAS(f ? f->sentence : "", sizes == 1 ? "though all have data of one size" :
		                                             "and 2 sizes of their data explain 100 % of that");
		done(&x);
	}
}

/* Next to a hundred times as much time in other tasks it matters as little. */
static void counts_by_its_time(void)
{
	static const double ends[] = {0.2, 1.8};
	struct made alone, beside;
	double severity;

	begin(&alone);
	begin(&beside);
	for (int i = 0; i < 20; i++) {
		task(&alone, PLAIN, GPU0, 2 * i, 2 * i, 2 * i, 2 * i + ends[i % 2]);
		task(&beside, PLAIN, GPU0, 2 * i, 2 * i, 2 * i, 2 * i + ends[i % 2]);
		task(&beside, GPUISH, CPU0, 4 * i, 4 * i, 4 * i, 4 * i + 4);
	}
	look(&alone);
	look(&beside);
	CHECK(found(&alone, "spread") && found(&beside, "spread"));
	severity = found(&alone, "spread") ? found(&alone, "spread")->severity : -1;
	CHECK_NEAR(severity, 0.2 * 0.8, 1e-9);
	CHECK_NEAR(found(&beside, "spread") ? found(&beside, "spread")->severity : -1, severity / 5, 1e-9);
	done(&alone);
	done(&beside);
}

/* Three of twenty tasks take four times as long; not where a thread saw their ends late, since it evicted data. */
static void seen_late(void)
{
	for (int is_full = 0; is_full < 2; is_full++) {
		static struct trace_memory evictions[40];
		struct made x;
		size_t n = 0;

		begin(&x);
		for (int i = 0; i < 20; i++) {
			int is_late = i % 7 == 6 || i == 0;

			task(&x, PLAIN, GPU0, 6 * i, 6 * i, 6 * i, 6 * i + (is_late ? 4 : 1));
			if (!is_late)
				continue;
			evictions[n++] = (struct trace_memory){.ns = (6 * i + 1) * MS,
			                                       .node = x.workers[GPU0].node,
			                                       .kind = MEMORY_EVICTING};
			evictions[n++] = (struct trace_memory){.ns = (6 * i + 4) * MS,
			                                       .node = x.workers[GPU0].node,
			                                       .kind = MEMORY_EVICTED};
		}
		x.trace.memory = evictions;
		x.trace.nmemory = is_full ? n : 0;
		look(&x);
		CHECK_INT(found(&x, "spread") != NULL, !is_full);
		done(&x);
	}
}

/* Names of codelets that have the number of a task in them. */
static void a_type_for_each_task(void)
{
	enum { MANY = 30000 };
	struct dag_type *types;
	struct dag_class *classes;
	struct made x;
	clock_t from;

	begin(&x);
	for (int i = 0; i < 20; i++)
		task(&x, PLAIN, GPU0, 2 * i, 2 * i, 2 * i, 2 * i + 1);
	end(&x);
	types = calloc(MANY, sizeof(*types));
	classes = calloc(MANY, sizeof(*classes));
	REQUIRE(types && classes);
	for (uint32_t i = 0; i < MANY; i++) {
		types[i] = x.dag->types[0];
		classes[i] = x.dag->classes[0];
		classes[i].codelet = i;
	}
	x.dag->types = types;
	x.dag->classes = classes;
	x.dag->ntypes = x.dag->nclasses = MANY;
	from = clock();
	look(&x);
	CHECK(clock() - from < 2 * CLOCKS_PER_SEC); /* 0.05 s; 17 s where each type looks at all classes */
	done(&x);
	free(types);
	free(classes);
}

int main(void)
{
	RUN(test_spread);
	RUN(counts_by_its_time);
	RUN(seen_late);
	RUN(a_type_for_each_task);
	return check_done();
}
