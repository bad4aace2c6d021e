/* auto/spare_core.h - heterotune auto --verify: the program as it is, with a CPU worker less. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef AUTO_SPARE_CORE_H
#define AUTO_SPARE_CORE_H

struct ht_err;
struct report;

/*
 * Threads of workers poll. Where they have all cores, and the program submits its tasks late (finding_submission()), a
 * CPU worker less may bring more than it takes; replays submit tasks when the recorded run did. Where other programs
 * had the cores (finding_busy()) it would be a setting for as long as these run, and is not tried.
 */

/*
 * Finalist MEASURED_SPARE (auto/measured.h) below DIR is DIR/run's own scheduler with a CPU worker less, if that is
 * worth a try and none of tune's; else the file is removed. -1: something cannot be read or written.
 */
int spare_core(const char *dir, struct ht_err *err);

/* Whether it is worth a try. */
int spare_core_may_gain(const struct report *r);

#endif
