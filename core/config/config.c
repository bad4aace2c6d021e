/* core/config/config.c - a Heteroprio setting: what is legal, which machine it fits, and its numbers in StarPU. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/number.h"
#include "core/config/locality_formula.h"
#include "core/machine/machine.h"

struct config *config_create(void)
{
	struct arena *a = arena_create();
	struct config *c = arena_alloc(a, 1, sizeof(*c));

	c->arena = a;
	c->policy = "heteroprio";
	c->knobs = "";
	c->chosen = c->machine_name = c->run = c->fallback.policy = c->fallback.knobs = "";
	return c;
}

void config_free(struct config *c)
{
	if (c)
		arena_free(c->arena);
}

double config_plan_rank_ns(const struct config_plan *p)
{
	int32_t highest = 1;

	for (uint32_t t = 0; t < p->ntasks; t++)
		highest = p->rank[t] > highest ? p->rank[t] : highest;
	return 1e3 * (double)p->longest_us / highest;
}

const char *config_starpu_push(const char *push)
{
	int f = locality_find(push);

	if (f < 0 || strcmp(locality_config_name((enum locality_formula)f), push) != 0)
		return NULL;
	return locality_starpu_name((enum locality_formula)f);
}

const struct config_trial *config_trial_find(const struct config *c, const char *name)
{
	for (int i = 0; i < c->ntrials; i++)
		if (strcmp(c->trials[i].name, name) == 0)
			return &c->trials[i];
	return NULL;
}

static int is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	return *words != NULL;
}

int config_is_policy(const char *word)
{
	static const char *const words[] = {
		"heteroprio",
		"placement",
		"eager",
		"prio",
		"ws",
		"lws",
		"dm",
		"dmda",
		"dmdap",
		"dmdar",
		"dmdas",
		"dmdasd",
		"modular-heft",
		"modular-heft-prio",
		"modular-heteroprio",
		NULL,
	};

	return is_one_of(word, words);
}

int config_takes_priorities(const char *policy)
{
	static const char *const words[] = {"prio", "dmdap", "dmdas", "dmdasd", "modular-heft", "modular-heft-prio",
	                                    NULL};

	return is_one_of(policy, words);
}

int config_is_own(const struct config *c)
{
	static const char *const words[] = {"placement", "laheteroprio", "multreeprio", "inspirit", NULL};

	return is_one_of(c->policy, words) || (strcmp(c->policy, "heteroprio") == 0 && c->knobs && *c->knobs);
}

int config_needs_library(const struct config *c)
{
	return c->has_rank_priorities || strcmp(c->policy, "heteroprio") == 0 || config_is_own(c);
}

/* A number without its decimal point. The length, as of snprintf(). */
static size_t put_value(char *to, size_t size, const char *value)
{
	const char *point = strchr(value, '.'), *mantissa = value, *exponent;
	long power;
	int n, decimals;

	if (!point)
		return (size_t)snprintf(to, size, "%s", value);
	decimals = (int)strspn(point + 1, "0123456789");
	exponent = point + 1 + decimals;
	power = (*exponent ? strtol(exponent + 1, NULL, 10) : 0) - decimals;
	mantissa += strspn(mantissa, decimals ? "0" : "");
	n = snprintf(to, size, "%.*s%.*s", (int)(point - mantissa), mantissa, decimals, point + 1);
	if (power && (size_t)n < size)
		n += snprintf(to + n, size - (size_t)n, "e%ld", power);
	return (size_t)n;
}

/* That StarPU can read. */
static int is_value(const char *variable, const char *value)
{
	double number;
	int64_t whole;

	if (strcmp(variable, "STARPU_NTASKS_THRESHOLD") == 0)
		return number_parse_int(value, 0, INT32_MAX, &whole) == 0;
	return number_parse(value, &number) == 0;
}

