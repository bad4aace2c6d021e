/* core/config/autoheteroprio_data.c - what StarPU's AutoHeteroprio has learned of types of tasks, and its data file. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file, between comments: the number of architectures and their numbers; their busy and free times; then for each
 * type its name and whether each architecture can run it, a line of ten numbers, and for each architecture that can a
 * line of four. StarPU skips comments at some places only; here they may stand anywhere.
 */
#include "core/config/autoheteroprio_data.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/file.h"
#include "core/perfmodel/scan.h"

enum { MAX_BYTES = 1 << 22, MAX_ARCHS = 64 };

static const char no_name[] = "NO_NAME"; /* AUTOHETEROPRIO_NO_NAME */

struct reading {
	struct scan scan;
	int narchs;
	int archs[MAX_ARCHS]; /* >= ARCH_COUNT: not known here */
	struct ht_err *err;
};

static int read_count(struct reading *r, const char *what, double max, uint32_t *n)
{
	double v;

	if (scan_real(&r->scan, what, &v, r->err) < 0)
		return -1;
	if (!(v >= 0 && v <= max) || v != floor(v))
		return ht_err_set(r->err, "%s:%d: %s is %g, expected a whole number of at most %.0f", r->scan.path,
		                  r->scan.line, what, v, max);
	*n = (uint32_t)v;
	return 0;
}

static int read_amount(struct reading *r, const char *what, double *v)
{
	if (scan_real(&r->scan, what, v, r->err) < 0)
		return -1;
	if (!isfinite(*v) || *v < 0)
		return ht_err_set(r->err, "%s:%d: %s is %g, expected a number that is not negative", r->scan.path,
		                  r->scan.line, what, *v);
	return 0;
}

static int read_head(struct reading *r, struct autoheteroprio_data *l)
{
	uint32_t n, arch;

	if (read_count(r, "the number of architectures", MAX_ARCHS, &n) < 0)
		return -1;
	r->narchs = (int)n;
	for (int i = 0; i < r->narchs; i++) {
		if (read_count(r, "the number of an architecture", UINT32_MAX, &arch) < 0)
			return -1;
		r->archs[i] = arch < ARCH_COUNT ? (int)arch : ARCH_COUNT;
	}
	for (int i = 0; i < r->narchs; i++) {
		double busy, idle;

		if (read_amount(r, "a busy time", &busy) < 0 || read_amount(r, "a free time", &idle) < 0)
			return -1;
		if (r->archs[i] < ARCH_COUNT) {
			l->busy_us[r->archs[i]] = busy;
			l->free_us[r->archs[i]] = idle;
		}
	}
	return 0;
}

static int read_arch(struct reading *r, struct autoheteroprio_arch *a)
{
	if (read_amount(r, "an average URT", &a->urt) < 0 || read_amount(r, "an average time", &a->time_us) < 0 ||
	    read_count(r, "a number of times", UINT32_MAX, &a->ntimes) < 0 || read_amount(r, "a share", &a->share) < 0)
		return -1;
	if (a->ntimes && !(a->time_us > 0))
		return ht_err_set(r->err, "%s:%d: a time is 0 us, which StarPU does not take", r->scan.path,
		                  r->scan.line);
	return 0;
}

static int read_type(struct reading *r, struct autoheteroprio_type *t)
{
	uint32_t can[MAX_ARCHS];
	size_t len = strcspn(r->scan.at, " \t\r\n");

	if (len > AUTOHETEROPRIO_MAX_NAME)
		return ht_err_set(r->err, "%s:%d: a name of %zu bytes, StarPU reads %d", r->scan.path, r->scan.line,
		                  len, AUTOHETEROPRIO_MAX_NAME);
	memcpy(t->name, r->scan.at, len);
	r->scan.at += len;
	for (int i = 0; i < r->narchs; i++) {
		if (read_count(r, "whether an architecture can run it", UINT32_MAX, &can[i]) < 0)
			return -1;
		if (can[i] && r->archs[i] < ARCH_COUNT)
			t->where |= (arch_mask)(1u << r->archs[i]);
	}
	if (!t->where)
		return ht_err_set(r->err, "%s:%d: %s can run on no architecture", r->scan.path, r->scan.line, t->name);
	if (read_amount(r, "an average NOD", &t->nod) < 0 ||
	    read_count(r, "a number of NODs", UINT32_MAX, &t->nnods) < 0 ||
	    read_count(r, "a number of URTs", UINT32_MAX, &t->nurts) < 0 ||
	    read_amount(r, "a proportion", &t->proportion) < 0 ||
	    read_count(r, "a number of tasks", UINT32_MAX, &t->nproportions) < 0 ||
	    read_count(r, "a number of executions", UINT32_MAX, &t->nshares) < 0 ||
	    read_amount(r, "a time of successors", &t->released_us) < 0 ||
	    read_count(r, "a number of times of successors", UINT32_MAX, &t->nreleased) < 0 ||
	    read_amount(r, "a best time", &t->best_us) < 0 ||
	    read_count(r, "a number of best times", UINT32_MAX, &t->nbests) < 0)
		return -1;
	for (int i = 0; i < r->narchs; i++) {
		struct autoheteroprio_arch unknown;

		if (can[i] && read_arch(r, r->archs[i] < ARCH_COUNT ? &t->arch[r->archs[i]] : &unknown) < 0)
			return -1;
	}
	return 0;
}

