/* replay/replications.c - a replay repeated with random durations. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/replications.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "replay/sim/jitter.h"
#include "replay/sim/simulate.h"

static struct simulation *draw(const struct dag *d, const struct machine *m, const struct simulate_options *how,
                               const struct jitter_options *jitter, int i, struct ht_err *err)
{
	struct simulate_options one = *how;
	struct jitter_options options = *jitter;
	struct jitter *j;
	struct simulation *s;

	options.seed += (uint64_t)i;
	one.jitter = j = jitter_create(d, &options);
	s = simulate(d, m, &one, err);
	jitter_free(j);
	return s;
}

/* Only one is kept, and which one is known in the end: that is simulated once more. */
int replications_make(struct replications *x, const struct dag *d, const struct machine *m,
                      const struct simulate_options *how, const struct jitter_options *jitter, int count,
                      struct simulation **median, struct ht_err *err)
{
	struct simulate_options brief = *how;
	int64_t *sorted = ht_alloc((size_t)count, sizeof(*sorted)), *drawn = ht_alloc((size_t)count, sizeof(*drawn));
	int at = 0;

	*x = (struct replications){.makespan_ns = sorted, .count = count};
	*median = NULL;
	brief.keep_schedule = 0;
	for (int i = 0; i < count && count > 1; i++) {
		struct simulation *s = draw(d, m, &brief, jitter, i, err);

		if (!s) {
			free(drawn);
			return -1;
		}
		sorted[i] = drawn[i] = s->makespan_ns;
		simulation_free(s);
	}
	stats_sort_i64(sorted, (size_t)count);
	while (drawn[at] != sorted[stats_percentile((size_t)count, 50)])
		at++;
	free(drawn);
	*median = draw(d, m, how, jitter, at, err);
	if (!*median)
		return -1;
	if (count == 1)
		sorted[0] = (*median)->makespan_ns;
	x->p10_ns = sorted[stats_percentile((size_t)count, 10)];
	x->median_ns = sorted[stats_percentile((size_t)count, 50)];
	x->p90_ns = sorted[stats_percentile((size_t)count, 90)];
	return 0;
}

void replications_fini(struct replications *x)
{
	free(x->makespan_ns);
}
