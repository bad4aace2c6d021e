/* collect/bus.h - StarPU's measurements of a machine's bus: bandwidths, latencies, memories. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_BUS_H
#define COLLECT_BUS_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"

struct ht_err;
struct xml_node;

/*
 * Files DIR/bus/HOST.* (starpu_calibrate_bus). Matrices are square, row = source, column = destination; StarPU writes
 * them larger than the machine, the rest nan. Their order is main memory (or its NUMA nodes), then CUDA, OpenCL and the
 * other devices.
 */
struct bus_segment { /* a part of the bus, one direction where the directions are apart */
	char *name;
	double bytes_per_s;
	int64_t latency_ns;
};

struct bus_route {
	int from, to;     /* rows of the matrices */
	int first, count; /* into crossings */
};

struct bus {
	int devices[ARCH_COUNT]; /* from .config by its labels; [ARCH_CPU]: cores. -1: not given there */
	int nnuma;               /* 1 where .config has none */
	int size;                /* of the matrices */
	double *bytes_per_us;    /* size * size; NAN: not measured */
	double *latency_us;
	int64_t memory_bytes[ARCH_COUNT]
			    [64];     /* per device, from platform.xml; 0: not known. [ARCH_CPU][0]: main memory */
	struct bus_segment *segments; /* from platform.xml, by name; none where there is no such file */
	size_t nsegments, cap_segments;
	struct bus_route *routes;
	size_t nroutes, cap_routes;
	int *crossings; /* segments; one that is crossed twice is listed twice */
	size_t ncrossings, cap_crossings;
};

/* .bandwidth and .latency have to be there, the others may be missing. NULL with the sentence; free with bus_free(). */
struct bus *bus_load(const char *sampling_dir, const char *host, struct ht_err *err);
void bus_free(struct bus *b); /* accepts NULL */

/* The part of bus_load() that reads segments and routes from the root of platform.xml, less what is inconsistent. */
void bus_read_routes(struct bus *b, const struct xml_node *root);

/* NULL where platform.xml has none. */
const struct bus_route *bus_route_between(const struct bus *b, int from, int to);

/* Row and column of a device's memory (devid 0 of the CPU: main memory), -1 when the matrices have none. */
int bus_node(const struct bus *b, enum arch arch, int devid);

#endif
