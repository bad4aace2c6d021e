/* tests/unit/test_bus.c - StarPU's bus files: read, matched with a machine, and damaged. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "collect/bus.h"
#include "collect/machine_bus.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/machine/machine.h"
#include "tests/lib/check.h"
#include "tests/lib/mangle.h"

static const char CONFIG[] = "# Current configuration\n4 # Number of CPUs\n1 # Number of NUMA nodes\n"
			     "1 # Number of CUDA devices\n1 # Number of OpenCL devices\n";
static const char BANDWIDTH[] = "# to 0\tto 1\tto 2\tto 3\n0.0\t6000.5\t4500.0\tnan\n6500.0\t0.0\t2600.0\tnan\n"
				"4400.0\tnan\t0.0\tnan\nnan\tnan\tnan\tnan\n";
static const char LATENCY[] = "# to 0\tto 1\tto 2\tto 3\n0.0\t9.5\t11.0\tnan\n10.0\t0.0\t21.0\tnan\n"
			      "15.0\tnan\t0.0\tnan\nnan\tnan\tnan\tnan\n";
static const char PLATFORM[] =
	"<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'http://nowhere.invalid/simgrid.dtd'>\n"
	"<platform version='4'><zone id='z'><host id='CUDA0'>"
	"<prop id='memsize' value='5636554752'/></host></zone></platform>\n";

static void put(const char *dir, const char *name, const char *text)
{
	char *path = ht_asprintf("%s/bus/%s", dir, name);
	FILE *f = fopen(path, "w");

	CHECK(f != NULL);
	if (f) {
		fputs(text, f);
		fclose(f);
	}
	free(path);
}

static void write_host(char *dir)
{
	char *bus;

	CHECK(mkdtemp(dir) != NULL);
	bus = ht_asprintf("%s/bus", dir);
	CHECK_INT(dir_create(bus, NULL), 0);
	free(bus);
	put(dir, "a.b.config", CONFIG);
	put(dir, "a.b.bandwidth", BANDWIDTH);
	put(dir, "a.b.latency", LATENCY);
	put(dir, "a.b.platform.v4.xml", PLATFORM);
}

static void every_file_of_a_host(void)
{
	char dir[] = "/tmp/heterotune-bus-XXXXXX";
	struct ht_err err = {{0}};
	struct bus *b;

	write_host(dir);
	b = bus_load(dir, "a.b", &err);
	CHECK(b != NULL);
	if (b) {
		CHECK_INT(b->devices[ARCH_CPU], 4);
		CHECK_INT(b->devices[ARCH_CUDA], 1);
		CHECK_INT(b->devices[ARCH_HIP], -1);
		CHECK_INT(b->size, 4);
		CHECK_INT(bus_node(b, ARCH_CPU, 0), 0);
		CHECK_INT(bus_node(b, ARCH_CUDA, 0), 1);
		CHECK_INT(bus_node(b, ARCH_OPENCL, 0), 2);
		CHECK_INT(bus_node(b, ARCH_CUDA, 1), -1);
		CHECK_INT(bus_node(b, ARCH_CUDA, -1), -1);
		CHECK_NEAR(b->bytes_per_us[1], 6000.5, 1e-12);
		CHECK(isnan(b->bytes_per_us[2 * 4 + 1]));
		CHECK_INT(b->memory_bytes[ARCH_CUDA][0], 5636554752);
	}
	bus_free(b);
	bus_free(NULL);
	dir_remove(dir);
}

/* As StarPU writes them in a program whose locale has it. */
static void decimal_comma(void)
{
	char dir[] = "/tmp/heterotune-bus-XXXXXX", *text = ht_strndup(BANDWIDTH, strlen(BANDWIDTH));
	struct ht_err err = {{0}};
	struct bus *b;

	for (char *at = text; (at = strchr(at, '.'));)
		*at = ',';
	write_host(dir);
	put(dir, "a.b.bandwidth", text);
	b = bus_load(dir, "a.b", &err);
	CHECK_STR(err.text, "");
	if (b) {
		CHECK_NEAR(b->bytes_per_us[1], 6000.5, 1e-12);
		CHECK_NEAR(b->bytes_per_us[2], 4500, 1e-12);
	}
	bus_free(b);
	free(text);
	dir_remove(dir);
}

