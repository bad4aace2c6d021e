/* core/perfmodel/model.c - performance models: durations of codelets by architecture and footprint. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/perfmodel/model.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/perfmodel/model_parts.h"

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
	arena_free(set->arena);
	free(set->models);
	free(set);
}

/* The first model whose symbol is not below; count when there is none. */
static size_t place_of(const struct model_set *set, const char *symbol)
{
	size_t lo = 0, hi = set->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(set->models[mid].symbol, symbol) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct model *model_find(const struct model_set *set, const char *symbol)
{
	size_t i = place_of(set, symbol);

	return i < set->count && strcmp(set->models[i].symbol, symbol) == 0 ? &set->models[i] : NULL;
}

static int by_arch_and_footprint(const void *a, const void *b)
{
	const struct model_entry *x = a, *y = b;

	if (x->arch != y->arch)
		return x->arch < y->arch ? -1 : 1;
	if (x->footprint != y->footprint)
		return x->footprint < y->footprint ? -1 : 1;
	if (x->devid != y->devid)
		return x->devid < y->devid ? -1 : 1;
	if (x->impl != y->impl)
		return x->impl < y->impl ? -1 : 1;
	return (x->mean_us > y->mean_us) - (x->mean_us < y->mean_us);
}

void model_sort(struct model *m)
{
	if (m->nentries)
		qsort(m->entries, m->nentries, sizeof(*m->entries), by_arch_and_footprint);
}

struct model *model_insert(struct model_set *set, const struct model_build *b, const char *symbol, const char *host)
{
	size_t at = place_of(set, symbol);
	struct model *m;

	VEC_PUSH(set->models, set->count, set->cap);
	m = &set->models[at];
	memmove(m + 1, m, (set->count - 1 - at) * sizeof(*m));
	*m = (struct model){
		.symbol = arena_strndup(set->arena, symbol, strlen(symbol)),
		.host = arena_strndup(set->arena, host, strlen(host)),
		.version = b->version,
		.nentries = b->nentries,
		.entries = arena_alloc(set->arena, b->nentries, sizeof(*m->entries)),
	};
	if (b->nentries)
		memcpy(m->entries, b->entries, b->nentries * sizeof(*m->entries));
	model_sort(m);
	return m;
}

int model_set_add_file(struct model_set *set, const char *path, const char *symbol, const char *host,
                       struct ht_err *err)
{
	struct model_build b = {0};
	char *text, *start;
	int rc;

	if (model_find(set, symbol))
		return ht_err_set(err, "%s: a second model of %s, expected one", path, symbol);
	text = file_read(path, MODEL_MAX_BYTES, NULL, err);
	if (!text)
		return -1;
	for (start = text; isspace((unsigned char)*start); start++)
		;
	rc = *start == '<' ? model_read_xml(&b, path, err) : model_read_text(&b, path, text, err);
	if (rc == 0)
		model_insert(set, &b, symbol, host ? host : "");
	free(b.entries);
	free(text);
	return rc;
}

/* Which entries count; devid -1: those of every device. */
struct selection {
	enum arch arch;
	int devid;
	uint32_t footprint;
};

struct summary {
	double mean_us, deviation_us; /* both < 0: no sample */
};

static int selected(const struct model_entry *e, const struct selection *s)
{
	return e->ncores <= 1 && (s->devid < 0 || e->devid == s->devid);
}

const struct model_entry *model_rows(const struct model *m, enum arch arch, uint32_t footprint, size_t *n)
{
	size_t lo = 0, hi = m->nentries;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct model_entry *e = &m->entries[mid];

		if (e->arch < arch || (e->arch == arch && e->footprint < footprint))
			lo = mid + 1;
		else
			hi = mid;
	}
	*n = 0;
	while (lo + *n < m->nentries && m->entries[lo + *n].arch == arch && m->entries[lo + *n].footprint == footprint)
		++*n;
	return m->entries + lo;
}

static struct summary summarize(const struct model_entry *entries, size_t nentries, const struct selection *s, int impl)
{
	double n = 0, sum = 0, square = 0;

	for (size_t i = 0; i < nentries; i++)
		if (entries[i].impl == impl && selected(&entries[i], s)) {
			n += (double)entries[i].samples;
			sum += entries[i].mean_us * (double)entries[i].samples;
		}
	if (n <= 0)
		return (struct summary){-1, -1};
	for (size_t i = 0; i < nentries; i++)
		if (entries[i].impl == impl && selected(&entries[i], s)) {
			const struct model_entry *e = &entries[i];
			double off = e->mean_us - sum / n;

			square += (double)e->samples * (e->deviation_us * e->deviation_us + off * off);
		}
	return (struct summary){sum / n, sqrt(square / n)};
}

/* Of the fastest implementation: the one that a scheduler with these models would choose. */
static struct summary fastest(const struct model *m, const struct selection *s)
{
	struct summary best = {-1, -1};
	uint64_t seen = 0;
	size_t nentries;
	const struct model_entry *entries = model_rows(m, s->arch, s->footprint, &nentries);

	for (size_t i = 0; i < nentries; i++) {
		int impl = entries[i].impl;
		struct summary one;

		if (!selected(&entries[i], s) || (seen >> impl & 1))
			continue;
		seen |= UINT64_C(1) << impl;
		one = summarize(entries, nentries, s, impl);
		if (best.mean_us < 0 || one.mean_us < best.mean_us)
			best = one;
	}
	return best;
}

double model_mean_us(const struct model *m, enum arch arch, uint32_t footprint)
{
	return fastest(m, &(struct selection){arch, -1, footprint}).mean_us;
}

double model_device_mean_us(const struct model *m, enum arch arch, int devid, uint32_t footprint)
{
	return devid < 0 ? -1 : fastest(m, &(struct selection){arch, devid, footprint}).mean_us;
}

double model_deviation_us(const struct model *m, enum arch arch, uint32_t footprint)
{
	return fastest(m, &(struct selection){arch, -1, footprint}).deviation_us;
}
