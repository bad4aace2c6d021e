/* collect/energy.c - the energy that a run has consumed, by the processors' own meters. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/energy.h"
#include "core/base/number.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line of DIR/METER/FILE. 0: it cannot be read. */
static int read_line(const char *dir, const char *meter, const char *file, char *line, size_t size)
{
	char path[512];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/%s/%s", dir, meter, file) >= (int)sizeof(path))
		return 0;
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(line, (int)size, f))
		*line = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return *line != '\0';
}

static int read_uj(const char *dir, const char *meter, const char *file, uint64_t *uj)
{
	char line[64];
	int64_t v;

	if (!read_line(dir, meter, file, line, sizeof(line)) || number_parse_int(line, 0, INT64_MAX, &v) != 0)
		return 0;
	*uj = (uint64_t)v;
	return 1;
}

static void name_meter(struct energy_meter *m, const char *dir)
{
	char own[64], package[64] = "", parent[64];
	char *colon;

	snprintf(parent, sizeof(parent), "%s", m->dir);
	colon = strrchr(parent, ':');
	if (colon && strchr(parent, ':') != colon) {
		*colon = '\0';
		if (read_line(dir, parent, "name", package, sizeof(package)))
			snprintf(package + strlen(package), sizeof(package) - strlen(package), " ");
	}
	if (!read_line(dir, m->dir, "name", own, sizeof(own)))
		snprintf(own, sizeof(own), "%s", m->dir);
	snprintf(m->name, sizeof(m->name), "%.15s%.15s", package, own);
}

static int by_name(const void *a, const void *b)
{
	const struct energy_meter *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->dir, y->dir);
}

void energy_begin(struct energy *e, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	*e = (struct energy){0};
	while (d && (entry = readdir(d)) && e->count < ENERGY_MAX) {
		struct energy_meter *m = &e->meters[e->count];

		/* "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it, which has the package's name in front. */
		if (strncmp(entry->d_name, "intel-rapl:", 11) != 0 || strlen(entry->d_name) >= sizeof(m->dir))
			continue;
		*m = (struct energy_meter){.used_uj = 0};
		memcpy(m->dir, entry->d_name, strlen(entry->d_name) + 1);
		if (!read_uj(dir, m->dir, "energy_uj", &m->last_uj))
			continue;
		read_uj(dir, m->dir, "max_energy_range_uj", &m->range_uj);
		name_meter(m, dir);
		e->count++;
	}
	if (d)
		closedir(d);
	if (e->count)
		qsort(e->meters, (size_t)e->count, sizeof(*e->meters), by_name);
}

void energy_read(struct energy *e, const char *dir)
{
	for (int i = 0; i < e->count; i++) {
		struct energy_meter *m = &e->meters[i];
		uint64_t now, used;

		if (m->used_uj < 0)
			continue;
		if (!read_uj(dir, m->dir, "energy_uj", &now) || (now < m->last_uj && now + m->range_uj < m->last_uj)) {
			m->used_uj = -1;
			continue;
		}
		used = now < m->last_uj ? now + m->range_uj - m->last_uj : now - m->last_uj;
		m->used_uj = used <= INT64_MAX - (uint64_t)m->used_uj ? m->used_uj + (int64_t)used : -1;
		m->last_uj = now;
	}
}