static void links_of_a_machine(void)
{
	char dir[] = "/tmp/heterotune-bus-XXXXXX";
	struct ht_err err = {{0}};
	struct machine *m = machine_parse("cpu:3 cuda:1 opencl:1", &err);
	struct bus *b;

	write_host(dir);
	b = bus_load(dir, "a.b", &err);
	CHECK(m && b);
	if (m && b) {
		machine_add_bus(m, b);
		CHECK(machine_check(m) == NULL);
		CHECK_INT(m->nlinks, 5); /* all pairs of three nodes but OpenCL to CUDA, which is nan */
		CHECK_NEAR(machine_link_between(m, 0, 1)->bytes_per_s, 6000.5e6, 1e-12);
		CHECK_INT(machine_link_between(m, 1, 0)->latency_ns, 10000);
		CHECK(machine_link_between(m, 2, 1) == NULL);
		CHECK_INT(m->nodes[1].capacity_bytes, 5636554752);
		CHECK_INT(m->nodes[2].capacity_bytes, 0);
	}
	bus_free(b);
	machine_free(m);
	dir_remove(dir);
}

/* Two hosts with a GPU each: what was measured on one holds for both, and joins them nowhere. */
static void several_ranks(void)
{
	char dir[] = "/tmp/heterotune-bus-XXXXXX";
	struct ht_err err = {{0}};
	struct bus *b;

	write_host(dir);
	b = bus_load(dir, "a.b", &err);
	CHECK(b != NULL);
	if (b) {
		struct machine_node nodes[4] = {{0}};
		struct machine m = {.name = "", .nodes = nodes, .nnodes = 4, .arena = arena_create()};

		for (int i = 0; i < 4; i++)
			nodes[i] = (struct machine_node){.arch = i % 2 ? ARCH_CUDA : ARCH_CPU, .rank = i / 2};
		machine_add_bus(&m, b);
		CHECK_INT(m.nlinks, 4);
		for (int i = 0; i < m.nlinks; i++)
			CHECK_INT(nodes[m.links[i].from].rank, nodes[m.links[i].to].rank);
		CHECK(m.nlinks == 4 && m.links[0].bytes_per_s == m.links[2].bytes_per_s);
		CHECK_INT(nodes[1].capacity_bytes, nodes[3].capacity_bytes);
		arena_free(m.arena);
	}
	bus_free(b);
	dir_remove(dir);
}

static void add_workers(struct machine *m, enum arch a, int count, int node)
{
	for (int i = 0; i < count; i++)
		m->workers[m->nworkers++] = (struct machine_worker){
			.arch = a, .devid = i, .node = node + (a != ARCH_CPU) * i, .binding = -1, .name = ""};
}

/* The machine of the bus files of `host`: one worker per core and per device, with the links that were measured. */
static struct machine *host_machine(const char *dir, const char *host, struct ht_err *err)
{
	static const enum arch archs[] = {ARCH_CPU, ARCH_CUDA, ARCH_OPENCL,
	                                  ARCH_HIP}; /* in the order of StarPU's nodes */
	struct bus *b = bus_load(dir, host, err);
	struct machine *m;

	if (!b)
		return NULL;
	m = ht_alloc(1, sizeof(*m));
	m->arena = arena_create();
	m->name = "host";
	m->nodes = arena_alloc(m->arena, MACHINE_MAX_NODES, sizeof(*m->nodes));
	m->workers = arena_alloc(m->arena, MACHINE_MAX_WORKERS, sizeof(*m->workers));
	for (int k = 0; k < 4; k++) {
		int nodes = k ? b->devices[archs[k]] : b->nnuma;

		add_workers(m, archs[k], b->devices[archs[k]], k ? m->nnodes : 0);
		for (int i = 0; i < nodes; i++)
			m->nodes[m->nnodes++] = (struct machine_node){.arch = archs[k], .devid = i};
	}
	machine_add_bus(m, b);
	bus_free(b);
	return m;
}

