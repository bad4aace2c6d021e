/* core/trace/data_rec.c - where data is registered, from the data.rec beside a tasks.rec. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records of `Field: value` lines, each ending with an empty line (data_dump() of src/debug/traces/starpu_fxt.c, 1.4).
 * Names, sizes and what StarPU-MPI knows of data are not read: tasks.rec has the sizes.
 */
#include "core/trace/data_rec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/trace/trace_build.h"

enum { MOST_COORDINATES = sizeof(((struct trace_handle *)NULL)->coordinates) / sizeof(int32_t) };

struct datum {
	uint64_t address;
	int64_t rank, home;
	int32_t coordinates[MOST_COORDINATES], ncoordinates;
};

static const struct datum NONE = {.home = -1};

/* The value of the line, where it is of that field; else NULL. */
static const char *value_of(const char *line, const char *field)
{
	size_t len = strlen(field);

	if (strncmp(line, field, len) != 0 || line[len] != ':')
		return NULL;
	line += len + 1;
	return line + strspn(line, " ");
}

/* The first ones, as of an FxT trace; a datum has none where one is larger than any tile's. */
static void read_coordinates(struct datum *x, char *text)
{
	char *save = NULL;
	int64_t v;

	x->ncoordinates = 0;
	for (char *s = strtok_r(text, " ", &save); s && x->ncoordinates < MOST_COORDINATES;
	     s = strtok_r(NULL, " ", &save)) {
		if (number_parse_int(s, INT32_MIN, INT32_MAX, &v) != 0) {
			x->ncoordinates = 0;
			return;
		}
		x->coordinates[x->ncoordinates++] = (int32_t)v;
	}
}

/* -1: the value is not what the field holds. */
static int read_field(struct datum *x, char *line)
{
	const char *v;

	if ((v = value_of(line, "Handle")))
		return number_parse_hex(v, UINT64_MAX, &x->address);
	if ((v = value_of(line, "HomeNode")))
		return number_parse_int(v, -1, TRACE_NODES - 1, &x->home);
	if ((v = value_of(line, "MPIRank")))
		return number_parse_int(v, -1, TRACE_RANKS - 1, &x->rank);
	if ((v = value_of(line, "Coordinates")))
		read_coordinates(x, line + (v - line));
	return 0;
}

static void add(struct trace_builder *b, const struct datum *x)
{
	struct trace_handle *h;
	uint32_t id; /* looked up before the array is: it may move */

	if (!x->address)
		return;
	id = trace_build_register(b, x->rank < 0 ? 0 : (int)x->rank, x->address);
	h = &b->t->handles[id];
	h->home_node = (int32_t)x->home;
	h->ncoordinates = x->ncoordinates;
	memcpy(h->coordinates, x->coordinates, sizeof(h->coordinates));
}

int data_rec_add(struct trace_builder *b, const char *path, struct ht_err *err)
{
	FILE *f = file_open_stream(path, err);
	struct datum x = NONE;
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int number = 0, has_data = 0, rc = 0;

	if (!f)
		return -1;
	while (rc == 0 && (len = getline(&line, &cap, f)) >= 0) {
		number++;
		if (strlen(line) != (size_t)len)
			rc = ht_err_set(err, "%s:%d: has a byte 0, expected text", path, number);
		while (len && (line[len - 1] == '\n' || line[len - 1] == '\r' || line[len - 1] == ' '))
			line[--len] = '\0';
		if (rc == 0 && len && read_field(&x, line) != 0)
			rc = ht_err_set(err, "%s:%d: expected a field of data.rec of starpu_fxt_tool, found \"%.60s\"",
			                path, number, line);
		has_data |= x.address != 0;
		if (len)
			continue;
		add(b, &x);
		x = NONE;
	}
	if (rc == 0 && ferror(f))
		rc = ht_err_set(err, "%s: cannot be read: %s", path, strerror(errno));
	if (rc == 0 && number && !has_data) /* a run without data has an empty one */
		rc = ht_err_set(err, "%s: has no data (Handle: ADDRESS), expected data.rec of starpu_fxt_tool", path);
	if (rc == 0)
		add(b, &x);
	free(line);
	fclose(f);
	return rc;
}

void data_rec_write(FILE *f, uint32_t handle, int home, uint64_t bytes)
{
	fprintf(f, "Handle: %" PRIx64 "\nHomeNode: %d\nSize: %" PRIu64 "\n\n", (uint64_t)handle + 1, home, bytes);
}
