/* collect/bus_parts.h - the parts of bus_load(), for its own files only. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_BUS_PARTS_H
#define COLLECT_BUS_PARTS_H

#include "collect/bus.h"

struct xml_node;

/* Segments and routes from the root of platform.xml; what is inconsistent is left out. */
void bus_read_routes(struct bus *b, const struct xml_node *root);

#endif
