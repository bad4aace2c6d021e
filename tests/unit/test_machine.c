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
		{"cpu:4 cuda:1 link:1e308G", "bandwidth"},   /* infinite by its unit */
		{"cpu:4 cuda:2 link:4.9e-324", "bandwidth"}, /* half of it is 0 */
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

/* What machine_load() says of `text`. */
static struct machine *loaded(const char *text, struct ht_err *err)
{
	char path[] = "/tmp/heterotune-test-XXXXXX";
	int fd = mkstemp(path);
	struct machine *m = NULL;

	if (fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text))
		m = machine_load(path, err);
	close(fd);
	unlink(path);
	return m;
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
		{"<machine name='x'><node id='0' arch='cpu' devid='0' capacity='0'/>"
	         "<worker id='0' arch='cpu' devid='0' node='0' binding='0' name='w'/>"
	         "<segment id='0' name='s' bandwidth='1' latency='9223372036854775807'/></machine>",
	         "segment: expected id 0, a finite bandwidth above 0 and numbers in range, found latency=\"922"},
		{"<machine name='x'><node id='0' arch='cpu' devid='0' capacity='0'/>"
	         "<node id='1' arch='cuda' devid='0' capacity='0'/>"
	         "<worker id='0' arch='cpu' devid='0' node='0' binding='0' name='w'/>"
	         "<link from='0' to='1' bandwidth='1' latency='1000000000001'/></machine>",
	         "link: expected nodes below 2, a finite bandwidth above 0 and a latency in range, found latency=\"1000000000001\""},
		{"<machine name='x'><node id='0' arch='cpu' devid='0' capacity='0'/>\n"
	         "<node id='1' arch='cuda' devid='0' capacity='0'/>\n"
	         "<worker id='0' arch='cpu' devid='0' node='0' binding='0' name='w'/>\n"
	         "<link from='0' to='1' bandwidth='0' latency='1'/></machine>",
	         ":4: link: expected nodes below 2, a finite bandwidth above 0 and a latency in range, found bandwidth=\"0\""},
		{"<machine name='x'/>", ":1"},
		{"<machine", ":1"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ht_err err = {{0}};

		CHECK(loaded(bad[i][0], &err) == NULL);
		CHECK_HAS(err.text, bad[i][1]);
	}
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
	m->workers[0].name = NULL;
	CHECK_HAS(machine_check(m), "no name");
	m->workers[0].name = "";
	m->links[0].to = m->links[0].from;
	CHECK_HAS(machine_check(m), "to itself");
	m->links[0].to = 1;
	m->nodes[2].rank = 1;
	CHECK_HAS(machine_check(m), "not main memory");
	m->nodes[2].rank = -1;
	CHECK_HAS(machine_check(m), "do not grow");
	m->nodes[2].rank = 0;
	m->nodes[2].capacity_bytes = -1;
	CHECK_HAS(machine_check(m), "capacity");
	m->nodes[2].capacity_bytes = 0;
	m->nodes[2].arch = ARCH_NONE;
	CHECK_HAS(machine_check(m), "architecture");
	m->nodes[2].arch = ARCH_CUDA;
	CHECK(!machine_check(m));
	machine_free(m);
}

