/* collect/others.h - the share of the cores that other programs use while one runs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_OTHERS_H
#define COLLECT_OTHERS_H

#include <sched.h>
#include <stdint.h>

/*
 * By what the kernel counts for these cores, in ticks of some 10 ms, without what this process and its children use.
 * The time that a hypervisor gives to others counts as well.
 */
struct others {
	cpu_set_t cores; /* those that this process, and so its children, may run on */
	int64_t busy_ns, own_ns;
};

/* Before the program is started. */
void others_begin(struct others *o);

/* After it was waited for: 0 to 1. NAN: not known, or it took less than OTHERS_LEAST_NS, too short to count. */
double others_share(const struct others *o, int64_t wall_ns);

#define OTHERS_LEAST_NS INT64_C(200000000)

/* Ticks in which the cores did anything, of the text of /proc/stat; -1: it does not have all of them. */
int64_t others_busy_ticks(const char *text, const cpu_set_t *cores);

#endif
