/* analyze/findings/finding_copies.c - data that is copied to a memory that had it before, and memory for data. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "analyze/data/copies.h"
#include "analyze/data/memories.h"
#include "analyze/findings/finding.h"
#include "core/base/table.h"
#include "core/machine/machine.h"
#include "core/trace/trace.h"

#define AGAIN_SHARE 0.20 /* of all bytes that were copied */
#define PINS_SHARE  0.05 /* of the run */

static uint64_t evictions(const struct memories *x)
{
	uint64_t n = 0;

	for (size_t i = 0; i < x->count; i++)
		n += x->at[i].evictions;
	return n;
}

void finding_again(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	const struct copies_link *all = &in->copies->all;
	char bytes[16], again[16], why[96] = "though no memory was full";
	uint64_t evicted;
	struct finding *f;
	double share;

	if (!all->bytes || (double)all->again_bytes < AGAIN_SHARE * (double)all->bytes)
		return;
	evicted = in->memories ? evictions(in->memories) : 0;
	share = (double)all->again_bytes / (double)all->bytes;
	if (evicted)
		snprintf(why, sizeof(why), "and data was evicted from a full memory %" PRIu64 " times", evicted);
	f = finding_add(out, self, 0, "Of %s that were copied, %s (%.0f %%) had been at their destination before, %s",
	                bytes_text(bytes, (double)all->bytes), bytes_text(again, (double)all->again_bytes), 100 * share,
	                why);
	if (evicted)
		finding_advise(f,
		               "Tasks that share data should run on one device, one after the other: 'heterotune tune' "
		               "finds out whether placement of data does that, or dmdar, or Heteroprio with locality "
		               "(STARPU_HETEROPRIO_USE_LA=1); where STARPU_LIMIT_CUDA_MEM is set, more memory helps");
	else
		finding_advise(
			f, "They were made for tasks that ran elsewhere in the end: a scheduler that steals less, or "
			   "one that does not copy ahead, saves them");
	finding_show(f, {"bytes", (double)all->bytes}, {"again_bytes", (double)all->again_bytes},
	             {"evictions", (double)evicted});
}

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
