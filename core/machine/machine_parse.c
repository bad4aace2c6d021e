/* core/machine/machine_parse.c - a machine as a string: `cuda:4@12G cpu:20 link:12GB/s`. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/machine/machine.h"

static const double DEFAULT_BYTES_PER_S = 12e9;
enum { DEFAULT_LATENCY_NS = 10000 };

/* What the words have said so far. */
struct machine_text {
	int count[ARCH_COUNT];
	int64_t capacity[ARCH_COUNT];  /* of each device's memory */
	int order[ARCH_COUNT], norder; /* architectures in the order they were named */
	double bytes_per_s;
	int64_t latency_ns;
};

/* "12G" or "12GB" with the base of its unit: 1024 for memory, 1000 for rates. *end is what follows. */
static double parse_amount(const char *s, double base, char **end)
{
	static const char units[] = "kmgt";
	double v = strtod(s, end);
	const char *u;

	if (*end == s || !isfinite(v) || v < 0)
		return -1;
	u = **end ? strchr(units, tolower((unsigned char)**end)) : NULL;
	if (u) {
		v *= pow(base, (double)(u - units + 1));
		(*end)++;
	}
	*end += **end == 'B' || **end == 'b';
	return v;
}

static int parse_workers(struct machine_text *t, enum arch a, const char *word, const char *s, struct ht_err *err)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(s, &end, 10);
	if (end == s || errno || n < 1 || n > MACHINE_MAX_WORKERS)
		return ht_err_set(err, "machine \"%s\": expected a number of workers from 1 to %d after the colon",
		                  word, MACHINE_MAX_WORKERS);
	if (t->count[a])
		return ht_err_set(err, "machine \"%s\": %s stands twice", word, arch_name(a));
	t->count[a] = (int)n;
	t->order[t->norder++] = a;
	if (*end == '@') {
		double bytes = parse_amount(end + 1, 1024, &end);

		if (bytes < 1 || bytes > 9e18)
			return ht_err_set(err, "machine \"%s\": expected a size of memory such as 12G after @", word);
		t->capacity[a] = (int64_t)bytes;
	}
	return *end ? ht_err_set(err, "machine \"%s\": unexpected \"%s\" at its end", word, end) : 0;
}

static int parse_link(struct machine_text *t, const char *word, const char *s, struct ht_err *err)
{
	char *end;

	t->bytes_per_s = parse_amount(s, 1000, &end);
	if (strncmp(end, "/s", 2) == 0)
		end += 2;
	if (t->bytes_per_s < 1 || t->bytes_per_s > 9e18 || *end)
		return ht_err_set(err, "machine \"%s\": expected a bandwidth such as link:12GB/s", word);
	return 0;
}

/* "10us": ns, us, ms or s. */
static int parse_latency(struct machine_text *t, const char *word, const char *s, struct ht_err *err)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;
	double v = strtod(s, &end);

	for (size_t i = 0; end != s && v >= 0 && i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].name) != 0 || v * units[i].ns > (double)MACHINE_MOST_LATENCY_NS)
			continue;
		t->latency_ns = llround(v * units[i].ns);
		return 0;
	}
	return ht_err_set(err, "machine \"%s\": expected a time such as latency:10us", word);
}

static int parse_word(struct machine_text *t, const char *word, struct ht_err *err)
{
	const char *colon = strchr(word, ':');
	enum arch a;

	if (!colon)
		return ht_err_set(err, "machine \"%s\": expected ARCH:COUNT, such as cpu:20, or a file that exists",
		                  word);
	if (strncmp(word, "link:", 5) == 0)
		return parse_link(t, word, colon + 1, err);
	if (strncmp(word, "latency:", 8) == 0)
		return parse_latency(t, word, colon + 1, err);
	a = arch_parse(word, (int)(colon - word));
	if (a == ARCH_NONE)
		return ht_err_set(err,
		                  "machine \"%s\": expected cpu, cuda, opencl, hip, fpga, link or latency "
		                  "in front of the colon",
		                  word);
	return parse_workers(t, a, word, colon + 1, err);
}

