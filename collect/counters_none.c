/* collect/counters_none.c - counters of a build without PAPI: there are none. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/counters.h"

#include "core/base/err.h"

int counters_parse(struct counters *c, const char *names, struct ht_err *err)
{
	*c = (struct counters){0};
	(void)names;
	return ht_err_set(err, "this heterotune was built without PAPI (libpapi-dev)");
}

void counters_fini(struct counters *c)
{
	*c = (struct counters){0};
}
