/* core/machine_xml.c - machine.xml of a run directory, in and out. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "core/err.h"
#include "core/machine.h"
#include "core/number.h"
#include "core/xml.h"
#include "schema/machine_rng.h"

/* The schema has seen to the attributes being there and being numbers; ranges are left. */
static int64_t whole(const struct xml_node *n, const char *name, int64_t max, int *bad)
{
	int64_t v = 0;

	if (number_parse_int(xml_attr(n, name), -1, max, &v) != 0)
		*bad = 1;
	return v;
}

static int count(const struct xml_node *root, const char *name)
{
	int n = 0;

	for (const struct xml_node *c = xml_child(root, name); c; c = xml_next(c, name))
		n++;
	return n;
}

static int load_workers(struct machine *m, const struct xml_node *root, const char *path, struct ht_err *err)
{
	int i = 0;

	for (const struct xml_node *n = xml_child(root, "node"); n; n = xml_next(n, "node"), i++) {
		int bad = 0;
		const char *a = xml_attr(n, "arch");

		m->nodes[i].arch = arch_parse(a, (int)strlen(a));
		m->nodes[i].devid = (int)whole(n, "devid", MACHINE_MAX_WORKERS, &bad);
		m->nodes[i].capacity_bytes = whole(n, "capacity", INT64_MAX, &bad);
		if (whole(n, "id", MACHINE_MAX_NODES, &bad) != i || bad)
			return ht_err_set(err, "%s:%d: node: expected id %d and numbers in range", path, n->line, i);
	}
	i = 0;
	for (const struct xml_node *n = xml_child(root, "worker"); n; n = xml_next(n, "worker"), i++) {
		int bad = 0;
		const char *a = xml_attr(n, "arch"), *name = xml_attr(n, "name");

		m->workers[i] = (struct machine_worker){
			.arch = arch_parse(a, (int)strlen(a)),
			.devid = (int)whole(n, "devid", MACHINE_MAX_WORKERS, &bad),
			.node = (int)whole(n, "node", m->nnodes - 1, &bad),
			.binding = (int)whole(n, "binding", 1 << 20, &bad),
			.name = arena_strndup(m->arena, name, strlen(name)),
		};
		if (whole(n, "id", MACHINE_MAX_WORKERS, &bad) != i || bad)
			return ht_err_set(err, "%s:%d: worker: expected id %d, a node below %d and numbers in range",
			                  path, n->line, i, m->nnodes);
	}
	return 0;
}

static int load_links(struct machine *m, const struct xml_node *root, const char *path, struct ht_err *err)
{
	int i = 0;

	for (const struct xml_node *n = xml_child(root, "link"); n; n = xml_next(n, "link"), i++) {
		int bad = 0;

		m->links[i].from = (int)whole(n, "from", m->nnodes - 1, &bad);
		m->links[i].to = (int)whole(n, "to", m->nnodes - 1, &bad);
		m->links[i].latency_ns = whole(n, "latency", INT64_MAX, &bad);
		bad |= number_parse(xml_attr(n, "bandwidth"), &m->links[i].bytes_per_s) != 0;
		if (bad)
			return ht_err_set(err, "%s:%d: link: expected nodes below %d and a finite bandwidth", path,
			                  n->line, m->nnodes);
	}
	return 0;
}

struct machine *machine_load(const char *path, struct ht_err *err)
{
	struct machine *m = ht_alloc(1, sizeof(*m));
	const struct xml_node *root;
	const char *broken = NULL;
	int rc = -1;

	m->arena = arena_create();
	root = xml_load(path, machine_rng, m->arena, err);
	if (!root)
		goto out;
	m->name = xml_attr(root, "name");
	m->nnodes = count(root, "node");
	m->nworkers = count(root, "worker");
	m->nlinks = count(root, "link");
	m->nodes = arena_alloc(m->arena, (size_t)m->nnodes, sizeof(*m->nodes));
	m->workers = arena_alloc(m->arena, (size_t)m->nworkers, sizeof(*m->workers));
	m->links = arena_alloc(m->arena, (size_t)m->nlinks, sizeof(*m->links));
	rc = load_workers(m, root, path, err) || load_links(m, root, path, err) ? -1 : 0;
	broken = rc == 0 ? machine_check(m) : NULL;
	if (broken)
		rc = ht_err_set(err, "%s: %s", path, broken);
out:
	if (rc != 0) {
		machine_free(m);
		m = NULL;
	}
	return m;
}

int machine_save(const struct machine *m, const char *path, struct ht_err *err)
{
	struct xml_writer *w = xml_writer_create(path, err);
	char number[32];

	if (!w)
		return -1;
	xml_open(w, "machine");
	xml_put(w, "name", "%s", m->name);
	for (int i = 0; i < m->nnodes; i++) {
		xml_open(w, "node");
		xml_put(w, "id", "%d", i);
		xml_put(w, "arch", "%s", arch_name(m->nodes[i].arch));
		xml_put(w, "devid", "%d", m->nodes[i].devid);
		xml_put(w, "capacity", "%lld", (long long)m->nodes[i].capacity_bytes);
		xml_close(w);
	}
	for (int i = 0; i < m->nworkers; i++) {
		xml_open(w, "worker");
		xml_put(w, "id", "%d", i);
		xml_put(w, "arch", "%s", arch_name(m->workers[i].arch));
		xml_put(w, "devid", "%d", m->workers[i].devid);
		xml_put(w, "node", "%d", m->workers[i].node);
		xml_put(w, "binding", "%d", m->workers[i].binding);
		xml_put(w, "name", "%s", m->workers[i].name);
		xml_close(w);
	}
	for (int i = 0; i < m->nlinks; i++) {
		xml_open(w, "link");
		xml_put(w, "from", "%d", m->links[i].from);
		xml_put(w, "to", "%d", m->links[i].to);
		xml_put(w, "bandwidth", "%s", number_text(number, m->links[i].bytes_per_s));
		xml_put(w, "latency", "%lld", (long long)m->links[i].latency_ns);
		xml_close(w);
	}
	xml_close(w);
	return xml_writer_commit(w, err);
}
