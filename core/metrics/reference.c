/* core/metrics/reference.c - what the replay of another scheduler is compared with. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/metrics/reference.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/noise_of_runs.h"
#include "core/base/table.h"

static const double WORTH_SAYING = 0.05;

int64_t reference_of(int64_t order_ns, int64_t run_ns)
{
	return order_ns > 0 && !noise_is_gain(order_ns, run_ns) ? order_ns : run_ns;
}

const char *reference_text(char text[REFERENCE_TEXT], int64_t order_ns, int64_t run_ns)
{
	char order[16], run[16];

	*text = '\0';
	if (order_ns > 0 && run_ns > 0 && (double)llabs(order_ns - run_ns) > WORTH_SAYING * (double)run_ns)
		snprintf(text, REFERENCE_TEXT,
		         "the run took %s, and its order replayed with mean durations takes %s: %s",
		         time_text(run, run_ns), time_text(order, order_ns),
		         order_ns > run_ns ? "durations vary, and its scheduler saw what they were" :
		                             "the rest is what replays leave out");
	return text;
}
