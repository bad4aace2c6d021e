/* analyze/findings/finding_priorities.c - the application's priorities that Heteroprio misreads or ignores. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <string.h>

#include "analyze/findings/finding.h"
#include "core/dag/dag.h"
#include "core/run/manifest.h"
#include "core/trace/trace.h"

enum { BUCKETS = 100 }; /* HETEROPRIO_MAX_PRIO of StarPU 1.3 and 1.4 (starpu_heteroprio.h) */

struct priorities {
	int32_t low, high;
	uint32_t outside; /* tasks beyond the buckets */
};

static struct priorities priorities_of(const struct dag *d)
{
	struct priorities p = {0};

	for (uint32_t i = 0; i < d->ntasks; i++) {
		int32_t v = d->tasks[i].priority;

		p.outside += v < 0 || v >= BUCKETS;
		p.low = i == 0 || v < p.low ? v : p.low;
		p.high = i == 0 || v > p.high ? v : p.high;
	}
	return p;
}

/* The value of a variable that the run was recorded with; NULL: it was not set. */
static const char *variable(const struct finding_input *in, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; in->manifest && i < in->manifest->count; i++) {
		const struct manifest_entry *e = &in->manifest->entries[i];

		if (strcmp(e->key, "environment") == 0 && strncmp(e->value, name, len) == 0 && e->value[len] == '=')
			return e->value + len + 1;
	}
	return NULL;
}

/* StarPU 1.4 counts on its own calibration unless configured not to (initialize_heteroprio_policy()). */
static int calibrates(const struct finding_input *in)
{
	const char *value = variable(in, "STARPU_HETEROPRIO_USE_AUTO_CALIBRATION");

	return in->trace->starpu_minor >= 4 && !(value && strcmp(value, "0") == 0);
}

void finding_priorities(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	struct priorities p = priorities_of(in->dag);
	int heteroprio = strstr(in->scheduler, "heteroprio") != NULL && !calibrates(in);
	struct finding *f;

	if (p.low == p.high)
		return;
	if (p.outside)
		f = finding_add(out, self, heteroprio ? 1 : 0,
		                "Heteroprio reads priorities as buckets 0 to %d, and %" PRIu32 " of %" PRIu32
		                " tasks lie outside: they go from %" PRId32 " to %" PRId32,
		                BUCKETS - 1, p.outside, in->dag->ntasks, p.low, p.high);
	else
		f = finding_add(out, self, 0,
		                "The application's priorities go from %" PRId32 " to %" PRId32
		                ": Heteroprio reads them "
		                "as buckets, not as what comes first",
		                p.low, p.high);
	finding_advise(f,
	               "'heterotune run' gives buckets by type and needs no change; with StarPU's own heteroprio the "
	               "application has to set priorities within the buckets");
	finding_show(f, {"tasks_outside", p.outside}, {"lowest", p.low}, {"highest", p.high});
}

void finding_calibration(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	struct priorities p = priorities_of(in->dag);
	struct finding *f;

	if (strcmp(in->scheduler, "heteroprio") != 0 || !calibrates(in) || p.low == p.high)
		return;
	f = finding_add(out, self, 0.3,
	                "The application sets priorities from %" PRId32 " to %" PRId32 ", and Heteroprio of StarPU "
	                "1.4 ignored them: its auto-calibration is on unless it is switched off, and orders by codelet",
	                p.low, p.high);
	finding_advise(
		f,
		"If the priorities are meant as buckets, set STARPU_HETEROPRIO_USE_AUTO_CALIBRATION=0; if not, this is "
		"right, and 'heterotune run' orders the types as the run asks for");
	finding_show(f, {"lowest", p.low}, {"highest", p.high});
}
