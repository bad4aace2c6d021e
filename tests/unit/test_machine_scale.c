/* tests/unit/test_machine_scale.c - machines with other numbers of workers. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/machine/machine.h"
#include "tests/lib/check.h"

static struct machine *scaled(const struct machine *m, const char *counts)
{
	struct ht_err err = {""};
	struct machine *made = machine_scale(m, counts, &err);

	if (!made)
		printf("# %s: %s\n", counts, err.text);
	CHECK(made && machine_check(made) == NULL);
	return made;
}

static int same_link(const struct machine *a, int from, int to, const struct machine *b, int like_from, int like_to)
{
	const struct machine_link *x = machine_link_between(a, from, to);
	const struct machine_link *y = machine_link_between(b, like_from, like_to);

	return x && y && x->bytes_per_s == y->bytes_per_s && x->latency_ns == y->latency_ns;
}

static int same_machine(const struct machine *a, const struct machine *b)
{
	int same = a->nworkers == b->nworkers && a->nnodes == b->nnodes && a->nlinks == b->nlinks;

	for (int i = 0; same && i < a->nworkers; i++) {
		const struct machine_worker *x = &a->workers[i], *y = &b->workers[i];

		same = x->arch == y->arch && x->devid == y->devid && x->node == y->node && x->binding == y->binding &&
		       !strcmp(x->name, y->name);
	}
	for (int i = 0; same && i < a->nnodes; i++)
		same = a->nodes[i].arch == b->nodes[i].arch && a->nodes[i].devid == b->nodes[i].devid &&
		       a->nodes[i].capacity_bytes == b->nodes[i].capacity_bytes;
	for (int i = 0; same && i < a->nlinks; i++)
		same = a->links[i].from == b->links[i].from && a->links[i].to == b->links[i].to &&
		       same_link(a, a->links[i].from, a->links[i].to, b, a->links[i].from, a->links[i].to);
	return same && !strcmp(a->name, b->name);
}

/* Every link with a bandwidth of its own, workers bound to cores. */
static struct machine *uneven(const char *text)
{
	struct machine *m = machine_parse(text, NULL);

	for (int i = 0; i < m->nlinks; i++)
		m->links[i].bytes_per_s = 1e9 + 1e6 * i;
	for (int i = 0; i < m->nworkers; i++)
		m->workers[i].binding = 10 + i;
	m->name = "host";
	return m;
}

/* Nodes of the result: RAM, CUDA 0 and 1, copies of 0, 1 and 0, OpenCL. */
static void test_more(void)
{
	static const char *const names[] = {"CPU 0",  "CPU 1",  "CPU 2",  "CUDA 0",  "CUDA 1",
	                                    "CUDA 2", "CUDA 3", "CUDA 4", "OPENCL 0"};
	static const int like[] = {0, 1, 2, 1, 2, 1, 3};
	struct machine *m = uneven("cpu:2 cuda:2@4G opencl:1"), *more = scaled(m, "cuda=5,cpu=3");

	CHECK_INT(more->nworkers, 9);
	CHECK_INT(more->nnodes, 7);
	CHECK_STR(more->name, "host");
	for (int i = 0; i < 9; i++)
		CHECK_STR(more->workers[i].name, names[i]);
	for (int i = 0; i < 5; i++) {
		CHECK_INT(more->workers[3 + i].node, 1 + i);
		CHECK_INT(more->workers[3 + i].devid, i);
		CHECK_INT(more->nodes[1 + i].devid, i);
		CHECK_INT(more->nodes[1 + i].capacity_bytes, 4ll << 30);
	}
	CHECK_INT(more->workers[8].node, 6);
	CHECK_INT(more->workers[2].node, 0);
	/* Cores after the last: 15 for the third CPU, then the GPUs'. */
	CHECK_INT(more->workers[2].binding, 15);
	CHECK_INT(more->workers[7].binding, 18);
	CHECK_INT(more->nlinks, 7 * 6);
	for (int from = 0; from < 7; from++) {
		for (int to = 0; to < 7; to++) {
			int a = like[from], b = like[to];

			if (from != to)
				CHECK(same_link(more, from, to, m, a, a == b ? 3 - a : b));
		}
	}
	machine_free(more);
	machine_free(m);
}

