/* export/format_frozen.c - a config as a data file that AutoHeteroprio is not to learn from: no library is needed. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * AutoHeteroprio of StarPU 1.4 that does not learn orders its lists once, by its data file
 * (src/sched_policies/heteroprio.c, order_priorities()). Ordering 3 scores a type on an architecture with
 *
 *   URT_own (1 - busy) + URT_other (1 - share_other)
 *
 * With workers that were never busy and shares of 1 that is URT_own, any number: here the place in the list, counted
 * from its end. Slow factors are quotients of the times: those of the config, times the time on the fastest.
 *
 * What has no quotient is refused: a factor below 1; an architecture that has workers, can run the type, and is left
 * out of its own list, unless another one than the CPU is the fastest (then its factor is EXCLUDED).
 */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/config/autoheteroprio_data.h"
#include "core/config/config.h"
#include "core/config/starpu_env.h"
#include "export/export.h"

#define BASE_US  1000.
#define EXCLUDED 1e6
enum { ORDERING = 3 }; /* URT_PURE */

/* Its place, counted from the end of the list; 0: not in it. */
static int place(const struct config *c, int bucket, int arch)
{
	for (int i = 0; i < c->lists[arch].count; i++) {
		if (c->lists[arch].buckets[i] == bucket)
			return c->lists[arch].count - i;
	}
	return 0;
}

/* No worker is held back: StarPU compares with the fastest, but not when that is the CPU. */
static int is_free(const struct config_bucket *b)
{
	if (b->fastest == ARCH_NONE || b->fastest == ARCH_CPU)
		return 1;
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (b->slow_factor[a] > 0)
			return 0;
	}
	return 1;
}

/* How many times the fastest one's time; 0: StarPU cannot express it, the sentence in err. */
static double time_factor(const struct config *c, int bucket, int arch, int held_back, struct ht_err *err)
{
	const struct config_bucket *b = &c->buckets[bucket];
	const char *name = arch_name((enum arch)arch);

	if (!c->workers[arch]) /* after all others */
		return held_back ? EXCLUDED : 1;
	if (!place(c, bucket, arch)) {
		if (held_back && arch != (int)b->fastest)
			return EXCLUDED;
		ht_err_set(err,
		           "%s can run on %s and is not in its list: AutoHeteroprio cannot keep it away from there",
		           b->name, name);
		return 0;
	}
	if (!held_back || arch == (int)b->fastest)
		return 1;
	if (b->slow_factor[arch] < 1) {
		ht_err_set(err, "the slow factor of %s on %s is %g: those of AutoHeteroprio are at least 1", b->name,
		           name, b->slow_factor[arch]);
		return 0;
	}
	return b->slow_factor[arch];
}

static int has_excluded(const struct config *c, int bucket)
{
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (c->buckets[bucket].where >> a & 1 && c->workers[a] && !place(c, bucket, a))
			return 1;
	}
	return 0;
}

/* `t->where` is the bucket's, and more. */
static int set_type(struct autoheteroprio_type *t, const struct config *c, int bucket, struct ht_err *err)
{
	const struct config_bucket *b = &c->buckets[bucket];
	int held_back = !is_free(b) || (has_excluded(c, bucket) && b->fastest != ARCH_NONE && b->fastest != ARCH_CPU);

	if (!held_back && !(b->where >> ARCH_CPU & 1) && b->where & (b->where - 1))
		return ht_err_set(err,
		                  "%s runs on several architectures, not on CPUs, and is held back nowhere: "
		                  "AutoHeteroprio holds back the slower ones",
		                  b->name);
	t->nod = 1;
	t->nnods = t->nurts = t->nproportions = t->nshares = t->nreleased = t->nbests = AUTOHETEROPRIO_SAMPLES;
	t->proportion = 1. / c->nbuckets;
	t->released_us = t->best_us = BASE_US;
	for (int a = 0; a < ARCH_COUNT; a++) {
		double factor = 1;

		if (!(t->where >> a & 1))
			continue;
		factor = time_factor(c, bucket, a, held_back, err);
		if (!(factor > 0))
			return -1;
		t->arch[a] = (struct autoheteroprio_arch){.urt = place(c, bucket, a),
		                                          .time_us = BASE_US * factor,
		                                          .ntimes = AUTOHETEROPRIO_SAMPLES,
		                                          .share = 1};
	}
	return 0;
}

