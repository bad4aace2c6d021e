/* auto/measured.c - finalists that have been run for real, and the best of them. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/measured.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/config/config.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

void measured_best(const struct measured *m, int *first, int *second)
{
	*first = *second = -1;
	for (int i = 0; i < m->count; i++) {
		if (m->ns[i] < 0)
			continue;
		if (*first < 0 || m->ns[i] < m->ns[*first]) {
			*second = *first;
			*first = i;
		} else if (*second < 0 || m->ns[i] < m->ns[*second]) {
			*second = i;
		}
	}
}

int64_t measured_run_ns(const char *path, struct ht_err *err)
{
	struct trace *t = run_load_trace(path, err);
	int64_t ns = t ? trace_makespan_ns(t, NULL) : -1;

	trace_free(t);
	return ns;
}

static struct config *finalist(const struct measured *m, int i, struct ht_err *err)
{
	char *path = ht_asprintf("%s/%d.xml", m->dir, i + 1);
	struct config *c = config_load(path, err);

	free(path);
	return c;
}

/* The names of the others are in their own files. */
static int add_evidence(const struct measured *m, struct config *to, struct ht_err *err)
{
	struct config_trial *trials = arena_alloc(to->arena, (size_t)(to->ntrials + m->count), sizeof(*trials));

	memcpy(trials, to->trials, (size_t)to->ntrials * sizeof(*trials));
	to->trials = trials;
	for (int i = 0; i < m->count; i++) {
		struct config *c = m->ns[i] < 0 ? NULL : finalist(m, i, err);

		if (!c && m->ns[i] >= 0)
			return -1;
		if (c)
			trials[to->ntrials++] = (struct config_trial){
				arena_strndup(to->arena, c->chosen, strlen(c->chosen)),
				MEASURED,
				m->ns[i],
			};
		config_free(c);
	}
	return 0;
}

int measured_save(const struct measured *m, const char *path, struct ht_err *err)
{
	int first, second, rc;
	struct config *c;

	measured_best(m, &first, &second);
	c = finalist(m, first, err);
	rc = c && add_evidence(m, c, err) == 0 ? config_save(c, path, err) : -1;
	config_free(c);
	return rc;
}
