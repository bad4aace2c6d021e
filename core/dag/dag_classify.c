/* core/dag/dag_classify.c - kinds of tasks and cost classes of a trace, and what each class costs where. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/dag/dag_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/dag/held.h"
#include "core/perfmodel/model.h"
#include "core/trace/trace.h"

struct measured { /* durations of one class on one architecture, ns: Welford's mean and sum of squares */
	uint32_t count;
	double mean, squares;
};

struct classes {
	struct dag_class *classes;
	struct measured (*measured)[ARCH_COUNT];
	size_t nclasses, capclasses, nmeasured, capmeasured;
	struct idmap ids; /* type << 32 | footprint */
};

static const char *copy_text(struct dag *d, const struct trace *t, uint32_t string)
{
	const char *s = trace_text(t, string);

	return arena_strndup(d->arena, s, strlen(s));
}

static arch_mask model_archs(const struct model *m)
{
	arch_mask archs = 0;

	for (size_t i = 0; m && i < m->nentries; i++)
		archs |= (arch_mask)(1u << m->entries[i].arch);
	return archs;
}

static const struct model *type_model(const struct dag_type *type, const struct model_set *models)
{
	return models && *type->model ? model_find(models, type->model) : NULL;
}

/* Dense types: codelets that have a node. Returns type by codelet; free() it. */
static uint32_t *make_types(struct dag *d, const struct trace *t, const struct model_set *models)
{
	uint32_t *type_of = ht_alloc(t->ncodelets, sizeof(*type_of)), *used = ht_alloc(t->ncodelets, sizeof(*used));
	arch_mask *ran = ht_alloc(t->ncodelets, sizeof(*ran));

	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *task = &t->tasks[d->tasks[i].trace_task];

		used[task->codelet]++;
		ran[task->codelet] |= (arch_mask)(1u << t->workers[task->worker].arch);
	}
	d->types = arena_alloc(d->arena, t->ncodelets, sizeof(*d->types));
	for (size_t i = 0; i < t->ncodelets; i++) {
		struct dag_type *type = &d->types[d->ntypes];

		if (!used[i])
			continue;
		type->name = copy_text(d, t, t->codelets[i].label);
		type->codelet = copy_text(d, t, t->codelets[i].name);
		type->model = copy_text(d, t, t->codelets[i].model);
		type->count = used[i];
		type->declared = t->codelets[i].where;
		type->has_no_model = t->codelets[i].has_no_model;
		type->where = t->codelets[i].where ? t->codelets[i].where : model_archs(type_model(type, models));
		type->where |= ran[i];
		type_of[i] = d->ntypes++;
	}
	free(used);
	free(ran);
	return type_of;
}

static uint32_t class_of(struct classes *c, uint32_t type, uint32_t footprint)
{
	uint64_t key = (uint64_t)type << 32 | footprint;
	uint32_t id = idmap_get(&c->ids, key);
	struct dag_class *class;

	if (id != IDMAP_NONE)
		return id;
	id = (uint32_t)c->nclasses;
	class = VEC_PUSH(c->classes, c->nclasses, c->capclasses);
	class->codelet = type;
	class->footprint = footprint;
	(void)VEC_PUSH(c->measured, c->nmeasured, c->capmeasured);
	idmap_put(&c->ids, key, id);
	return id;
}

static void measure(struct measured *m, double duration_ns)
{
	double delta = duration_ns - m->mean;

	m->count++;
	m->mean += delta / m->count;
	m->squares += delta * (duration_ns - m->mean);
}

static void set_cost(struct dag_class *c, enum arch a, const struct measured *m, const struct model *model,
                     const struct dag_options *o)
{
	double model_us = model ? model_mean_us(model, a, c->footprint) : -1;
	int has_model = model_us >= 0 && model_us * 1e3 < 9e18; /* also false for NAN */
	int enough = m->count >= (o->min_samples ? o->min_samples : 1);

	c->cost_ns[a] = c->deviation_ns[a] = -1;
	c->model_ns[a] = has_model ? llround(model_us * 1e3) : 0;
	if (m->count)
		c->deviation_ns[a] = llround(sqrt(m->squares / m->count));
	if (has_model && (o->prefer_model || !enough)) {
		c->cost_ns[a] = llround(model_us * 1e3);
		c->source[a] = COST_MODEL;
	} else if (m->count) {
		c->cost_ns[a] = llround(m->mean);
		c->source[a] = COST_RUN;
	}
}

