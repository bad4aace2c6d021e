/* analyze/plots/areas_nready.c - ready tasks over time, in block characters. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/data/timeline.h"
#include "analyze/plots/areas.h"
#include "analyze/plots/plot.h"
#include "core/base/alloc.h"

enum { ROWS = 8 };

void areas_nready(const struct plot_input *in, int width, FILE *f)
{
	const struct timeline *tl = in->timeline;
	int columns = width - AREAS_LABEL;
	struct timeline_series ready = timeline_nready(tl);
	struct timeline_summary sum = timeline_series_summary(&ready, tl->span_ns);
	struct timeline_slice *slices = ht_alloc((size_t)columns, sizeof(*slices));
	double *values = ht_alloc((size_t)columns, sizeof(*values));
	char peak[32];

	timeline_series_slices(&ready, tl->span_ns, (size_t)columns, slices);
	for (int c = 0; c < columns; c++)
		values[c] = (double)slices[c].high;
	snprintf(peak, sizeof(peak), "%" PRId64, sum.peak);
	fprintf(f, "Ready tasks of %s: mean %.1f, most %s, none for %.1f %% of the time%s\n", in->name, sum.mean, peak,
	        100 * sum.zero_ratio, plot_ready_note(tl));
	areas_draw(f, peak, values, columns, ROWS, (double)sum.peak);
	areas_axis(f, columns, tl->span_ns);
	free(values);
	free(slices);
	timeline_series_fini(&ready);
}
