/* collect/others.c - the share of the cores that other programs use while one runs. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/others.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/base/file.h"

/* "cpu3 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...", proc(5); what follows is counted in USER and NICE. */
int64_t others_busy_ticks(const char *text, const cpu_set_t *cores)
{
	int64_t user, nice, system, irq, softirq, steal, sum = 0;
	int cpu, found = 0;

	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		if (sscanf(line, "cpu%d %" SCNd64 " %" SCNd64 " %" SCNd64 " %*d %*d %" SCNd64 " %" SCNd64 " %" SCNd64,
		           &cpu, &user, &nice, &system, &irq, &softirq, &steal) != 7)
			continue;
		if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, cores))
			continue;
		sum += user + nice + system + irq + softirq + steal;
		found++;
	}
	return found && found == CPU_COUNT(cores) ? sum : -1;
}

static int64_t busy_ns(const cpu_set_t *cores)
{
	char *text = file_read("/proc/stat", 1 << 24, NULL, NULL);
	int64_t ticks = text ? others_busy_ticks(text, cores) : -1;

	free(text);
	return ticks < 0 ? -1 : ticks * (1000000000 / sysconf(_SC_CLK_TCK));
}

static int64_t used_ns(int whose)
{
	struct rusage u;

	if (getrusage(whose, &u) != 0)
		return 0;
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * INT64_C(1000000000) +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * INT64_C(1000);
}

static int64_t own_ns(void)
{
	return used_ns(RUSAGE_CHILDREN) + used_ns(RUSAGE_SELF);
}

void others_begin(struct others *o)
{
	*o = (struct others){.busy_ns = -1};
	if (sched_getaffinity(0, sizeof(o->cores), &o->cores) == 0)
		o->busy_ns = busy_ns(&o->cores);
	o->own_ns = own_ns();
}

double others_share(const struct others *o, int64_t wall_ns)
{
	int64_t busy = o->busy_ns < 0 ? -1 : busy_ns(&o->cores);

	if (busy < 0 || wall_ns < OTHERS_LEAST_NS)
		return NAN;
	busy -= o->busy_ns + own_ns() - o->own_ns;
	return fmin(1, fmax(0, (double)busy / ((double)wall_ns * CPU_COUNT(&o->cores))));
}
