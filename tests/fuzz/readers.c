/* tests/fuzz/readers.c - every reader of files and texts as a function of bytes: what a guided fuzzer calls. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "auto/measured.h"
#include "collect/bus.h"
#include "core/base/alloc.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/config/autoheteroprio_data.h"
#include "core/config/config.h"
#include "core/config/config_match.h"
#include "core/dag/dag.h"
#include "core/machine/machine.h"
#include "core/perfmodel/model.h"
#include "core/run/manifest.h"
#include "core/run/run.h"
#include "core/trace/trace.h"
#include "generate/costs.h"
#include "generate/mix.h"
#include "sched/knob.h"
#include "sched/policy.h"
#include "tests/lib/invariants.h"
#include "tune/evaluate/journal.h"

enum { MAX_TEXT = 1 << 16 };

/* A reader that succeeded gives `broken`, what does not hold of its result, which aborts: a fuzzer shows where. */
static int holds(const char *broken)
{
	if (broken) {
		fprintf(stderr, "what was read does not hold together: %s\n", broken);
		abort();
	}
	return 0;
}

static int of_trace(struct trace *t, struct ht_err *err)
{
	struct dag_options o = {0};
	struct dag *d;

	if (!t)
		return -1;
	holds(trace_check(t));
	d = dag_from_trace(t, NULL, &o, err);
	if (d)
		holds(dag_check(d));
	dag_free(d);
	trace_free(t);
	return d ? 0 : -1;
}

static int read_fxt(const char *dir, const char *path, struct ht_err *err)
{
	(void)dir;
	return of_trace(trace_load_fxt(&path, 1, err), err);
}

static int read_tasks(const char *dir, const char *path, struct ht_err *err)
{
	(void)dir;
	return of_trace(trace_load_rec(&(struct trace_rec_files){.tasks = path}, err), err);
}

static int read_data(const char *dir, const char *path, struct ht_err *err)
{
	char *rec = ht_asprintf("%s/tasks.rec", dir);
	int rc = of_trace(trace_load_rec(&(struct trace_rec_files){.tasks = rec, .data = path}, err), err);

	free(rec);
	return rc;
}

static int read_paje(const char *dir, const char *path, struct ht_err *err)
{
	char *rec = ht_asprintf("%s/tasks.rec", dir);
	int rc = of_trace(trace_load_rec(&(struct trace_rec_files){.tasks = rec, .paje = path}, err), err);

	free(rec);
	return rc;
}

static int read_run(const char *dir, const char *path, struct ht_err *err)
{
	struct run *r = run_open(dir, err);

	(void)path;
	if (!r)
		return -1;
	holds(trace_check(r->trace));
	holds(dag_check(r->dag));
	run_free(r);
	return 0;
}

static int read_model(const char *dir, const char *path, struct ht_err *err)
{
	struct model_set *set = model_set_create();
	int rc = model_set_add_file(set, path, "kernel", "box", err);

	(void)dir;
	if (rc == 0 && model_find(set, "kernel"))
		holds(model_check(model_find(set, "kernel")));
	model_set_free(set);
	return rc;
}

static int read_bus(const char *dir, const char *path, struct ht_err *err)
{
	char *sampling = ht_strndup(path, (size_t)(strstr(path, "/bus/") - path));
	struct bus *b = bus_load(sampling, "here", err);
	int rc = b ? 0 : -1;

	(void)dir;
	bus_free(b);
	free(sampling);
	return rc;
}

static int of_machine(struct machine *m)
{
	if (!m)
		return -1;
	holds(machine_check(m));
	machine_free(m);
	return 0;
}

static int read_machine(const char *dir, const char *path, struct ht_err *err)
{
	(void)dir;
	return of_machine(machine_load(path, err));
}

