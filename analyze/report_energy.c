/* analyze/report_energy.c - what the run's meters of energy counted, in text and JSON. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report.h"
#include "core/json.h"
#include "core/manifest.h"
#include "core/run.h"

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
	double joules;

	for (size_t i = 0; i < m->count; i++) {
		if (!read_meter(&m->entries[i], &joules, &name))
			continue;
		fprintf(f, "%s%.4g J %.32s", *sep ? sep : "energy          ", joules, name);
		sep = ", ";
	}
	if (*sep)
		fputs(", from the start of the program to its end\n", f);
}

void report_energy_json(const struct report *r, struct json *j)
{
	const struct manifest *m = &r->run->manifest;
	const char *name;
	double joules;

	json_open(j, "energy", '[');
	for (size_t i = 0; i < m->count; i++)
		if (read_meter(&m->entries[i], &joules, &name)) {
			json_open(j, NULL, '{');
			json_str(j, "meter", name);
			json_num(j, "joules", joules);
			json_close(j, '}');
		}
	json_close(j, ']');
}
