/* core/config/config_xml.c - a config from its file (heterotune-config.5). */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The schema has checked names, types and the number of everything before this code runs; what it cannot express (ids
 * that count up, ranges of numbers, what refers to what) is checked here with the line, and once more by
 * config_check_in().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/xml.h"
#include "core/config/config.h"
#include "core/config/plan_text.h"
#include "core/machine/machine.h"
#include "schema/config_rng.h"

struct config_reader {
	const char *path;
	struct config *c;
	struct ht_err *err;
	uint8_t slow_seen[ARCH_COUNT];
};

#define BAD(r, node, ...) bad_at(r, node, ht_asprintf(__VA_ARGS__))

static int bad_at(struct config_reader *r, const struct xml_node *n, char *sentence)
{
	ht_err_set(r->err, "%s:%d: %s", r->path, n->line, sentence);
	free(sentence);
	return -1;
}

static const char *text_of(struct config_reader *r, const struct xml_node *n, const char *name)
{
	const char *v = xml_attr(n, name);

	return v ? arena_strndup(r->c->arena, v, strlen(v)) : "";
}

static enum arch arch_of(const struct xml_node *n, const char *attr)
{
	const char *v = xml_attr(n, attr);

	return v ? arch_parse(v, (int)strlen(v)) : ARCH_NONE;
}

static int int_of(struct config_reader *r, const struct xml_node *n, const char *attr, int64_t max, int64_t *value)
{
	const char *v = xml_attr(n, attr);

	if (!v || number_parse_int(v, 0, max, value) != 0)
		return BAD(r, n, "%s %s is \"%.40s\", expected a whole number from 0 to %lld", n->name, attr,
		           v ? v : "", (long long)max);
	return 0;
}

/* The elements "workers" of `n`. */
static int read_workers(struct config_reader *r, const struct xml_node *n, int workers[ARCH_COUNT])
{
	for (const struct xml_node *w = xml_child(n, "workers"); w; w = xml_next(w, "workers")) {
		enum arch a = arch_of(w, "arch");
		int64_t count;

		if (int_of(r, w, "count", MACHINE_MAX_WORKERS, &count) != 0)
			return -1;
		if (workers[a])
			return BAD(r, w, "the workers of %s are given twice", arch_name(a));
		workers[a] = (int)count;
	}
	return 0;
}

static int read_machine(struct config_reader *r, const struct xml_node *n)
{
	r->c->machine_name = text_of(r, n, "name");
	return read_workers(r, n, r->c->workers);
}

static int read_slow(struct config_reader *r, const struct xml_node *n, struct config_bucket *b)
{
	enum arch a = arch_of(n, "arch");
	const char *factor = xml_attr(n, "factor");

	if (r->slow_seen[a]++)
		return BAD(r, n, "bucket \"%s\" has two slow factors for %s", b->name, arch_name(a));
	if (!factor || number_parse(factor, &b->slow_factor[a]) != 0 || b->slow_factor[a] < 0)
		return BAD(r, n, "the slow factor of %s is \"%.40s\", expected a number that is not negative",
		           arch_name(a), factor ? factor : "");
	return 0;
}

static arch_mask read_where(const char *text)
{
	arch_mask where = 0;

	for (; *text; text += strcspn(text, " \t\n\r")) {
		text += strspn(text, " \t\n\r");
		enum arch a = arch_parse(text, (int)strcspn(text, " \t\n\r"));

		if (a != ARCH_NONE)
			where |= (arch_mask)(1u << a);
	}
	return where;
}

/* "3..7"; a side that is empty has no bound: `range` keeps its own. */
static int read_range(struct config_reader *r, const struct xml_node *n, const char *name, int64_t range[2])
{
	const int64_t least = range[0], most = range[1];
	const char *text = xml_attr(n, name), *dots = strstr(text, "..");
	char from[24];
	int bad = !dots || dots - text >= (ptrdiff_t)sizeof(from);

	if (!bad && dots > text) {
		snprintf(from, sizeof(from), "%.*s", (int)(dots - text), text);
		bad = number_parse_int(from, least, most, &range[0]) != 0;
	}
	if (!bad && dots[2])
		bad = number_parse_int(dots + 2, least, most, &range[1]) != 0;
	return bad ? BAD(r, n, "member %s is \"%.40s\", expected FROM..TO, whole numbers from %lld to %lld", name, text,
	                 (long long)least, (long long)most) :
	             0;
}

