/* tests/unit/test_model_real.c - performance models of real machines, against what StarPU's own tool reads. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/perfmodel/model.h"
#include "tests/lib/check.h"
#include "tests/lib/invariants.h"

/* The directory that setup/starpu names, if it is there; free() it. */
static char *have(const char *flavour)
{
	char *command = ht_asprintf("setup/starpu --have %s 2>/dev/null", flavour), line[1024] = "";
	FILE *p = popen(command, "r");
	int ok = p && fgets(line, sizeof(line), p);

	if (p && pclose(p) != 0)
		ok = 0;
	free(command);
	line[strcspn(line, "\n")] = '\0';
	return ok && line[0] ? ht_strndup(line, strlen(line)) : NULL;
}

static const char *const hosts[] = {"attila", "hannibal", "hannibal-pitch", "idgraf", "mirage", "sirocco"};
enum { NHOSTS = 6 };

static void samples_of_starpu(void)
{
	char *dir = have("samples");
	size_t models = 0, rows = 0;

	if (!dir)
		SKIP("StarPU's performance models are not here (setup/starpu samples)");
	for (int h = 0; h < NHOSTS; h++) {
		struct model_set *set = model_set_create();
		struct ht_err err = {""};

		CHECK_INT(model_set_add_dir(set, dir, hosts[h], &err), 0);
		CHECK_STR(err.text, "");
		models += set->count;
		for (size_t i = 0; i < set->count; i++) {
			CHECK(!model_check(&set->models[i]));
			rows += set->models[i].nentries;
		}
		model_set_free(set);
	}
	CHECK(models >= 200 && rows > models);
	free(dir);
}

/*
 * The device in "cpu0_impl0 (Comb0)" of StarPU's tool; -1 for a parallel task ("cpu0_parallel_2"...) and what is none.
 */
static int device_of(const char *name, enum arch *a, int *devid, int *impl)
{
	char kind[16];

	if (sscanf(name, "%15[a-zA-Z]%d_impl%d", kind, devid, impl) != 3)
		return -1;
	*a = arch_parse(kind, (int)strlen(kind));
	return *a == ARCH_NONE ? -1 : 0;
}

/* What `starpu_perfmodel_display` prints of one model: how many rows we do not have as it has them. */
static int differences(FILE *p, const struct model *m, int *rows)
{
	enum arch a = ARCH_NONE;
	int devid = 0, impl = 0, known = -1, bad = 0;
	char line[512];

	while (fgets(line, sizeof(line), p)) {
		const char *title = strstr(line, "performance model for ");
		double mean, deviation;
		unsigned footprint, n;
		int found = 0;

		if (title)
			known = device_of(title + strlen("performance model for "), &a, &devid, &impl);
		if (line[0] == '#' || known != 0 ||
		    sscanf(line, "%x %*s %*s %lf %lf %u", &footprint, &mean, &deviation, &n) != 4 || n == 0)
			continue;
		(*rows)++;
		for (size_t i = 0; i < m->nentries; i++) {
			const struct model_entry *e = &m->entries[i];

			found |= e->footprint == footprint && e->arch == a && e->devid == devid && e->impl == impl &&
			         e->samples == n && fabs(e->mean_us - mean) <= 1e-6 * mean &&
			         fabs(e->deviation_us - deviation) <= 1e-6 * deviation + 1e-9;
		}
		bad += !found;
	}
	return bad;
}

/* Every row that StarPU's own tool prints is one of ours, for all codelets of two machines. */
static void as_starpu_reads_them(void)
{
	char *dir = have("samples"), *prefix = have("native");
	char *tool = prefix ? ht_asprintf("%s/bin/starpu_perfmodel_display", prefix) : NULL;
	static const char *const machines[] = {"mirage", "sirocco"};
	int rows = 0;

	if (!dir || !tool || !file_exists(tool)) {
		free(dir);
		free(prefix);
		free(tool);
		SKIP("StarPU's models or starpu_perfmodel_display are not here (setup/starpu)");
	}
	for (int h = 0; h < 2; h++) {
		struct model_set *set = model_set_create();

		CHECK_INT(model_set_add_dir(set, dir, machines[h], NULL), 0);
		for (size_t i = 0; i < set->count; i++) {
			char *command = ht_asprintf(
				"STARPU_SILENT=1 STARPU_PERF_MODEL_DIR='%s' STARPU_HOSTNAME=%s '%s' -s '%s' 2>/dev/null",
				dir, machines[h], tool, set->models[i].symbol);
			FILE *p = popen(command, "r");

			CHECK(p != NULL);
			if (p) {
				CHECK_INT(differences(p, &set->models[i], &rows), 0);
				pclose(p);
			}
			free(command);
		}
		model_set_free(set);
	}
	CHECK(rows > 300);
	printf("# %d rows are as starpu_perfmodel_display has them\n", rows);
	free(dir);
	free(prefix);
	free(tool);
}

static void recorded_models(void)
{
	static const struct {
		const char *dir, *host;
		size_t models; /* at least */
	} table[] = {
		{"chameleon-models/sampling", "sirocco-k40m", 20}, {"chameleon-models/sampling", "sirocco-p100", 20},
		{"chameleon-models/sampling", "sirocco-a100", 3},  {"chameleon-potrf-titanx/dmda/sampling", NULL, 5},
		{"chameleon-potrf-titanx/ws/sampling", NULL, 5},
	};
	const char *data = getenv("HETEROTUNE_DATA");

	if (!data)
		SKIP("HETEROTUNE_DATA is not set");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct model_set *set = model_set_create();
		char *dir = ht_asprintf("%s/%s", data, table[i].dir);
		struct ht_err err = {""};

		CHECK_INT(model_set_add_dir(set, dir, table[i].host, &err), 0);
		CHECK_STR(err.text, "");
		CHECK(set->count >= table[i].models);
		for (size_t k = 0; k < set->count; k++)
			CHECK(!model_check(&set->models[k]));
		if (!table[i].host) {
			const struct model *m = model_find(set, "dgemm");

			CHECK(m && m->version == 44);
			CHECK(m && model_mean_us(m, ARCH_CUDA, 0x24c84a50) > 10000 &&
			      model_mean_us(m, ARCH_CUDA, 0x24c84a50) < 11000);
		}
		model_set_free(set);
		free(dir);
	}
}

int main(void)
{
	RUN(samples_of_starpu);
	RUN(as_starpu_reads_them);
	RUN(recorded_models);
	return check_done();
}
