/* core/perfmodel/model_lengths.c - models that are in no file of StarPU's own: lengths.tsv of a run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/perfmodel/model_parts.h"

struct length {
	const char *symbol; /* in the text */
	size_t line;
	uint32_t data_footprint;
	struct model_entry entry;
};

enum { SYMBOL, ARCH, DEVICE, FOOTPRINT, DATA_FOOTPRINT, TASKS, MEAN, DEVIATION, NFIELDS };

/* Cuts a line into its fields. -1: it has another number of them. */
static int split(char *line, char *fields[NFIELDS])
{
	char *s = line;

	for (int n = 0; n < NFIELDS; n++) {
		size_t length = strcspn(s, "\t");

		if ((s[length] == '\0') != (n == NFIELDS - 1))
			return -1;
		fields[n] = s;
		s[length] = '\0';
		s += length + 1;
	}
	return 0;
}

/* -1: the line is none of the file. */
static int parse(char *line, struct length *l)
{
	char *f[NFIELDS];
	struct model_entry *e = &l->entry;
	int64_t devid, tasks;
	uint64_t footprint, of_data;

	if (split(line, f) != 0 || !*f[SYMBOL] || number_parse_int(f[DEVICE], 0, UINT16_MAX, &devid) != 0 ||
	    number_parse_hex(f[FOOTPRINT], UINT32_MAX, &footprint) != 0 ||
	    number_parse_hex(f[DATA_FOOTPRINT], UINT32_MAX, &of_data) != 0 ||
	    number_parse_int(f[TASKS], 1, INT64_MAX, &tasks) != 0 || number_parse(f[MEAN], &e->mean_us) != 0 ||
	    number_parse(f[DEVIATION], &e->deviation_us) != 0 || !(e->mean_us > 0) || !(e->deviation_us >= 0))
		return -1;
	e->arch = arch_parse(f[ARCH], (int)strlen(f[ARCH]));
	e->devid = (uint16_t)devid;
	e->ncores = 1;
	e->footprint = (uint32_t)footprint;
	e->samples = (uint64_t)tasks;
	l->symbol = f[SYMBOL];
	l->data_footprint = (uint32_t)of_data;
	return e->arch == ARCH_NONE ? -1 : 0;
}

static struct length *read_lengths(char *text, const char *path, size_t *n, struct ht_err *err)
{
	struct length *all = NULL;
	size_t cap = 0, line = 0;
	char *next;

	*n = 0;
	for (char *s = text; *s; s = next) {
		struct length l = {.line = line + 1};
		char shown[61];

		line++;
		next = s + strcspn(s, "\n");
		if (next > s && next[-1] == '\r')
			next[-1] = '\0';
		if (*next)
			*next++ = '\0';
		if (!*s)
			continue;
		snprintf(shown, sizeof(shown), "%.60s", s);
		if (parse(s, &l) != 0) {
			ht_err_set(err,
			           "%s:%zu: expected a model, an architecture, a device, two footprints, tasks, mean "
			           "and deviation, found \"%s\"",
			           path, line, shown);
			free(all);
			return NULL;
		}
		*VEC_PUSH(all, *n, cap) = l;
	}
	return all ? all : ht_alloc(1, sizeof(*all));
}

static int by_symbol(const void *a, const void *b)
{
	const struct length *x = a, *y = b;
	int order = strcmp(x->symbol, y->symbol);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int has_row(const struct model *m, const struct model_entry *like)
{
	size_t n;
	const struct model_entry *rows = model_rows(m, like->arch, like->footprint, &n);

	for (size_t i = 0; i < n; i++)
		if (rows[i].devid == like->devid && rows[i].ncores <= 1)
			return 1;
	return 0;
}

/*
 * Rows of one footprint and device are of several contexts or processes, and hold together; so do those of one
 * footprint of data, for tasks that have no other.
 */
static void add_rows(struct model_set *set, struct model *m, const struct length *lengths, size_t n)
{
	struct model_entry *entries = arena_alloc(set->arena, m->nentries + 2 * n, sizeof(*entries));
	const struct model before = *m;

	if (before.nentries)
		memcpy(entries, m->entries, before.nentries * sizeof(*entries));
	m->entries = entries;
	for (size_t i = 0; i < n; i++) {
		struct model_entry e = lengths[i].entry;

		if (!has_row(&before, &e))
			entries[m->nentries++] = e;
		e.footprint = lengths[i].data_footprint;
		if (e.footprint != lengths[i].entry.footprint && !has_row(&before, &e))
			entries[m->nentries++] = e;
	}
	m->is_computed |= m->nentries > before.nentries;
	model_sort(m);
}

int model_set_add_lengths(struct model_set *set, const char *path, const char *host, struct ht_err *err)
{
	char *text = file_read(path, MODEL_MAX_BYTES, NULL, err);
	size_t n = 0, last;
	struct length *all = text ? read_lengths(text, path, &n, err) : NULL;

	if (!all) {
		free(text);
		return -1;
	}
	qsort(all, n, sizeof(*all), by_symbol);
	for (size_t i = 0; i < n; i = last) {
		struct model *m = (struct model *)(uintptr_t)model_find(set, all[i].symbol);

		for (last = i; last < n && strcmp(all[last].symbol, all[i].symbol) == 0;)
			last++;
		if (!m)
			m = model_insert(set, &(struct model_build){.version = 45}, all[i].symbol, host ? host : "");
		add_rows(set, m, &all[i], last - i);
	}
	free(all);
	free(text);
	return 0;
}
