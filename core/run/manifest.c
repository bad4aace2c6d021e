/* core/run/manifest.c - a run's manifest: what was recorded, as lines `key: value`. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/run/manifest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"

enum { MAX_BYTES = 16 << 20 };

static int check_format(struct manifest *m, const char *path, struct ht_err *err)
{
	const char *format = manifest_get(m, "format");

	if (!*format || strcmp(format, MANIFEST_FORMAT) == 0)
		return 0;
	ht_err_set(err,
	           "%s: expected the format " MANIFEST_FORMAT ", found \"%.60s\": another heterotune has written it",
	           path, format);
	manifest_fini(m);
	return -1;
}

int manifest_load(struct manifest *m, const char *path, struct ht_err *err)
{
	int line = 0;

	*m = (struct manifest){0};
	m->text = file_read(path, MAX_BYTES, NULL, err);
	if (!m->text)
		return -1;
	for (char *s = m->text, *end; *s; s = end) {
		struct manifest_entry *e;
		char *colon;

		line++;
		end = s + strcspn(s, "\n");
		if (end > s && end[-1] == '\r')
			end[-1] = '\0';
		if (*end)
			*end++ = '\0';
		if (!*s || *s == '#')
			continue;
		colon = strstr(s, ": ");
		if (!colon) {
			ht_err_set(err, "%s:%d: expected \"key: value\", found \"%.60s\"", path, line, s);
			manifest_fini(m);
			return -1;
		}
		*colon = '\0';
		e = VEC_PUSH(m->entries, m->count, m->cap);
		e->key = s;
		e->value = colon + 2;
	}
	return check_format(m, path, err);
}

void manifest_fini(struct manifest *m)
{
	free(m->text);
	free(m->entries);
	*m = (struct manifest){0};
}

const char *manifest_get(const struct manifest *m, const char *key)
{
	for (size_t i = 0; i < m->count; i++)
		if (strcmp(m->entries[i].key, key) == 0)
			return m->entries[i].value;
	return "";
}

double manifest_others(const struct manifest *m)
{
	double share;

	return number_parse(manifest_get(m, "others"), &share) == 0 && share >= MANIFEST_OTHERS_LEAST && share <= 1 ?
	               share :
	               0;
}

static int keeps_variable(const char *variable)
{
	static const char *const prefixes[] = {"STARPU_", "OMP_",  "OPENBLAS_", "MKL_",
	                                       "CUDA_",   "POCL_", "HWLOC_",    "KMP_"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
			return 1;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **manifest_environment(size_t *n)
{
	char **vars = NULL;
	size_t cap = 0;

	*n = 0;
	for (char **e = environ; *e; e++)
		if (keeps_variable(*e))
			*VEC_PUSH(vars, *n, cap) = *e;
	if (*n)
		qsort(vars, *n, sizeof(*vars), by_text);
	return vars;
}

void manifest_put(FILE *f, const char *key, const char *value)
{
	fprintf(f, "%s: ", key);
	for (; *value; value++)
		putc(*value == '\n' || *value == '\r' ? ' ' : *value, f);
	putc('\n', f);
}

int manifest_add(const char *path, const char *key, const char *value, struct ht_err *err)
{
	char *before = file_read(path, MAX_BYTES, NULL, err);
	struct outfile out = {0};
	int rc = before ? outfile_open(&out, path, err) : -1;

	if (rc == 0) {
		fputs(before, out.f);
		manifest_put(out.f, key, value);
		rc = outfile_commit(&out, err);
	}
	free(before);
	return rc;
}
