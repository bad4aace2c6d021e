/* tests/unit/test_machine.c - machines as strings and as XML. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/err.h"
#include "core/machine.h"
#include "core/outfile.h"
#include "tests/lib/check.h"

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
		{"", "names no workers"}, {"cpu", "ARCH:COUNT"}, {"cpu:0", "number of workers"}, {"gpu:2", "in front of the colon"},
		{"cpu:2 cpu:3", "stands twice"}, {"cpu:2@", "size of memory"}, {"cuda:2@12X", "unexpected"},
		{"cpu:99999999999", "number of workers"}, {"cpu:2 link:fast", "bandwidth"}, {"cuda:64", "memory nodes"},
		{"cpu:4 link:-1GB/s", "bandwidth"},
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
		 "<worker id='0' arch='cpu' devid='0' node='7' binding='0' name='w'/></machine>", "a node below 1"},
		{"<machine name='x'><node id='1' arch='cpu' devid='0' capacity='0'/>"
		 "<worker id='0' arch='cpu' devid='0' node='0' binding='0' name='w'/></machine>", "expected id 0"},
		{"<machine name='x'><node id='0' arch='cpu' devid='0' capacity='0'/>"
		 "<worker id='0' arch='cpu' devid='0' node='0' binding='0' name='w'/>"
		 "<link from='0' to='0' bandwidth='1' latency='0'/></machine>", "to itself"},
		{"<machine name='x'><node id='0' arch='cpu' devid='0' capacity='0'/>"
		 "<worker id='0' arch='cpu' devid='0' node='0' binding='0' name='w'/>"
		 "<link from='0' to='1' bandwidth='1' latency='0'/></machine>", "nodes below 1"},
		{"<machine name='x'/>", ":1"}, {"<machine", ":1"},
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

int main(void)
{
	RUN(strings_that_are_machines);
	RUN(strings_that_are_not);
	RUN(xml_and_back_is_the_identity);
	RUN(xml_out_of_range);
	return check_done();
}