/* The file as one line of text. */
static char *text_of(const char *path, struct ht_err *err)
{
	size_t size;
	char *text = file_read(path, MAX_TEXT, &size, err);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static int read_machine_text(const char *dir, const char *path, struct ht_err *err)
{
	char *text = text_of(path, err);
	int rc = text ? of_machine(machine_parse(text, err)) : -1;

	(void)dir;
	free(text);
	return rc;
}

static int read_config(const char *dir, const char *path, struct ht_err *err)
{
	struct config *c = config_load(path, err);

	(void)dir;
	if (!c)
		return -1;
	holds(config_check(c));
	config_match_free(config_match_create(c));
	config_free(c);
	return 0;
}

static int read_learned(const char *dir, const char *path, struct ht_err *err)
{
	struct autoheteroprio_data *l = ht_alloc(1, sizeof(*l));
	int rc = autoheteroprio_load(l, path, err);

	(void)dir;
	free(l);
	return rc;
}

static int read_mix(const char *dir, const char *path, struct ht_err *err)
{
	struct mix *m = mix_load(path, err);
	int rc = m ? 0 : -1;

	(void)dir;
	free(m);
	return rc;
}

static int read_costs(const char *dir, const char *path, struct ht_err *err)
{
	struct costs *c = costs_create();
	int rc = costs_add_file(c, path, err);

	(void)dir;
	costs_free(c);
	return rc;
}

static int read_journal(const char *dir, const char *path, struct ht_err *err)
{
	const struct journal_entry *entries;
	size_t count;
	struct journal *j = journal_open(path, 1, &entries, &count, err);

	(void)dir;
	if (!j)
		return -1;
	for (size_t i = 0; i < count; i++)
		holds(entries[i].makespan_ns < 0 ? "a makespan below 0" : NULL);
	journal_close(j);
	return 0;
}

/* "POLICY:OPTIONS": the numbers and words of its knobs. */
static int read_policy(const char *dir, const char *path, struct ht_err *err)
{
	char *text = text_of(path, err);
	const char *options = NULL;
	const struct policy *p = text ? policy_find(text, &options, err) : NULL;
	max_align_t values[512] = {0};
	int rc = p ? knobs_read(p->name, p->knobs, options, values, err) : -1;

	(void)dir;
	free(text);
	return rc;
}

static int read_measured(const char *dir, const char *path, struct ht_err *err)
{
	struct measured m;
	int rc = measured_open(&m, dir, err);

	(void)path;
	if (rc == 0)
		measured_rounds(&m, MEASURED_RUNS);
	for (int i = 0; i < m.count && rc == 0; i++)
		holds(m.cases[i].n && m.cases[i].low_ns < 0 ? "a makespan below 0" : NULL);
	measured_free(&m);
	return rc;
}

#define RUN_FILES "tests/data/run"
#define CORPUS    "../../fuzz/corpus" /* from there */

const struct reader readers[] = {
	{"fxt", "prof_file", NULL, read_fxt},
	{"tasks", "tasks.rec", NULL, read_tasks},
	{"data", "data.rec", RUN_FILES, read_data},
	{"paje", "paje.trace", RUN_FILES, read_paje},
	{"manifest", "manifest", RUN_FILES, read_run},
	{"where", "where.tsv", RUN_FILES, read_run},
	{"lengths", "lengths.tsv", RUN_FILES, read_run},
	{"footprints", "footprints.tsv", RUN_FILES, read_run},
	{"model", "potrf.here", NULL, read_model},
	{"bus-bandwidth", "sampling/bus/here.bandwidth", RUN_FILES, read_bus},
	{"bus-config", "sampling/bus/here.config", RUN_FILES, read_bus},
	{"bus-platform", "sampling/bus/here.platform.xml", RUN_FILES, read_bus},
	{"machine", "machine.xml", NULL, read_machine},
	{"machine-text", "text", NULL, read_machine_text},
	{"config", "config.xml", NULL, read_config},
	{"autoheteroprio", "learned.data", NULL, read_learned},
	{"mix", "two.mix", NULL, read_mix},
	{"costs", "three.costs", NULL, read_costs},
	{"journal", "taken.journal", NULL, read_journal},
	{"measured", "measured.tsv", RUN_FILES, read_measured},
	{"policy", "text", NULL, read_policy},
	{NULL, NULL, NULL, NULL},
};

const struct reader *reader_find(const char *name)
{
	for (const struct reader *r = readers; r->name; r++)
		if (strcmp(r->name, name) == 0)
			return r;
	return NULL;
}

int reader_prepare(const struct reader *r, const char *dir)
{
	static const char *const folders[] = {"sampling/bus", "run", MEASURED_FINALISTS};
	static const char *const files[][2] = {
		{"tasks.rec", "tasks.rec"},
		{"paje.trace", "paje.trace"},
		{"sampling/bus/here.affinity", "sampling/bus/here.affinity"},
		{"sampling/bus/here.bandwidth", "sampling/bus/here.bandwidth"},
		{"sampling/bus/here.config", "sampling/bus/here.config"},
		{"sampling/bus/here.latency", "sampling/bus/here.latency"},
		{"sampling/bus/here.platform.xml", "sampling/bus/here.platform.xml"},
		{CORPUS "/manifest/good", "run/manifest"},
		{CORPUS "/config/good-any", MEASURED_FINALISTS "/1.xml"},
		{CORPUS "/config/good-plan", MEASURED_FINALISTS "/2.xml"},
	};
	int rc = 0;

	for (size_t i = 0; r->from && rc == 0 && i < sizeof(folders) / sizeof(*folders); i++) {
		char *folder = ht_asprintf("%s/%s", dir, folders[i]);

		rc = dir_create(folder, NULL);
		free(folder);
	}
	for (size_t i = 0; r->from && rc == 0 && i < sizeof(files) / sizeof(*files); i++) {
		char *from = ht_asprintf("%s/%s", r->from, files[i][0]), *to = ht_asprintf("%s/%s", dir, files[i][1]);

		rc = file_copy(from, to, NULL);
		free(from);
		free(to);
	}
	return rc;
}

const char *reader_run(const struct reader *r, const char *dir, const void *bytes, size_t size_bytes, int *refused)
{
	char *path = ht_asprintf("%s/%s", dir, r->file);
	FILE *f = fopen(path, "wb");
	struct ht_err err = {""};
	const char *wrong = NULL;

	if (!f || fwrite(bytes, 1, size_bytes, f) != size_bytes || fclose(f) != 0) {
		free(path);
		return "the file cannot be written";
	}
	*refused = r->read(dir, path, &err) != 0;
	if (*refused && !err.text[0])
		wrong = "refused without a sentence";
	else if (strchr(err.text, '\n'))
		wrong = "the sentence has several lines";
	free(path);
	return wrong;
}