static int is_known(const struct dag_class *c, int a)
{
	return c->source[a] != COST_NONE && c->source[a] != COST_RATIO;
}

/* By type, [a][b]: what its tasks cost on `a`, over the classes whose cost is known on both. free() it. */
static double (*sum_pairs(const struct dag *d))[ARCH_COUNT][ARCH_COUNT]
{
	double(*sums)[ARCH_COUNT][ARCH_COUNT] = ht_alloc(d->ntypes, sizeof(*sums));

	for (uint32_t i = 0; i < d->nclasses; i++) {
		const struct dag_class *c = &d->classes[i];

		for (int a = 0; a < ARCH_COUNT; a++)
			for (int b = 0; b < ARCH_COUNT && is_known(c, a); b++)
				if (is_known(c, b))
					sums[c->codelet][a][b] += (double)c->cost_ns[a] * c->count;
	}
	return sums;
}

/*
 * StarPU's `where` belongs to a codelet, not to a footprint: what ran on an architecture with one can run there with
 * all.
 */
static void fill_gaps(struct dag *d)
{
	double(*sums)[ARCH_COUNT][ARCH_COUNT] = sum_pairs(d);

	for (uint32_t i = 0; i < d->nclasses; i++) {
		struct dag_class *c = &d->classes[i];
		double(*of_type)[ARCH_COUNT] = sums[c->codelet];

		for (int a = 0; a < ARCH_COUNT; a++) {
			for (int b = 0; b < ARCH_COUNT && c->source[a] == COST_NONE; b++) {
				double ratio;

				if (!(d->types[c->codelet].where >> a & 1) || !is_known(c, b) || !(of_type[b][a] > 0))
					continue;
				ratio = of_type[a][b] / of_type[b][a];
				if (ratio > 0 && (double)c->cost_ns[b] * ratio < 9e18) {
					c->cost_ns[a] = llround((double)c->cost_ns[b] * ratio);
					c->source[a] = COST_RATIO;
				}
			}
		}
	}
	free(sums);
}

static int64_t device_cost(const struct dag_class *c, const struct dag_device *device, const struct measured *m,
                           const struct model *model, const struct dag_options *o)
{
	double model_us = model ? model_device_mean_us(model, device->arch, device->devid, c->footprint) : -1;
	int enough = m->count >= (o->min_samples ? o->min_samples : 1);

	if (c->cost_ns[device->arch] < 0)
		return -1;
	if (model_us >= 0 && model_us * 1e3 < 9e18 && (o->prefer_model || !enough))
		return llround(model_us * 1e3);
	return enough ? llround(m->mean) : -1;
}

/* Not where classes are as many as tasks: there is nothing to take a mean of. */
static void set_device_costs(struct dag *d, const struct trace *t, const struct model_set *models,
                             const struct dag_options *o, const uint8_t *left_out)
{
	struct measured *measured;
	int *device = ht_alloc(t->nworkers, sizeof(*device));

	/* Devices of architectures that have several in the trace. StarPU takes the cores of CPUs as alike. */
	d->devices = arena_alloc(d->arena, t->nworkers, sizeof(*d->devices));
	for (size_t i = 0; i < t->nworkers; i++) {
		const struct trace_worker *w = &t->workers[i];
		int several = 0;

		for (size_t k = 0; k < t->nworkers; k++)
			several |= t->workers[k].arch == w->arch && t->workers[k].devid != w->devid;
		if (w->arch == ARCH_CPU || !several || dag_device(d, w->arch, w->devid) >= 0)
			continue;
		d->devices[d->ndevices++] = (struct dag_device){.arch = w->arch, .devid = w->devid};
	}
	if (d->nclasses > d->ntasks / 2)
		d->ndevices = 0;
	for (size_t i = 0; i < t->nworkers; i++)
		device[i] = dag_device(d, t->workers[i].arch, t->workers[i].devid);
	measured = ht_alloc(d->nclasses * (size_t)d->ndevices, sizeof(*measured));
	for (uint32_t i = 0; d->ndevices && i < d->ntasks; i++) {
		const struct trace_task *x = &t->tasks[d->tasks[i].trace_task];

		if (device[x->worker] >= 0 && !left_out[i])
			measure(&measured[d->tasks[i].class_id * (size_t)d->ndevices + (size_t)device[x->worker]],
			        (double)(x->end_ns - x->start_ns));
	}
	d->device_cost_ns = arena_alloc(d->arena, d->nclasses * (size_t)d->ndevices, sizeof(*d->device_cost_ns));
	for (uint32_t i = 0; i < d->nclasses; i++) {
		const struct dag_type *type = &d->types[d->classes[i].codelet];
		const struct model *model = type_model(type, models);

		for (uint32_t k = 0; k < d->ndevices; k++) {
			size_t at = i * (size_t)d->ndevices + k;

			d->device_cost_ns[at] = device_cost(&d->classes[i], &d->devices[k], &measured[at], model, o);
		}
	}
	free(measured);
	free(device);
}

