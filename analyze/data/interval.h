/* analyze/data/interval.h - how long the slices are into which a run is cut, as people say it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_DATA_INTERVAL_H
#define ANALYZE_DATA_INTERVAL_H

#include <stdint.h>

struct ht_err;

#define INTERVAL_DEFAULT "1/100"

/* "1/100" of the run, or a length: "500000" (ns), "250us", "5ms", "1.5s". Returns ns, at least 1; -1: neither. */
int64_t interval_parse(const char *text, int64_t span_ns);

/* 0, or the sentence about the value of --interval. */
int interval_check(const char *text, struct ht_err *err);

#endif
