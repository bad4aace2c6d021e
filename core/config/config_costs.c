/* core/config/config_costs.c - what tasks take whose codelets have no performance model. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config_costs.h"

#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"

int config_costs_order(const struct config_cost *x, const struct config_cost *y)
{
	int order = strcmp(x->codelet, y->codelet);

	if (!order)
		order = strcmp(x->model, y->model);
	if (!order)
		order = x->has_footprint - y->has_footprint;
	return order ? order : (x->footprint > y->footprint) - (x->footprint < y->footprint);
}

static int by_key(const void *a, const void *b)
{
	return config_costs_order(a, b);
}

void config_costs_sort(struct config_cost *costs, size_t n)
{
	if (n)
		qsort(costs, n, sizeof(*costs), by_key);
}

int64_t config_cost_ns(const struct config *c, const char *codelet, const char *model, uint32_t footprint, enum arch a)
{
	const char *const names[][2] = {{codelet ? codelet : "", model ? model : ""},
	                                {codelet ? codelet : "", ""},
	                                {"", model ? model : ""}};

	/* Of each pair of names first with the footprint, then without one. */
	for (size_t i = 0; c->ncosts && i < 2 * sizeof(names) / sizeof(*names); i++) {
		const struct config_cost key = {.codelet = names[i / 2][0],
		                                .model = names[i / 2][1],
		                                .has_footprint = i % 2 == 0,
		                                .footprint = i % 2 ? 0 : footprint};
		const struct config_cost *found = bsearch(&key, c->costs, c->ncosts, sizeof(key), by_key);

		if (found && found->ns[a] > 0)
			return found->ns[a];
	}
	return -1;
}
