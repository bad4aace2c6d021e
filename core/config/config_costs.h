/* core/config/config_costs.h - what tasks take whose codelets have no performance model. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_CONFIG_COSTS_H
#define CORE_CONFIG_CONFIG_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"

struct config;

/*
 * Tasks of this codelet and model, whichever is not empty: those whose data has the footprint, or all others that no
 * entry with a footprint is about.
 */
struct config_cost {
	const char *codelet, *model;
	int has_footprint;
	uint32_t footprint;
	int64_t ns[ARCH_COUNT]; /* 0: not known */
};

/* The order in which config_cost_ns() looks for them: by names, what has no footprint first. As strcmp() says it. */
int config_costs_order(const struct config_cost *x, const struct config_cost *y);
void config_costs_sort(struct config_cost *costs, size_t n);

/* Of the sorted costs of a config; -1: not known. Either name may be NULL or "". */
int64_t config_cost_ns(const struct config *c, const char *codelet, const char *model, uint32_t footprint, enum arch a);

#endif
