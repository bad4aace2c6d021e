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

/* With the footprint, else without. */
static int64_t find(const struct config *c, struct config_cost key, enum arch a)
{
	for (key.has_footprint = 1; key.has_footprint >= 0; key.has_footprint--) {
		const struct config_cost *found;

		if (!key.has_footprint)
			key.footprint = 0;
		found = bsearch(&key, c->costs, c->ncosts, sizeof(*c->costs), by_key);
		if (found && found->ns[a] > 0)
			return found->ns[a];
	}
	return -1;
}

int64_t config_cost_ns(const struct config *c, const char *codelet, const char *model, uint32_t footprint, enum arch a)
{
	const struct config_cost both = {.codelet = codelet ? codelet : "",
	                                 .model = model ? model : "",
	                                 .footprint = footprint};
	const struct config_cost tried[] = {both,
	                                    {.codelet = both.codelet, .model = "", .footprint = footprint},
	                                    {.codelet = "", .model = both.model, .footprint = footprint}};
	int64_t ns = -1;

	for (size_t i = 0; c->ncosts && i < sizeof(tried) / sizeof(*tried) && ns < 0; i++)
		ns = find(c, tried[i], a);
	return ns;
}