static void test_fewer(void)
{
	struct machine *m = uneven("cpu:3 cuda:3 opencl:2"), *fewer = scaled(m, "cuda=1,cpu=2");

	CHECK_INT(fewer->nworkers, 5);
	CHECK_INT(fewer->nnodes, 4);
	CHECK_STR(fewer->workers[2].name, "CUDA 0");
	CHECK_STR(fewer->workers[3].name, "OPENCL 0");
	CHECK_INT(fewer->workers[4].node, 3);
	CHECK(same_link(fewer, 1, 3, m, 1, 5));
	CHECK_INT(machine_node_like(fewer, m, 1), 1);
	CHECK_INT(machine_node_like(fewer, m, 2), 0); /* CUDA 1 is not there */
	CHECK_INT(machine_node_like(fewer, m, 5), 3);
	machine_free(fewer);
	fewer = scaled(m, "cuda=0,opencl=0");
	CHECK_INT(fewer->nworkers, 3);
	CHECK_INT(fewer->nnodes, 1);
	CHECK_INT(fewer->nlinks, 0);
	machine_free(fewer);
	fewer = scaled(m, "cpu=0");
	CHECK_INT(fewer->nnodes, 6); /* main memory stays */
	machine_free(fewer);
	machine_free(m);
}

/* Of the only GPU two copies: nothing says how they would be linked, so they copy through main memory. */
static void test_only_one(void)
{
	struct machine *m = uneven("cpu:1 cuda:1"), *more = scaled(m, "cuda=3");

	CHECK_INT(more->nlinks, 6);
	CHECK(machine_link_between(more, 1, 2) == NULL);
	for (int i = 1; i < 4; i++)
		CHECK(same_link(more, 0, i, m, 0, 1) && same_link(more, i, 0, m, 1, 0));
	machine_free(more);
	machine_free(m);
}

/* Devices 0 and 1 have two workers each; five and six workers are three devices. */
static void test_workers_of_one_device(void)
{
	struct machine *m = uneven("cpu:1 cuda:4"), *more;

	for (int i = 1; i < 5; i++)
		m->workers[i].node = m->workers[i].devid = (i + 1) / 2;
	for (int n = 5; n <= 6; n++) {
		more = scaled(m, n == 5 ? "cuda=5" : "cuda=6");
		CHECK_INT(more->nnodes, m->nnodes + 1);
		for (int i = 5; i <= n; i++) {
			CHECK_INT(more->workers[i].node, 5);
			CHECK_INT(more->workers[i].devid, more->nodes[5].devid);
		}
		machine_free(more);
	}
	machine_free(m);
}

static void test_there_and_back(void)
{
	static const struct {
		const char *machine, *same, *there;
	} cases[] = {
		{"cpu:20 cuda:4@12G", "cuda=4", "cuda=8"},
		{"cuda:4 cpu:20", "cuda=4,cpu=20", "cpu=33,cuda=7"},
		{"cpu:5", "cpu=5", "cpu=4096"},
		{"hip:3 opencl:2 cpu:1", "opencl=2,hip=3", "hip=50,opencl=13"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct machine *m = uneven(cases[i].machine), *same = scaled(m, cases[i].same);
		struct machine *there = scaled(m, cases[i].there), *back = scaled(there, cases[i].same);

		CHECK(same_machine(m, same));
		CHECK(!same_machine(m, there));
		CHECK(same_machine(m, back));
		machine_free(m);
		machine_free(same);
		machine_free(there);
		machine_free(back);
	}
}

static void test_refused(void)
{
	static const char *const bad[][2] = {
		{"", "found nothing"},
		{"cuda", "expected ARCH=COUNT, such as cuda=8, found \"cuda\""},
		{"gpu=2", "found \"gpu=2\""},
		{"cuda=8,,cpu=2", "found \"\""},
		{"cuda=", "cuda: expected a number of workers from 0 to 4096, found \"\""},
		{"cuda=-1", "found \"-1\""},
		{"cuda=2x", "found \"2x\""},
		{"cuda=4097", "found \"4097\""},
		{"cuda=99999999999999999999", "expected a number of workers"},
		{"cuda=1,cpu=2,cuda=1", "cuda stands twice"},
		{"hip=1", "the machine has no hip worker that could be copied"},
		{"cpu=0,cuda=0", "that is 0 workers, expected 1 to 4096"},
		{"cpu=4096,cuda=1", "that is 4097 workers"},
		{"cuda=64", "that is more than 64 memory nodes"},
	};
	struct machine *m = machine_parse("cpu:20 cuda:4", NULL);

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct ht_err err = {""};

		CHECK(machine_scale(m, bad[i][0], &err) == NULL);
		CHECK_HAS(err.text, bad[i][1]);
	}
	machine_free(m);
}

int main(void)
{
	RUN(test_more);
	RUN(test_fewer);
	RUN(test_only_one);
	RUN(test_workers_of_one_device);
	RUN(test_there_and_back);
	RUN(test_refused);
	return check_done();
}