/* CPUs share node 0; every other worker has a device and a memory of its own. */
static int build(struct machine *m, const struct machine_text *t, struct ht_err *err)
{
	int workers = 0, nodes = 1, w = 0;

	for (int i = 0; i < t->norder; i++) {
		workers += t->count[t->order[i]];
		nodes += t->order[i] == ARCH_CPU ? 0 : t->count[t->order[i]];
	}
	if (workers < 1 || workers > MACHINE_MAX_WORKERS || nodes > MACHINE_MAX_NODES)
		return ht_err_set(err, "machine: %d workers on %d memory nodes, expected 1 to %d on at most %d",
		                  workers, nodes, MACHINE_MAX_WORKERS, MACHINE_MAX_NODES);
	m->nworkers = workers;
	m->workers = arena_alloc(m->arena, (size_t)workers, sizeof(*m->workers));
	m->nodes = arena_alloc(m->arena, (size_t)nodes, sizeof(*m->nodes));
	m->nodes[0] = (struct machine_node){.arch = ARCH_CPU, .capacity_bytes = t->capacity[ARCH_CPU]};
	m->nnodes = 1;
	for (int i = 0; i < t->norder; i++)
		for (int d = 0; d < t->count[t->order[i]]; d++, w++) {
			enum arch a = (enum arch)t->order[i];
			char name[32];

			arch_worker_name(a, d, name);
			m->workers[w] = (struct machine_worker){
				.arch = a,
				.devid = d,
				.binding = -1,
				.node = a == ARCH_CPU ? 0 : m->nnodes,
				.name = arena_strndup(m->arena, name, strlen(name)),
			};
			if (a != ARCH_CPU)
				m->nodes[m->nnodes++] =
					(struct machine_node){.arch = a, .devid = d, .capacity_bytes = t->capacity[a]};
		}
	m->links = arena_alloc(m->arena, (size_t)(nodes * nodes), sizeof(*m->links));
	for (int from = 0; from < nodes; from++)
		for (int to = 0; to < nodes; to++)
			if (from != to) /* device to device goes through main memory: two hops */
				m->links[m->nlinks++] = (struct machine_link){
					.from = from,
					.to = to,
					.bytes_per_s = from && to ? t->bytes_per_s / 2 : t->bytes_per_s,
					.latency_ns = from && to ? 2 * t->latency_ns : t->latency_ns,
				};
	return 0;
}

struct machine *machine_parse(const char *text, struct ht_err *err)
{
	struct machine_text t = {.bytes_per_s = DEFAULT_BYTES_PER_S, .latency_ns = DEFAULT_LATENCY_NS};
	char *copy = ht_strndup(text, strlen(text)), *save = NULL;
	struct machine *m = NULL;
	int rc = 0;

	for (char *s = strtok_r(copy, " \t,", &save); s && rc == 0; s = strtok_r(NULL, " \t,", &save))
		rc = parse_word(&t, s, err);
	if (rc == 0 && t.norder == 0)
		rc = ht_err_set(err, "machine \"%s\": names no workers, expected words such as cpu:20", text);
	if (rc == 0) {
		m = ht_alloc(1, sizeof(*m));
		m->arena = arena_create();
		m->name = "";
		if (build(m, &t, err) != 0) {
			machine_free(m);
			m = NULL;
		}
	}
	free(copy);
	return m;
}

static int parse_capacity(const char *word, int len, enum arch *a, int64_t *capacity, struct ht_err *err)
{
	const char *sign = memchr(word, '=', (size_t)len);
	char *end = NULL;
	double bytes = -1;

	*a = sign ? arch_parse(word, (int)(sign - word)) : ARCH_NONE;
	if (*a == ARCH_NONE)
		return ht_err_set(err, "expected ARCH=SIZE, such as cuda=600M, found \"%.*s\"", len, word);
	if (isdigit((unsigned char)sign[1]))
		bytes = parse_amount(sign + 1, 1024, &end);
	if (bytes < 0 || bytes > 9e18 || end != word + len)
		return ht_err_set(err, "%s: expected a size of memory such as 600M, found \"%.*s\"", arch_name(*a),
		                  (int)(word + len - sign - 1), sign + 1);
	*capacity = (int64_t)bytes;
	return 0;
}

struct machine *machine_limit(const struct machine *m, const char *capacities, struct ht_err *err)
{
	struct machine *made = machine_copy(m);

	for (const char *word = capacities; *word || word == capacities;) {
		int len = (int)strcspn(word, ","), found = 0;
		int64_t bytes = 0;
		enum arch a;

		if (parse_capacity(word, len, &a, &bytes, err) != 0)
			goto fail;
		if (a == ARCH_CPU) {
			ht_err_set(err, "cpu: main memory is unlimited, expected the architecture of devices");
			goto fail;
		}
		for (int i = 0; i < made->nnodes; i++) {
			if (made->nodes[i].arch == a) {
				made->nodes[i].capacity_bytes = bytes;
				found = 1;
			}
		}
		if (!found) {
			ht_err_set(err, "the machine has no memory of %s", arch_name(a));
			goto fail;
		}
		word += len + (word[len] == ',');
	}
	return made;
fail:
	machine_free(made);
	return NULL;
}