int config_knob_vars(const char *knobs, struct config_knob_var vars[CONFIG_KNOB_VARS], char text[CONFIG_KNOB_TEXT])
{
	/* 1.4, src/sched_policies/helper_mct.c and deque_modeling_policy_data_aware.c */
	static const char *const names[][2] = {
		{"alpha", "STARPU_SCHED_ALPHA"},
		{"beta", "STARPU_SCHED_BETA"},
		{"ntasks_threshold", "STARPU_NTASKS_THRESHOLD"},
		{"exp_len_threshold", "STARPU_EXP_LEN_THRESHOLD"},
	};
	char *state = NULL;
	size_t used = strlen(knobs) + 1;
	int n = 0;

	if (used > CONFIG_KNOB_TEXT / 2)
		return -1;
	strcpy(text, knobs);
	for (char *knob = strtok_r(text, ",", &state); knob; knob = strtok_r(NULL, ",", &state)) {
		char *value = strchr(knob, '=');
		size_t i = 0;

		while (i < CONFIG_KNOB_VARS &&
		       (!value || strncmp(names[i][0], knob, (size_t)(value - knob)) != 0 || names[i][0][value - knob]))
			i++;
		if (i == CONFIG_KNOB_VARS || n == CONFIG_KNOB_VARS || !is_value(names[i][1], value + 1))
			return -1;
		vars[n++] = (struct config_knob_var){names[i][1], text + used, value + 1};
		used += put_value(text + used, CONFIG_KNOB_TEXT - used, value + 1) + 1;
		if (used > CONFIG_KNOB_TEXT)
			return -1;
	}
	return n;
}

/* Whether policy, knobs and priorities go together. */
static const char *check_policy(const struct config *c)
{
	struct config_knob_var vars[CONFIG_KNOB_VARS];
	char text[CONFIG_KNOB_TEXT];

	if (!c->policy || (!config_is_policy(c->policy) && !config_is_own(c)))
		return "the policy is neither the library's own nor one of StarPU's that work without settings";
	if (c->has_rank_priorities && !config_takes_priorities(c->policy))
		return "ranks are given as priorities, and the policy takes none";
	if (!config_is_own(c) && config_knob_vars(c->knobs, vars, text) < 0)
		return "StarPU has no variable for a knob of the policy, or cannot read its value";
	return NULL;
}

static const char *check_fallback(const struct config_fallback *f)
{
	struct config_knob_var vars[CONFIG_KNOB_VARS];
	char text[CONFIG_KNOB_TEXT];

	if (*f->policy && (!config_is_policy(f->policy) || strcmp(f->policy, "placement") == 0))
		return "the fallback is none of StarPU's schedulers that work without settings of their own";
	if (config_knob_vars(f->knobs, vars, text) < 0)
		return "StarPU has no variable for a knob of the fallback, or cannot read its value";
	for (int i = 0; i < f->nfewer; i++)
		if (f->fewer[i].setting_ns < 0 || f->fewer[i].fallback_ns < 0)
			return "a makespan is negative";
	return NULL;
}

static const char *check_bucket(const struct config_bucket *b)
{
	if (!b->where || b->where >> ARCH_COUNT)
		return "a bucket runs on no known architecture";
	if (b->nmembers < 1)
		return "a bucket has no members";
	for (int i = 0; i < b->nmembers; i++) {
		const struct config_member *m = &b->members[i];

		if (!(m->codelet && *m->codelet) && !(m->model && *m->model))
			return "a member of a bucket has neither a codelet nor a model";
		if ((m->limits & MEMBER_PRIORITY && m->priority[0] > m->priority[1]) ||
		    (m->limits & MEMBER_SUBMISSION && m->submission[0] > m->submission[1]))
			return "a range of a member of a bucket ends before it begins";
	}
	if (b->fastest != ARCH_NONE && (b->fastest < 0 || b->fastest >= ARCH_COUNT || !(b->where >> b->fastest & 1)))
		return "the fastest architecture of a bucket is none of those it runs on";
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!isfinite(b->slow_factor[a]) || b->slow_factor[a] < 0 || b->slow_factor[a] > 1e9)
			return "a slow factor is not a number from 0 to 1e9";
		if (b->slow_factor[a] > 0 && (!(b->where >> a & 1) || b->fastest == ARCH_NONE || a == (int)b->fastest))
			return "a slow factor is for an architecture that is the fastest, or not one of the bucket's";
	}
	return NULL;
}

