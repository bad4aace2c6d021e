/* tests/unit/test_fxt.c - core/trace/fxt.h: events in the order of time, of files larger than what is in memory. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/trace/fxt.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/err.h"
#include "tests/lib/check.h"
#include "tests/lib/fxt_file.h"

enum { EVENTS = 400000 }; /* 16 MB, several pieces */

/* Ticks that go up by 10, but each by up to `late` earlier than its place. */
static uint64_t tick_of(uint64_t i, uint64_t late)
{
	uint64_t random = (i * UINT64_C(0x9e3779b97f4a7c15)) >> 40;

	return 1000000000 + 10 * i - (late ? random % late : 0);
}

static int open_made(struct fxt *f, const char *path, uint64_t late)
{
	struct ht_err err = {""};
	FILE *x = fopen(path, "w");
	int rc;

	write_head(x);
	for (uint64_t i = 0; i < EVENTS; i++)
		event(x, tick_of(i, late), 0x5101, NULL, 2, i, ~i);
	fclose(x);
	rc = fxt_open(f, path, &err);
	unlink(path);
	return rc;
}

struct place {
	uint64_t tick, number;
};

static int by_tick(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->tick != y->tick)
		return x->tick < y->tick ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Twice, from the beginning: each event once, in the order of time, and at one time in that of the file. */
static void check_order(uint64_t late)
{
	char path[] = "/tmp/test_fxt.XXXXXX";
	struct place *places = ht_alloc(EVENTS, sizeof(*places));
	struct ht_err err = {""};
	struct fxt_event e;
	struct fxt f;

	close(mkstemp(path));
	REQUIRE(open_made(&f, path, late) == 0);
	CHECK_INT(f.nevents, EVENTS);
	CHECK_INT(f.first_tick, tick_of(0, late));
	CHECK_INT(f.unordered > 0, late > 10);
	CHECK_INT(f.truncated_bytes, 0);
	for (uint64_t i = 0; i < EVENTS; i++)
		places[i] = (struct place){tick_of(i, late), i};
	qsort(places, EVENTS, sizeof(*places), by_tick);
	for (int pass = 0; pass < 2; pass++) {
		for (uint64_t i = 0; i < EVENTS; i++) {
			REQUIRE(fxt_next(&f, &e, &err) == 1);
			REQUIRE(e.tick == places[i].tick && fxt_param(&e, 0) == places[i].number);
			REQUIRE(e.nparams == 2 && fxt_param(&e, 1) == ~places[i].number && e.code == 0x5101);
			REQUIRE(e.offset == f.begin + 40 * places[i].number);
		}
		CHECK_INT(fxt_next(&f, &e, &err), 0);
		CHECK_INT(fxt_next(&f, &e, &err), 0);
		fxt_rewind(&f);
	}
	fxt_close(&f);
	free(places);
}

static void test_sorted(void)
{
	check_order(0);
}

static void test_late(void)
{
	check_order(50);
	check_order(1000000);
}

/* So late that all of the file has to be in memory. */
static void test_very_late(void)
{
	check_order(EVENTS * 10);
}

/* Events that are a little late take the memory of a piece, not of the file. */
static void test_memory(void)
{
	char path[] = "/tmp/test_fxt.XXXXXX";
	struct ht_err err = {""};
	struct fxt_event e;
	struct fxt f;

	close(mkstemp(path));
	REQUIRE(open_made(&f, path, 1000) == 0);
	while (fxt_next(&f, &e, &err) == 1)
		;
	CHECK(f.cap <= 4 << 20);
	CHECK(f.cap_events * sizeof(*f.events) <= 4 << 20);
	fxt_close(&f);
}

int main(void)
{
	RUN(test_sorted);
	RUN(test_late);
	RUN(test_very_late);
	RUN(test_memory);
	return check_done();
}