/* Two ranks of two nodes, whose links lead over two segments; a network between the ranks. */
static const char two_ranks[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<machine name=\"two\">\n"
	"  <node id=\"0\" arch=\"cpu\" devid=\"0\" capacity=\"0\"/>\n"
	"  <node id=\"1\" arch=\"cuda\" devid=\"0\" capacity=\"7\"/>\n"
	"  <node id=\"2\" arch=\"cpu\" devid=\"0\" capacity=\"0\" rank=\"1\"/>\n"
	"  <node id=\"3\" arch=\"cuda\" devid=\"0\" capacity=\"9\" rank=\"1\"/>\n"
	"  <worker id=\"0\" arch=\"cpu\" devid=\"0\" node=\"0\" binding=\"0\" name=\"CPU 0\"/>\n"
	"  <worker id=\"1\" arch=\"cuda\" devid=\"0\" node=\"1\" binding=\"1\" name=\"CUDA 0\"/>\n"
	"  <worker id=\"2\" arch=\"cpu\" devid=\"0\" node=\"2\" binding=\"0\" name=\"CPU 0\"/>\n"
	"  <worker id=\"3\" arch=\"cpu\" devid=\"1\" node=\"2\" binding=\"2\" name=\"CPU 1\"/>\n"
	"  <worker id=\"4\" arch=\"cuda\" devid=\"0\" node=\"3\" binding=\"1\" name=\"CUDA 0\"/>\n"
	"  <segment id=\"0\" name=\"Host\" bandwidth=\"1000\" latency=\"1\"/>\n"
	"  <segment id=\"1\" name=\"CUDA0\" bandwidth=\"500\" latency=\"2\"/>\n"
	"  <link from=\"0\" to=\"1\" bandwidth=\"500\" latency=\"3\" over=\"0 1\"/>\n"
	"  <link from=\"1\" to=\"0\" bandwidth=\"400\" latency=\"4\" over=\"1 0\"/>\n"
	"  <link from=\"2\" to=\"3\" bandwidth=\"300\" latency=\"5\" over=\"1\"/>\n"
	"  <network bandwidth=\"2000\" rank_bandwidth=\"1500\" latency=\"60\"/>\n</machine>\n";

static void ranks_and_segments(void)
{
	char path[] = "/tmp/heterotune-test-XXXXXX", name[32], *back;
	struct ht_err err = {{0}};
	struct machine *m = loaded(two_ranks, &err), *one;
	int counts[ARCH_COUNT];

	CHECK_STR(err.text, "");
	REQUIRE(m && !machine_check(m));
	CHECK_INT(machine_ranks(m), 2);
	CHECK_STR(machine_node_name(m, 3, name), "1: cuda 0");
	CHECK_STR(machine_node_name(m, 2, name), "1: main memory");
	CHECK_STR(machine_rank_node_name(m, 1, 1, name), "cuda 0");
	CHECK_STR(machine_rank_node_name(m, 1, 2, name), "node 2");
	CHECK_STR(machine_rank_node_name(m, 2, 0, name), "node 0");
	CHECK_INT(m->ncrossings, 5);
	CHECK_INT(m->crossings[m->links[1].first_crossing], 1);
	CHECK_INT(m->network.latency_ns, 60);
	close(mkstemp(path));
	CHECK_INT(machine_save(m, path, &err), 0);
	back = file_read(path, 1 << 20, NULL, &err);
	CHECK_STR(back, two_ranks);
	free(back);
	unlink(path);

	machine_rank_counts(m, 1, counts);
	CHECK_INT(counts[ARCH_CPU], 2);
	CHECK_INT(counts[ARCH_CUDA], 1);
	one = machine_of_rank(m, 1);
	REQUIRE(one && !machine_check(one));
	CHECK_INT(machine_ranks(one), 1);
	CHECK_INT(one->nworkers, 3);
	CHECK_INT(one->workers[2].node, 1);
	CHECK_INT(one->nodes[1].capacity_bytes, 9);
	CHECK_INT(one->nlinks, 1);
	CHECK_INT(machine_link_between(one, 0, 1)->latency_ns, 5);
	CHECK_STR(one->segments[one->crossings[one->links[0].first_crossing]].name, "CUDA0");
	CHECK(!machine_scale(m, "cpu=3", &err));
	CHECK_HAS(err.text, "2 ranks");
	m->crossings[0] = 2;
	CHECK_HAS(machine_check(m), "segment that does not exist");
	m->crossings[0] = 0;
	m->segments[0].bytes_per_s = 0;
	CHECK_HAS(machine_check(m), "bandwidth of a segment");
	machine_free(one);
	machine_free(m);
}

/* One value of that machine is changed. */
static void ranks_and_segments_out_of_range(void)
{
	static const char *const bad[][3] = {
		{"over=\"0 1\"", "over=\"0 2\"", "segments below 2"},
		{"segment id=\"1\"", "segment id=\"2\"", "expected id 1"},
		{"bandwidth=\"1000\"", "bandwidth=\"-100\"", "found bandwidth=\"-100\""},
		{"rank=\"1\"/>\n  <node", "rank=\"7\"/>\n  <node", "ranks of memory nodes"},
		{"rank_bandwidth=\"1500\"", "rank_bandwidth=\"-500\"", "network"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ht_err err = {{0}};
		const char *at = strstr(two_ranks, bad[i][0]);
		char *text = ht_asprintf("%.*s%s%s", (int)(at - two_ranks), two_ranks, bad[i][1],
		                         at + strlen(bad[i][0]));

		CHECK(loaded(text, &err) == NULL);
		CHECK_HAS(err.text, bad[i][2]);
		free(text);
	}
}

static void limits_of_memory(void)
{
	static const char *const bad[][2] = {
		{"", "expected ARCH=SIZE"},        {"cuda", "expected ARCH=SIZE"},
		{"gpu=1G", "expected ARCH=SIZE"},  {"cuda=", "a size of memory such as 600M"},
		{"cuda=-1", "a size of memory"},   {"cuda=1X", "a size of memory"},
		{"cuda=9e30", "a size of memory"}, {"cuda=1G,hip=1G", "no memory of hip"},
	};
	struct ht_err err = {{0}};
	struct machine *m = machine_parse("cpu:2@8G cuda:2@4G opencl:1", NULL);
	struct machine *less = machine_limit(m, "cuda=600M,opencl=1.5G", &err);

	REQUIRE(less && !machine_check(less));
	CHECK_INT(less->nodes[0].capacity_bytes, 8ll << 30);
	CHECK_INT(less->nodes[1].capacity_bytes, 600ll << 20);
	CHECK_INT(less->nodes[2].capacity_bytes, 600ll << 20);
	CHECK_INT(less->nodes[3].capacity_bytes, 3ll << 29);
	CHECK_INT(m->nodes[1].capacity_bytes, 4ll << 30);
	CHECK_INT(less->nlinks, m->nlinks);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK(machine_limit(m, bad[i][0], &err) == NULL);
		CHECK_HAS(err.text, bad[i][1]);
	}
	machine_free(less);
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
	RUN(ranks_and_segments);
	RUN(ranks_and_segments_out_of_range);
	RUN(limits_of_memory);
	RUN(xml_cut_and_mangled);
	return check_done();
}
