/* collect/bus.c - StarPU's measurements of a machine's bus: bandwidths, latencies, memories. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/bus.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/perfmodel/scan.h"
#include "core/base/xml.h"

enum { MAX_NODES = 256, MAX_FILE = 16 << 20 };

/* What a line of .config counts, by a word of its comment: the order of lines differs between versions. */
static const struct {
	const char *word;
	enum arch arch;
} labels[] = {
	{"CPUs", ARCH_CPU},   {"CUDA", ARCH_CUDA},       {"OpenCL", ARCH_OPENCL},  {"FPGA", ARCH_FPGA},
	{"MPI", ARCH_MPI_MS}, {"TCP/IP", ARCH_TCPIP_MS}, {"TCPIP", ARCH_TCPIP_MS}, {"HIP", ARCH_HIP},
	{"MIC", ARCH_MIC},    {"SYCL", ARCH_SYCL},
};

static int read_config(struct bus *b, const char *path, struct ht_err *err)
{
	char *text = file_read(path, MAX_FILE, NULL, err);
	int line = 0;

	if (!text)
		return -1;
	for (char *s = text, *end; *s; s = end) {
		char *comment;
		long n;

		end = s + strcspn(s, "\n");
		if (*end)
			*end++ = '\0';
		comment = strchr(s, '#');

		line++;
		if (!comment || comment == s)
			continue;
		n = strtol(s, NULL, 10);
		if (!isdigit((unsigned char)*s) || n < 0 || n > 4096) {
			ht_err_set(err, "%s:%d: expected a number of devices, found \"%.40s\"", path, line, s);
			free(text);
			return -1;
		}
		if (strstr(comment, "NUMA") || strstr(comment, "CPU_RAM")) {
			b->nnuma = n > 0 ? (int)n : 1;
			continue;
		}
		for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
			if (strstr(comment, labels[i].word)) {
				b->devices[labels[i].arch] = (int)n;
				break;
			}
	}
	free(text);
	return 0;
}

/* Rows of numbers; the first row gives the number of columns. */
static double *read_matrix(const char *path, int *size, struct ht_err *err)
{
	char *text = file_read(path, MAX_FILE, NULL, err);
	struct scan s = {.path = path, .at = text, .line = 1};
	double *m = NULL;
	int n = 0, rc = -1;

	if (!text)
		return NULL;
	scan_skip(&s);
	n = scan_columns(&s);
	if (n < 1 || n > MAX_NODES || (*size && n != *size)) {
		ht_err_set(err, "%s:%d: expected a row of %d numbers%s, found %d", path, s.line, *size ? *size : 1,
		           *size ? "" : " or more", n);
		goto out;
	}
	m = ht_alloc((size_t)(n * n), sizeof(*m));
	for (int i = 0; i < n * n; i++) {
		if (scan_real(&s, "a number of a square matrix", &m[i], err) != 0)
			goto out;
		if (m[i] < 0)
			m[i] = NAN;
	}
	*size = n;
	rc = 0;
out:
	free(text);
	if (rc != 0) {
		free(m);
		m = NULL;
	}
	return m;
}

/* <host id="CUDA0"><prop id="memsize" value="..."/>: devices and RAM, wherever they stand in the tree. */
static void read_memories(struct bus *b, const struct xml_node *n)
{
	for (; n; n = n->next) {
		const char *id = xml_attr(n, "id");
		size_t len = id ? strcspn(id, "0123456789") : 0;
		enum arch a = id && strcmp(id, "RAM") == 0 ? ARCH_CPU : id ? arch_parse(id, (int)len) : ARCH_NONE;
		long devid = id && a != ARCH_CPU ? strtol(id + len, NULL, 10) : 0;

		read_memories(b, n->child);
		if (strcmp(n->name, "host") != 0 || a == ARCH_NONE || devid < 0 || devid >= 64 ||
		    (a == ARCH_CPU && id[len]))
			continue;
		for (const struct xml_node *p = xml_child(n, "prop"); p; p = xml_next(p, "prop")) {
			const char *key = xml_attr(p, "id"), *value = xml_attr(p, "value");
			int64_t bytes;

			if (key && value && strcmp(key, "memsize") == 0 &&
			    number_parse_int(value, 0, INT64_MAX, &bytes) == 0)
				b->memory_bytes[a][devid] = bytes;
		}
	}
}

static int read_platform(struct bus *b, const char *sampling_dir, const char *host, struct ht_err *err)
{
	static const char *const names[] = {"platform.v4.xml", "platform.xml"};
	int rc = 0;

	for (int i = 0; i < 2; i++) {
		char *path = ht_asprintf("%s/bus/%s.%s", sampling_dir, host, names[i]);
		int found = file_exists(path);

		if (found) {
			struct arena *a = arena_create();
			const struct xml_node *root = xml_load(path, NULL, a, err);

			rc = root ? 0 : -1;
			if (root) {
				read_memories(b, root);
				bus_read_routes(b, root);
			}
			arena_free(a);
		}
		free(path);
		if (found)
			break;
	}
	return rc;
}

struct bus *bus_load(const char *sampling_dir, const char *host, struct ht_err *err)
{
	struct bus *b = ht_alloc(1, sizeof(*b));
	char *config = ht_asprintf("%s/bus/%s.config", sampling_dir, host);
	char *bandwidth = ht_asprintf("%s/bus/%s.bandwidth", sampling_dir, host);
	char *latency = ht_asprintf("%s/bus/%s.latency", sampling_dir, host);
	int rc = -1;

	for (int a = 0; a < ARCH_COUNT; a++)
		b->devices[a] = -1;
	b->nnuma = 1;
	if (file_exists(config) && read_config(b, config, err) != 0)
		goto out;
	b->bytes_per_us = read_matrix(bandwidth, &b->size, err);
	b->latency_us = b->bytes_per_us ? read_matrix(latency, &b->size, err) : NULL;
	if (b->latency_us)
		rc = read_platform(b, sampling_dir, host, err);
out:
	free(config);
	free(bandwidth);
	free(latency);
	if (rc != 0) {
		bus_free(b);
		b = NULL;
	}
	return b;
}

void bus_free(struct bus *b)
{
	if (!b)
		return;
	free(b->bytes_per_us);
	free(b->latency_us);
	for (size_t i = 0; i < b->nsegments; i++)
		free(b->segments[i].name);
	free(b->segments);
	free(b->routes);
	free(b->crossings);
	free(b);
}

int bus_node(const struct bus *b, enum arch arch, int devid)
{
	/* The order of enum starpu_node_kind: memories of CPUs, then those of devices. */
	static const enum arch order[] = {ARCH_CUDA,   ARCH_OPENCL,   ARCH_MIC, ARCH_FPGA,
	                                  ARCH_MPI_MS, ARCH_TCPIP_MS, ARCH_HIP, ARCH_SYCL};
	int at = b->nnuma;

	if (arch == ARCH_CPU)
		return devid >= 0 && devid < b->nnuma && devid < b->size ? devid : -1;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		int n = b->devices[order[i]] > 0 ? b->devices[order[i]] : 0;

		if (order[i] == arch)
			return devid >= 0 && devid < n && at + devid < b->size ? at + devid : -1;
		at += n;
	}
	return -1;
}