static int read_member(struct config_reader *r, const struct xml_node *n, struct config_member *m)
{
	int64_t priority[2] = {INT32_MIN, INT32_MAX}, submission[2] = {0, UINT32_MAX};

	m->codelet = text_of(r, n, "codelet");
	m->model = text_of(r, n, "model");
	if (xml_attr(n, "footprint")) {
		m->limits |= MEMBER_FOOTPRINT;
		m->footprint = (uint32_t)strtoul(xml_attr(n, "footprint"), NULL, 16);
	}
	if (xml_attr(n, "priority")) {
		m->limits |= MEMBER_PRIORITY;
		if (read_range(r, n, "priority", priority) != 0)
			return -1;
	}
	if (xml_attr(n, "submission")) {
		m->limits |= MEMBER_SUBMISSION;
		if (read_range(r, n, "submission", submission) != 0)
			return -1;
	}
	for (int i = 0; i < 2; i++) {
		m->priority[i] = (int32_t)priority[i];
		m->submission[i] = (uint32_t)submission[i];
	}
	return 0;
}

static int read_bucket(struct config_reader *r, const struct xml_node *n, int id)
{
	struct config_bucket *b = &r->c->buckets[id];
	const struct xml_node *m;
	int64_t written;

	if (int_of(r, n, "id", CONFIG_MAX_BUCKETS - 1, &written) != 0)
		return -1;
	if (written != id)
		return BAD(r, n, "the bucket's id is %d, expected %d: ids count up from 0", (int)written, id);
	b->name = text_of(r, n, "name");
	b->where = read_where(xml_attr(n, "where"));
	b->fastest = arch_of(n, "fastest");
	b->members = arena_alloc(r->c->arena, xml_count(n, "member"), sizeof(*b->members));
	for (m = xml_child(n, "member"); m; m = xml_next(m, "member"))
		if (read_member(r, m, &b->members[b->nmembers++]) != 0)
			return -1;
	memset(r->slow_seen, 0, sizeof(r->slow_seen));
	for (m = xml_child(n, "slow"); m; m = xml_next(m, "slow"))
		if (read_slow(r, m, b) != 0)
			return -1;
	return 0;
}

static int read_buckets(struct config_reader *r, const struct xml_node *root)
{
	int count = (int)xml_count(root, "bucket"), id = 0;

	if (count > CONFIG_MAX_BUCKETS)
		return BAD(r, root, "has %d buckets, expected at most %d", count, CONFIG_MAX_BUCKETS);
	r->c->buckets = arena_alloc(r->c->arena, (size_t)count, sizeof(*r->c->buckets));
	r->c->nbuckets = count;
	for (const struct xml_node *n = xml_child(root, "bucket"); n; n = xml_next(n, "bucket"))
		if (read_bucket(r, n, id++) != 0)
			return -1;
	return 0;
}

static int read_list(struct config_reader *r, const struct xml_node *n)
{
	enum arch a = arch_of(n, "arch");
	struct config_list *l = &r->c->lists[a];

	if (l->count)
		return BAD(r, n, "there are two lists for %s", arch_name(a));
	for (const struct xml_node *s = xml_child(n, "slot"); s; s = xml_next(s, "slot")) {
		int64_t b;

		if (int_of(r, s, "bucket", CONFIG_MAX_BUCKETS - 1, &b) != 0)
			return -1;
		if (b >= r->c->nbuckets)
			return BAD(r, s, "the slot names bucket %d, expected one of the %d there are", (int)b,
			           r->c->nbuckets);
		if (l->count == CONFIG_MAX_BUCKETS)
			return BAD(r, s, "the list of %s has more than %d slots", arch_name(a), CONFIG_MAX_BUCKETS);
		l->buckets[l->count++] = (int)b;
	}
	return 0;
}

