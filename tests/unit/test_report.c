/* tests/unit/test_report.c - what analyze says of a recording that is not perfect. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <unistd.h>

#include "analyze/report/report.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/run/run.h"
#include "tests/lib/check.h"
#include "tests/lib/fxt_file.h"

static char dir[] = "/tmp/heterotune-test-XXXXXX";

/* One task on a CPU; its worker's start is written late by 1 ns, as threads of every run do. */
static void write_trace(const char *path, int flushes)
{
	FILE *f = fopen(path, "wb");

	write_head(f);
	event(f, 1000, 0x511a, NULL, 7, U(1), U(-1), U(-1), U(1), U(5), U(0), U(9));
	event(f, 999, 0x5100, NULL, 7, U(0x100), U(0), U(0), U(0), U(3), U(0), U(71));
	event(f, 1400, 0x5102, NULL, 4, U(1), U(0), U(0), U(0));
	event(f, 1900, 0x5103, NULL, 6, U(1), U(256), U(0x617e5fe6), U(0), U(71), U(0));
	event(f, 1950, 0x5125, NULL, 2, U(1), U(71));
	for (int i = 0; i < flushes; i++)
		event(f, 1960, 0xfff5, NULL, 0);
	fclose(f);
}

static char *written(const struct report *r, void (*write)(const struct report *r, FILE *f))
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	write(r, f);
	fclose(f);
	return text;
}

static void look(int flushes, char **text, char **json)
{
	char *fxt = ht_asprintf("%s/fxt", dir), *file = ht_asprintf("%s/trace", fxt);
	struct ht_err err = {""};
	struct report report = {0};
	struct run *run;

	*text = *json = NULL;
	CHECK_INT(dir_create(fxt, &err), 0);
	write_trace(file, flushes);
	run = run_open(dir, &err);
	CHECK_STR(err.text, "");
	if (run && report_init(&report, run, &err) == 0) {
		*text = written(&report, report_text);
		*json = written(&report, report_json);
	}
	CHECK(*text && *json);
	report_fini(&report);
	run_free(run);
	dir_remove(fxt);
	free(fxt);
	free(file);
}

static void late_events_are_normal(void)
{
	char *text, *json;

	look(0, &text, &json);
	if (text && json) {
		CHECK_HAS(text, "1 task of 1 type on 1 cpu in 500 ns");
		CHECK(strstr(text, "recording") == NULL && strstr(text, "event") == NULL);
		CHECK_HAS(json, "\"unordered\": 1");
	}
	free(text);
	free(json);
}

static void flushes_are_noted(void)
{
	char *text, *json;

	look(2, &text, &json);
	if (text && json) {
		CHECK_HAS(text, "2 times threads waited");
		CHECK_HAS(json, "\"flushes\": 2");
	}
	free(text);
	free(json);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 2;
	RUN(late_events_are_normal);
	RUN(flushes_are_noted);
	dir_remove(dir);
	return check_done();
}
