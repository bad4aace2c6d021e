/* tests/unit/test_other_type.c - the first type that another graph has none of. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
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

int main(void)
{
	RUN(by_codelet_or_model);
	return check_done();
}
