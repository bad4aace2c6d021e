/* auto/settle.h - the one place where heterotune auto writes down what it has chosen. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_SETTLE_H
#define AUTO_SETTLE_H

struct config;
struct ht_err;

/*
 * `c` becomes DIR/config.xml, and its name the last line of DIR/tuning.txt, after what tuning has chosen; `by` is what
 * chose it: "runs (measured.tsv)". -1: that failed.
 */
int settle(const char *dir, struct config *c, const char *by, struct ht_err *err);

/* `c` becomes this scheduler of StarPU's as it is; its evidence and buckets stay. */
void settle_plain(struct config *c, const char *scheduler);

#endif
