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
	uint32_t *lengths; /* per class: what tasks with its type and footprint take, wherever these can run */
	size_t nclasses, capclasses, capof;
	struct measured (*measured)[ARCH_COUNT];
	size_t nmeasured, capmeasured;
	struct idmap ids;        /* `lengths` << 32 | where */
	struct idmap lengths_of; /* type << 32 | footprint */
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

static void init_type(struct dag *d, struct dag_type *type, const struct trace *t, const struct trace_codelet *c,
                      const struct model_set *models)
{
	type->name = copy_text(d, t, c->label);
	type->codelet = copy_text(d, t, c->name);
	type->model = copy_text(d, t, c->model);
	type->declared = c->where;
	type->has_no_model = c->has_no_model;
	type->where = c->where ? c->where : model_archs(type_model(type, models));
}

/* Codelets that have a task, in the order of the first ones. Returns type by codelet; free() it. */
static uint32_t *make_types(struct dag *d, const struct trace *t, const struct model_set *models)
{
	uint32_t *type_of = ht_alloc(t->ncodelets, sizeof(*type_of));

	for (size_t i = 0; i < t->ncodelets; i++)
		type_of[i] = TRACE_NONE;
	d->types = arena_alloc(d->arena, t->ncodelets, sizeof(*d->types));
	for (uint32_t i = 0; i < d->ntasks; i++) {
		const struct trace_task *task = &t->tasks[d->tasks[i].trace_task];
		uint32_t *type = &type_of[task->codelet];

		if (*type == TRACE_NONE) {
			*type = d->ntypes++;
			init_type(d, &d->types[*type], t, &t->codelets[task->codelet], models);
		}
		d->types[*type].count++;
		d->types[*type].where |= (arch_mask)(1u << t->workers[task->worker].arch);
	}
	return type_of;
}

/* The number of these in `ids`, which are numbered from 0. */
static uint32_t number_of(struct idmap *ids, uint32_t high, uint32_t low, size_t next)
{
	uint64_t key = (uint64_t)high << 32 | low;
	uint32_t id = idmap_get(ids, key);

	if (id == IDMAP_NONE)
		idmap_put(ids, key, id = (uint32_t)next);
	return id;
}

static uint32_t class_of(struct classes *c, uint32_t type, uint32_t footprint, arch_mask where)
{
	uint32_t lengths = number_of(&c->lengths_of, type, footprint, c->nmeasured), id;
	size_t n = c->nclasses;

	if (lengths == c->nmeasured)
		(void)VEC_PUSH(c->measured, c->nmeasured, c->capmeasured);
	id = number_of(&c->ids, lengths, where, n);
	if (id < n)
		return id;
	*VEC_PUSH(c->lengths, n, c->capof) = lengths;
	*VEC_PUSH(c->classes, c->nclasses,
	          c->capclasses) = (struct dag_class){.codelet = type, .footprint = footprint, .where = where};
	return id;
}

/* Per task of the trace what it can run on, where that is less than its type can, else 0; NULL: none. free() it. */
static arch_mask *narrowed_tasks(const struct dag *d, const struct trace *t, const uint32_t *type_of)
{
	arch_mask *where = t->nnarrowed ? ht_alloc(t->ntasks, sizeof(*where)) : NULL;

	for (size_t i = 0; i < t->nnarrowed; i++) {
		const struct trace_task *x = &t->tasks[t->narrowed[i].task];
		arch_mask left = t->narrowed[i].where;

		if (x->codelet == TRACE_NONE || x->worker < 0)
			continue;
		left |= (arch_mask)(1u << t->workers[x->worker].arch);
		where[t->narrowed[i].task] = d->types[type_of[x->codelet]].where & ~left ? left : 0;
	}
	return where;
}

/* Where tasks of the class can run, and what its models are asked about. */
static arch_mask class_where(const struct dag *d, const struct dag_class *c)
{
	arch_mask where = d->types[c->codelet].where;

	return c->where ? c->where & where : where;
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
 * all, but tasks that can run on less.
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

				if (!(class_where(d, c) >> a & 1) || !is_known(c, b) || !(of_type[b][a] > 0))
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
                             const struct dag_options *o, const uint8_t *left_out, const struct classes *classes)
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
			measure(&measured[classes->lengths[d->tasks[i].class_id] * (size_t)d->ndevices +
			                  (size_t)device[x->worker]],
			        (double)(x->end_ns - x->start_ns));
	}
	d->device_cost_ns = arena_alloc(d->arena, d->nclasses * (size_t)d->ndevices, sizeof(*d->device_cost_ns));
	for (uint32_t i = 0; i < d->nclasses; i++) {
		const struct dag_type *type = &d->types[d->classes[i].codelet];
		const struct model *model = type_model(type, models);

		for (uint32_t k = 0; k < d->ndevices; k++) {
			size_t of_lengths = classes->lengths[i] * (size_t)d->ndevices + k;

			d->device_cost_ns[i * (size_t)d->ndevices + k] = device_cost(&d->classes[i], &d->devices[k],
			                                                             &measured[of_lengths], model, o);
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
	arch_mask *where = narrowed_tasks(d, t, type_of);
	struct classes c = {0};
	uint8_t *left_out;

	for (uint32_t i = 0; i < d->ntasks; i++) {
		struct dag_task *task = &d->tasks[i];
		const struct trace_task *x = &t->tasks[task->trace_task];

		task->class_id = class_of(&c, type_of[x->codelet], x->footprint, where ? where[task->trace_task] : 0);
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
			measure(&c.measured[c.lengths[d->tasks[i].class_id]][arch_of(d, t, i)],
			        (double)(x->end_ns - x->start_ns));
	}
	for (uint32_t i = 0; i < d->nclasses; i++) {
		static const struct measured nothing = {0};
		const struct model *model = type_model(&d->types[d->classes[i].codelet], models);
		arch_mask can = class_where(d, &d->classes[i]);

		for (int a = 0; a < ARCH_COUNT; a++)
			set_cost(&d->classes[i], (enum arch)a, can >> a & 1 ? &c.measured[c.lengths[i]][a] : &nothing,
			         can >> a & 1 ? model : NULL, o);
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
	set_device_costs(d, t, models, o, left_out, &c);
	free(left_out);
	idmap_fini(&c.lengths_of);
	idmap_fini(&c.ids);
	free(where);
	free(c.classes);
	free(c.lengths);
	free(c.measured);
	free(type_of);
}
