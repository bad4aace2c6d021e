/* core/machine/machine_xml.c - machine.xml of a run directory, in and out. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/number.h"
#include "core/base/xml.h"
#include "core/machine/machine.h"
#include "schema/machine_rng.h"

/* The schema has seen to the attributes being there and being numbers; ranges are left. */
static int64_t whole(const struct xml_node *n, const char *name, int64_t max, const char **bad)
{
	int64_t v = 0;

	if (number_parse_int(xml_attr(n, name), -1, max, &v) != 0)
		*bad = name;
	return v;
}

static double rate(const struct xml_node *n, const char *name, const char **bad)
{
	double v = 0;

	if (number_parse(xml_attr(n, name), &v) != 0 || !(v > 0))
		*bad = name;
	return v;
}

static int load_workers(struct machine *m, const struct xml_node *root, const char *path, struct ht_err *err)
{
	int i = 0;

	for (const struct xml_node *n = xml_child(root, "node"); n; n = xml_next(n, "node"), i++) {
		const char *bad = NULL;
		const char *a = xml_attr(n, "arch");

		m->nodes[i].arch = arch_parse(a, (int)strlen(a));
		m->nodes[i].devid = (int)whole(n, "devid", MACHINE_MAX_WORKERS, &bad);
		m->nodes[i].capacity_bytes = whole(n, "capacity", INT64_MAX, &bad);
		m->nodes[i].rank = xml_attr(n, "rank") ? (int)whole(n, "rank", MACHINE_MAX_NODES - 1, &bad) : 0;
		if (whole(n, "id", MACHINE_MAX_NODES, &bad) != i)
			bad = "id";
		if (bad)
			return ht_err_set(err, "%s:%d: node: expected id %d and numbers in range, found %s=\"%s\"",
			                  path, n->line, i, bad, xml_attr(n, bad));
	}
	i = 0;
	for (const struct xml_node *n = xml_child(root, "worker"); n; n = xml_next(n, "worker"), i++) {
		const char *bad = NULL;
		const char *a = xml_attr(n, "arch"), *name = xml_attr(n, "name");

		m->workers[i] = (struct machine_worker){
			.arch = arch_parse(a, (int)strlen(a)),
			.devid = (int)whole(n, "devid", MACHINE_MAX_WORKERS, &bad),
			.node = (int)whole(n, "node", m->nnodes - 1, &bad),
			.binding = (int)whole(n, "binding", 1 << 20, &bad),
			.name = arena_strndup(m->arena, name, strlen(name)),
		};
		if (whole(n, "id", MACHINE_MAX_WORKERS, &bad) != i)
			bad = "id";
		if (bad)
			return ht_err_set(
				err,
				"%s:%d: worker: expected id %d, a node below %d and numbers in range, found %s=\"%s\"",
				path, n->line, i, m->nnodes, bad, xml_attr(n, bad));
	}
	return 0;
}

static int load_segments(struct machine *m, const struct xml_node *root, const char *path, struct ht_err *err)
{
	int i = 0;

	for (const struct xml_node *n = xml_child(root, "segment"); n; n = xml_next(n, "segment"), i++) {
		const char *name = xml_attr(n, "name");
		const char *bad = NULL;

		m->segments[i].name = arena_strndup(m->arena, name, strlen(name));
		m->segments[i].latency_ns = whole(n, "latency", MACHINE_MOST_LATENCY_NS, &bad);
		m->segments[i].bytes_per_s = rate(n, "bandwidth", &bad);
		if (whole(n, "id", INT32_MAX, &bad) != i)
			bad = "id";
		if (bad)
			return ht_err_set(
				err,
				"%s:%d: segment: expected id %d, a finite bandwidth above 0 and numbers in range, found %s=\"%s\"",
				path, n->line, i, bad, xml_attr(n, bad));
	}
	return 0;
}

/* "0 3 3": the segments that a link crosses. */
static int load_crossings(struct machine *m, struct machine_link *l, const char *over)
{
	l->first_crossing = m->ncrossings;
	for (char *end; over && *over; over = end) {
		long id = strtol(over, &end, 10);

		if (end == over || id < 0 || id >= m->nsegments)
			return -1;
		m->crossings[m->ncrossings++] = (int)id;
		while (*end == ' ')
			end++;
	}
	l->ncrossings = m->ncrossings - l->first_crossing;
	return 0;
}

/* Room for what all links cross: never more than a number a two characters. */
static int count_crossings(const struct xml_node *root)
{
	size_t n = 0;

	for (const struct xml_node *c = xml_child(root, "link"); c; c = xml_next(c, "link"))
		n += xml_attr(c, "over") ? strlen(xml_attr(c, "over")) / 2 + 1 : 0;
	return (int)n;
}

