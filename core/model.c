/* core/model.c - performance models: the set of a directory, and what is asked of it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/model.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/err.h"
#include "core/model_read.h"
#include "core/outfile.h"

enum { MAX_FILE = 256 << 20 };

struct model_set *model_set_create(void)
{
	struct model_set *set = ht_alloc(1, sizeof(*set));

	set->arena = arena_create();
	return set;
}

void model_set_free(struct model_set *set)
{
	if (!set)
		return;
	free(set->models);
	arena_free(set->arena);
	free(set);
}

/* Rows one asks for together stand together. */
static int entry_order(const void *x, const void *y)
{
	const struct model_entry *a = x, *b = y;

	if (a->arch != b->arch)
		return a->arch < b->arch ? -1 : 1;
	if (a->footprint != b->footprint)
		return a->footprint < b->footprint ? -1 : 1;
	if (a->devid != b->devid)
		return a->devid < b->devid ? -1 : 1;
	return a->impl < b->impl ? -1 : a->impl > b->impl;
}

static void *moved(struct arena *a, void *array, size_t n, size_t size)
{
	void *p = arena_alloc(a, n, size);

	if (n)
		memcpy(p, array, n * size);
	free(array);
	return p;
}

/* Keeps the set sorted; a symbol that is already there is replaced, the last directory read wins. */
static void insert(struct model_set *set, const struct model *m)
{
	size_t i = 0;

	while (i < set->count && strcmp(set->models[i].symbol, m->symbol) < 0)
		i++;
	if (i == set->count || strcmp(set->models[i].symbol, m->symbol) != 0) {
		(void)VEC_PUSH(set->models, set->count, set->cap);
		memmove(set->models + i + 1, set->models + i, (set->count - 1 - i) * sizeof(*m));
	}
	set->models[i] = *m;
}

int model_set_add_file(struct model_set *set, const char *path, const char *symbol, const char *host, struct ht_err *err)
{
	struct model_draft d = {0};
	char *text = file_read(path, MAX_FILE, NULL, err);
	const char *first;
	int rc;

	if (!text)
		return -1;
	first = text + strspn(text, " \t\r\n");
	rc = *first == '<' ? model_read_xml(&d, path, err) : model_read_text(&d, path, text, err);
	free(text);
	if (rc != 0) {
		free(d.m.entries);
		free(d.m.regressions);
		return -1;
	}
	if (d.m.nentries)
		qsort(d.m.entries, d.m.nentries, sizeof(*d.m.entries), entry_order);
	d.m.symbol = arena_strndup(set->arena, symbol, strlen(symbol));
	d.m.host = arena_strndup(set->arena, host, strlen(host));
	d.m.entries = moved(set->arena, d.m.entries, d.m.nentries, sizeof(*d.m.entries));
	d.m.regressions = moved(set->arena, d.m.regressions, d.m.nregressions, sizeof(*d.m.regressions));
	insert(set, &d.m);
	return 0;
}

static int name_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in a directory, sorted, without those that begin with a dot; free each and the array. */
static char **names_in(const char *dir, size_t *n)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char **names = NULL;
	size_t cap = 0;

	*n = 0;
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			*VEC_PUSH(names, *n, cap) = ht_strndup(e->d_name, strlen(e->d_name));
	if (d)
		closedir(d);
	if (*n)
		qsort(names, *n, sizeof(*names), name_order);
	return names;
}

/* "SYMBOL.HOST" -> length of SYMBOL, 0 when it is not of this host. host NULL: what is behind the first dot. */
static size_t symbol_length(const char *name, const char *host)
{
	size_t len = strlen(name), h = host ? strlen(host) : 0;

	if (!host)
		return strcspn(name, ".");
	return len > h + 1 && name[len - h - 1] == '.' && strcmp(name + len - h, host) == 0 ? len - h - 1 : 0;
}

