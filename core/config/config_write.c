/* core/config/config_write.c - a config into its file (heterotune-config.5), in its canonical form. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/err.h"
#include "core/base/number.h"
#include "core/base/xml.h"
#include "core/config/config.h"
#include "core/config/plan_text.h"

static void put_text(struct xml_writer *w, const char *attr, const char *text)
{
	xml_put(w, attr, "%s", text ? text : "");
}

static void put_where(struct xml_writer *w, arch_mask where)
{
	char text[16 * ARCH_COUNT] = "";
	size_t n = 0;

	for (int a = 0; a < ARCH_COUNT; a++)
		if (where >> a & 1)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? " " : "",
			                      arch_name((enum arch)a));
	put_text(w, "where", text);
}

/* "3..7"; a side without a bound is empty. */
static void put_range(struct xml_writer *w, const char *name, int64_t from, int64_t to, int64_t least, int64_t most)
{
	char text[48];
	int n = from > least ? snprintf(text, sizeof(text), "%" PRId64, from) : 0;

	n += snprintf(text + n, sizeof(text) - (size_t)n, "..");
	if (to < most)
		snprintf(text + n, sizeof(text) - (size_t)n, "%" PRId64, to);
	put_text(w, name, text);
}

static void put_member(struct xml_writer *w, const struct config_member *m)
{
	xml_open(w, "member");
	if (m->codelet && *m->codelet)
		put_text(w, "codelet", m->codelet);
	if (m->model && *m->model)
		put_text(w, "model", m->model);
	if (m->limits & MEMBER_FOOTPRINT)
		xml_put(w, "footprint", "%08" PRIx32, m->footprint);
	if (m->limits & MEMBER_PRIORITY)
		put_range(w, "priority", m->priority[0], m->priority[1], INT32_MIN, INT32_MAX);
	if (m->limits & MEMBER_SUBMISSION)
		put_range(w, "submission", m->submission[0], m->submission[1], 0, UINT32_MAX);
	xml_close(w);
}

static void put_bucket(struct xml_writer *w, const struct config_bucket *b, int id)
{
	char number[32];

	xml_open(w, "bucket");
	xml_put(w, "id", "%d", id);
	put_text(w, "name", b->name);
	put_where(w, b->where);
	if (b->fastest != ARCH_NONE)
		put_text(w, "fastest", arch_name(b->fastest));
	for (int i = 0; i < b->nmembers; i++)
		put_member(w, &b->members[i]);
	for (int a = 0; a < ARCH_COUNT; a++)
		if (b->slow_factor[a] > 0) {
			xml_open(w, "slow");
			put_text(w, "arch", arch_name((enum arch)a));
			put_text(w, "factor", number_text(number, b->slow_factor[a]));
			xml_close(w);
		}
	xml_close(w);
}

static void put_locality(struct xml_writer *w, const struct config_locality *l)
{
	xml_open(w, "locality");
	xml_put(w, "enabled", "%d", l->enabled != 0);
	if (*l->push)
		put_text(w, "push", l->push);
	for (int a = 0; a < ARCH_COUNT; a++)
		if (l->step[a] || l->subgroup[a]) {
			xml_open(w, "arch");
			put_text(w, "name", arch_name((enum arch)a));
			if (l->step[a])
				xml_put(w, "step", "%d", l->step[a]);
			if (l->subgroup[a])
				xml_put(w, "subgroup", "%d", l->subgroup[a]);
			xml_close(w);
		}
	xml_close(w);
}

static void put_knob(struct xml_writer *w, const struct config *c, enum starpu_env_knob knob, const char *name,
                     const char *attribute, int value)
{
	char number[32];

	if (!c->starpu_env.value[knob])
		return;
	xml_open(w, name);
	xml_put(w, attribute, "%d", value);
	if (c->starpu_env_gain[knob] != 0)
		put_text(w, "gain", number_text(number, c->starpu_env_gain[knob]));
	xml_close(w);
}

static void put_startup(struct xml_writer *w, const struct config *c)
{
	if (starpu_env_is_plain(&c->starpu_env))
		return;
	xml_open(w, "startup");
	put_knob(w, c, STARPU_ENV_CPUS, "cpus", "count", c->starpu_env.value[STARPU_ENV_CPUS]);
	put_knob(w, c, STARPU_ENV_PIPELINE, "pipeline", "depth", c->starpu_env.value[STARPU_ENV_PIPELINE]);
	put_knob(w, c, STARPU_ENV_NO_PREFETCH, "prefetch", "enabled", 0);
	xml_close(w);
}

