/* replay/replications.c - a replay repeated with random durations. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay/replications.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "replay/sim/jitter.h"
#include "replay/sim/simulate.h"

int replications_make(struct replications *x, const struct dag *d, const struct machine *m,
                      const struct simulate_options *how, const struct jitter_options *jitter, int count,
                      struct simulation **first, struct ht_err *err)
{
	*x = (struct replications){.makespan_ns = ht_alloc((size_t)count, sizeof(*x->makespan_ns)), .count = count};
	*first = NULL;
	for (int i = 0; i < count; i++) {
		struct simulate_options one = *how;
		struct jitter_options options = *jitter;
		struct jitter *j;
		struct simulation *s;

		options.seed += (uint64_t)i;
		one.jitter = j = jitter_create(d, &options);
		one.keep_schedule &= i == 0;
		s = simulate(d, m, &one, err);
		jitter_free(j);
		if (!s)
			return -1;
		x->makespan_ns[i] = s->makespan_ns;
		if (i == 0)
			*first = s;
		else
			simulation_free(s);
	}
	stats_sort_i64(x->makespan_ns, (size_t)count);
	x->p10_ns = x->makespan_ns[stats_percentile((size_t)count, 10)];
	x->median_ns = x->makespan_ns[stats_percentile((size_t)count, 50)];
	x->p90_ns = x->makespan_ns[stats_percentile((size_t)count, 90)];
	return 0;
}

void replications_fini(struct replications *x)
{
	free(x->makespan_ns);
}