/* Two NUMA nodes are one host: the rows of devices come after both. */
static void numa_nodes(void)
{
	char dir[] = "/tmp/heterotune-bus-XXXXXX";
	struct ht_err err = {{0}};
	struct machine *m;

	write_host(dir);
	put(dir, "a.b.config", "4 # Number of CPUs\n2 # Number of NUMA nodes\n1 # Number of CUDA devices\n");
	m = host_machine(dir, "a.b", &err);
	CHECK_STR(err.text, "");
	if (m) {
		CHECK(machine_check(m) == NULL);
		CHECK_INT(m->nnodes, 3);
		CHECK_INT(m->workers[4].node, 2);
		CHECK_NEAR(machine_link_between(m, 0, 1)->bytes_per_s, 6000.5e6, 1e-12);
		CHECK_NEAR(machine_link_between(m, 0, 2)->bytes_per_s, 4500e6, 1e-12);
		CHECK(machine_link_between(m, 2, 1) == NULL);
	}
	machine_free(m);
	dir_remove(dir);
}

/* StarPU 1.5 has devices of SYCL: their memories come last. */
static void sycl_devices(void)
{
	char dir[] = "/tmp/heterotune-bus-XXXXXX";
	struct ht_err err = {{0}};
	struct bus *b;

	write_host(dir);
	put(dir, "a.b.config",
	    "4 # Number of CPUs\n1 # Number of NUMA nodes\n1 # Number of SYCL nodes\n1 # Number of HIP nodes\n");
	b = bus_load(dir, "a.b", &err);
	CHECK_STR(err.text, "");
	REQUIRE(b);
	CHECK_INT(b->devices[ARCH_SYCL], 1);
	CHECK_INT(bus_node(b, ARCH_HIP, 0), 1);
	CHECK_INT(bus_node(b, ARCH_SYCL, 0), 2);
	bus_free(b);
	dir_remove(dir);
}

static void machine_of_a_host(void)
{
	char dir[] = "/tmp/heterotune-bus-XXXXXX", summary[64];
	struct ht_err err = {{0}};
	struct machine *m;

	write_host(dir);
	m = host_machine(dir, "a.b", &err);
	CHECK_STR(err.text, "");
	if (m) {
		CHECK(machine_check(m) == NULL);
		CHECK_STR(machine_summary(m, summary, sizeof(summary)), "4 cpu + 1 cuda + 1 opencl");
		CHECK_INT(m->nnodes, 3);
		CHECK_INT(m->nodes[2].arch, ARCH_OPENCL);
		CHECK_INT(m->nodes[1].capacity_bytes, 5636554752);
		CHECK_INT(m->nlinks, 5);
	}
	machine_free(m);
	dir_remove(dir);
}

/* Rates and latencies that no unit of ours can hold: not measured. */
static void absurd_measurements(void)
{
	char dir[] = "/tmp/heterotune-bus-XXXXXX";
	struct ht_err err = {{0}};
	struct machine *m;

	write_host(dir);
	put(dir, "a.b.config", "4 # Number of CPUs\n2 # Number of CUDA devices\n");
	put(dir, "a.b.bandwidth", "0 1e308 5\n-3 0 inf\n7 0 0\n");
	put(dir, "a.b.latency", "0 1 1e300\n1 0 1\n-1 1 0\n");
	m = host_machine(dir, "a.b", &err);
	CHECK_STR(err.text, "");
	if (m) {
		CHECK(machine_check(m) == NULL);
		CHECK_INT(m->nlinks, 2);
		CHECK_INT(machine_link_between(m, 0, 2)->latency_ns, 0);
		CHECK_NEAR(machine_link_between(m, 2, 0)->bytes_per_s, 7e6, 1e-12);
	}
	machine_free(m);
	dir_remove(dir);
}

/* The machines that StarPU ships measurements of. */
static void samples_of_starpu(void)
{
	static const struct {
		const char *host, *summary;
	} table[] = {
		{"attila", "12 cpu + 3 cuda + 3 opencl"},  {"idgraf", "12 cpu + 8 cuda"},
		{"mirage", "12 cpu + 3 cuda + 3 opencl"},  {"sirocco", "24 cpu + 4 cuda + 4 opencl"},
		{"hannibal", "8 cpu + 3 cuda + 3 opencl"},
	};
	char dir[1024] = "", summary[64];
	FILE *p = popen("setup/starpu --have samples 2>/dev/null", "r");
	int have = p && fgets(dir, sizeof(dir), p);

	if (p && pclose(p) != 0)
		have = 0;
	if (!have)
		SKIP("StarPU's measurements are not here (setup/starpu samples)");
	dir[strcspn(dir, "\n")] = '\0';
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct ht_err err = {{0}};
		struct machine *m = host_machine(dir, table[i].host, &err);

		CHECK_STR(err.text, "");
		if (!m)
			continue;
		CHECK(machine_check(m) == NULL);
		CHECK_STR(machine_summary(m, summary, sizeof(summary)), table[i].summary);
		CHECK_INT(m->nlinks, m->nnodes * (m->nnodes - 1));
		CHECK(m->nodes[1].capacity_bytes > INT64_C(2000000000));
		if (strcmp(table[i].host, "sirocco") == 0) {
			CHECK_NEAR(machine_link_between(m, 0, 1)->bytes_per_s, 1.051768e10, 1e-12);
			CHECK_INT(machine_link_between(m, 1, 0)->latency_ns, 10850);
		}
		machine_free(m);
	}
}

