/* generate/costs.c - costs that the user gives: `TYPE=arch:us,arch:us`. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/costs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"

static const double MAX_US = 1e12; /* twelve days: a million such tasks still fit into 64 bits of ns */

struct costs {
	struct given {
		char *type;
		int used;
		double cost_us[ARCH_COUNT];
	} * items;
	size_t count, cap;
};

struct costs *costs_create(void)
{
	return ht_alloc(1, sizeof(struct costs));
}

void costs_free(struct costs *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		free(c->items[i].type);
	free(c->items);
	free(c);
}

static int parse_pair(char *pair, double cost_us[ARCH_COUNT], const char *where, struct ht_err *err)
{
	char *colon = strchr(pair, ':');
	enum arch a = colon ? arch_parse(pair, (int)(colon - pair)) : ARCH_NONE;
	double us;

	if (a == ARCH_NONE)
		return ht_err_set(err, "%s: \"%.60s\", expected ARCH:US, such as cpu:1200", where, pair);
	if (cost_us[a] >= 0)
		return ht_err_set(err, "%s: %s stands twice", where, arch_name(a));
	if (number_parse(colon + 1, &us) != 0 || us <= 0 || us > MAX_US)
		return ht_err_set(err, "%s: \"%.60s\", expected a time above 0 and up to %g us", where, pair, MAX_US);
	cost_us[a] = us;
	return 0;
}

int costs_add(struct costs *c, const char *text, const char *where, struct ht_err *err)
{
	const char *equals = strchr(text, '=');
	struct given *g;
	double cost_us[ARCH_COUNT];
	char *copy, *save = NULL;
	int rc = 0, npairs = 0;

	if (!equals || equals == text || !equals[1])
		return ht_err_set(err, "%s: \"%.60s\", expected TYPE=ARCH:US,ARCH:US", where, text);
	for (int a = 0; a < ARCH_COUNT; a++)
		cost_us[a] = -1;
	copy = ht_strndup(equals + 1, strlen(equals + 1));
	for (char *s = strtok_r(copy, ", \t", &save); s && rc == 0; s = strtok_r(NULL, ", \t", &save), npairs++)
		rc = parse_pair(s, cost_us, where, err);
	if (rc == 0 && npairs == 0)
		rc = ht_err_set(err, "%s: \"%.60s\", expected TYPE=ARCH:US,ARCH:US", where, text);
	free(copy);
	if (rc != 0)
		return -1;
	g = VEC_PUSH(c->items, c->count, c->cap);
	g->type = ht_strndup(text, (size_t)(equals - text));
	memcpy(g->cost_us, cost_us, sizeof(cost_us));
	return 0;
}

int costs_add_file(struct costs *c, const char *path, struct ht_err *err)
{
	char *text = file_read(path, 1 << 20, NULL, err);
	int rc = text ? 0 : -1, line = 0;

	for (char *s = text, *end; rc == 0 && *s; s = end) {
		char *where;
		size_t len = strcspn(s, "\n");

		line++;
		end = s + len + (s[len] != '\0');
		s[len] = '\0';
		s += strspn(s, " \t");
		s[strcspn(s, "\r")] = '\0';
		if (!*s || *s == '#')
			continue;
		where = ht_asprintf("%s:%d", path, line);
		rc = costs_add(c, s, where, err);
		free(where);
	}
	free(text);
	return rc;
}

int costs_apply(struct costs *c, const char *type, double cost_us[ARCH_COUNT])
{
	int given = 0;

	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->items[i].type, type) == 0) {
			c->items[i].used = given = 1;
			memcpy(cost_us, c->items[i].cost_us, sizeof(c->items[i].cost_us));
		}
	return given;
}

const char *costs_unused(const struct costs *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (!c->items[i].used)
			return c->items[i].type;
	return NULL;
}
