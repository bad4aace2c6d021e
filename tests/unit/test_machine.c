/* tests/unit/test_machine.c - machines as strings and as XML. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/machine/machine.h"
#include "tests/lib/check.h"
#include "tests/lib/mangle.h"

static void strings_that_are_machines(void)
{
	struct ht_err err = {{0}};
	struct machine *m = machine_parse("cpu:20 cuda:4@12G link:10.5GB/s", &err);
	char summary[64];

	CHECK(m != NULL);
	if (!m)
		return;
	CHECK_INT(m->nworkers, 24);
	CHECK_INT(m->nnodes, 5);
	CHECK_INT(machine_workers_of(m, ARCH_CUDA), 4);
	CHECK_INT(m->workers[19].node, 0);
	CHECK_INT(m->workers[23].node, 4);
	CHECK_STR(m->workers[20].name, "CUDA 0");
	CHECK_INT(m->nodes[4].capacity_bytes, 12ll << 30);
	CHECK_INT(machine_archs(m), 1 << ARCH_CPU | 1 << ARCH_CUDA);
	CHECK_NEAR(machine_link_between(m, 0, 3)->bytes_per_s, 10.5e9, 1e-12);
	CHECK(machine_link_between(m, 2, 2) == NULL);
	CHECK_STR(machine_summary(m, summary, sizeof(summary)), "20 cpu + 4 cuda");
	CHECK(machine_check(m) == NULL);
	machine_free(m);
}

static void strings_that_are_not(void)
{
	static const char *const bad[][2] = {
		{"", "names no workers"},
		{"cpu", "ARCH:COUNT"},
		{"cpu:0", "number of workers"},
		{"gpu:2", "in front of the colon"},
		{"cpu:2 cpu:3", "stands twice"},
		{"cpu:2@", "size of memory"},
		{"cuda:2@12X", "unexpected"},
		{"cpu:99999999999", "number of workers"},
		{"cpu:2 link:fast", "bandwidth"},
		{"cuda:64", "memory nodes"},
		{"cpu:4 link:-1GB/s", "bandwidth"},
		{"cpu:4 latency:", "a time such as latency:10us"},
		{"cpu:4 latency:5", "latency:10us"},
		{"cpu:4 latency:-5us", "latency:10us"},
		{"cpu:4 latency:5h", "latency:10us"},
		{"cpu:4 latency:1e30s", "latency:10us"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ht_err err = {{0}};

		CHECK(machine_parse(bad[i][0], &err) == NULL);
		CHECK_HAS(err.text, bad[i][1]);
	}
}

static void xml_and_back_is_the_identity(void)
{
	char dir[] = "/tmp/heterotune-test-XXXXXX";
	struct ht_err err = {{0}};
	struct machine *m = machine_parse("cpu:3 opencl:2@512M link:333MB/s", &err), *n;
	char *a, *b, *ta, *tb;

	CHECK(mkdtemp(dir) != NULL);
	a = ht_asprintf("%s/a.xml", dir);
	b = ht_asprintf("%s/b.xml", dir);
	CHECK_INT(machine_save(m, a, &err), 0);
	n = machine_load(a, &err);
	CHECK(n != NULL);
	if (n) {
		CHECK_INT(machine_save(n, b, &err), 0);
		ta = file_read(a, 1 << 20, NULL, &err);
		tb = file_read(b, 1 << 20, NULL, &err);
		CHECK_STR(ta, tb);
		CHECK_INT(n->nodes[2].capacity_bytes, 512 << 20);
		free(ta);
		free(tb);
	}
	machine_free(m);
	machine_free(n);
	dir_remove(dir);
	free(a);
	free(b);
}

static void xml_out_of_range(void)
{
	static const char *const bad[][2] = {
		{"<machine name='x'><node id='0' arch='cpu' devid='0' capacity='0'/>"
	         "<worker id='0' arch='cpu' devid='0' node='7' binding='0' name='w'/></machine>",
	         "a node below 1"},
		{"<machine name='x'><node id='1' arch='cpu' devid='0' capacity='0'/>"
	         "<worker id='0' arch='cpu' devid='0' node='0' binding='0' name='w'/></machine>",
	         "expected id 0"},
		{"<machine name='x'><node id='0' arch='cpu' devid='0' capacity='0'/>"
	         "<worker id='0' arch='cpu' devid='0' node='0' binding='0' name='w'/>"
	         "<link from='0' to='0' bandwidth='1' latency='0'/></machine>",
	         "to itself"},
		{"<machine name='x'><node id='0' arch='cpu' devid='0' capacity='0'/>"
	         "<worker id='0' arch='cpu' devid='0' node='0' binding='0' name='w'/>"
	         "<link from='0' to='1' bandwidth='1' latency='0'/></machine>",
	         "nodes below 1"},
		{"<machine name='x'/>", ":1"},
		{"<machine", ":1"},
	};
	char path[] = "/tmp/heterotune-test-XXXXXX";
	int fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ht_err err = {{0}};
		FILE *f = fopen(path, "w");

		fputs(bad[i][0], f);
		fclose(f);
		CHECK(machine_load(path, &err) == NULL);
		CHECK_HAS(err.text, bad[i][1]);
	}
	unlink(path);
}

/* Sizes of memory are powers of 1024, rates of 1000; the case of a letter does not matter. */
static void units(void)
{
	static const struct {
		const char *text;
		int64_t bytes;
		double bytes_per_s;
		int64_t latency_ns;
	} table[] = {
		{"cuda:1@12G", 12884901888, 12e9, 10000},
		{"cuda:1@1.5k link:1kB/s latency:7ns", 1536, 1e3, 7},
		{"cuda:1@2M link:1.5MB/s latency:0us", 2097152, 1.5e6, 0},
		{"cuda:1@1t,link:1T,latency:2.5us", 1099511627776, 1e12, 2500},
		{"  cuda:1@4096B\tlink:7B/s latency:12ms", 4096, 7, 12000000},
		{"latency:2s link:1GB/s CUDA:1", 0, 1e9, 2000000000},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct ht_err err = {{0}};
		struct machine *m = machine_parse(table[i].text, &err);

		CHECK_STR(err.text, "");
		if (!m)
			continue;
		CHECK(!machine_check(m));
		CHECK_INT(m->nodes[1].capacity_bytes, table[i].bytes);
		CHECK_NEAR(machine_link_between(m, 0, 1)->bytes_per_s, table[i].bytes_per_s, 1e-15);
		CHECK_INT(machine_link_between(m, 0, 1)->latency_ns, table[i].latency_ns);
		CHECK_INT(machine_link_between(m, 1, 0)->latency_ns, table[i].latency_ns);
		machine_free(m);
	}
}

