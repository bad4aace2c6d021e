/* core/perfmodel/model_text.c - performance models as StarPU's text files, versions 42 to 45. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * A file is a sequence of numbers, with comment lines between them that say nothing binding. What the versions share is
 * a history: the number of its rows, the two regressions, the rows. What is around it differs (src/core/perfmodel/
 * perfmodel_history.c of StarPU):
 *   42 (1.1)       CPU, CUDA, OpenCL, MIC, SCC in this order: number of devices; for each, of core counts; for each, of
 *                  implementations. The last two kinds may be missing.
 *   44, 45 (1.2-)  number of combinations; for each, of devices, each with kind, number and cores; of implementations.
 *   45 (1.3-)      has the coefficients of a multiple regression in front of the rows.
 * No release of StarPU wrote 43, a development version between the two forms: it is read as whichever of them it fits.
 *
 * Two defects of files that StarPU itself ships are taken as they are. More combinations than the number in front says
 * (overlap_sleep_1024_24.sirocco): those after it are not read, neither here nor by StarPU. The number of coefficients
 * in front of a, b, c instead of after (starpu_dlu_lu_model_gemm.idgraf, on which StarPU aborts): one column is not
 * three.
 */
#include "core/perfmodel/model_parts.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/number.h"
#include "core/perfmodel/scan.h"

enum { TOKEN_MAX = 64, ROW_COLUMNS = 8, SCC = 4 };

static const double MAX_US = 1e18; /* 30 000 years: above it a sum could overflow */

struct model_text {
	const char *path, *at;
	int line;
	struct ht_err *err;
};

int model_number(const char *text, double *value)
{
	const char *s = text + (*text == '-' || *text == '+');
	char *end;
	double v;

	if (strncasecmp(s, "nan", 3) == 0)
		*value = NAN;
	else if (strcasecmp(s, "inf") == 0 || strcasecmp(s, "infinity") == 0)
		*value = *text == '-' ? -INFINITY : INFINITY;
	else if (!strchr(text, ','))
		return number_parse(text, value);
	else {
		v = scan_number(text, &end);
		if (*end || !isfinite(v))
			return -1;
		*value = v;
	}
	return 0;
}

int model_add_row(struct model_build *b, const struct model_place *at, const struct model_row *row, const char *path,
                  int line, struct ht_err *err)
{
	struct model_entry *e;

	/* StarPU drops the first sample of a footprint and may write the row before the second. */
	if (row->samples == 0 || at->arch == ARCH_NONE)
		return 0;
	if (!(row->mean_us >= 0 && row->mean_us <= MAX_US) || !(row->deviation_us >= 0 && row->deviation_us <= MAX_US))
		return ht_err_set(err, "%s:%d: mean %g us with a deviation of %g us, expected both in 0 to %g", path,
		                  line, row->mean_us, row->deviation_us, MAX_US);
	if (row->flops < 0)
		return ht_err_set(err, "%s:%d: %g flops, expected 0 or more", path, line, row->flops);
	e = VEC_PUSH(b->entries, b->nentries, b->entries_cap);
	*e = (struct model_entry){
		.footprint = (uint32_t)row->footprint,
		.arch = at->arch,
		.devid = at->devid,
		.ncores = at->ncores,
		.impl = at->impl,
		.size_bytes = row->size_bytes,
		.flops = isfinite(row->flops) ? row->flops : 0,
		.mean_us = row->mean_us,
		.deviation_us = row->deviation_us,
		.samples = (uint64_t)row->samples,
	};
	return 0;
}

/* To the next character that is neither space nor part of a comment. */
static void skip(struct model_text *t)
{
	for (;;) {
		while (isspace((unsigned char)*t->at))
			t->line += *t->at++ == '\n';
		if (*t->at != '#')
			return;
		t->at += strcspn(t->at, "\n");
	}
}

static int token(struct model_text *t, const char *what, char text[TOKEN_MAX])
{
	size_t len;

	skip(t);
	len = strcspn(t->at, " \t\r\n\v\f");
	if (len == 0)
		return ht_err_set(t->err, "%s:%d: the file ends, expected %s", t->path, t->line, what);
	if (len >= TOKEN_MAX)
		return ht_err_set(t->err, "%s:%d: a word of %zu bytes, expected %s", t->path, t->line, len, what);
	memcpy(text, t->at, len);
	text[len] = '\0';
	t->at += len;
	return 0;
}