/* StarPU calls a codelet by its model, or with the grouping strategy 1 by its name: all of them have to have that. */
static int by_name(const struct config *c, struct ht_err *err)
{
	int models = 0, codelets = 0;

	for (int i = 0; i < c->nbuckets; i++) {
		const struct config_bucket *b = &c->buckets[i];

		if (b->nmembers != 1 || b->members[0].limits)
			return ht_err_set(err,
			                  "bucket %s is not one codelet, as a bucket of AutoHeteroprio is: heterotune "
			                  "tune --frozen makes a config of such",
			                  b->name);
		models += *b->members[0].model != '\0';
		codelets += *b->members[0].codelet != '\0';
	}
	if (models == c->nbuckets || codelets == c->nbuckets)
		return models != c->nbuckets;
	return ht_err_set(err, "some buckets have no model and some no codelet: AutoHeteroprio uses one or the other");
}

/* The variables to set, in comments on top of the file. */
static char *note(const struct config *c, int grouping)
{
	char *text = ht_asprintf("# Written by heterotune. Set these variables with it:\n# STARPU_SCHED=heteroprio\n"
	                         "# STARPU_HETEROPRIO_USE_AUTO_CALIBRATION=1\n"
	                         "# STARPU_AUTOHETEROPRIO_FREEZE_GATHERING=1\n"
	                         "# STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY=%d\n"
	                         "# STARPU_HETEROPRIO_CODELET_GROUPING_STRATEGY=%d\n"
	                         "# STARPU_HETEROPRIO_DATA_FILE=(this file)\n"
	                         "# STARPU_HETEROPRIO_USE_LA=%d\n",
	                         ORDERING, grouping, c->locality.enabled);
	static const char *const upper[ARCH_COUNT] = {"CPU",    "CUDA",     "OPENCL", "MIC", "FPGA",
	                                              "MPI_MS", "TCPIP_MS", "HIP",    "SYCL"};
	struct starpu_env_var vars[STARPU_ENV_MAX_VARS];
	int nvars = starpu_env_vars(&c->starpu_env, c->workers, vars);

	if (c->locality.enabled && *c->locality.push)
		ht_append(&text, "# STARPU_LAHETEROPRIO_PUSH=%s\n", config_starpu_push(c->locality.push));
	for (int i = 0; i < nvars; i++)
		ht_append(&text, "# %s=%s\n", vars[i].name, vars[i].value);
	for (int a = 0; c->locality.enabled && a < ARCH_COUNT; a++) {
		if (c->locality.step[a])
			ht_append(&text, "# STARPU_LAHETEROPRIO_PRIO_STEP_%s=%d\n", upper[a], c->locality.step[a]);
		if (c->locality.subgroup[a])
			ht_append(&text, "# STARPU_LAHETEROPRIO_S_%s=%d\n", upper[a], c->locality.subgroup[a]);
	}
	return text;
}

static int frozen_write(const struct export_source *s, const char *out, struct ht_err *err)
{
	const struct config *c = s->config;
	const char *broken = config_check(c);
	struct autoheteroprio_data *l;
	char *text;
	int grouping, rc = 0;

	if (broken)
		return ht_err_set(err, "%s: %s", s->path, broken);
	grouping = by_name(c, err);
	if (grouping < 0)
		return ht_err_wrap(err, "%s", s->path);
	l = ht_alloc(1, sizeof(*l));
	for (int i = 0; rc == 0 && i < c->nbuckets; i++) {
		const struct config_member *m = &c->buckets[i].members[0];
		int type = autoheteroprio_type_of(l, grouping ? m->codelet : m->model, c->buckets[i].where | s->also);

		if (type != i)
			rc = ht_err_set(err, "bucket %s has the name of another one in its first %d bytes",
			                c->buckets[i].name, AUTOHETEROPRIO_MAX_NAME);
		else
			rc = set_type(&l->types[i], c, i, err);
	}
	text = note(c, grouping);
	rc = rc == 0 ? autoheteroprio_save(l, out, text, err) : ht_err_wrap(err, "%s", s->path);
	free(text);
	free(l);
	return rc;
}

const struct export_format format_frozen = {
	.name = "frozen",
	.mark = "number_of_archs",
	.summary = "data file for AutoHeteroprio that does not learn: lists without a library (StarPU 1.4)",
	.takes_also = 1,
	.write = frozen_write,
};
