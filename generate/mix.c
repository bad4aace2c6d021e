/* generate/mix.c - types of tasks with their shares, costs and predecessors, from a file. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "generate/mix.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "generate/costs.h"

static const char BLANKS[] = " \t\r";

static int number(char **rest, double least, double most, const char *what, double *value, struct ht_err *err)
{
	const char *word = strtok_r(NULL, BLANKS, rest);

	if (!word || number_parse(word, value) != 0 || *value < least || *value > most)
		return ht_err_set(err, "%s: \"%.40s\", expected a number from %g to %g", what, word ? word : "", least,
		                  most);
	return 0;
}

/* Name, share and costs. */
static int begin_type(struct mix *m, struct mix_type *t, const char *name, char **rest, struct ht_err *err)
{
	const char *word;
	struct costs *costs;
	char *text;
	int rc;

	if (strlen(name) >= sizeof(t->name))
		return ht_err_set(err, "\"%.60s\": a name has at most %zu characters", name, sizeof(t->name) - 1);
	for (uint32_t i = 0; i < m->ntypes; i++)
		if (strcmp(m->types[i].name, name) == 0)
			return ht_err_set(err, "%s stands twice", name);
	strcpy(t->name, name);
	if (number(rest, 1e-9, 1e9, "share", &t->share, err) != 0)
		return -1;
	word = strtok_r(NULL, BLANKS, rest);
	if (!word)
		return ht_err_set(err, "%s: there are no costs, expected some such as cpu:1200,cuda:90", name);
	costs = costs_create();
	text = ht_asprintf("%s=%s", name, word);
	rc = costs_add(costs, text, "costs", err);
	if (rc == 0)
		costs_apply(costs, name, t->cost_us);
	free(text);
	costs_free(costs);
	return rc;
}

/* The rows wait until it is known how many types there are. */
static int read_row(struct mix *m, uint32_t i, char *rest, struct ht_err *err)
{
	for (uint32_t j = 0; j < m->ntypes; j++)
		if (number(&rest, 0, MIX_MOST_PREDECESSORS, "predecessors", &m->types[i].predecessors[j], err) != 0)
			return -1;
	if (strtok_r(NULL, BLANKS, &rest))
		return ht_err_set(err, "%s: more than %u numbers of predecessors, one for each type", m->types[i].name,
		                  (unsigned)m->ntypes);
	return 0;
}

static int parse(struct mix *m, char *text, const char *path, struct ht_err *err)
{
	char *rows[RANDOM_TYPES_MAX];
	int lines[RANDOM_TYPES_MAX], line = 0;

	for (char *s = text, *end; *s; s = end) {
		char *rest = NULL, *name;
		size_t len = strcspn(s, "\n");

		line++;
		end = s + len + (s[len] != '\0');
		s[len] = '\0';
		name = strtok_r(s, BLANKS, &rest);
		if (!name || *name == '#')
			continue;
		if (m->ntypes == RANDOM_TYPES_MAX)
			return ht_err_set(err, "%s:%d: more than %d types", path, line, RANDOM_TYPES_MAX);
		if (begin_type(m, &m->types[m->ntypes], name, &rest, err) != 0)
			return ht_err_wrap(err, "%s:%d", path, line);
		lines[m->ntypes] = line;
		rows[m->ntypes++] = rest;
	}
	if (m->ntypes == 0)
		return ht_err_set(err, "%s: there is no type", path);
	for (uint32_t i = 0; i < m->ntypes; i++)
		if (read_row(m, i, rows[i], err) != 0)
			return ht_err_wrap(err, "%s:%d", path, lines[i]);
	return 0;
}

struct mix *mix_load(const char *path, struct ht_err *err)
{
	char *text = file_read(path, 1 << 20, NULL, err);
	struct mix *m;

	if (!text)
		return NULL;
	m = ht_alloc(1, sizeof(*m));
	if (parse(m, text, path, err) != 0) {
		free(m);
		m = NULL;
	}
	free(text);
	return m;
}