static int integer(struct model_text *t, const char *what, int min, int max, int *value)
{
	char text[TOKEN_MAX];
	int64_t v;

	if (token(t, what, text) != 0)
		return -1;
	if (number_parse_int(text, min, max, &v) != 0)
		return ht_err_set(t->err, "%s:%d: \"%s\", expected %s, from %d to %d", t->path, t->line, text, what,
		                  min, max);
	*value = (int)v;
	return 0;
}

static int real(struct model_text *t, const char *what, double *value)
{
	char text[TOKEN_MAX];

	if (token(t, what, text) != 0)
		return -1;
	return model_number(text, value) == 0 ?
	               0 :
	               ht_err_set(t->err, "%s:%d: \"%s\", expected %s", t->path, t->line, text, what);
}

static int row_columns(struct model_text *t, char columns[ROW_COLUMNS][TOKEN_MAX])
{
	int n = 0;

	skip(t);
	if (!*t->at)
		return ht_err_set(t->err, "%s:%d: the file ends, expected a row of the history", t->path, t->line);
	while (*t->at && *t->at != '\n') {
		size_t len = strcspn(t->at, " \t\r\n\v\f");

		if (n == ROW_COLUMNS || len >= TOKEN_MAX)
			return ht_err_set(t->err, "%s:%d: a row of more than %d columns, expected 7 or 8", t->path,
			                  t->line, n);
		memcpy(columns[n], t->at, len);
		columns[n++][len] = '\0';
		t->at += len;
		t->at += strspn(t->at, " \t\r\v\f");
	}
	if (n < 7)
		return ht_err_set(t->err, "%s:%d: a row of %d columns, expected 7 or 8", t->path, t->line, n);
	return n;
}

/* footprint size [flops] mean deviation sum sum2 n */
static int read_row(struct model_text *t, struct model_build *b, const struct model_place *at)
{
	char columns[ROW_COLUMNS][TOKEN_MAX];
	struct model_row row = {0};
	int n = row_columns(t, columns), i = n == ROW_COLUMNS ? 3 : 2, bad; /* i: the column of the mean */

	if (n < 0)
		return -1;
	bad = number_parse_hex(columns[0], UINT32_MAX, &row.footprint) != 0 ||
	      number_parse_int(columns[1], 0, INT64_MAX, &row.size_bytes) != 0 ||
	      (n == ROW_COLUMNS && model_number(columns[2], &row.flops) != 0) ||
	      model_number(columns[i], &row.mean_us) != 0 || model_number(columns[i + 1], &row.deviation_us) != 0 ||
	      model_number(columns[i + 2], &row.sum_us) != 0 || model_number(columns[i + 3], &row.sum2_us2) != 0 ||
	      number_parse_int(columns[i + 4], 0, UINT32_MAX, &row.samples) != 0;
	if (bad)
		return ht_err_set(
			t->err,
			"%s:%d: a row that starts \"%s %s\", expected footprint, size, [flops,] mean, deviation, "
			"sum, sum2, n",
			t->path, t->line, columns[0], columns[1]);
	return model_add_row(b, at, &row, t->path, t->line, t->err);
}

static int columns_of_next_line(struct model_text *t)
{
	const char *s;
	int n = 0;

	skip(t);
	for (s = t->at; *s && *s != '\n' && *s != '#'; s += strspn(s, " \t\r\v\f")) {
		s += strcspn(s, " \t\r\n\v\f");
		n++;
	}
	return n;
}

static int skip_coefficients(struct model_text *t)
{
	double v;
	int n;

	if (integer(t, "a number of coefficients", 0, 65535, &n) != 0)
		return -1;
	while (n-- > 0)
		if (real(t, "a coefficient of the multiple regression", &v) != 0)
			return -1;
	return 0;
}

/*
 * sumlnx sumlnx2 sumlny sumlnxlny alpha beta n minx maxx; a b c; in 45 the number of coefficients and these. Not used:
 * durations are those of footprints that were measured.
 */