static int read_locality(struct config_reader *r, const struct xml_node *n)
{
	struct config_locality *l = &r->c->locality;
	const char *push = xml_attr(n, "push");
	int64_t value;

	l->enabled = strcmp(xml_attr(n, "enabled"), "1") == 0;
	snprintf(l->push, sizeof(l->push), "%s", push ? push : "");
	for (const struct xml_node *at = xml_child(n, "arch"); at; at = xml_next(at, "arch")) {
		enum arch a = arch_of(at, "name");

		if (l->step[a] || l->subgroup[a])
			return BAD(r, at, "the locality setting of %s is given twice", arch_name(a));
		if (xml_attr(at, "step")) {
			if (int_of(r, at, "step", CONFIG_MAX_BUCKETS, &value) != 0)
				return -1;
			l->step[a] = (int)value;
		}
		if (xml_attr(at, "subgroup")) {
			if (int_of(r, at, "subgroup", MACHINE_MAX_NODES, &value) != 0)
				return -1;
			l->subgroup[a] = (int)value;
		}
	}
	return 0;
}

static int read_knob(struct config_reader *r, const struct xml_node *starpu_env, enum starpu_env_knob knob,
                     const char *name, const char *attribute, int most)
{
	const struct xml_node *n = xml_child(starpu_env, name);
	int64_t value = 1;

	if (!n)
		return 0;
	if (attribute && int_of(r, n, attribute, most, &value) != 0)
		return -1;
	r->c->starpu_env.value[knob] = (int)value;
	return xml_attr(n, "gain") && number_parse(xml_attr(n, "gain"), &r->c->starpu_env_gain[knob]) != 0 ?
	               BAD(r, n, "the gain is %s, expected a number", xml_attr(n, "gain")) :
	               0;
}

static int read_startup(struct config_reader *r, const struct xml_node *n)
{
	return read_knob(r, n, STARPU_ENV_CPUS, "cpus", "count", MACHINE_MAX_WORKERS) != 0 ||
	                       read_knob(r, n, STARPU_ENV_PIPELINE, "pipeline", "depth", STARPU_ENV_MAX_PIPELINE) !=
	                               0 ||
	                       read_knob(r, n, STARPU_ENV_NO_PREFETCH, "prefetch", NULL, 1) != 0 ?
	               -1 :
	               0;
}

static int read_fallback(struct config_reader *r, const struct xml_node *n)
{
	struct config_fallback *f = &r->c->fallback;

	f->policy = text_of(r, n, "policy");
	f->knobs = text_of(r, n, "knobs");
	f->fewer = arena_alloc(r->c->arena, xml_count(n, "fewer"), sizeof(*f->fewer));
	for (const struct xml_node *w = xml_child(n, "fewer"); w; w = xml_next(w, "fewer")) {
		struct config_fewer *x = &f->fewer[f->nfewer++];

		if (int_of(r, w, "setting", INT64_MAX, &x->setting_ns) != 0 ||
		    int_of(r, w, "fallback", INT64_MAX, &x->fallback_ns) != 0 || read_workers(r, w, x->workers) != 0)
			return -1;
	}
	return 0;
}

static int read_costs(struct config_reader *r, const struct xml_node *root)
{
	r->c->costs = arena_alloc(r->c->arena, xml_count(root, "cost"), sizeof(*r->c->costs));
	for (const struct xml_node *n = xml_child(root, "cost"); n; n = xml_next(n, "cost")) {
		struct config_cost *x = &r->c->costs[r->c->ncosts++];

		x->codelet = text_of(r, n, "codelet");
		x->model = text_of(r, n, "model");
		x->has_footprint = xml_attr(n, "footprint") != NULL;
		if (x->has_footprint)
			x->footprint = (uint32_t)strtoul(xml_attr(n, "footprint"), NULL, 16);
		for (const struct xml_node *on = xml_child(n, "on"); on; on = xml_next(on, "on"))
			if (int_of(r, on, "ns", INT64_MAX, &x->ns[arch_of(on, "arch")]) != 0)
				return -1;
	}
	config_costs_sort(r->c->costs, r->c->ncosts);
	return 0;
}