static enum arch arch_of(const struct dag *d, const struct trace *t, uint32_t i)
{
	return t->workers[t->tasks[d->tasks[i].trace_task].worker].arch;
}

/* What threads executed when a flush of the trace ended: they may have stood still in it for seconds. */
static void leave_out_flushes(const struct dag *d, const struct trace *t, uint8_t *left_out)
{
	for (uint32_t i = 0; t->nflush_ends && i < d->ntasks; i++) {
		const struct trace_task *x = &t->tasks[d->tasks[i].trace_task];

		for (size_t k = 0; k < t->nflush_ends; k++)
			left_out[i] |= x->start_ns < t->flush_ends[k] && t->flush_ends[k] <= x->end_ns;
	}
}

/* Tasks whose end was seen late, where others of their class say on that architecture what they take. */
static void leave_out_held(const struct dag *d, const struct trace *t, uint8_t *left_out)
{
	uint8_t *held = held_find(d, t), (*has_others)[ARCH_COUNT] = ht_alloc(d->nclasses, sizeof(*has_others));

	for (uint32_t i = 0; i < d->ntasks; i++)
		has_others[d->tasks[i].class_id][arch_of(d, t, i)] |= !held[i] && !left_out[i];
	for (uint32_t i = 0; i < d->ntasks; i++)
		left_out[i] |= held[i] && has_others[d->tasks[i].class_id][arch_of(d, t, i)];
	free(has_others);
	free(held);
}

void dag_classify(struct dag *d, const struct trace *t, const struct model_set *models, const struct dag_options *o)
{
	uint32_t *type_of = make_types(d, t, models);
	struct classes c = {0};
	uint8_t *left_out;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		struct dag_task *task = &d->tasks[i];
		const struct trace_task *x = &t->tasks[task->trace_task];

		task->class_id = class_of(&c, type_of[x->codelet], x->footprint);
		c.classes[task->class_id].count++;
	}
	for (size_t i = 0; i < c.nclasses; i++) {
		c.classes[i].data_footprint = trace_data_footprint(t, c.classes[i].footprint);
		c.classes[i].is_refined = c.classes[i].data_footprint != c.classes[i].footprint;
	}
	d->nclasses = (uint32_t)c.nclasses;
	d->classes = arena_alloc(d->arena, c.nclasses, sizeof(*d->classes));
	if (c.nclasses > 0)
		memcpy(d->classes, c.classes, c.nclasses * sizeof(*d->classes));
	left_out = o->prefer_model ? ht_alloc(d->ntasks, sizeof(*left_out)) : dag_find_warm_up(d, t);
	leave_out_flushes(d, t, left_out);
	leave_out_held(d, t, left_out);
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *x = &t->tasks[d->tasks[i].trace_task];

		if (!left_out[i])
			measure(&c.measured[d->tasks[i].class_id][arch_of(d, t, i)], (double)(x->end_ns - x->start_ns));
	}
	for (uint32_t i = 0; i < d->nclasses; i++) {
		const struct dag_type *type = &d->types[d->classes[i].codelet];
		const struct model *model = type_model(type, models);

		for (int a = 0; a < ARCH_COUNT; a++)
			set_cost(&d->classes[i], (enum arch)a, &c.measured[i][a], type->where >> a & 1 ? model : NULL,
			         o);
	}
	if (!o->prefer_model)
		dag_find_company(d, t, left_out);
	if (o->by_turn)
		dag_infer_where(d, t);
	fill_gaps(d);
	/* A type runs where at least one of its classes has a cost. */
	for (uint32_t i = 0; i < d->ntypes; i++)
		d->types[i].where = 0;
	for (uint32_t i = 0; i < d->nclasses; i++) {
		for (int a = 0; a < ARCH_COUNT; a++) {
			if (d->classes[i].cost_ns[a] >= 0)
				d->types[d->classes[i].codelet].where |= (arch_mask)(1u << a);
		}
	}
	set_device_costs(d, t, models, o, left_out);
	free(left_out);
	idmap_fini(&c.ids);
	free(c.classes);
	free(c.measured);
	free(type_of);
}
