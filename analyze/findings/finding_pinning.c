/* analyze/findings/finding_pinning.c - main memory that is allocated for a large part of the run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/findings/finding.h"
#include "core/base/table.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

#define PINS_SHARE 0.05 /* of the run */

/* When threads allocated the main memory of a rank, and how much; events of a rank are in the order of time. */
struct allocated {
	int32_t rank;
	int64_t ns, until_ns;
	uint64_t bytes;
};

static void add(struct allocated *a, const struct trace_memory *x, const struct trace_handle *h)
{
	int64_t from_ns = x->ns - x->took_ns;

	if (h->rank != a->rank)
		*a = (struct allocated){.rank = h->rank, .until_ns = INT64_MIN};
	if (x->ns > a->until_ns) {
		a->ns += x->ns - (from_ns > a->until_ns ? from_ns : a->until_ns);
		a->until_ns = x->ns;
	}
	a->bytes += h->size_bytes;
}

void finding_pinning(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	struct allocated now = {.until_ns = INT64_MIN}, most = now;
	char time[16], bytes[16], rank[32] = "";
	struct finding *f;
	double share;

	if (!(machine_archs(in->machine) & (1 << ARCH_CUDA | 1 << ARCH_HIP)))
		return;
	for (size_t i = 0; i < in->trace->nmemory; i++) {
		const struct trace_memory *x = &in->trace->memory[i];

		if (x->node != 0 || x->again || x->kind != MEMORY_ALLOCATED)
			continue;
		add(&now, x, &in->trace->handles[x->handle]);
		most = now.ns > most.ns ? now : most;
	}
	share = (double)most.ns / (double)in->makespan_ns;
	if (share < PINS_SHARE)
		return;
	if (in->trace->nranks > 1)
		snprintf(rank, sizeof(rank), " on rank %d", (int)most.rank);
	f = finding_add(out, self, share, "Main memory was allocated%s for %s, %.0f %% of the run: %s of data", rank,
	                time_text(time, most.ns), 100 * share, bytes_text(bytes, (double)most.bytes));
	finding_advise(f, "StarPU pins it for the GPUs, 32 MiB at a time, and data that is received or made on the way "
	                  "waits for it. A later iteration finds what the first has pinned, and data that is "
	                  "unregistered, or flushed (starpu_mpi_cache_flush()), leaves its memory to other data of its "
	                  "size");
	finding_show(f, {"allocating_ns", (double)most.ns}, {"bytes", (double)most.bytes});
}