static int read_plans(struct config_reader *r, const struct xml_node *root)
{
	struct ht_err err = {""};

	r->c->plans = arena_alloc(r->c->arena, xml_count(root, "plan"), sizeof(*r->c->plans));
	for (const struct xml_node *n = xml_child(root, "plan"); n; n = xml_next(n, "plan")) {
		const char *owners = xml_attr(n, "owners");
		struct config_plan *p = &r->c->plans[r->c->nplans++];

		if (plan_parse(p, xml_attr(n, "hashes"), xml_attr(n, "ranks"), owners ? owners : "",
		               xml_attr(n, "places"), r->c->arena, &err) != 0)
			return BAD(r, n, "%s", err.text);
		p->knobs = xml_attr(n, "knobs") ? text_of(r, n, "knobs") : NULL;
		if (int_of(r, n, "longest", INT64_MAX / 1000, &p->longest_us) != 0)
			return -1;
		if (xml_attr(n, "priority") &&
		    number_parse_int(xml_attr(n, "priority"), INT32_MIN, INT32_MAX, &p->priority) != 0)
			return BAD(r, n, "plan priority is \"%.40s\", expected a whole number of 32 bits",
			           xml_attr(n, "priority"));
	}
	return 0;
}

static int read_evidence(struct config_reader *r, const struct xml_node *n)
{
	struct config *c = r->c;

	c->run = text_of(r, n, "run");
	if (int_of(r, n, "bound", INT64_MAX, &c->bound_ns) != 0)
		return -1;
	c->trials = arena_alloc(c->arena, xml_count(n, "trial"), sizeof(*c->trials));
	for (const struct xml_node *t = xml_child(n, "trial"); t; t = xml_next(t, "trial")) {
		struct config_trial *trial = &c->trials[c->ntrials++];

		trial->name = text_of(r, t, "name");
		if (strcmp(trial->name, CONFIG_TRIAL_OF_0_2) == 0)
			trial->name = CONFIG_TRIAL_RECORDED_ORDER;
		trial->source = text_of(r, t, "source");
		if (int_of(r, t, "makespan", INT64_MAX, &trial->makespan_ns) != 0)
			return -1;
	}
	return 0;
}

static int check(struct config_reader *r, const struct xml_node *root)
{
	const struct xml_node *n = NULL;
	int bucket, list;
	const char *bad = config_check_in(r->c, &bucket, &list);

	if (list >= 0)
		for (n = xml_child(root, "list"); n && (int)arch_of(n, "arch") != list;)
			n = xml_next(n, "list");
	else if (bucket >= 0)
		for (n = xml_child(root, "bucket"); n && bucket > 0; bucket--)
			n = xml_next(n, "bucket");
	return bad ? BAD(r, n ? n : root, "%s", bad) : 0;
}

static int read_config(struct config_reader *r, const struct xml_node *root)
{
	const struct xml_node *n;

	r->c->policy = text_of(r, root, "policy");
	r->c->chosen = text_of(r, root, "chosen");
	if (xml_attr(root, "knobs"))
		r->c->knobs = text_of(r, root, "knobs");
	r->c->has_rank_priorities = xml_attr(root, "priorities") != NULL;
	if (read_machine(r, xml_child(root, "machine")) != 0 || read_buckets(r, root) != 0)
		return -1;
	for (n = xml_child(root, "list"); n; n = xml_next(n, "list"))
		if (read_list(r, n) != 0)
			return -1;
	n = xml_child(root, "locality");
	if (n && read_locality(r, n) != 0)
		return -1;
	n = xml_child(root, "startup");
	if (n && read_startup(r, n) != 0)
		return -1;
	n = xml_child(root, "fallback");
	if (n && read_fallback(r, n) != 0)
		return -1;
	if (read_costs(r, root) != 0 || read_plans(r, root) != 0)
		return -1;
	n = xml_child(root, "evidence");
	if (n && read_evidence(r, n) != 0)
		return -1;
	return check(r, root);
}

/* What `auto` makes has its config within, beside its run. */
static void is_directory(const char *path, struct ht_err *err)
{
	const char *slash = strrchr(path, '/');
	char *within = ht_asprintf("%s/config.xml", path);
	char *beside = ht_asprintf("%.*sconfig.xml", slash ? (int)(slash + 1 - path) : 0, path);
	const char *meant = file_exists(within) ? within : file_exists(beside) ? beside : NULL;

	ht_err_set(err, "%s: is a directory, expected a config made by tune%s%s%s", path,
	           meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
	free(within);
	free(beside);
}

struct config *config_load(const char *path, struct ht_err *err)
{
	struct config_reader r = {.path = path, .c = config_create(), .err = err};
	const struct xml_node *root = NULL;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		is_directory(path, err);
	else
		root = xml_load(path, config_rng, r.c->arena, err);

	if (!root || read_config(&r, root) != 0) {
		config_free(r.c);
		return NULL;
	}
	return r.c;
}
