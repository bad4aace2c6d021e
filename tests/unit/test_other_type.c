/* tests/unit/test_other_type.c - the first type that another graph has none of. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <time.h>

#include "core/dag/dag.h"
#include "core/dag/other_type.h"
#include "tests/lib/check.h"

static void by_codelet_or_model(void)
{
	struct dag_type types[] = {
		{.name = "a", .codelet = "a", .model = "m"},
		{.name = "b", .codelet = "b", .model = ""},
		{.name = "m", .codelet = "", .model = "m"},
		{.name = "?", .codelet = "", .model = ""},
	};
	const struct dag all = {.types = types, .ntypes = 4}, first = {.types = types, .ntypes = 1};
	const struct dag model = {.types = types + 2, .ntypes = 1}, nameless = {.types = types + 3, .ntypes = 1};

	CHECK(!other_type(&all, &all));
	CHECK(!other_type(&first, &all));
	CHECK(!other_type(&model, &first));
	CHECK(!other_type(&nameless, &nameless));
	CHECK(other_type(&all, &first) == &types[1]);
	CHECK(other_type(&nameless, &first) == &types[3]);
	CHECK(other_type(&first, &nameless) == &types[0]);
}

/* All types are there, in the opposite order. */
static void many_types(void)
{
	enum { TYPES = 40000 };
	static struct dag_type types[TYPES], reversed[TYPES];
	static char names[TYPES][8];
	const struct dag d = {.types = types, .ntypes = TYPES}, of = {.types = reversed, .ntypes = TYPES};
	clock_t from;

	for (uint32_t t = 0; t < TYPES; t++) {
		snprintf(names[t], sizeof(names[t]), "t%u", t);
		types[t] = reversed[TYPES - 1 - t] = (struct dag_type){.codelet = names[t], .model = names[t]};
	}
	from = clock();
	CHECK(!other_type(&d, &of));
	CHECK(clock() - from < CLOCKS_PER_SEC); /* 0.02 s; 6 s where each type is compared with all */
	reversed[TYPES / 2] = reversed[0];
	CHECK(other_type(&d, &of) == &types[TYPES - 1 - TYPES / 2]);
}

int main(void)
{
	RUN(by_codelet_or_model);
	RUN(many_types);
	return check_done();
}
