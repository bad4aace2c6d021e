/* analyze/report/report_energy.c - what meters of energy counted, and what energy models say of each type. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/report.h"
#include "analyze/report/report_table.h"
#include "core/base/alloc.h"
#include "core/base/json.h"
#include "core/base/table.h"
#include "core/dag/dag.h"
#include "core/perfmodel/model.h"
#include "core/run/manifest.h"
#include "core/run/run.h"
#include "core/trace/trace.h"

/* "energy_uj: 1234567 package-0"; 0: the entry is none. *name is in the entry. */
static int read_meter(const struct manifest_entry *e, double *joules, const char **name)
{
	char *end;

	if (strcmp(e->key, "energy_uj") != 0)
		return 0;
	*joules = (double)strtoull(e->value, &end, 10) / 1e6;
	*name = end + 1;
	return end != e->value && *end == ' ' && end[1];
}

void report_energy_text(const struct report *r, FILE *f)
{
	const struct manifest *m = &r->run->manifest;
	const char *name, *sep = "";
	char text[16];
	double joules;

	for (size_t i = 0; i < m->count; i++) {
		if (!read_meter(&m->entries[i], &joules, &name))
			continue;
		fprintf(f, "%s%s J %.32s", *sep ? sep : "energy          ", scaled_text(text, joules), name);
		sep = ", ";
	}
	if (*sep)
		fputs(", from the start of the program to its end\n", f);
}

/* Of the tasks of a type on an architecture: how many, how many of them a model of energy knows, and their sum. */
struct energy_sum {
	uint64_t tasks, known;
	double joules;
};

static const struct model *energy_model(const struct run *run, uint32_t type)
{
	const char *names[] = {run->dag->types[type].model, run->dag->types[type].codelet};
	const struct model *m = NULL;

	for (int k = 0; k < 2 && !m; k++) {
		char *symbol = ht_asprintf("%s" MODEL_ENERGY_SUFFIX, names[k]);

		m = *names[k] ? model_find(run->models, symbol) : NULL;
		free(symbol);
	}
	return m;
}

/* By type; NULL: no type has a model of energy. To be freed. */
static struct energy_sum (*energy_sums(const struct run *run))[ARCH_COUNT]
{
	const struct dag *d = run->dag;
	struct energy_sum(*sums)[ARCH_COUNT] = ht_alloc(d->ntypes, sizeof(*sums));
	uint64_t(*ran)[ARCH_COUNT] = ht_alloc(d->nclasses, sizeof(*ran));
	int any = 0;

	for (uint32_t i = 0; i < d->ntasks; i++)
		ran[d->tasks[i].class_id][run->trace->workers[run->trace->tasks[d->tasks[i].trace_task].worker].arch]++;
	for (uint32_t p = 0; p < d->ntypes; p++) {
		const struct model *m = energy_model(run, p);

		for (uint32_t c = 0; m && c < d->nclasses; c++)
			for (enum arch a = 0; d->classes[c].codelet == p && a < ARCH_COUNT; a++) {
				double joules = ran[c][a] ? model_mean_us(m, a, d->classes[c].footprint) : -1;

				sums[p][a].tasks += ran[c][a];
				if (joules < 0)
					continue;
				sums[p][a].known += ran[c][a];
				sums[p][a].joules += joules * (double)ran[c][a];
				any = 1;
			}
	}
	free(ran);
	if (any)
		return sums;
	free(sums);
	return NULL;
}

static const struct column columns[] = {
	{"type", "type", COLUMN_TEXT, COLUMN_SHORT},
	{"arch", "arch", COLUMN_TEXT, 0},
	{"tasks", "tasks", COLUMN_COUNT, 0},
	{"known", "with a model", COLUMN_COUNT, 0},
	{NULL, "per task", COLUMN_JOULES, 0},
	{"joules", "in all", COLUMN_JOULES, 0},
	{0},
};

static void fill(const struct report *r, struct records *x)
{
	struct energy_sum(*sums)[ARCH_COUNT] = energy_sums(r->run);

	for (uint32_t p = 0; sums && p < r->run->dag->ntypes; p++)
		for (enum arch a = 0; a < ARCH_COUNT; a++) {
			const struct energy_sum *s = &sums[p][a];

			if (!s->tasks)
				continue;
			records_add(x, V(r->run->dag->types[p].name), V(arch_name(a)), V(s->tasks), V(s->known),
			            V(s->known ? s->joules / (double)s->known : NAN), V(s->known ? s->joules : NAN));
			if (!s->known)
				records_hide_row(x, RECORDS_DATA);
		}
	free(sums);
}

const struct report_table report_energy = {
	.name = "energy",
	.title = "Energy by type",
	.summary = "What the models of energy say that the tasks of each type have consumed.",
	.columns = columns,
	.fill = fill,
};

void report_energy_json(const struct report *r, struct json *j)
{
	const struct manifest *m = &r->run->manifest;
	const char *name;
	double joules;

	json_open(j, "energy", '{');
	json_open(j, "meters", '[');
	for (size_t i = 0; i < m->count; i++)
		if (read_meter(&m->entries[i], &joules, &name)) {
			json_open(j, NULL, '{');
			json_str(j, "meter", name);
			json_num(j, "joules", joules);
			json_close(j, '}');
		}
	json_close(j, ']');
	report_table_json(&report_energy, r, "types", j);
	json_close(j, '}');
}
