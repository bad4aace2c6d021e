/* generate/graph_kinds.c - the table of kinds of graphs, and how one is made from beginning to end. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/nearest.h"
#include "generate/costs.h"
#include "generate/graph.h"

const struct graph_kind *const graph_kinds[] = {
	&graph_cholesky, &graph_lu,       &graph_qr,  &graph_heat,  &graph_stencil,
	&graph_out_tree, &graph_in_tree,  &graph_fmm, &graph_nbody, &graph_layered,
	&graph_random,   &graph_pipeline, NULL,
};

const struct graph_kind *graph_kind_find(const char *name, struct ht_err *err)
{
	struct nearest near = {.word = name, .len = strlen(name)};
	char names[256] = "", meant[NEAREST_TEXT];
	size_t len = 0;

	for (int i = 0; graph_kinds[i]; i++) {
		if (strcmp(graph_kinds[i]->name, name) == 0)
			return graph_kinds[i];
		nearest_try(&near, graph_kinds[i]->name);
		if (len < sizeof(names))
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
			                        graph_kinds[i]->name);
	}
	ht_err_set(err, "no kind of graph is called \"%.60s\", expected one of %s%s", name, names,
	           nearest_text(&near, "", meant));
	return NULL;
}

static int check_costs(const struct graph *g, const struct costs *costs, struct ht_err *err)
{
	const char *unused = costs ? costs_unused(costs) : NULL;
	char names[512] = "";
	size_t len = 0;

	if (!unused)
		return 0;
	for (size_t i = 0; i < g->ntypes && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "", g->types[i].name);
	return ht_err_set(err, "a cost is given for \"%.60s\", expected one of the types %s", unused, names);
}

struct graph *graph_make(const struct graph_kind *kind, const struct graph_input *in, struct costs *costs,
                         struct ht_err *err)
{
	struct graph *g = graph_create(costs);

	if (kind->make(g, in, err) != 0 || check_costs(g, costs, err) != 0 || graph_infer(g, err) != 0) {
		ht_err_wrap(err, "%s", kind->name);
		graph_free(g);
		return NULL;
	}
	graph_finish(g);
	return g;
}