static const char *check_list(const struct config *c, int arch)
{
	const struct config_list *l = &c->lists[arch];
	char seen[CONFIG_MAX_BUCKETS] = {0};

	if (l->count < 0 || l->count > CONFIG_MAX_BUCKETS)
		return "a list has more than 100 slots";
	if (l->count && !c->workers[arch])
		return "there is a list for an architecture without workers";
	for (int i = 0; i < l->count; i++) {
		int b = l->buckets[i];

		if (b < 0 || b >= c->nbuckets)
			return "a list names a bucket that does not exist";
		if (seen[b]++)
			return "a list names a bucket twice";
		if (!(c->buckets[b].where >> arch & 1))
			return "a list names a bucket whose tasks cannot run on its architecture";
	}
	return NULL;
}

/* A slow factor counts on the fastest architecture to take what is left: else nobody does, and the program hangs. */
static const char *check_users(const struct config *c, int bucket)
{
	const struct config_bucket *b = &c->buckets[bucket];
	arch_mask users = 0;
	int slowed = 0;

	for (int a = 0; a < ARCH_COUNT; a++)
		for (int i = 0; i < c->lists[a].count; i++)
			if (c->lists[a].buckets[i] == bucket) {
				users |= (arch_mask)(1u << a);
				slowed |= b->slow_factor[a] > 0;
			}
	if (!users)
		return "a bucket is in no list";
	if (slowed && c->workers[b->fastest] && !(users >> b->fastest & 1))
		return "a slow factor is for a bucket that the fastest architecture does not look at";
	return NULL;
}

static const char *check_machine(const struct config *c)
{
	int workers = 0;

	for (int a = 0; a < ARCH_COUNT; a++) {
		if (c->workers[a] < 0 || c->workers[a] > MACHINE_MAX_WORKERS)
			return "the number of workers is out of range";
		workers += c->workers[a];
		if (c->locality.step[a] < 0 || c->locality.subgroup[a] < 0)
			return "a step or subgroup of the locality setting is negative";
	}
	if (!workers)
		return "there are no workers";
	if (c->starpu_env.value[STARPU_ENV_CPUS] < 0 || c->starpu_env.value[STARPU_ENV_CPUS] > c->workers[ARCH_CPU])
		return "the startup has more CPU workers than the machine";
	if (c->starpu_env.value[STARPU_ENV_PIPELINE] < 0 ||
	    c->starpu_env.value[STARPU_ENV_PIPELINE] > STARPU_ENV_MAX_PIPELINE)
		return "the depth of the pipeline is not from 1 to 4";
	for (int k = 0; k < STARPU_ENV_COUNT; k++)
		if (!isfinite(c->starpu_env_gain[k]))
			return "the gain of a startup setting is no number";
	if (*c->locality.push && !config_starpu_push(c->locality.push))
		return "the push formula of the locality setting is unknown";
	return NULL;
}

