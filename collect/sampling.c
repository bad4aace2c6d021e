/* collect/sampling.c - where StarPU keeps its performance models, and how they get into a run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The search order is that of StarPU (src/core/perfmodel/perfmodel.c, src/common/utils.c): STARPU_PERF_MODEL_DIR, else
 * .starpu/sampling below XDG_CACHE_HOME, STARPU_HOME or HOME, whichever is set first; then STARPU_PERF_MODEL_PATH; then
 * what it is installed with, models of machines to simulate, the same in each flavour. In 1.5 and in what follows
 * 1.4.12 STARPU_HOME comes before XDG_CACHE_HOME.
 */
#include "collect/sampling.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/starpu_place.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/intern.h"
#include "core/perfmodel/model.h"
#include "core/trace/trace.h"

/* Of the StarPU that programs here are built with; NULL: it has none. */
static char *installed_dir(void)
{
	for (int flavour = STARPU_NATIVE; flavour <= STARPU_SIMGRID; flavour++) {
		struct starpu_place starpu;
		int found = starpu_place_find(&starpu, (enum starpu_flavour)flavour, NULL) == 0;
		char *dir = found ? ht_asprintf("%s/share/starpu/perfmodels/sampling", starpu.prefix) : NULL;

		starpu_place_fini(&starpu);
		if (dir && file_exists(dir))
			return dir;
		free(dir);
	}
	return NULL;
}

char **sampling_dirs(int starpu_minor)
{
	static const char *const homes_1_4[] = {"XDG_CACHE_HOME", "STARPU_HOME", "HOME"};
	static const char *const homes_1_5[] = {"STARPU_HOME", "XDG_CACHE_HOME", "HOME"};
	const char *const *homes = starpu_minor >= 5 ? homes_1_5 : homes_1_4;
	int nhomes = 0, most = starpu_minor == 0 || starpu_minor == 4 ? 2 : 1;
	char **dirs = NULL;
	size_t n = 0, cap = 0;
	const char *s = getenv("STARPU_PERF_MODEL_DIR");

	if (s && *s)
		*VEC_PUSH(dirs, n, cap) = ht_strndup(s, strlen(s));
	for (int i = 0; i < 3 && nhomes < most; i++) {
		s = getenv(homes[i]);
		if (s && *s && (i < 2 || !nhomes)) { /* HOME is for where neither of the others is set */
			*VEC_PUSH(dirs, n, cap) = ht_asprintf("%s/.starpu/sampling", s);
			nhomes++;
		}
	}
	s = getenv("STARPU_PERF_MODEL_PATH");
	while (s && *s) {
		size_t len = strcspn(s, ":,");

		if (len)
			*VEC_PUSH(dirs, n, cap) = ht_strndup(s, len);
		s += len + (s[len] != '\0');
	}
	*VEC_PUSH(dirs, n, cap) = installed_dir();
	if (dirs[n - 1])
		*VEC_PUSH(dirs, n, cap) = NULL;
	return dirs;
}

void sampling_dirs_free(char **dirs)
{
	for (char **d = dirs; d && *d; d++)
		free(*d);
	free(dirs);
}

static int copy_bus(const char *run, const char *dir, const char *host, struct ht_err *err)
{
	char *from = ht_asprintf("%s/bus", dir), *to = ht_asprintf("%s/sampling/bus", run);
	size_t len = strlen(host);
	DIR *d = opendir(from);
	struct dirent *e;
	int rc = d ? 0 : ht_err_set(err, "%s: cannot be read: %s", from, strerror(errno));

	while (rc == 0 && d && (e = readdir(d)))
		if (strncmp(e->d_name, host, len) == 0 && e->d_name[len] == '.') {
			char *src = ht_asprintf("%s/%s", from, e->d_name), *dst = ht_asprintf("%s/%s", to, e->d_name);

			rc = dir_create(to, err) || file_copy(src, dst, err) ? -1 : 0;
			free(src);
			free(dst);
		}
	if (d)
		closedir(d);
	free(from);
	free(to);
	return rc;
}

