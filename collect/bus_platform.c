/* collect/bus_platform.c - which parts of a bus a copy crosses, from platform.xml. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * StarPU writes the file for SimGrid when it measures a bus (1.4.10, src/core/perfmodel/perfmodel_bus.c): hosts named
 * RAM, CUDA0, OpenCL1 ..., links with a bandwidth, and for every pair of hosts the links that lie on its way. The first
 * belongs to the pair; the others are shared: bridges of the PCI tree as hwloc sees it, each direction by itself, and
 * the host's own ("Host"), which some ways cross twice.
 */
#include "collect/bus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/number.h"
#include "core/base/xml.h"
#include "core/machine/machine.h"
#include "core/perfmodel/scan.h"

enum { MAX_SEGMENTS = 4096, MAX_CROSSINGS = 1 << 16 };

/* Row of the matrices of a host's memory; -1: it has none. */
static int place_of(const struct bus *b, const char *host)
{
	static const struct {
		const char *prefix;
		enum arch arch;
	} kinds[] = {{"CUDA", ARCH_CUDA}, {"OpenCL", ARCH_OPENCL}, {"HIP", ARCH_HIP}, {"SYCL", ARCH_SYCL}};

	if (strcmp(host, "RAM") == 0)
		return bus_node(b, ARCH_CPU, 0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t len = strlen(kinds[i].prefix);
		int64_t devid;

		if (strncmp(host, kinds[i].prefix, len) == 0 && number_parse_int(host + len, 0, 1023, &devid) == 0)
			return bus_node(b, kinds[i].arch, (int)devid);
	}
	return -1;
}

/* "10521832623.5Bps", "0.000010s": the number in front of its unit; NAN. */
static double with_unit(const char *text, const char *unit)
{
	char *end;
	double v = text ? scan_number(text, &end) : NAN;

	return text && end != text && strcmp(end, unit) == 0 && isfinite(v) && v >= 0 ? v : NAN;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct bus_segment *)a)->name, ((const struct bus_segment *)b)->name);
}

static void read_segments(struct bus *b, const struct xml_node *as)
{
	for (const struct xml_node *n = xml_child(as, "link"); n && b->nsegments < MAX_SEGMENTS;
	     n = xml_next(n, "link")) {
		double rate = with_unit(xml_attr(n, "bandwidth"), "Bps"), s = with_unit(xml_attr(n, "latency"), "s");
		const char *name = xml_attr(n, "id");

		if (!name || !(rate > 0) || !(s >= 0 && s * 1e9 <= (double)MACHINE_MOST_LATENCY_NS))
			continue;
		*VEC_PUSH(b->segments, b->nsegments, b->cap_segments) = (struct bus_segment){
			.name = ht_strndup(name, strlen(name)),
			.bytes_per_s = rate,
			.latency_ns = llround(s * 1e9),
		};
	}
	if (b->nsegments)
		qsort(b->segments, b->nsegments, sizeof(*b->segments), by_name);
}

static int segment_of(const struct bus *b, const char *name)
{
	struct bus_segment key = {.name = (char *)name};
	const struct bus_segment *found = !name || !b->nsegments ?
	                                          NULL :
	                                          bsearch(&key, b->segments, b->nsegments, sizeof(key), by_name);

	return found ? (int)(found - b->segments) : -1;
}

/* A route with an unknown segment is left out. */
static void read_route(struct bus *b, const struct xml_node *route)
{
	const char *src = xml_attr(route, "src"), *dst = xml_attr(route, "dst");
	int from = src ? place_of(b, src) : -1, to = dst ? place_of(b, dst) : -1, n = 0, known = 1;
	size_t first = b->ncrossings;

	for (const struct xml_node *c = xml_child(route, "link_ctn"); c; c = xml_next(c, "link_ctn"), n++)
		known &= segment_of(b, xml_attr(c, "id")) >= 0;
	if (from < 0 || to < 0 || from == to || !n || !known || first + (size_t)n > MAX_CROSSINGS)
		return;
	for (const struct xml_node *c = xml_child(route, "link_ctn"); c; c = xml_next(c, "link_ctn"))
		*VEC_PUSH(b->crossings, b->ncrossings, b->cap_crossings) = segment_of(b, xml_attr(c, "id"));
	*VEC_PUSH(b->routes, b->nroutes,
	          b->cap_routes) = (struct bus_route){.from = from, .to = to, .first = (int)first, .count = n};
}

void bus_read_routes(struct bus *b, const struct xml_node *root)
{
	for (const struct xml_node *as = root->child; as; as = as->next) {
		if (strcmp(as->name, "AS") != 0 && strcmp(as->name, "zone") != 0)
			continue;
		read_segments(b, as);
		for (const struct xml_node *n = xml_child(as, "route"); n; n = xml_next(n, "route"))
			read_route(b, n);
		return;
	}
}

const struct bus_route *bus_route_between(const struct bus *b, int from, int to)
{
	for (size_t i = 0; i < b->nroutes; i++) {
		if (b->routes[i].from == from && b->routes[i].to == to)
			return &b->routes[i];
	}
	return NULL;
}
