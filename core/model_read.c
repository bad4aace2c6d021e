/* core/model_read.c - StarPU's performance model files, the text form of versions 42 to 45. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers in a fixed order (dump_model_file() of src/core/perfmodel/perfmodel_history.c in StarPU 1.4); what stands in comments
 * differs between writers and is not looked at. Version 45 has a line for multiple regression, older ones do not; rows of
 * version 44 and before may lack the column of flops. Comments are followed by blank lines, never broken by them.
 */
#include "core/model_read.h"

#include <math.h>
#include <stddef.h>

#include "core/alloc.h"
#include "core/err.h"
#include "core/scan.h"

/* Far above what any StarPU writes: a file that says more is not a model. */
enum { MAX_COMBINATIONS = 4096, MAX_DEVICES = 64, MAX_IMPLS = 64, MAX_ENTRIES = 10000000, MAX_COEFFICIENTS = 1024 };

void model_draft_entry(struct model_draft *d, const struct model_entry *e)
{
	if (e->samples == 0 || !isfinite(e->mean_us) || e->mean_us <= 0)
		return;
	*VEC_PUSH(d->m.entries, d->m.nentries, d->cap_entries) = *e;
}

void model_draft_regression(struct model_draft *d, const struct model_regression *r)
{
	*VEC_PUSH(d->m.regressions, d->m.nregressions, d->cap_regressions) = *r;
}

/* Where rows belong: filled in from the combination's header. */
struct place {
	enum arch arch;
	int64_t devid, ncores, impl;
	int64_t ndevices;
};

static int read_device(struct scan *s, struct place *p, struct ht_err *err)
{
	int64_t type, devid, ncores;

	if (scan_int(s, "a device type from 0 to 7", 0, ARCH_COUNT - 1, &type, err) != 0 ||
	    scan_int(s, "a device number", 0, 65535, &devid, err) != 0 ||
	    scan_int(s, "a number of cores", 0, 65535, &ncores, err) != 0)
		return -1;
	p->arch = (enum arch)type;
	p->devid = devid;
	p->ncores = ncores;
	return 0;
}

static int read_regressions(struct scan *s, const struct place *p, int version, struct model_draft *d, struct ht_err *err)
{
	double v[12];
	int64_t n;
	struct model_regression r = {.arch = p->arch, .devid = (uint16_t)p->devid, .ncores = (uint16_t)p->ncores,
	                             .impl = (uint16_t)p->impl};

	for (int i = 0; i < 12; i++) /* sumlnx sumlnx2 sumlny sumlnxlny alpha beta n minx maxx, then a b c */
		if (scan_real(s, "a coefficient of regression", &v[i], err) != 0)
			return -1;
	r.alpha = v[4];
	r.beta = v[5];
	r.a = v[9];
	r.b = v[10];
	r.c = v[11];
	model_draft_regression(d, &r);
	if (version < 45)
		return 0;
	if (scan_int(s, "a number of coefficients", 0, MAX_COEFFICIENTS, &n, err) != 0)
		return -1;
	for (int64_t i = 0; i < n; i++)
		if (scan_real(s, "a coefficient of multiple regression", &v[0], err) != 0)
			return -1;
	return 0;
}

static int read_footprint(struct scan *s, uint32_t *footprint, struct ht_err *err)
{
	uint64_t v = 0;
	int digits = 0;

	scan_skip(s);
	for (; digits < 9; s->at++, digits++) {
		char c = *s->at;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	if (digits == 0 || digits > 8 || (*s->at != ' ' && *s->at != '\t'))
		return ht_err_set(err, "%s:%d: expected a footprint of 8 hexadecimal digits", s->path, s->line);
	*footprint = (uint32_t)v;
	return 0;
}

static int read_entry(struct scan *s, const struct place *p, struct model_draft *d, struct ht_err *err)
{
	struct model_entry e = {.arch = p->arch, .devid = (uint16_t)p->devid, .ncores = (uint16_t)p->ncores,
	                        .impl = (uint16_t)p->impl};
	int64_t samples;
	double ignored;
	int columns;

	if (read_footprint(s, &e.footprint, err) != 0)
		return -1;
	columns = scan_columns(s);
	if (columns != 6 && columns != 7)
		return ht_err_set(err, "%s:%d: expected a row of 7 or 8 columns, found %d", s->path, s->line, columns + 1);
	if (scan_int(s, "a size in bytes", 0, INT64_MAX, &e.size_bytes, err) != 0 ||
	    (columns == 7 && scan_real(s, "a number of operations", &e.flops, err) != 0) ||
	    scan_real(s, "a mean in us", &e.mean_us, err) != 0 || scan_real(s, "a deviation in us", &e.deviation_us, err) != 0 ||
	    scan_real(s, "a sum", &ignored, err) != 0 || scan_real(s, "a sum of squares", &ignored, err) != 0 ||
	    scan_int(s, "a number of samples", 0, INT64_MAX, &samples, err) != 0)
		return -1;
	e.samples = (uint64_t)samples;
	if (p->ndevices == 1)
		model_draft_entry(d, &e);
	return 0;
}

static int read_combination(struct scan *s, int version, struct model_draft *d, struct ht_err *err)
{
	struct place p = {.arch = ARCH_CPU};
	int64_t nimpls, nentries;

	if (scan_int(s, "a number of devices", 1, MAX_DEVICES, &p.ndevices, err) != 0)
		return -1;
	for (int64_t i = 0; i < p.ndevices; i++)
		if (read_device(s, &p, err) != 0)
			return -1;
	if (scan_int(s, "a number of implementations", 0, MAX_IMPLS, &nimpls, err) != 0)
		return -1;
	for (p.impl = 0; p.impl < nimpls; p.impl++) {
		if (scan_int(s, "a number of entries", 0, MAX_ENTRIES, &nentries, err) != 0 ||
		    read_regressions(s, &p, version, d, err) != 0)
			return -1;
		for (int64_t i = 0; i < nentries; i++)
			if (read_entry(s, &p, d, err) != 0)
				return -1;
	}
	return 0;
}

int model_read_text(struct model_draft *d, const char *path, const char *text, struct ht_err *err)
{
	struct scan s = {.path = path, .at = text, .line = 1};
	int64_t version, ncombinations;

	if (scan_end(&s))
		return ht_err_set(err, "%s: is empty, expected a performance model", path);
	if (scan_int(&s, "a model version from 42 to 45", 42, 45, &version, err) != 0 ||
	    scan_int(&s, "a number of combinations", 0, MAX_COMBINATIONS, &ncombinations, err) != 0)
		return -1;
	d->m.version = (int)version;
	for (int64_t i = 0; i < ncombinations; i++)
		if (read_combination(&s, (int)version, d, err) != 0)
			return -1;
	if (!scan_end(&s))
		return ht_err_set(err, "%s:%d: more follows behind the last of %lld combinations", path, s.line,
		                  (long long)ncombinations);
	return 0;
}
