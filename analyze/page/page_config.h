/* analyze/page/page_config.h - the section of a report's page about the config that was tuned for the run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANALYZE_PAGE_PAGE_CONFIG_H
#define ANALYZE_PAGE_PAGE_CONFIG_H

#include <stdio.h>

struct config;

/*
 * What was chosen and predicted, the makespans of it, of StarPU's own schedulers and of the bound as bars, and the
 * lists. Makespans are the config's evidence, in ns; what it has none of gets no bar.
 */
void page_config(FILE *f, const struct config *c);

#endif
