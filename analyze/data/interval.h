/* analyze/data/interval.h - the length of the intervals into which a run is cut: "1/100", "5ms". */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_INTERVAL_H
#define ANALYZE_DATA_INTERVAL_H

#include <stdint.h>

struct ht_err;

#define INTERVAL_DEFAULT "1/100"

/* "1/100" of the run, or a length: "500000" (ns), "250us", "5ms", "1.5s". Returns ns, at least 1; -1: neither. */
int64_t interval_parse(const char *text, int64_t span_ns);

/* Returns 0, or -1 with the sentence about the value of --interval. */
int interval_check(const char *text, struct ht_err *err);

#endif
