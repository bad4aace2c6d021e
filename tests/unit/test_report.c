/* tests/unit/test_report.c - what analyze says of a recording that is not perfect. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyze/report.h"
#include "core/alloc.h"
#include "core/err.h"
#include "core/outfile.h"
#include "core/run.h"
#include "tests/lib/check.h"

static char dir[] = "/tmp/heterotune-test-XXXXXX";

static void event(FILE *f, uint64_t ns, unsigned code, int n, ...)
{
	uint64_t head[3] = {ns, 0, (uint64_t)code << 8 | ((uint64_t)n + 1)};
	va_list ap;

	fwrite(head, 8, 3, f);
	va_start(ap, n);
	for (int i = 0; i < n; i++) {
		uint64_t v = va_arg(ap, uint64_t);

		fwrite(&v, 8, 1, f);
	}
	va_end(ap);
}

#define U(x) ((uint64_t)(x))

/* One task on a CPU; its worker's start is written late by 1 ns, as threads of every run do. */
static void write_trace(const char *path, int flushes)
{
	static const unsigned char arch[4] = {0, 0, 0, 2};
	const uint64_t infos[2] = {16, 1}, events[2] = {0, 0x201};
	FILE *f = fopen(path, "wb");

	fwrite(arch, 1, 4, f);
	fwrite(infos, 8, 2, f);
	fwrite(events, 8, 2, f);
	event(f, 1000, 0x511a, 7, U(1), U(-1), U(-1), U(1), U(5), U(0), U(9));
	event(f, 999, 0x5100, 7, U(0x100), U(0), U(0), U(0), U(3), U(0), U(71));
	event(f, 1400, 0x5102, 4, U(1), U(0), U(0), U(0));
	event(f, 1900, 0x5103, 6, U(1), U(256), U(0x617e5fe6), U(0), U(71), U(0));
	event(f, 1950, 0x5125, 2, U(1), U(71));
	for (int i = 0; i < flushes; i++)
		event(f, 1960, 0xfff5, 0);
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
		CHECK_HAS(text, "1 tasks of 1 types on 1 cpu in 500 ns");
		CHECK(strstr(text, "recording") == NULL && strstr(text, "event") == NULL);
		CHECK_HAS(json, "\"unordered\": 1");
	}
	free(text);
	free(json);
}

static void flushes_are_told(void)
{
	char *text, *json;

	look(2, &text, &json);
	if (text && json) {
		CHECK_HAS(text, "2 times the application waited");
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
	RUN(flushes_are_told);
	dir_remove(dir);
	return check_done();
}
