/* core/config/config_costs.h - what tasks take whose codelets have no performance model. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_CONFIG_COSTS_H
#define CORE_CONFIG_CONFIG_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"

struct config;

/*
 * What tasks of this codelet and this model take; "" stands for any. With a footprint only those whose data has it, and
 * without one all that no cost with a footprint is about.
 */
struct config_cost {
	const char *codelet, *model;
	int has_footprint;
	uint32_t footprint;
	int64_t ns[ARCH_COUNT]; /* 0: not known */
};

/*
 * The order that config_cost_ns() needs: by codelet, model, and footprint, what has none first. Below, at or above 0 as
 * that of strcmp().
 */
int config_costs_order(const struct config_cost *x, const struct config_cost *y);
void config_costs_sort(struct config_cost *costs, size_t n);

/* Of the sorted costs of a config; -1: not known. Either name may be NULL or "". */
int64_t config_cost_ns(const struct config *c, const char *codelet, const char *model, uint32_t footprint, enum arch a);

#endif