static void put_workers(struct xml_writer *w, const int workers[ARCH_COUNT])
{
	for (int a = 0; a < ARCH_COUNT; a++)
		if (workers[a]) {
			xml_open(w, "workers");
			put_text(w, "arch", arch_name((enum arch)a));
			xml_put(w, "count", "%d", workers[a]);
			xml_close(w);
		}
}

static void put_fallback(struct xml_writer *w, const struct config_fallback *f)
{
	if (!*f->policy)
		return;
	xml_open(w, "fallback");
	put_text(w, "policy", f->policy);
	if (*f->knobs)
		put_text(w, "knobs", f->knobs);
	for (int i = 0; i < f->nfewer; i++) {
		xml_open(w, "fewer");
		xml_put(w, "setting", "%" PRId64, f->fewer[i].setting_ns);
		xml_put(w, "fallback", "%" PRId64, f->fewer[i].fallback_ns);
		put_workers(w, f->fewer[i].workers);
		xml_close(w);
	}
	xml_close(w);
}

static void put_cost(struct xml_writer *w, const struct config_cost *x)
{
	xml_open(w, "cost");
	if (*x->codelet)
		put_text(w, "codelet", x->codelet);
	if (*x->model)
		put_text(w, "model", x->model);
	if (x->has_footprint)
		xml_put(w, "footprint", "%08" PRIx32, x->footprint);
	for (int a = 0; a < ARCH_COUNT; a++)
		if (x->ns[a] > 0) {
			xml_open(w, "on");
			put_text(w, "arch", arch_name((enum arch)a));
			xml_put(w, "ns", "%" PRId64, x->ns[a]);
			xml_close(w);
		}
	xml_close(w);
}

static void put_owned(struct xml_writer *w, const char *attr, char *text)
{
	put_text(w, attr, text);
	free(text);
}

static void put_plan(struct xml_writer *w, const struct config_plan *p)
{
	xml_open(w, "plan");
	put_owned(w, "hashes", plan_hashes_text(p));
	put_owned(w, "ranks", plan_ranks_text(p));
	xml_put(w, "longest", "%" PRId64, p->longest_us);
	if (p->nhandles)
		put_owned(w, "owners", plan_owners_text(p));
	if (p->place)
		put_owned(w, "places", plan_places_text(p));
	if (p->knobs)
		put_text(w, "knobs", p->knobs);
	if (p->priority)
		xml_put(w, "priority", "%" PRId64, p->priority);
	xml_close(w);
}

int config_save(const struct config *c, const char *path, struct ht_err *err)
{
	const char *bad = config_check(c);
	struct xml_writer *w;

	if (bad)
		return ht_err_set(err, "%s: cannot be written as a config: %s", path, bad);
	w = xml_writer_create(path, err);
	if (!w)
		return -1;
	xml_open(w, "config");
	xml_put(w, "version", "1");
	put_text(w, "policy", c->policy);
	if (*c->knobs)
		put_text(w, "knobs", c->knobs);
	if (c->has_rank_priorities)
		put_text(w, "priorities", "rank");
	put_text(w, "chosen", c->chosen);
	xml_put(w, "starpu", "1.4");
	xml_open(w, "machine");
	put_text(w, "name", c->machine_name);
	put_workers(w, c->workers);
	xml_close(w);
	for (int b = 0; b < c->nbuckets; b++)
		put_bucket(w, &c->buckets[b], b);
	for (int a = 0; a < ARCH_COUNT; a++)
		if (c->lists[a].count) {
			xml_open(w, "list");
			put_text(w, "arch", arch_name(((enum arch)a)));
			for (int i = 0; i < c->lists[a].count; i++) {
				xml_open(w, "slot");
				xml_put(w, "bucket", "%d", c->lists[a].buckets[i]);
				xml_close(w);
			}
			xml_close(w);
		}
	put_locality(w, &c->locality);
	put_startup(w, c);
	put_fallback(w, &c->fallback);
	for (size_t i = 0; i < c->ncosts; i++)
		put_cost(w, &c->costs[i]);
	for (int i = 0; i < c->nplans; i++)
		put_plan(w, &c->plans[i]);
	xml_open(w, "evidence");
	put_text(w, "run", c->run);
	xml_put(w, "bound", "%" PRId64, c->bound_ns);
	for (int i = 0; i < c->ntrials; i++) {
		xml_open(w, "trial");
		put_text(w, "name", c->trials[i].name);
		put_text(w, "source", c->trials[i].source);
		xml_put(w, "makespan", "%" PRId64, c->trials[i].makespan_ns);
		xml_close(w);
	}
	xml_close(w);
	xml_close(w);
	return xml_writer_commit(w, err);
}
