/* collect/counters.h - hardware and software counters per task, through PAPI. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_COUNTERS_H
#define COLLECT_COUNTERS_H

struct ht_err;

/* Events of one thread that StarPU can count at once. */
enum { COUNTERS_MAX = 16 };

struct counters {
	char *names[COUNTERS_MAX];
	unsigned codes[COUNTERS_MAX]; /* what the trace has in their place */
	int count;
};

/*
 * Names separated by commas, each looked up on this machine; an error names those it lacks. Without PAPI
 * (counters_none.c) every name is an error, with that sentence. free with counters_fini().
 */
int counters_parse(struct counters *c, const char *names, struct ht_err *err);
void counters_fini(struct counters *c);

#endif
