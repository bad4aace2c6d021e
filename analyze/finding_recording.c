/* analyze/finding_recording.c - what is wrong with the recording itself, and priorities that Heteroprio cannot read. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <string.h>

#include "analyze/finding.h"
#include "core/dag.h"
#include "core/trace.h"

enum { BUCKETS = 100 }; /* HETEROPRIO_MAX_PRIO of StarPU 1.3 and 1.4 (starpu_heteroprio.h) */

/* Events out of order mean nothing: threads of every run write some late. */
static void look_at_recording(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	const struct trace_defects *d = &in->trace->defects;
	const char *larger = "Give the recorder a larger buffer (STARPU_TRACE_BUFFER_SIZE, in MiB) and record again";
	const char *again = "Let the application end with starpu_shutdown() and record again";
	const struct {
		uint64_t count;
		double severity;
		const char *name, *one, *many, *advice;
	} defects[] = {
		{d->flushes, 0.4, "flushes",
		 "time the application waited for the trace to be written: durations near it are too long",
		 "times the application waited for the trace to be written: durations near them are too long", larger},
		{d->unfinished, 0.3, "unfinished", "task was submitted and never seen to end: it is not counted",
		 "tasks were submitted and never seen to end: they are not counted", again},
		{d->unmatched, 0.2, "unmatched", "event ends something that never began: it was left out",
		 "events end something that never began: they were left out", again},
		{d->profiling_gaps, 0.4, "profiling_gaps", "time profiling was off: what ran then is missing",
		 "times profiling was off: what ran then is missing",
		 "Record without starpu_fxt_stop_profiling() in between, or take the parts for what they are"},
		{d->truncated_bytes, 0.5, "truncated_bytes",
		 "byte behind the last whole event: the recording may have been cut off",
		 "bytes behind the last whole event: the recording may have been cut off", again},
		{d->unknown_workers, 0.8, "unknown_workers",
		 "worker did not tell its architecture: it is taken for a CPU",
		 "workers did not tell their architecture: they are taken for CPUs",
		 "Import with --paje, which tells the architectures, or record again with StarPU 1.3 or later"},
		{d->orphan_accesses, 0.1, "orphan_accesses", "access to data whose registration was not recorded",
		 "accesses to data whose registration was not recorded",
		 "Record from starpu_init() on: sizes of that data are not known, so copies of it count as free"},
	};

	for (size_t i = 0; i < sizeof(defects) / sizeof(*defects); i++) {
		struct finding *f;

		if (!defects[i].count)
			continue;
		f = finding_add(out, self, defects[i].severity, "%" PRIu64 " %s", defects[i].count,
		                defects[i].count == 1 ? defects[i].one : defects[i].many);
		finding_advise(f, "%s", defects[i].advice);
		finding_show(f, defects[i].name, (double)defects[i].count);
	}
}

static void look_at_priorities(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	int32_t low = 0, high = 0;
	uint32_t n = 0;
	struct finding *f;

	for (uint32_t i = 0; i < in->dag->ntasks; i++) {
		int32_t p = in->dag->tasks[i].priority;

		n += p < 0 || p >= BUCKETS;
		low = p < low ? p : low;
		high = p > high ? p : high;
	}
	if (!n)
		return;
	f = finding_add(out, self, strstr(in->scheduler, "heteroprio") ? 1 : 0, "Heteroprio reads priorities as buckets 0 to %d, "
	                "and %" PRIu32 " of %" PRIu32 " tasks lie outside: they go from %" PRId32 " to %" PRId32, BUCKETS - 1, n,
	                in->dag->ntasks, low, high);
	finding_advise(f, "'heterotune run' gives buckets by type and needs no change; with StarPU's own heteroprio the "
	               "application has to set priorities within the buckets");
	finding_show(f, "tasks", n);
	finding_show(f, "lowest", low);
	finding_show(f, "highest", high);
}

const struct finding_check finding_recording = {
	.name = "recording", .summary = "the recording has gaps or was cut off", .look = look_at_recording,
};
const struct finding_check finding_priorities = {
	.name = "priorities", .summary = "priorities lie outside of Heteroprio's buckets", .look = look_at_priorities,
};