const char *config_check_in(const struct config *c, int *bucket, int *list)
{
	const char *bad = check_policy(c);

	*bucket = *list = -1;
	if (!bad)
		bad = check_machine(c);
	if (!bad)
		bad = check_fallback(&c->fallback);
	if (!bad && (c->nbuckets < 1 || c->nbuckets > CONFIG_MAX_BUCKETS))
		return "the number of buckets is not from 1 to 100";
	for (int b = 0; !bad && b < c->nbuckets; b++) {
		bad = check_bucket(&c->buckets[b]);
		*bucket = bad ? b : -1;
	}
	for (int a = 0; !bad && a < ARCH_COUNT; a++) {
		bad = check_list(c, a);
		*list = bad ? a : -1;
	}
	for (int b = 0; !bad && b < c->nbuckets; b++) {
		bad = check_users(c, b);
		*bucket = bad ? b : -1;
	}
	for (int i = 0; !bad && i < c->ntrials; i++)
		if (c->trials[i].makespan_ns < 0)
			bad = "a makespan is negative";
	return !bad && c->bound_ns < 0 ? "the bound is negative" : bad;
}

const char *config_check(const struct config *c)
{
	int bucket, list;

	return config_check_in(c, &bucket, &list);
}

const char *config_workers_text(char buf[CONFIG_WORKERS_TEXT], const int workers[ARCH_COUNT])
{
	size_t n = 0;

	snprintf(buf, CONFIG_WORKERS_TEXT, "no workers");
	for (int a = 0; a < ARCH_COUNT && n < CONFIG_WORKERS_TEXT; a++)
		if (workers[a])
			n += (size_t)snprintf(buf + n, CONFIG_WORKERS_TEXT - n, "%s%d %s", n ? " + " : "", workers[a],
			                      arch_name((enum arch)a));
	return buf;
}

int config_fits_workers(const struct config *c, const int workers[ARCH_COUNT], struct ht_err *err)
{
	char made[CONFIG_WORKERS_TEXT], is[CONFIG_WORKERS_TEXT];

	for (int a = 0; a < ARCH_COUNT; a++)
		if (c->workers[a] != workers[a] &&
		    (a != ARCH_CPU || !workers[a] || c->starpu_env.value[STARPU_ENV_CPUS] != workers[a]))
			return ht_err_set(err, "made for %s, this machine has %s",
			                  config_workers_text(made, c->workers), config_workers_text(is, workers));
	return 0;
}

int config_fits(const struct config *c, const struct machine *m, struct ht_err *err)
{
	int workers[ARCH_COUNT];

	for (int rank = 0; rank < machine_ranks(m); rank++) {
		machine_rank_counts(m, rank, workers);
		if (config_fits_workers(c, workers, err) != 0)
			return -1;
	}
	return 0;
}

/* The accelerator with the most workers: its list decides, as what it waits for costs most. */
static int leading_arch(const struct config *c)
{
	int lead = ARCH_CPU;

	for (int a = 0; a < ARCH_COUNT; a++)
		if (a != ARCH_CPU && c->lists[a].count && (lead == ARCH_CPU || c->workers[a] > c->workers[lead]))
			lead = a;
	return lead;
}

/*
 * A worker of Heteroprio takes up to two tasks at a time into a queue of its own, and that queue is ordered by
 * task->priority, largest first, whatever the architecture's list says (StarPU 1.4 heteroprio.c, the prio_deque of
 * struct _heteroprio_worker_wrapper). With numbers that fall along the list of the accelerator, the two orders are
 * the same there. Buckets that it does not have follow in the order of the other lists. The top of StarPU's range is
 * used, so that what is added for tasks outside of the config can have smaller numbers, which come last.
 */
int config_starpu_number(const struct config *c, int bucket)
{
	int lead = leading_arch(c), rank = 0;
	char seen[CONFIG_MAX_BUCKETS] = {0};

	for (int step = -1; step < ARCH_COUNT; step++) {
		const struct config_list *l = &c->lists[step < 0 ? lead : step];

		for (int i = 0; i < l->count; i++) {
			int b = l->buckets[i];

			if (b == bucket && !seen[b])
				return CONFIG_MAX_BUCKETS - 1 - rank;
			rank += !seen[b];
			seen[b] = 1;
		}
	}
	for (int b = 0; b < bucket; b++)
		rank += !seen[b];
	return CONFIG_MAX_BUCKETS - 1 - rank;
}
