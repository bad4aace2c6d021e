/* collect/counters_papi.c - names of PAPI events, checked on this machine: the one file that knows libpapi. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/counters.h"

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"

int counters_parse(struct counters *c, const char *names, struct ht_err *err)
{
	char *text = ht_strndup(names, strlen(names)), *save = NULL, lacking[160] = "";
	size_t used = 0;
	int rc = 0, version = PAPI_library_init(PAPI_VER_CURRENT);

	*c = (struct counters){0};
	if (version != PAPI_VER_CURRENT) {
		free(text);
		return ht_err_set(err, "libpapi could not be started: %s", PAPI_strerror(version));
	}
	for (char *s = strtok_r(text, ", ", &save); s && rc == 0; s = strtok_r(NULL, ", ", &save)) {
		int code = 0, found = PAPI_event_name_to_code(s, &code);

		if (c->count == COUNTERS_MAX) {
			rc = ht_err_set(err, "expected at most %d events, found %s as one more", COUNTERS_MAX, s);
		} else if (found != PAPI_OK || PAPI_query_event(code) != PAPI_OK) {
			if (used < sizeof(lacking))
				used += (size_t)snprintf(lacking + used, sizeof(lacking) - used, "%s%s",
				                         used ? " " : "", s);
		} else {
			c->names[c->count] = ht_strndup(s, strlen(s));
			c->codes[c->count++] = (unsigned)code;
		}
	}
	if (rc == 0 && *lacking)
		rc = ht_err_set(err, "this machine does not have %s: see papi_avail and papi_native_avail", lacking);
	PAPI_shutdown();
	free(text);
	if (rc != 0)
		counters_fini(c);
	return rc;
}

void counters_fini(struct counters *c)
{
	for (int i = 0; i < c->count; i++)
		free(c->names[i]);
	*c = (struct counters){0};
}
