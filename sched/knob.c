/* sched/knob.c - the knobs of a policy: one table says their names, values, ranges, defaults and places. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sched/knob.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/number.h"
#include "core/machine/arch.h"

enum { MAX_NAME = 64, MAX_VALUE = 64 };

/* The value of `name` in the options; `at` NULL: it is not there. */
static struct knob_text find_value(const char *options, const char *name)
{
	size_t len = strlen(name);

	while (*options) {
		size_t part = strcspn(options, ",");

		if (part > len && !strncmp(options, name, len) && options[len] == '=')
			return (struct knob_text){options + len + 1, (int)(part - len - 1)};
		options += part + (options[part] == ',');
	}
	return (struct knob_text){NULL, 0};
}

/* The index of the text in "a|b|c"; -1: it is none of the words. */
static int find_word(const char *words, const struct knob_text *text)
{
	for (int i = 0;; i++) {
		size_t len = strcspn(words, "|");

		if (len == (size_t)text->len && !strncmp(words, text->at, len))
			return i;
		if (!words[len])
			return -1;
		words += len + 1;
	}
}

static int refuse(const char *policy, const struct knob *k, const char *name, const struct knob_text *text,
                  struct ht_err *err)
{
	int shown = text->len < MAX_VALUE ? text->len : MAX_VALUE;
	const char *second = strchr(k->values, '|');

	if (k->type == KNOB_WORD && second && !strchr(second + 1, '|'))
		return ht_err_set(err, "policy %s: %s is %.*s or %s, found \"%.*s\"", policy, name,
		                  (int)(second - k->values), k->values, second + 1, shown, text->at);
	if (k->type == KNOB_WORD)
		return ht_err_set(err, "policy %s: %s is one of %s, found \"%.*s\"", policy, name, k->values, shown,
		                  text->at);
	if (isinf(k->min))
		return ht_err_set(err, "policy %s: %s is a number, found \"%.*s\"", policy, name, shown, text->at);
	return ht_err_set(err, "policy %s: %s is a number from %g to %.*g, found \"%.*s\"", policy, name, k->min,
	                  k->type == KNOB_NUMBER ? 6 : 15, k->max, shown, text->at);
}

/* The number in a text; -1: it is none, or out of the knob's range. */
static int read_number(const struct knob *k, const struct knob_text *text, double *value)
{
	char copy[MAX_VALUE];
	int64_t whole;

	if (text->len >= MAX_VALUE)
		return -1;
	snprintf(copy, sizeof(copy), "%.*s", text->len, text->at);
	if (k->type == KNOB_NUMBER)
		return number_parse(copy, value) != 0 || !(*value >= k->min) || *value > k->max ? -1 : 0;
	if (number_parse_int(copy, (int64_t)k->min, (int64_t)k->max, &whole) != 0)
		return -1;
	*value = (double)whole;
	return 0;
}

/* The knob of that name, with "_ARCH" already replaced, into the member at `to`. */
static int read_as(const char *policy, const struct knob *k, const char *name, const char *options, void *to,
                   struct ht_err *err)
{
	struct knob_text text = find_value(options, name);
	double value = k->dflt;
	int word;

	if (k->type == KNOB_TEXT) {
		*(struct knob_text *)to = text;
		return 0;
	}
	if (text.at && k->type == KNOB_WORD) {
		word = find_word(k->values, &text);
		if (word < 0)
			return refuse(policy, k, name, &text, err);
		value = word;
	} else if (text.at && read_number(k, &text, &value) != 0) {
		return refuse(policy, k, name, &text, err);
	}
	if (k->type == KNOB_NUMBER)
		*(double *)to = value;
	else if (k->type == KNOB_COUNT)
		*(int64_t *)to = (int64_t)value;
	else
		*(int *)to = (int)value;
	return 0;
}

/* "step_ARCH" for an architecture: "step_cuda". */
static void name_for(const struct knob *k, enum arch a, char name[MAX_NAME])
{
	snprintf(name, MAX_NAME, "%.*s%s", (int)(strlen(k->name) - strlen("ARCH")), k->name, arch_name(a));
}

int knob_read(const char *policy, const struct knob *k, const char *options, void *values, struct ht_err *err)
{
	char *to = (char *)values + k->offset, name[MAX_NAME];

	if (k->type != KNOB_PER_ARCH)
		return read_as(policy, k, k->name, options, to, err);
	for (int a = 0; a < ARCH_COUNT; a++) {
		name_for(k, (enum arch)a, name);
		if (read_as(policy, k, name, options, (int *)to + a, err) != 0)
			return -1;
	}
	return 0;
}

static int has_name(const struct knob *k, const char *text, size_t len)
{
	char name[MAX_NAME];

	if (k->type != KNOB_PER_ARCH)
		return strlen(k->name) == len && !strncmp(k->name, text, len);
	for (int a = 0; a < ARCH_COUNT; a++) {
		name_for(k, (enum arch)a, name);
		if (strlen(name) == len && !strncmp(name, text, len))
			return 1;
	}
	return 0;
}

static int refuse_name(const char *policy, const struct knob *knobs, const char *name, size_t len, struct ht_err *err)
{
	char known[1024] = "none";

	for (size_t i = 0, n = 0; knobs && knobs[i].name && n < sizeof(known); i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", i ? "|" : "", knobs[i].name);
	return ht_err_set(err, "policy %s has no knob \"%.*s\"; it has: %s", policy, (int)len, name, known);
}

static int check_names(const char *policy, const struct knob *knobs, const char *options, struct ht_err *err)
{
	while (*options) {
		size_t part = strcspn(options, ","), name = strcspn(options, "=,");
		const struct knob *k = knobs;

		if (name == part || name >= MAX_NAME)
			return ht_err_set(err, "policy %s: expected NAME=VALUE, found \"%.*s\"", policy,
			                  (int)(part < MAX_NAME ? part : MAX_NAME), options);
		while (k && k->name && !has_name(k, options, name))
			k++;
		if (!k || !k->name)
			return refuse_name(policy, knobs, options, name, err);
		options += part + (options[part] == ',');
	}
	return 0;
}

int knobs_read(const char *policy, const struct knob *knobs, const char *options, void *values, struct ht_err *err)
{
	if (check_names(policy, knobs, options, err) != 0)
		return -1;
	for (const struct knob *k = knobs; k && k->name; k++) {
		if (knob_read(policy, k, options, values, err) != 0)
			return -1;
	}
	return 0;
}