static int load_links(struct machine *m, const struct xml_node *root, const char *path, struct ht_err *err)
{
	int i = 0;

	for (const struct xml_node *n = xml_child(root, "link"); n; n = xml_next(n, "link"), i++) {
		const char *bad = NULL;

		m->links[i].from = (int)whole(n, "from", m->nnodes - 1, &bad);
		m->links[i].to = (int)whole(n, "to", m->nnodes - 1, &bad);
		m->links[i].latency_ns = whole(n, "latency", MACHINE_MOST_LATENCY_NS, &bad);
		m->links[i].bytes_per_s = rate(n, "bandwidth", &bad);
		if (load_crossings(m, &m->links[i], xml_attr(n, "over")) < 0)
			return ht_err_set(err, "%s:%d: link: expected to lead over segments below %d, found \"%s\"",
			                  path, n->line, m->nsegments, xml_attr(n, "over"));
		if (bad)
			return ht_err_set(
				err,
				"%s:%d: link: expected nodes below %d, a finite bandwidth above 0 and a latency in range, found "
				"%s=\"%s\"",
				path, n->line, m->nnodes, bad, xml_attr(n, bad));
	}
	return 0;
}

static int load_network(struct machine *m, const struct xml_node *root, const char *path, struct ht_err *err)
{
	const struct xml_node *n = xml_child(root, "network");
	const char *bad = NULL;

	if (!n)
		return 0;
	m->network.latency_ns = whole(n, "latency", MACHINE_MOST_LATENCY_NS, &bad);
	m->network.bytes_per_s = rate(n, "bandwidth", &bad);
	m->network.link_bytes_per_s = rate(n, "rank_bandwidth", &bad);
	if (bad)
		return ht_err_set(
			err,
			"%s:%d: network: expected finite bandwidths above 0 and a latency in range, found %s=\"%s\"",
			path, n->line, bad, xml_attr(n, bad));
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
	m->nnodes = (int)xml_count(root, "node");
	m->nworkers = (int)xml_count(root, "worker");
	m->nlinks = (int)xml_count(root, "link");
	m->nsegments = (int)xml_count(root, "segment");
	m->segments = arena_alloc(m->arena, (size_t)m->nsegments, sizeof(*m->segments));
	m->crossings = arena_alloc(m->arena, (size_t)count_crossings(root), sizeof(*m->crossings));
	m->nodes = arena_alloc(m->arena, (size_t)m->nnodes, sizeof(*m->nodes));
	m->workers = arena_alloc(m->arena, (size_t)m->nworkers, sizeof(*m->workers));
	m->links = arena_alloc(m->arena, (size_t)m->nlinks, sizeof(*m->links));
	rc = load_workers(m, root, path, err) || load_segments(m, root, path, err) || load_links(m, root, path, err) ||
	                     load_network(m, root, path, err) ?
	             -1 :
	             0;
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

static void put_crossings(struct xml_writer *w, const struct machine *m, const struct machine_link *l)
{
	size_t size = (size_t)l->ncrossings * 12 + 1;
	char *text = ht_alloc(size, 1);

	for (int i = 0, at = 0; i < l->ncrossings; i++)
		at += snprintf(text + at, size - (size_t)at, "%s%d", i ? " " : "", m->crossings[l->first_crossing + i]);
	if (l->ncrossings)
		xml_put(w, "over", "%s", text);
	free(text);
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
		if (m->nodes[i].rank)
			xml_put(w, "rank", "%d", m->nodes[i].rank);
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
	for (int i = 0; i < m->nsegments; i++) {
		xml_open(w, "segment");
		xml_put(w, "id", "%d", i);
		xml_put(w, "name", "%s", m->segments[i].name);
		xml_put(w, "bandwidth", "%s", number_text(number, m->segments[i].bytes_per_s));
		xml_put(w, "latency", "%lld", (long long)m->segments[i].latency_ns);
		xml_close(w);
	}
	for (int i = 0; i < m->nlinks; i++) {
		xml_open(w, "link");
		xml_put(w, "from", "%d", m->links[i].from);
		xml_put(w, "to", "%d", m->links[i].to);
		xml_put(w, "bandwidth", "%s", number_text(number, m->links[i].bytes_per_s));
		xml_put(w, "latency", "%lld", (long long)m->links[i].latency_ns);
		put_crossings(w, m, &m->links[i]);
		xml_close(w);
	}
	if (m->network.bytes_per_s > 0) {
		xml_open(w, "network");
		xml_put(w, "bandwidth", "%s", number_text(number, m->network.bytes_per_s));
		xml_put(w, "rank_bandwidth", "%s", number_text(number, m->network.link_bytes_per_s));
		xml_put(w, "latency", "%lld", (long long)m->network.latency_ns);
		xml_close(w);
	}
	xml_close(w);
	return xml_writer_commit(w, err);
}
