/* auto/spare_core.c - heterotune auto --verify: the program as it is, with a CPU worker less. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "auto/spare_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/report/report.h"
#include "auto/measured.h"
#include "auto/settle.h"
#include "core/base/alloc.h"
#include "core/base/file.h"
#include "core/config/config.h"
#include "core/machine/machine.h"
#include "core/run/run.h"

static char *finalist(const char *dir, int number)
{
	return ht_asprintf("%s/" MEASURED_FINALISTS "/%d.xml", dir, number);
}

/* Whether what the finding says of workers and cores is that the former have all of the latter. */
static int has_no_core_left(const struct finding *f)
{
	double workers = 0, cores = 0;

	for (int i = 0; i < f->nevidence; i++) {
		workers = strcmp(f->evidence[i].name, "workers") == 0 ? f->evidence[i].value : workers;
		cores = strcmp(f->evidence[i].name, "cores") == 0 ? f->evidence[i].value : cores;
	}
	return cores > 0 && workers >= cores;
}

int spare_core_may_gain(const struct report *r)
{
	int is_late = 0;

	for (size_t i = 0; i < r->findings.count; i++) {
		const struct finding *f = &r->findings.items[i];

		if (strcmp(f->name, "busy") == 0)
			return 0;
		is_late |= strcmp(f->name, "submission") == 0 && has_no_core_left(f);
	}
	return is_late && config_is_policy(r->run->scheduler) && machine_workers_of(r->run->machine, ARCH_CPU) > 1;
}

/* The config of what tuning chose, which it becomes; 0: a finalist is the same. */
static int change(struct config *c, const char *dir, const struct report *r)
{
	char words[STARPU_ENV_TEXT], *name;
	int is_new = 1, cpus = machine_workers_of(r->run->machine, ARCH_CPU) - 1;

	settle_plain(c, r->run->scheduler);
	c->starpu_env.value[STARPU_ENV_CPUS] = cpus;
	name = ht_asprintf("%s, %s", r->run->scheduler, starpu_env_text(words, STARPU_ENV_CPUS, cpus));
	c->chosen = arena_strndup(c->arena, name, strlen(name));
	free(name);
	for (int i = 1; i <= TUNE_FINALISTS && is_new; i++) {
		char *path = finalist(dir, i);
		struct config *other = file_exists(path) ? config_load(path, NULL) : NULL;

		is_new = !other || strcmp(other->chosen, c->chosen) != 0;
		config_free(other);
		free(path);
	}
	return is_new;
}

int spare_core(const char *dir, struct ht_err *err)
{
	char *run = ht_asprintf("%s/run", dir), *first = finalist(dir, 1);
	char *path = finalist(dir, MEASURED_SPARE);
	struct report r;
	struct config *c = NULL;
	int rc = report_open(&r, run, err);

	unlink(path);
	if (rc == 0 && spare_core_may_gain(&r)) {
		c = config_load(first, err);
		rc = c ? 0 : -1;
		if (c && change(c, dir, &r))
			rc = config_save(c, path, err);
	}
	config_free(c);
	report_fini(&r);
	free(run);
	free(first);
	free(path);
	return rc;
}
