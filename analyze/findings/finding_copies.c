/* analyze/findings/finding_copies.c - data that is copied to a memory that had it before. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>

#include "analyze/data/copies.h"
#include "analyze/data/memories.h"
#include "analyze/findings/finding.h"
#include "core/base/table.h"

#define AGAIN_SHARE 0.20 /* of all bytes that were copied */

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