int autoheteroprio_load(struct autoheteroprio_data *l, const char *path, struct ht_err *err)
{
	struct reading r = {.err = err};
	char *text = file_read(path, MAX_BYTES, NULL, err);
	int rc;

	if (!text)
		return -1;
	memset(l, 0, sizeof(*l));
	r.scan = (struct scan){.path = path, .at = text, .line = 1};
	rc = read_head(&r, l);
	for (scan_skip(&r.scan); rc == 0 && *r.scan.at; scan_skip(&r.scan)) {
		if (l->ntypes == AUTOHETEROPRIO_MAX_TYPES)
			rc = ht_err_set(err, "%s:%d: more than %d types", path, r.scan.line, AUTOHETEROPRIO_MAX_TYPES);
		else
			rc = read_type(&r, &l->types[l->ntypes++]);
	}
	free(text);
	return rc;
}

/* starpu_worker_get_type_as_string(). */
static const char *const upper_names[ARCH_COUNT] = {
	"CPU", "CUDA", "OpenCL", "MIC", "FPGA", "MPI_MS", "TCPIP_MS", "HIP", "SYCL",
};

static arch_mask used_archs(const struct autoheteroprio_data *l)
{
	arch_mask used = 0;

	for (int i = 0; i < l->ntypes; i++)
		used |= l->types[i].where;
	return used;
}

/* Six decimals, as StarPU writes them, but no decimal point: StarPU reads them in the program's locale. */
static void write_decimal(FILE *f, char before, double value)
{
	fprintf(f, "%c%.0fe-6", before, value * 1e6);
}

static void write_head(const struct autoheteroprio_data *l, arch_mask used, FILE *f)
{
	fputs("##################\n# Known architectures\n# number_of_archs arch_ids (", f);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (used >> a & 1)
			fprintf(f, "%s - %d, ", upper_names[a], a);
	}
	fprintf(f, ")\n%d", __builtin_popcount(used));
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (used >> a & 1)
			fprintf(f, " %d", a);
	}
	fputs("\n##################\n# Busy/Free proportion per architecture\n"
	      "# ARCH1_busy_time ARCH1_free_time ... ARCHn_busy_time ARCHn_free_time\n",
	      f);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!(used >> a & 1))
			continue;
		write_decimal(f, ' ', l->busy_us[a]);
		write_decimal(f, ' ', l->free_us[a]);
	}
	fputs("\n##################\n# Codelets specific data\n# codelet_name arch_1_can_exec ... arch_n_can_exec\n"
	      "# average_NOD average_NOD_count average_URT_count overall_proportion overall_proportion_count "
	      "arch_proportion_count avg_best_successor_time avg_best_successor_time_count prio_average_best "
	      "prio_average_best_count\n"
	      "# for each arch which can exec: average_URT_ARCH average_time_ARCH average_time_ARCH_count "
	      "ARCH_proportion\n##########\n",
	      f);
}

static void write_type(const struct autoheteroprio_type *t, arch_mask used, FILE *f)
{
	fputs(t->name, f);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (used >> a & 1)
			fprintf(f, " %d", t->where >> a & 1);
	}
	write_decimal(f, '\n', t->nod);
	fprintf(f, " %" PRIu32 " %" PRIu32, t->nnods, t->nurts);
	write_decimal(f, ' ', t->proportion);
	fprintf(f, " %" PRIu32 " %" PRIu32, t->nproportions, t->nshares);
	write_decimal(f, ' ', t->released_us);
	fprintf(f, " %" PRIu32, t->nreleased);
	write_decimal(f, ' ', t->best_us);
	fprintf(f, " %" PRIu32, t->nbests);
	for (int a = 0; a < ARCH_COUNT; a++) {
		if (!(t->where >> a & 1))
			continue;
		write_decimal(f, '\n', t->arch[a].urt);
		write_decimal(f, ' ', t->arch[a].time_us);
		fprintf(f, " %" PRIu32, t->arch[a].ntimes);
		write_decimal(f, ' ', t->arch[a].share);
	}
	fputs("\n#####\n", f);
}

static int check_name(const char *name, struct ht_err *err)
{
	for (const char *p = name; *p; p++) {
		if (isspace((unsigned char)*p))
			return ht_err_set(err, "\"%s\" has a blank: StarPU writes such a name and cannot read it",
			                  name);
	}
	if (!*name || *name == '#')
		return ht_err_set(err, "StarPU cannot read \"%s\" as the name of a type", name);
	return 0;
}

int autoheteroprio_save(const struct autoheteroprio_data *l, const char *path, const char *note, struct ht_err *err)
{
	arch_mask used = used_archs(l);
	struct outfile out;

	for (int i = 0; i < l->ntypes; i++) {
		if (check_name(l->types[i].name, err) < 0)
			return -1;
	}
	if (outfile_open(&out, path, err) < 0)
		return -1;
	fputs(note ? note : "", out.f);
	write_head(l, used, out.f);
	for (int i = 0; i < l->ntypes; i++)
		write_type(&l->types[i], used, out.f);
	return outfile_commit(&out, err);
}

int autoheteroprio_type_of(struct autoheteroprio_data *l, const char *name, arch_mask where)
{
	struct autoheteroprio_type *t;

	if (!*name)
		name = no_name;
	for (int i = 0; i < l->ntypes; i++) {
		if (l->types[i].where == where && !strncmp(l->types[i].name, name, AUTOHETEROPRIO_MAX_NAME))
			return i;
	}
	if (l->ntypes == AUTOHETEROPRIO_MAX_TYPES)
		return -1;
	t = &l->types[l->ntypes];
	memset(t, 0, sizeof(*t));
	strncpy(t->name, name, AUTOHETEROPRIO_MAX_NAME);
	t->where = where;
	return l->ntypes++;
}
