/* tests/unit/test_finding_spread.c - findings about durations that vary. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
		done(&x);
	}
}

int main(void)
{
	RUN(test_spread);
	return check_done();
}
