/* core/model_xml.c - the XML form of a performance model, as `starpu_perfmodel_display -x` writes it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * StarPU 1.4 (src/core/perfmodel/perfmodel_history.c, starpu_perfmodel_dump_xml): <perfmodel version> has <combination>s of
 * <device type id ncores>, ncores for CPUs only, and <implementation id>s of one <l_regression> or <nl_regression> and
 * <entry>s. Times are in us. What is not named here (<ml_regression>) is passed over.
 */
#include <math.h>
#include <string.h>

#include "core/alloc.h"
#include "core/err.h"
#include "core/model_draft.h"
#include "core/number.h"
#include "core/xml.h"

static int missing(struct model_draft *d, const struct xml_node *n, const char *attr)
{
	return ht_err_set(d->err, "%s:%d: <%s> has no attribute '%s'", d->path, n->line, n->name, attr);
}

static int get_int(struct model_draft *d, const struct xml_node *n, const char *attr, int64_t max, int64_t *value)
{
	const char *text = xml_attr(n, attr);

	if (!text)
		return missing(d, n, attr);
	if (number_parse_int(text, 0, max, value) != 0)
		return ht_err_set(d->err, "%s:%d: %s=\"%.40s\" of <%s>, expected a number from 0 to %lld", d->path, n->line, attr, text,
		                  n->name, (long long)max);
	return 0;
}

static int get_real(struct model_draft *d, const struct xml_node *n, const char *attr, double *value)
{
	const char *text = xml_attr(n, attr);

	if (!text)
		return missing(d, n, attr);
	if (model_real(text, value) != 0)
		return ht_err_set(d->err, "%s:%d: %s=\"%.40s\" of <%s>, expected a number", d->path, n->line, attr, text, n->name);
	return 0;
}

static int read_entry(struct model_draft *d, const struct xml_node *n, const struct model_place *p)
{
	static const char *const names[] = {"footprint", "size", "mean", "deviation", "nsample"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!xml_attr(n, names[i]))
			return missing(d, n, names[i]);
	return model_draft_row(d, n->line, p, &(struct model_row){
		xml_attr(n, "footprint"), xml_attr(n, "size"), xml_attr(n, "flops"), xml_attr(n, "mean"),
		xml_attr(n, "deviation"), xml_attr(n, "nsample"),
	});
}

static int read_regression(struct model_draft *d, const struct xml_node *n, const struct model_place *p)
{
	struct model_regression r = {.alpha = NAN, .beta = NAN, .a = NAN, .b = NAN, .c = NAN};
	int64_t samples;

	if (strcmp(n->name, "nl_regression") == 0) {
		if (get_real(d, n, "a", &r.a) != 0 || get_real(d, n, "b", &r.b) != 0 || get_real(d, n, "c", &r.c) != 0)
			return -1;
	} else {
		if (get_real(d, n, "alpha", &r.alpha) != 0 || get_real(d, n, "beta", &r.beta) != 0 ||
		    get_real(d, n, "minx", &r.min_bytes) != 0 || get_real(d, n, "maxx", &r.max_bytes) != 0 ||
		    get_int(d, n, "nsample", UINT32_MAX, &samples) != 0)
			return -1;
		r.samples = (uint64_t)samples;
	}
	model_draft_regression(d, p, &r);
	return 0;
}

static int read_implementation(struct model_draft *d, const struct xml_node *impl, struct model_place p)
{
	int64_t id;

	if (get_int(d, impl, "id", MODEL_MAX_IMPLS - 1, &id) != 0)
		return -1;
	p.impl = (uint16_t)id;
	for (const struct xml_node *n = impl->child; n; n = n->next) {
		if (strcmp(n->name, "entry") == 0 && read_entry(d, n, &p) != 0)
			return -1;
		if ((strcmp(n->name, "l_regression") == 0 || strcmp(n->name, "nl_regression") == 0) &&
		    read_regression(d, n, &p) != 0)
			return -1;
	}
	return 0;
}

static int read_device(struct model_draft *d, const struct xml_node *n, struct model_place *p)
{
	const char *type = xml_attr(n, "type");
	int64_t devid, ncores = 1;

	if (!type)
		return missing(d, n, "type");
	p->arch = arch_parse(type, (int)strlen(type));
	if (p->arch == ARCH_NONE)
		return ht_err_set(d->err, "%s:%d: type=\"%.40s\" of <device>, expected an architecture such as CPU or CUDA", d->path,
		                  n->line, type);
	if (get_int(d, n, "id", UINT16_MAX, &devid) != 0 ||
	    (xml_attr(n, "ncores") && get_int(d, n, "ncores", MODEL_MAX_CORES, &ncores) != 0))
		return -1;
	p->devid = (uint16_t)devid;
	p->ncores = (uint16_t)ncores;
	return 0;
}

static int read_combination(struct model_draft *d, const struct xml_node *comb)
{
	struct model_place p = {.arch = ARCH_NONE};
	int ndevices = 0;

	for (const struct xml_node *n = xml_child(comb, "device"); n; n = xml_next(n, "device"), ndevices++)
		if (read_device(d, n, &p) != 0)
			return -1;
	if (ndevices == 0)
		return ht_err_set(d->err, "%s:%d: <combination> has no <device>", d->path, comb->line);
	if (ndevices > 1)
		p.arch = ARCH_NONE; /* a parallel task across devices */
	for (const struct xml_node *n = xml_child(comb, "implementation"); n; n = xml_next(n, "implementation"))
		if (read_implementation(d, n, p) != 0)
			return -1;
	return 0;
}

int model_draft_read_xml(struct model_draft *d)
{
	struct arena *a = arena_create();
	const struct xml_node *root = xml_load(d->path, NULL, a, d->err);
	int64_t version;
	int rc = -1;

	if (!root)
		goto out;
	if (strcmp(root->name, "perfmodel") != 0) {
		ht_err_set(d->err, "%s:%d: the root is <%s>, expected <perfmodel>", d->path, root->line, root->name);
		goto out;
	}
	rc = get_int(d, root, "version", INT32_MAX, &version);
	if (rc == 0 && (version < MODEL_OLDEST || version > MODEL_NEWEST))
		rc = ht_err_set(d->err, "%s:%d: a performance model of version %d, expected %d to %d", d->path, root->line,
		                (int)version, MODEL_OLDEST, MODEL_NEWEST);
	if (rc != 0)
		goto out;
	d->version = (int)version;
	for (const struct xml_node *n = xml_child(root, "combination"); n && rc == 0; n = xml_next(n, "combination"))
		rc = read_combination(d, n);
out:
	arena_free(a);
	return rc;
}
