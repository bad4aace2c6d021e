/* analyze/data/interval.c - the length of the intervals into which a run is cut: "1/100", "5ms". */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/data/interval.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"

int64_t interval_parse(const char *text, int64_t span_ns)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {
		{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000},
	};
	char *end = NULL;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (end == text || errno || !isfinite(value) || value <= 0)
		return -1;
	if (*end == '/') {
		const char *below = end + 1;
		double parts = strtod(below, &end);

		if (end == below || *end || !isfinite(parts) || parts < value)
			return -1;
		value = ceil((double)span_ns * (value / parts));
		return value < 1 ? 1 : (int64_t)value;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(end, units[i].name) == 0) {
			value *= (double)units[i].ns;
			return value >= 1 && value < 9e18 ? (int64_t)value : -1;
		}
	return -1;
}

int interval_check(const char *text, struct ht_err *err)
{
	if (interval_parse(text, 1000000000) >= 0)
		return 0;
	return ht_err_set(err, "--interval is a part of the run (1/100) or a length (250us, 5ms, 1.5s): found %s",
	                  text);
}
