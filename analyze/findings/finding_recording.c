/* analyze/findings/finding_recording.c - what is wrong with the recording itself. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "analyze/findings/finding.h"
#include "core/trace/trace.h"

/* Events out of order mean nothing: threads of every run write some late. */
void finding_recording(const struct finding_input *in, const struct finding_check *self, struct findings *out)
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
	         "time threads waited for the trace to be written: what they executed then does not count for durations",
	         "times threads waited for the trace to be written: what they executed then does not count for durations",
	         larger},
		{d->unfinished, 0.3, "unfinished", "task was submitted and never seen to end: it is not counted",
	         "tasks were submitted and never seen to end: they are not counted", again},
		{d->unmatched, 0.2, "unmatched", "event ends something that never began: it was left out",
	         "events end something that never began: they were left out", again},
		{d->profiling_gaps, 0.4, "profiling_gaps", "time profiling was off: what ran then is missing",
	         "times profiling was off: what ran then is missing",
	         "Record without starpu_fxt_stop_profiling() in between, or look at the recorded parts alone"},
		{d->truncated_bytes, 0.5, "truncated_bytes",
	         "byte after the last whole event: the recording may have been cut off",
	         "bytes after the last whole event: the recording may have been cut off", again},
		{d->unknown_workers, 0.8, "unknown_workers",
	         "worker has no architecture in the trace: it counts as a CPU",
	         "workers have no architecture in the trace: they count as CPUs",
	         "Import with --paje, which has the architectures, or record again with StarPU 1.3 or later"},
		{d->missing_ranks, 0.5, "missing_ranks",
	         "MPI rank is not in the recording: what it did, and its messages, are missing",
	         "MPI ranks are not in the recording: what they did, and their messages, are missing",
	         "Import the traces of all ranks together, or record again"},
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
		finding_show(f, {defects[i].name, (double)defects[i].count});
	}
}