/* .config may claim more NUMA nodes than were measured: those have no row. */
static void nodes_beyond_the_matrix(void)
{
	char dir[] = "/tmp/heterotune-bus-XXXXXX";
	struct ht_err err = {{0}};
	struct bus *b;

	write_host(dir);
	put(dir, "a.b.config", "4 # Number of CPUs\n9 # Number of NUMA nodes\n1 # Number of CUDA devices\n");
	b = bus_load(dir, "a.b", &err);
	CHECK(b != NULL);
	if (b) {
		CHECK_INT(bus_node(b, ARCH_CPU, 3), 3);
		CHECK_INT(bus_node(b, ARCH_CPU, 4), -1);
		CHECK_INT(bus_node(b, ARCH_CUDA, 0), -1);
	}
	bus_free(b);
	dir_remove(dir);
}

static void only_the_matrices(void)
{
	char dir[] = "/tmp/heterotune-bus-XXXXXX", *path;
	struct ht_err err = {{0}};
	struct bus *b;

	write_host(dir);
	path = ht_asprintf("%s/bus/a.b.config", dir);
	unlink(path);
	free(path);
	path = ht_asprintf("%s/bus/a.b.platform.v4.xml", dir);
	unlink(path);
	free(path);
	b = bus_load(dir, "a.b", &err);
	CHECK(b != NULL);
	if (b)
		CHECK_INT(b->devices[ARCH_CUDA], -1);
	bus_free(b);
	put(dir, "a.b.latency", "0 1\n1 0\n");
	CHECK(bus_load(dir, "a.b", &err) == NULL);
	CHECK_HAS(err.text, "a.b.latency:1");
	dir_remove(dir);
}

/* The damaged copy takes the place of its good file; every index that bus_node() gives is inside of the matrices. */
static int holds(const char *path, void *ctx)
{
	char *to = ht_asprintf("%s/bus/%s", (char *)ctx, strrchr(path, '/') + 1);
	struct ht_err err = {{0}};
	struct bus *b;
	int good = file_copy(path, to, &err) == 0;

	b = bus_load(ctx, "a.b", &err);
	if (!b)
		good = good && err.text[0];
	for (int a = 0; b && a < ARCH_COUNT; a++)
		for (int d = -1; d < 70; d++)
			good = good && bus_node(b, (enum arch)a, d) < b->size;
	bus_free(b);
	free(to);
	return good;
}

static void damaged_files(void)
{
	static const char *const names[] = {"a.b.config", "a.b.bandwidth", "a.b.latency", "a.b.platform.v4.xml"};

	for (int i = 0; i < 4; i++) {
		char dir[] = "/tmp/heterotune-bus-XXXXXX", good[] = "/tmp/heterotune-bus-XXXXXX", *path;

		write_host(dir);
		write_host(good);
		path = ht_asprintf("%s/bus/%s", good, names[i]);
		CHECK_INT(mangle(path, 300, 17 + (uint64_t)i, holds, dir), 0);
		free(path);
		dir_remove(dir);
		dir_remove(good);
	}
}

int main(void)
{
	RUN(every_file_of_a_host);
	RUN(decimal_comma);
	RUN(links_of_a_machine);
	RUN(several_ranks);
	RUN(numa_nodes);
	RUN(sycl_devices);
	RUN(machine_of_a_host);
	RUN(absurd_measurements);
	RUN(samples_of_starpu);
	RUN(nodes_beyond_the_matrix);
	RUN(only_the_matrices);
	RUN(damaged_files);
	return check_done();
}
