/* tests/unit/test_spare_core.c - when a CPU worker less is worth a try, and the config for it among the finalists. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/spare_core.h"

#include "analyze/report/report.h"
#include "core/machine/machine.h"
#include "core/run/run.h"
#include "tests/lib/check.h"

/* Of a run with so many CPU workers, with these findings, "" none, of threads and cores. */
static int may_gain(const char *scheduler, int cpus, const char *one, const char *other, int threads)
{
	struct machine_worker workers[3] = {{.arch = ARCH_CUDA}, {.arch = ARCH_CPU}, {.arch = ARCH_CPU}};
	struct machine machine = {.workers = workers, .nworkers = 1 + cpus};
	struct run run = {.machine = &machine, .scheduler = scheduler};
	const struct finding_check checks[] = {{.name = one}, {.name = other}};
	struct report r = {.run = &run};
	int may;

	for (int i = 0; i < 2; i++) {
		struct finding *f = finding_add(&r.findings, &checks[i], 0.1, "It is so");

		finding_show(f, {"workers", threads}, {"cores", 3});
	}
	may = spare_core_may_gain(&r);
	findings_fini(&r.findings);
	return may;
}

static void where_the_program_has_no_core(void)
{
	CHECK(may_gain("dmda", 2, "transfers", "submission", 3));
	CHECK(!may_gain("dmda", 2, "transfers", "submission", 2));
	CHECK(!may_gain("dmda", 2, "transfers", "starvation", 3));
	/* Others will not be there the next time. */
	CHECK(!may_gain("dmda", 2, "submission", "busy", 3));
	/* One worker is left, and a scheduler of the program's own is in no config. */
	CHECK(!may_gain("dmda", 1, "transfers", "submission", 3));
	CHECK(!may_gain("my own", 2, "transfers", "submission", 3));
}

int main(void)
{
	RUN(where_the_program_has_no_core);
	return check_done();
}