static int skip_regressions(struct model_text *t, const struct model_build *b)
{
	int coefficients = b->version >= 45;
	double v;

	for (int i = 0; i < 9; i++)
		if (real(t, "a number of the regression (9 columns)", &v) != 0)
			return -1;
	if (coefficients && columns_of_next_line(t) == 1) {
		if (skip_coefficients(t) != 0)
			return -1;
		coefficients = 0;
	}
	for (int i = 0; i < 3; i++)
		if (real(t, "a number of the non-linear regression (3 columns)", &v) != 0)
			return -1;
	return coefficients ? skip_coefficients(t) : 0;
}

static int read_implementations(struct model_text *t, struct model_build *b, struct model_place *at)
{
	int nimpls, nentries;

	if (integer(t, "a number of implementations", 0, MODEL_MAX_IMPLS, &nimpls) != 0)
		return -1;
	for (int i = 0; i < nimpls; i++) {
		at->impl = (uint16_t)i;
		if (integer(t, "a number of entries", 0, MODEL_MAX_ENTRIES, &nentries) != 0 ||
		    skip_regressions(t, b) != 0)
			return -1;
		while (nentries-- > 0)
			if (read_row(t, b, at) != 0)
				return -1;
	}
	return 0;
}

static int read_combination(struct model_text *t, struct model_build *b)
{
	struct model_place at = {0};
	int ndevices, type, devid, ncores;

	if (integer(t, "a number of devices", 1, MODEL_MAX_DEVICES, &ndevices) != 0)
		return -1;
	for (int i = 0; i < ndevices; i++) {
		if (integer(t, "a kind of device", 0, ARCH_COUNT - 1, &type) != 0 ||
		    integer(t, "a device number", 0, UINT16_MAX, &devid) != 0 ||
		    integer(t, "a number of cores", 0, UINT16_MAX, &ncores) != 0)
			return -1;
		at = (struct model_place){(enum arch)type, (uint16_t)devid, (uint16_t)ncores, 0};
		if (type == SCC && b->version < 45)
			at.arch = ARCH_NONE;
	}
	if (ndevices > 1) /* one task on several devices at once: no key of ours names it */
		at.arch = ARCH_NONE;
	return read_implementations(t, b, &at);
}

static int read_combinations(struct model_text *t, struct model_build *b)
{
	int n;

	if (integer(t, "a number of combinations", 0, MODEL_MAX_COMBS, &n) != 0)
		return -1;
	while (n-- > 0)
		if (read_combination(t, b) != 0)
			return -1;
	return 0;
}

static int read_kinds(struct model_text *t, struct model_build *b)
{
	static const enum arch kinds[] = {ARCH_CPU, ARCH_CUDA, ARCH_OPENCL, ARCH_MIC, ARCH_NONE};
	int ndevices, ncores;

	for (int k = 0; k < 5; k++) {
		skip(t);
		if (k >= 3 && !*t->at)
			break;
		if (integer(t, "a number of devices", 0, MODEL_MAX_DEVICES, &ndevices) != 0)
			return -1;
		for (int d = 0; d < ndevices; d++) {
			if (integer(t, "a number of core counts", 0, MODEL_MAX_COMBS, &ncores) != 0)
				return -1;
			for (int c = 1; c <= ncores; c++) {
				struct model_place at = {kinds[k], (uint16_t)d, (uint16_t)c, 0};

				if (read_implementations(t, b, &at) != 0)
					return -1;
			}
		}
	}
	return 0;
}

static int read_body(struct model_text *t, struct model_build *b,
                     int (*read)(struct model_text *, struct model_build *))
{
	if (read(t, b) != 0)
		return -1;
	skip(t);
	return *t->at ? ht_err_set(t->err, "%s:%d: \"%.*s\" after the last entry, expected the end of the file",
	                           t->path, t->line, (int)strnlen(t->at, 20), t->at) :
	                0;
}

int model_read_text(struct model_build *b, const char *path, const char *text, struct ht_err *err)
{
	struct model_text t = {path, text, 1, err}, again;
	struct ht_err first = {""};

	if (integer(&t, "a version of the format", 42, 45, &b->version) != 0)
		return -1;
	if (b->version == 42)
		return read_body(&t, b, read_kinds);
	if (b->version > 43)
		return read_combinations(&t, b);
	again = t;
	t.err = &first;
	if (read_body(&t, b, read_combinations) == 0)
		return 0;
	b->nentries = 0;
	again.err = NULL;
	return read_body(&again, b, read_kinds) == 0 ? 0 : ht_err_set(err, "%s", first.text);
}