/* By hand: a comment, entities, a name that is empty, a rate with a fraction. */
static void xml_written_by_hand(void)
{
	struct ht_err err = {{0}};
	struct machine *m = machine_load("tests/data/machine/good.xml", &err);

	CHECK_STR(err.text, "");
	if (!m)
		return;
	CHECK_STR(m->name, "ma<ch>ine \"1\" & sons");
	CHECK_INT(m->nworkers, 3);
	CHECK_INT(m->workers[2].arch, ARCH_CUDA);
	CHECK_INT(m->workers[2].binding, 5);
	CHECK_INT(m->workers[1].binding, -1);
	CHECK_STR(m->workers[1].name, "");
	CHECK_INT(m->nodes[1].capacity_bytes, 12884901888);
	CHECK_NEAR(machine_link_between(m, 0, 1)->bytes_per_s, 10500000000.25, 1e-15);
	CHECK_INT(machine_link_between(m, 1, 0)->latency_ns, 8000);
	machine_free(m);
}

static void broken_invariants(void)
{
	struct machine *m = machine_parse("cpu:2 cuda:2", NULL);
	double rate;

	CHECK(m && !machine_check(m));
	if (!m)
		return;
	rate = m->links[0].bytes_per_s;
	m->links[1].to = m->links[0].to;
	CHECK_HAS(machine_check(m), "stands twice");
	m->links[1].to = 2;
	m->links[0].bytes_per_s = NAN;
	CHECK_HAS(machine_check(m), "bandwidth");
	m->links[0].bytes_per_s = INFINITY;
	CHECK_HAS(machine_check(m), "bandwidth");
	m->links[0].bytes_per_s = rate;
	m->links[0].latency_ns = -1;
	CHECK_HAS(machine_check(m), "latency");
	m->links[0].latency_ns = 0;
	m->workers[0].node = 3;
	CHECK_HAS(machine_check(m), "does not exist");
	m->workers[0].node = 0;
	m->workers[0].arch = ARCH_NONE;
	CHECK_HAS(machine_check(m), "architecture");
	m->workers[0].arch = ARCH_CPU;
	CHECK(!machine_check(m));
	machine_free(m);
}

static int survives(const char *path, void *ctx)
{
	struct ht_err err = {{0}};
	struct machine *m = machine_load(path, &err);
	int fine = m ? !machine_check(m) : err.text[0] != '\0';

	(void)ctx;
	machine_free(m);
	return fine;
}

static void xml_cut_and_mangled(void)
{
	CHECK_INT(mangle("tests/data/machine/good.xml", 300, 1, survives, NULL), 0);
}

static void sets_of_architectures(void)
{
	static const char *const bad[] = {"", "gpu", "cpu+", "+cpu", "cpu,cuda", "cpu++cuda"};
	arch_mask set;

	CHECK_INT(arch_parse_set("cuda", 4, &set), 0);
	CHECK_INT(set, 1 << ARCH_CUDA);
	CHECK_INT(arch_parse_set("OpenCL+hip+cpu,x", 14, &set), 0);
	CHECK_INT(set, 1 << ARCH_OPENCL | 1 << ARCH_HIP | 1 << ARCH_CPU);
	CHECK_INT(arch_parse_set("sycl", 4, &set), 0);
	CHECK_INT(set, 1 << ARCH_SYCL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK_INT(arch_parse_set(bad[i], (int)strlen(bad[i]), &set), -1);
}

int main(void)
{
	RUN(sets_of_architectures);
	RUN(strings_that_are_machines);
	RUN(strings_that_are_not);
	RUN(xml_and_back_is_the_identity);
	RUN(xml_out_of_range);
	RUN(units);
	RUN(xml_written_by_hand);
	RUN(broken_invariants);
	RUN(xml_cut_and_mangled);
	return check_done();
}
