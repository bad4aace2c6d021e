/* tune/settings/trial_id.c - what a trial is, and what it is called. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tune/settings/trial_id.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/metrics/heuristic.h"
#include "tune/settings/scores.h"

const struct slow_variant slow_variants[SLOW_VARIANTS] = {
	{1, ""},
	{0, "/no-slow"},
	{0.5, "/half-slow"},
	{2, "/double-slow"},
};

enum { KNOBS_SHOWN = 32 }; /* placement has more: the config holds them */

static void add(char text[TRIAL_LABEL], const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(char text[TRIAL_LABEL], const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + len, TRIAL_LABEL - len, fmt, ap);
	va_end(ap);
}

static void add_order(char text[TRIAL_LABEL], const struct trial_id *id)
{
	switch (id->order) {
	case ORDER_HEURISTIC: add(text, "%s", published_heuristics[id->number].name); break;
	case ORDER_PLAIN: add(text, "default"); break;
	case ORDER_STARPU: add(text, "starpu-%d", id->number); break;
	case ORDER_URGENCY: add(text, "urgency-%d", id->number); break;
	case ORDER_SCORE: add(text, "%s", score_name((enum score)id->number)); break;
	}
}

static void add_setting(char text[TRIAL_LABEL], const struct trial_id *id, enum trial_label_form form)
{
	if (id->origin == TRIAL_SEARCHED) {
		add(text, "search-%d", id->search);
		if (form == TRIAL_LABEL_SHORT)
			return;
		add(text, ":");
	}
	/* Lists of codelets are the rule: only scores, which are made for every granularity, name it. */
	if (form == TRIAL_LABEL_WHOLE && (id->granularity != GRANULARITY_CODELET || id->order == ORDER_SCORE))
		add(text, "%s:", granularity_name(id->granularity));
	add_order(text, id);
	add(text, "%s%s", slow_variants[id->slow].suffix, id->locality ? "+LA" : "");
}

const char *trial_label(char text[TRIAL_LABEL], const struct trial_id *id, enum trial_label_form form)
{
	char env[STARPU_ENV_TEXT];

	*text = '\0';
	if (id->origin == TRIAL_POLICY) {
		const char *knobs = id->knobs && strlen(id->knobs) <= KNOBS_SHOWN ? id->knobs : "";
		const char *threshold = strstr(knobs, "ntasks_threshold="); /* shown as "tasks=" */
		int before = threshold ? (int)(threshold - knobs) : (int)strlen(knobs);

		add(text, "%s", id->policy);
		add(text, "%s%.*s%s%s%s", *knobs ? ":" : "", before, knobs, threshold ? "tasks" : "",
		    threshold ? threshold + strlen("ntasks_threshold") : "", id->by_rank ? "+rank" : "");
	} else {
		add_setting(text, id, form);
	}
	for (int k = 0; k < STARPU_ENV_COUNT; k++)
		if (id->starpu_env.value[k])
			add(text, ", %s", starpu_env_text(env, (enum starpu_env_knob)k, id->starpu_env.value[k]));
	if (id->simplified)
		add(text, ", simplified");
	return text;
}

int trial_id_same_origin(const struct trial_id *a, const struct trial_id *b)
{
	return a->origin != TRIAL_POLICY && b->origin != TRIAL_POLICY && a->granularity == b->granularity &&
	       a->order == b->order && a->number == b->number && a->locality == b->locality;
}

int trial_id_equal(const struct trial_id *a, const struct trial_id *b)
{
	if (a->origin != b->origin || a->simplified != b->simplified ||
	    memcmp(&a->starpu_env, &b->starpu_env, sizeof(a->starpu_env)) != 0)
		return 0;
	if (a->origin == TRIAL_POLICY)
		return a->by_rank == b->by_rank && strcmp(a->policy, b->policy) == 0 &&
		       strcmp(a->knobs ? a->knobs : "", b->knobs ? b->knobs : "") == 0;
	return trial_id_same_origin(a, b) && a->slow == b->slow && a->search == b->search;
}

const struct heuristic *trial_id_heuristic(const struct trial_id *id)
{
	if (id->origin == TRIAL_POLICY)
		return NULL;
	return id->order == ORDER_HEURISTIC ? &published_heuristics[id->number] :
	       id->order == ORDER_STARPU    ? &starpu_orderings[id->number] :
	                                      NULL;
}
