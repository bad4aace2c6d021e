/* tests/unit/test_max_min.c - what several copies at once get of a bus that StarPU's platform.xml describes. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "collect/bus.h"
#include "collect/machine_bus.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/machine/machine.h"
#include "replay/memory/max_min.h"
#include "tests/lib/check.h"

/* Two GPUs, each on its bridge; a copy between them crosses both bridges, and the host's twice. */
static const char *const platform =
	"<?xml version='1.0'?>\n"
	"<!DOCTYPE platform SYSTEM 'http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd'>\n"
	"<platform version='4'><config id='General'/><AS id='AS0' routing='Full'>\n"
	"<host id='RAM' speed='1f'/>\n"
	"<link id='Host' bandwidth='10000000000.0Bps' latency='0.000000s'/>\n"
	"<link id='RAM-CUDA0' bandwidth='8000000000.0Bps' latency='0.000010s'/>\n"
	"<link id='RAM-CUDA1' bandwidth='8000000000.0Bps' latency='0.000010s'/>\n"
	"<link id='CUDA0-CUDA1' bandwidth='6000000000.0Bps' latency='0.000030s'/>\n"
	"<link id='bridge down' bandwidth='7000000000.0Bps' latency='0.000000s'/>\n"
	"<link id='broken' bandwidth='seven' latency='0.000000s'/>\n"
	"<route src='RAM' dst='CUDA0'><link_ctn id='RAM-CUDA0'/><link_ctn id='Host'/></route>\n"
	"<route src='RAM' dst='CUDA1'><link_ctn id='RAM-CUDA1'/><link_ctn id='bridge down'/><link_ctn id='Host'/></route>\n"
	"<route src='CUDA0' dst='CUDA1'><link_ctn id='CUDA0-CUDA1'/><link_ctn id='bridge down'/><link_ctn id='Host'/>"
	"<link_ctn id='Host'/></route>\n"
	"<route src='CUDA1' dst='RAM'><link_ctn id='broken'/></route>\n"
	"<route src='CUDA1' dst='CUDA7'><link_ctn id='Host'/></route>\n"
	"</AS></platform>\n";

static void put(const char *dir, const char *name, const char *text)
{
	char *path = ht_asprintf("%s/bus/h.%s", dir, name);
	FILE *f = fopen(path, "w");

	CHECK(f != NULL);
	if (f) {
		fputs(text, f);
		fclose(f);
	}
	free(path);
}

/* Nodes: main memory, CUDA 0, CUDA 1. NULL: it could not be made. */
static struct machine *two_bridges(void)
{
	char dir[] = "/tmp/heterotune-shares-XXXXXX";
	char *bus = mkdtemp(dir) ? ht_asprintf("%s/bus", dir) : NULL;
	struct machine *m = machine_parse("cpu:1 cuda:2", NULL);
	struct ht_err err = {""};
	struct bus *b = NULL;

	if (bus && dir_create(bus, &err) == 0) {
		put(dir, "config", "1\t# Number of CPUs\n2\t# Number of CUDA devices\n");
		put(dir, "bandwidth", "# to\n0 8000 8000\n8000 0 6000\n8000 6000 0\n");
		put(dir, "latency", "# to\n0 10 10\n10 0 30\n10 30 0\n");
		put(dir, "platform.v4.xml", platform);
		b = bus_load(dir, "h", &err);
	}
	CHECK_STR(err.text, "");
	if (b)
		machine_add_bus(m, b);
	bus_free(b);
	dir_remove(dir);
	free(bus);
	return m;
}

static int link_of(const struct machine *m, int from, int to)
{
	const struct machine_link *l = machine_link_between(m, from, to);

	return l ? (int)(l - m->links) : -1;
}

static void test_routes(void)
{
	struct machine *m = two_bridges();

	CHECK(machine_check(m) == NULL);
	CHECK_INT(m->nlinks, 6);
	CHECK_INT(m->nsegments, 5); /* without the broken one */
	CHECK_INT(m->links[link_of(m, 0, 1)].ncrossings, 2);
	CHECK_INT(m->links[link_of(m, 1, 2)].ncrossings, 4);
	CHECK_INT(m->links[link_of(m, 2, 0)].ncrossings, 0);
	machine_free(m);
}

/* machine.xml keeps them. */
static void test_saved(void)
{
	char path[] = "/tmp/heterotune-shares-XXXXXX";
	struct machine *m = two_bridges(), *again = NULL;
	struct ht_err err = {""};
	int fd = mkstemp(path);

	CHECK(fd >= 0 && machine_save(m, path, &err) == 0 && (again = machine_load(path, &err)) != NULL);
	CHECK_STR(err.text, "");
	if (again) {
		CHECK_INT(again->nsegments, m->nsegments);
		for (int i = 0; i < m->nlinks; i++) {
			CHECK_INT(again->links[i].ncrossings, m->links[i].ncrossings);
			for (int k = 0; k < m->links[i].ncrossings; k++)
				CHECK_INT(again->crossings[again->links[i].first_crossing + k],
				          m->crossings[m->links[i].first_crossing + k]);
		}
	}
	machine_free(again);
	machine_free(m);
	remove(path);
}

/*
 * Alone: 8 GB/s to CUDA 0; 7 to CUDA 1 over the bridge; 5 between them, since the host's 10 are crossed twice. Three at
 * once weigh 1/10, 1/10 and 1/30: the host is full at 10 = 3x + 3x + 2x of x to the slowest; the bridge is not.
 */
static void test_shares(void)
{
	struct machine *m = two_bridges();
	struct max_min *s = max_min_create(m);
	const int links[] = {link_of(m, 0, 1), link_of(m, 0, 2), link_of(m, 1, 2)};
	const double alone[] = {8, 7, 5}, together[] = {3.75, 3.75, 1.25};
	double rates[3];

	for (int i = 0; i < 3; i++) {
		CHECK_NEAR(max_min_limit(s, links[i]), alone[i], 1e-12);
		CHECK_INT(max_min_latency_ns(s, links[i]), i < 2 ? 10000 : 30000);
		max_min_find(s, &links[i], 1, rates);
		CHECK_NEAR(rates[0], alone[i], 1e-12);
	}
	max_min_find(s, links, 3, rates);
	for (int i = 0; i < 3; i++)
		CHECK_NEAR(rates[i], together[i], 1e-9);
	/* The host is full at 10 = 3x + 2x. */
	max_min_find(s, (const int[]){links[0], links[2]}, 2, rates);
	CHECK_NEAR(rates[0], 6, 1e-9);
	CHECK_NEAR(rates[1], 2, 1e-9);
	/* A link without a route of its own shares nothing. */
	max_min_find(s, (const int[]){links[0], link_of(m, 2, 0)}, 2, rates);
	CHECK_NEAR(rates[0], 8, 1e-12);
	CHECK_NEAR(rates[1], 8, 1e-12);
	max_min_free(s);
	machine_free(m);
}

/* A copy of a device has links as the original's, over what is shared and not over what is the original's own. */
static void test_scaled(void)
{
	struct machine *m = two_bridges(), *more = machine_scale(m, "cuda=4", NULL);

	CHECK(more != NULL && machine_check(more) == NULL);
	if (more) {
		CHECK_INT(more->links[link_of(more, 0, 1)].ncrossings, 2);
		CHECK_INT(more->links[link_of(more, 0, 3)].ncrossings, 1); /* the host's */
	}
	machine_free(more);
	machine_free(m);
}

int main(void)
{
	RUN(test_routes);
	RUN(test_saved);
	RUN(test_shares);
	RUN(test_scaled);
	return check_done();
}
