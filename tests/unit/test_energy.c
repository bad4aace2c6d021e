/* tests/unit/test_energy.c - meters of energy, read from a directory made like the kernel's. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/energy.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/file.h"
#include "tests/lib/check.h"

static void put(const char *dir, const char *meter, const char *file, const char *text)
{
	char *path = ht_asprintf("%s/%s/%s", dir, meter, file), *folder = ht_asprintf("%s/%s", dir, meter);
	FILE *f;

	mkdir(folder, 0777);
	f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0);
	if (f)
		fclose(f);
	free(path);
	free(folder);
}

static void test_meters(void)
{
	char dir[] = "/tmp/heterotune-energy-XXXXXX";
	struct energy e;

	CHECK(mkdtemp(dir) != NULL);
	put(dir, "intel-rapl:0", "name", "package-0\n");
	put(dir, "intel-rapl:0", "energy_uj", "1000\n");
	put(dir, "intel-rapl:0:0", "name", "dram\n");
	put(dir, "intel-rapl:0:0", "energy_uj", "950\n");
	put(dir, "intel-rapl:0:0", "max_energy_range_uj", "1000\n");
	put(dir, "intel-rapl:1", "name", "package-1\n"); /* cannot be read */
	put(dir, "intel-rapl", "name", "control\n");
	put(dir, "dtpm", "energy_uj", "5\n");
	energy_begin(&e, dir);
	CHECK_INT(e.count, 2);
	CHECK_STR(e.meters[0].name, "package-0");
	CHECK_STR(e.meters[1].name, "package-0 dram");
	put(dir, "intel-rapl:0", "energy_uj", "4500\n");
	put(dir, "intel-rapl:0:0", "energy_uj", "30\n"); /* began again */
	energy_read(&e, dir);
	CHECK_INT(e.meters[0].used_uj, 3500);
	CHECK_INT(e.meters[1].used_uj, 80);
	put(dir, "intel-rapl:0:0", "energy_uj", "20\n"); /* and again */
	energy_read(&e, dir);
	CHECK_INT(e.meters[0].used_uj, 3500);
	CHECK_INT(e.meters[1].used_uj, 1070);
	energy_begin(&e, dir);
	put(dir, "intel-rapl:0", "energy_uj", "7\n"); /* lower, and where it begins again is not known */
	put(dir, "intel-rapl:0:0", "energy_uj", "nonsense\n");
	energy_read(&e, dir);
	CHECK_INT(e.meters[0].used_uj, -1);
	CHECK_INT(e.meters[1].used_uj, -1);
	put(dir, "intel-rapl:0:0", "energy_uj", "40\n");
	energy_read(&e, dir);
	CHECK_INT(e.meters[1].used_uj, -1); /* what was used in between is not known */
	dir_remove(dir);
}

static void test_none(void)
{
	struct energy e;

	energy_begin(&e, "/nonexistent");
	CHECK_INT(e.count, 0);
	energy_read(&e, "/nonexistent");
}

int main(void)
{
	RUN(test_meters);
	RUN(test_none);
	return check_done();
}