/* StarPU 1.3 and 1.4 read version 45 only; a symbol with a dot in it gets no host name appended. */
static int copy_model(const char *run, char *const *dirs, const char *symbol, const char *host, int *ncopied,
                      struct ht_err *err)
{
	char *to = ht_asprintf("%s/sampling/codelets/45", run);
	int rc = 0;

	if (strchr(symbol, '/') || !*symbol)
		goto out;
	for (; *dirs; dirs++) {
		const char *dot = strchr(symbol, '.') ? "" : ".";
		char *name = ht_asprintf("%s%s%s", symbol, dot, *dot ? host : "");
		char *src = ht_asprintf("%s/codelets/45/%s", *dirs, name), *dst = ht_asprintf("%s/%s", to, name);
		int found = file_exists(src);

		if (found) {
			rc = dir_create(to, err) || file_copy(src, dst, err) ? -1 : 0;
			*ncopied += rc == 0;
		}
		free(name);
		free(src);
		free(dst);
		if (found)
			break;
	}
out:
	free(to);
	return rc;
}

enum { TIME = 1, ENERGY = 2 }; /* what has been looked for */

/* The model of energy that may stand beside one of time, or be named after its codelet. */
static int copy_energy(const char *run, char *const *dirs, const char *name, const char *host, unsigned char *seen,
                       struct ht_err *err)
{
	char *symbol = ht_asprintf("%s" MODEL_ENERGY_SUFFIX, name);
	int rc = 0, copied = 0;

	if (*name && !(*seen & ENERGY))
		rc = copy_model(run, dirs, symbol, host, &copied, err);
	*seen |= ENERGY;
	free(symbol);
	return rc;
}

int sampling_copy(const char *run, const struct trace *t, char *const *dirs, const char *host, int *ncopied,
                  struct ht_err *err)
{
	unsigned char *seen = ht_alloc(intern_count(t->strings), 1);
	int rc = 0;

	*ncopied = 0;
	for (char *const *d = dirs; rc == 0 && *d; d++) {
		char *bus = ht_asprintf("%s/bus/%s.bandwidth", *d, host);
		int found = file_exists(bus);

		free(bus);
		if (found) {
			rc = copy_bus(run, *d, host, err);
			break;
		}
	}
	for (size_t i = 0; rc == 0 && i < t->ncodelets; i++) {
		uint32_t model = t->codelets[i].model, name = t->codelets[i].name;

		if (!(seen[model] & TIME))
			rc = copy_model(run, dirs, trace_text(t, model), host, ncopied, err);
		seen[model] |= TIME;
		if (rc == 0)
			rc = copy_energy(run, dirs, trace_text(t, model), host, &seen[model], err);
		if (rc == 0)
			rc = copy_energy(run, dirs, trace_text(t, name), host, &seen[name], err);
	}
	free(seen);
	return rc;
}

struct model_set *sampling_models(char *const *dirs, const char *host)
{
	struct model_set *set = model_set_create();

	while (*dirs && !file_exists(*dirs))
		dirs++;
	if (*dirs)
		model_set_add_dir(set, *dirs, host, NULL);
	return set;
}

/* 0: the set has none of these. */
static uint64_t samples_of(const struct model_set *set, const char *symbol, const struct model_entry *e)
{
	const struct model *m = model_find(set, symbol);

	for (size_t i = 0; m && i < m->nentries; i++) {
		const struct model_entry *x = &m->entries[i];

		if (x->footprint == e->footprint && x->arch == e->arch && x->devid == e->devid &&
		    x->ncores == e->ncores && x->impl == e->impl)
			return x->samples;
	}
	return 0;
}

int sampling_uncalibrated(const struct model_set *now, const struct model_set *before, int minimum)
{
	int lacking = 0;

	for (size_t i = 0; i < now->count; i++)
		for (size_t k = 0; k < now->models[i].nentries; k++) {
			const struct model_entry *e = &now->models[i].entries[k];

			lacking += e->samples < (uint64_t)minimum &&
			           (!before || samples_of(before, now->models[i].symbol, e) != e->samples);
		}
	return lacking;
}
