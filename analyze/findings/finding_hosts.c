/* analyze/findings/finding_hosts.c - checks of performance models alone, and of the models of two machines. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/findings/finding.h"
#include "core/base/alloc.h"
#include "core/base/stats.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/metrics/metrics.h"
#include "core/perfmodel/model.h"

#define HOST_RATIO 3.0

/* The largest ratio between the machines, over the sizes that both have, and where. */
struct difference {
	double ratio, here_us, other_us;
	uint32_t footprint;
};

static struct difference differ(const struct finding_input *in, uint32_t type, const struct model *other, enum arch a)
{
	const struct model *m = model_find(in->models, in->dag->types[type].model);
	struct difference worst = {0};

	for (uint32_t c = 0; c < in->dag->nclasses; c++) {
		const struct dag_class *k = &in->dag->classes[c];
		double here, there;

		if (k->codelet != type)
			continue;
		here = model_mean_us(m, a, k->footprint);
		there = model_mean_us(other, a, k->footprint);
		if (here > 0 && there > 0 && fmax(here / there, there / here) > worst.ratio)
			worst = (struct difference){fmax(here / there, there / here), here, there, k->footprint};
	}
	return worst;
}

/* Of CPU cores this is wrong; GPUs of two machines may differ so, and it is a note. */
void finding_model_hosts(const struct finding_input *in, const struct finding_check *self, struct findings *out)
{
	for (uint32_t p = 0; in->other_models && p < in->dag->ntypes; p++) {
		const struct model *m = model_find(in->models, in->dag->types[p].model);
		const struct model *other = model_find(in->other_models, in->dag->types[p].model);

		for (enum arch a = 0; m && other && a < ARCH_COUNT; a++) {
			struct difference d = differ(in, p, other, a);
			char here[16], there[16], ratio[16];
			struct finding *f;

			if (d.ratio <= HOST_RATIO)
				continue;
			f = finding_add(out, self, a == ARCH_CPU ? 0.4 : 0,
			                "%s (footprint %08" PRIx32 ") takes %s on %s of %.40s and %s of %.40s: "
			                "%s times",
			                SHORT_NAME(in->dag->types[p].name), d.footprint,
			                time_text(here, llround(1e3 * d.here_us)), arch_name(a),
			                m->host ? m->host : "the one", time_text(there, llround(1e3 * d.other_us)),
			                other->host ? other->host : "the other", value_text(ratio, d.ratio));
			finding_advise(
				f,
				a == ARCH_CPU ?
					"Cores of two machines rarely differ so: calibrate again, with one worker a core and "
					"one thread in the kernel (OPENBLAS_NUM_THREADS=1)" :
					"Right where the devices are so different; else calibrate again");
			finding_show(f, {"here_us", d.here_us}, {"other_us", d.other_us}, {"ratio", d.ratio});
		}
	}
}

/* Its rows are no times. */
static int is_energy(const struct model *m)
{
	size_t len = strlen(m->symbol), end = strlen(MODEL_ENERGY_SUFFIX);

	return len > end && strcmp(m->symbol + len - end, MODEL_ENERGY_SUFFIX) == 0;
}

/* A type a model, a class for each of its footprints; one task in each. All in d->arena. */
static void graph_of(struct dag *d, const struct model_set *models)
{
	size_t rows = 0;
	uint32_t *footprints;

	for (size_t i = 0; i < models->count; i++)
		rows += models->models[i].nentries;
	footprints = ht_alloc(rows, sizeof(*footprints));
	d->types = arena_alloc(d->arena, models->count, sizeof(*d->types));
	d->classes = arena_alloc(d->arena, rows, sizeof(*d->classes));
	d->ntypes = (uint32_t)models->count;
	for (uint32_t p = 0; p < d->ntypes; p++) {
		const struct model *m = &models->models[p];
		size_t n = is_energy(m) ? 0 : m->nentries;

		d->types[p] = (struct dag_type){.name = m->symbol, .codelet = m->symbol, .model = m->symbol};
		for (size_t i = 0; i < n; i++)
			footprints[i] = m->entries[i].footprint;
		if (n)
			stats_sort_u32(footprints, n);
		for (size_t i = 0; i < n; i++) {
			struct dag_class *c = &d->classes[d->nclasses];

			if (i && footprints[i] == footprints[i - 1])
				continue;
			*c = (struct dag_class){.codelet = p, .footprint = footprints[i], .count = 1};
			for (enum arch a = 0; a < ARCH_COUNT; a++) {
				double us = model_mean_us(m, a, footprints[i]);

				c->cost_ns[a] = us >= 0 ? (int64_t)llround(us * 1e3) : -1;
				c->source[a] = us >= 0 ? COST_MODEL : COST_NONE;
				c->deviation_ns[a] = -1;
			}
			d->types[p].count++;
			d->nclasses++;
		}
	}
	d->ntasks = d->nclasses ? d->nclasses : 1;
	free(footprints);
}

/* A worker for every device that has a row. */
static struct machine *machine_of(const struct model_set *models)
{
	int devices[ARCH_COUNT] = {[ARCH_CPU] = 1}, used = 0;
	char text[256] = "";

	for (size_t i = 0; i < models->count; i++)
		for (size_t k = 0; k < models->models[i].nentries; k++) {
			const struct model_entry *e = &models->models[i].entries[k];

			if (e->arch != ARCH_CPU && e->devid < MACHINE_MAX_NODES / 2 && e->devid >= devices[e->arch])
				devices[e->arch] = e->devid + 1;
		}
	for (enum arch a = 0; a < ARCH_COUNT; a++)
		if (devices[a] && used < (int)sizeof(text))
			used += snprintf(text + used, sizeof(text) - (size_t)used, "%s:%d ", arch_name(a), devices[a]);
	return machine_parse(text, NULL);
}

void findings_of_models(struct findings *out, const struct model_set *models, const struct model_set *other)
{
	struct dag d = {.arena = arena_create()};
	struct metrics metrics = {.ntypes = (uint32_t)models->count};
	struct machine *m = machine_of(models);
	struct finding_input in = {.dag = &d,
	                           .machine = m,
	                           .models = models,
	                           .other_models = other,
	                           .metrics = &metrics,
	                           .scheduler = "",
	                           .makespan_ns = 1};

	graph_of(&d, models);
	metrics.types = arena_alloc(d.arena, models->count, sizeof(*metrics.types));
	metrics.archs = m ? machine_archs(m) : 0;
	for (const struct finding_check *c = finding_checks; m && c->name; c++)
		if (c->of_models)
			c->check(&in, c, out);
	findings_sort(out);
	machine_free(m);
	arena_free(d.arena);
}