/* host NULL and models of several hosts: which one is meant is not ours to guess. */
static int one_host(const char *dir, char **names, size_t n, struct ht_err *err)
{
	const char *first = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *dot = strchr(names[i], '.');

		if (!dot)
			continue;
		if (first && strcmp(first, dot) != 0)
			return ht_err_set(err, "%s: has models of several machines, %s and %s among them: expected to be told which", dir,
			                  first + 1, dot + 1);
		first = dot;
	}
	return 0;
}

static int add_names(struct model_set *set, const char *dir, const char *host, struct ht_err *err)
{
	size_t n;
	char **names = names_in(dir, &n);
	int rc = host ? 0 : one_host(dir, names, n, err);

	for (size_t i = 0; i < n; i++) {
		size_t len = symbol_length(names[i], host);

		if (rc == 0 && len) {
			char *path = ht_asprintf("%s/%s", dir, names[i]), *symbol = ht_strndup(names[i], len);
			const char *of = names[i][len] ? names[i] + len + 1 : "";

			rc = model_set_add_file(set, path, symbol, of, err);
			free(path);
			free(symbol);
		}
	}
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return rc;
}

int model_set_add_dir(struct model_set *set, const char *dir, const char *host, struct ht_err *err)
{
	char *codelets = ht_asprintf("%s/codelets", dir);
	int rc = 0;

	if (!file_exists(codelets)) {
		rc = file_exists(dir) ? add_names(set, dir, host, err)
		                      : ht_err_set(err, "%s: cannot be read: no such directory of models", dir);
	} else {
		for (int version = 42; version <= 45 && rc == 0; version++) {
			char *sub = ht_asprintf("%s/%d", codelets, version);

			rc = add_names(set, sub, host, err);
			free(sub);
		}
	}
	free(codelets);
	return rc;
}

const struct model *model_find(const struct model_set *set, const char *symbol)
{
	size_t lo = 0, hi = set->count;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int order = strcmp(set->models[mid].symbol, symbol);

		if (order == 0)
			return &set->models[mid];
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* Rows of one architecture and footprint are [first, last). */
static void rows(const struct model *m, enum arch arch, uint32_t footprint, size_t *first, size_t *last)
{
	const struct model_entry key = {.arch = arch, .footprint = footprint};
	size_t lo = 0, hi = m->nentries;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (entry_order(&m->entries[mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*first = lo;
	while (lo < m->nentries && m->entries[lo].arch == arch && m->entries[lo].footprint == footprint)
		lo++;
	*last = lo;
}

/* The fastest implementation's statistics over the devices, weighted by samples. devid < 0: all of them. */
static int statistics(const struct model *m, enum arch arch, int devid, uint32_t footprint, double *mean, double *deviation)
{
	size_t first, last;
	double best = INFINITY;

	rows(m, arch, footprint, &first, &last);
	for (size_t i = first; i < last; i++) {
		double n = 0, sum = 0, squares = 0;

		for (size_t j = first; j < last; j++) {
			const struct model_entry *e = &m->entries[j];

			if (e->impl != m->entries[i].impl || e->ncores > 1 || (devid >= 0 && e->devid != devid))
				continue;
			n += (double)e->samples;
			sum += (double)e->samples * e->mean_us;
			squares += (double)e->samples * (e->mean_us * e->mean_us + e->deviation_us * e->deviation_us);
		}
		if (n > 0 && sum / n < best) {
			best = sum / n;
			*mean = best;
			*deviation = sqrt(fmax(0, squares / n - best * best));
		}
	}
	return isfinite(best) ? 0 : -1;
}

double model_mean_us(const struct model *m, enum arch arch, uint32_t footprint)
{
	double mean = -1, deviation;

	return statistics(m, arch, -1, footprint, &mean, &deviation) == 0 ? mean : -1;
}

double model_deviation_us(const struct model *m, enum arch arch, uint32_t footprint)
{
	double mean, deviation = -1;

	return statistics(m, arch, -1, footprint, &mean, &deviation) == 0 ? deviation : -1;
}

double model_device_mean_us(const struct model *m, enum arch arch, int devid, uint32_t footprint)
{
	double mean = -1, deviation;

	return statistics(m, arch, devid, footprint, &mean, &deviation) == 0 ? mean : -1;
}
