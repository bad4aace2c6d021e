/* core/perfmodel/model_xml.c - performance models as the XML of `starpu_perfmodel_display -x`. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/number.h"
#include "core/base/xml.h"
#include "core/perfmodel/model_parts.h"

struct model_doc {
	struct model_build *b;
	const char *path;
	struct ht_err *err;
};

static int bad_attr(const struct model_doc *d, const struct xml_node *n, const char *name, const char *expected)
{
	const char *text = xml_attr(n, name);

	return ht_err_set(d->err, "%s:%d: <%s> has %s \"%s\", expected %s", d->path, n->line, n->name, name,
	                  text ? text : "(missing)", expected);
}

static int attr_int(const struct model_doc *d, const struct xml_node *n, const char *name, int64_t max, int64_t *value)
{
	const char *text = xml_attr(n, name);
	char expected[64];

	if (text && number_parse_int(text, 0, max, value) == 0)
		return 0;
	snprintf(expected, sizeof(expected), "a number from 0 to %lld", (long long)max);
	return bad_attr(d, n, name, expected);
}

static int attr_number(const struct model_doc *d, const struct xml_node *n, const char *name, double *value)
{
	const char *text = xml_attr(n, name);

	return text && model_number(text, value) == 0 ? 0 : bad_attr(d, n, name, "a number");
}

static int read_entry(const struct model_doc *d, const struct xml_node *n, const struct model_place *at)
{
	const char *footprint = xml_attr(n, "footprint");
	struct model_row row = {0};

	if (!footprint || number_parse_hex(footprint, UINT32_MAX, &row.footprint) != 0)
		return bad_attr(d, n, "footprint", "1 to 8 hexadecimal digits");
	if (attr_int(d, n, "size", INT64_MAX, &row.size_bytes) != 0 ||
	    (xml_attr(n, "flops") && attr_number(d, n, "flops", &row.flops) != 0) ||
	    attr_number(d, n, "mean", &row.mean_us) != 0 || attr_number(d, n, "deviation", &row.deviation_us) != 0 ||
	    attr_int(d, n, "nsample", UINT32_MAX, &row.samples) != 0)
		return -1;
	return model_add_row(d->b, at, &row, d->path, n->line, d->err);
}

static int read_implementation(const struct model_doc *d, const struct xml_node *impl, struct model_place *at)
{
	int64_t id;

	if (attr_int(d, impl, "id", MODEL_MAX_IMPLS - 1, &id) != 0)
		return -1;
	at->impl = (uint16_t)id;
	for (const struct xml_node *n = xml_child(impl, "entry"); n; n = xml_next(n, "entry"))
		if (read_entry(d, n, at) != 0)
			return -1;
	return 0;
}

static int read_combination(const struct model_doc *d, const struct xml_node *comb)
{
	const struct xml_node *n = xml_child(comb, "device");
	struct model_place at = {.ncores = 1};
	int64_t devid, ncores = 1;

	if (!n)
		return ht_err_set(d->err, "%s:%d: a <combination> without a <device>", d->path, comb->line);
	for (int i = 0; n; n = xml_next(n, "device"), i++) {
		const char *type = xml_attr(n, "type");

		at.arch = type ? arch_parse(type, (int)strlen(type)) : ARCH_NONE;
		if (at.arch == ARCH_NONE)
			return bad_attr(d, n, "type", "CPU, CUDA, OpenCL, HIP or another kind of device");
		if (attr_int(d, n, "id", UINT16_MAX, &devid) != 0 ||
		    (xml_attr(n, "ncores") && attr_int(d, n, "ncores", UINT16_MAX, &ncores) != 0))
			return -1;
		at.devid = (uint16_t)devid;
		at.ncores = (uint16_t)ncores;
		if (i > 0 || xml_next(n, "device")) /* several at once */
			at.arch = ARCH_NONE;
	}
	for (n = xml_child(comb, "implementation"); n; n = xml_next(n, "implementation"))
		if (read_implementation(d, n, &at) != 0)
			return -1;
	return 0;
}

int model_read_xml(struct model_build *b, const char *path, struct ht_err *err)
{
	struct model_doc d = {b, path, err};
	struct arena *a = arena_create();
	const struct xml_node *root = xml_load(path, NULL, a, err);
	int64_t version;
	int rc = -1;

	if (!root)
		goto out;
	if (strcmp(root->name, "perfmodel") != 0) {
		ht_err_set(err, "%s:%d: <%s>, expected <perfmodel>", path, root->line, root->name);
		goto out;
	}
	if (attr_int(&d, root, "version", 45, &version) != 0)
		goto out;
	b->version = (int)version;
	rc = 0;
	for (const struct xml_node *n = xml_child(root, "combination"); rc == 0 && n; n = xml_next(n, "combination"))
		rc = read_combination(&d, n);
	if (rc == 0 && version < 42)
		rc = bad_attr(&d, root, "version", "42 to 45");
out:
	arena_free(a);
	return rc;
}
