/* collect/cmd_import.c - heterotune import: a run directory from recordings made elsewhere. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/collect.h"
#include "collect/sampling.h"
#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/options.h"
#include "core/base/table.h"
#include "core/base/version.h"
#include "core/machine/machine.h"
#include "core/run/manifest.h"
#include "core/run/run.h"
#include "core/run/run_writer.h"
#include "core/trace/trace.h"

struct import {
	const char *output, *tasks, *data, *paje, *sampling, *host, *scheduler;
	struct option_list fxt, where;
	struct run_writer to;
};

static int copy_into(const char *file, const char *dir, const char *name, struct ht_err *err)
{
	char *to = ht_asprintf("%s/%s", dir, name);
	int rc = file_copy(file, to, err);

	free(to);
	return rc;
}

/* Files of ranks may have one name in several directories: their place in the list goes in front. */
static int copy_fxt(const struct import *im, struct ht_err *err)
{
	char *fxt = ht_asprintf("%s/fxt", im->to.dir);
	int rc = dir_create(fxt, err);

	for (int i = 0; rc == 0 && i < im->fxt.count; i++) {
		const char *file = im->fxt.items[i], *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
		char *name = im->fxt.count > 1 ? ht_asprintf("%03d-%s", i, base) : ht_strndup(base, strlen(base));

		rc = copy_into(file, fxt, name, err);
		free(name);
	}
	free(fxt);
	return rc;
}

static int copy_recording(const struct import *im, struct ht_err *err)
{
	if (im->fxt.count)
		return copy_fxt(im, err);
	if (copy_into(im->tasks, im->to.dir, "tasks.rec", err) != 0)
		return -1;
	if (im->data && copy_into(im->data, im->to.dir, "data.rec", err) != 0)
		return -1;
	return im->paje ? copy_into(im->paje, im->to.dir, "paje.trace", err) : 0;
}

static int write_manifest(const struct import *im, const struct trace *t, const char *host, struct ht_err *err)
{
	struct outfile out;

	if (run_writer_open(&im->to, &out, "manifest", err) != 0)
		return -1;
	manifest_put(out.f, "format", MANIFEST_FORMAT);
	manifest_put(out.f, "heterotune", HETEROTUNE_VERSION);
	manifest_put(out.f, "imported", im->fxt.count ? "fxt" : "tasks.rec");
	if (im->scheduler)
		manifest_put(out.f, "scheduler", im->scheduler);
	if (t->starpu_minor)
		fprintf(out.f, "starpu: 1.%d\n", t->starpu_minor);
	if (im->sampling)
		manifest_put(out.f, "models_host", host);
	return outfile_commit(&out, err);
}

static int check_options(const struct import *im, struct ht_err *err)
{
	if (!im->fxt.count == !im->tasks)
		return ht_err_set(err, "expected either --fxt FILE... or --tasks FILE: see --help");
	if ((im->paje || im->data) && !im->tasks)
		return ht_err_set(err, "%s goes with --tasks", im->paje ? "--paje" : "--data");
	if (im->host && !im->sampling)
		return ht_err_set(err, "--hostname goes with --sampling");
	return im->output ? run_writer_check(im->output, "-o", err) : 0;
}

/* The first hosts, at most `max`, that `sampling` has a bus/HOST.config of, as StarPU writes for each. */
static int hosts_of(const char *sampling, char **hosts, int max)
{
	static const char suffix[] = ".config";
	char *path = ht_asprintf("%s/bus", sampling);
	struct dirent **entries;
	int count = 0, n = scandir(path, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		size_t len = strlen(entries[i]->d_name);

		if (len >= sizeof(suffix) && strcmp(entries[i]->d_name + len - (sizeof(suffix) - 1), suffix) == 0 &&
		    count < max)
			hosts[count++] = ht_strndup(entries[i]->d_name, len - (sizeof(suffix) - 1));
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	free(path);
	return count;
}

static int no_models(const struct import *im, const char *host, struct ht_err *err)
{
	enum { NAMED = 8 };
	char *hosts[NAMED + 1] = {NULL}, known[300] = "";
	size_t len = 0;
	int n = hosts_of(im->sampling, hosts, NAMED + 1);

	for (int i = 0; i < n; i++) {
		if (len < sizeof(known))
			len += (size_t)snprintf(known + len, sizeof(known) - len, "%s %s", i ? "," : "; its bus/ knows",
			                        i < NAMED ? hosts[i] : "others");
		free(hosts[i]);
	}
	return ht_err_set(err,
	                  "%s: has no model of host %s for any codelet of the trace, expected "
	                  "codelets/45/SYMBOL.%s%s%s",
	                  im->sampling, host, host, known, n && !im->host ? ": see --hostname" : "");
}

/*
 * Models that an older StarPU wrote are kept as they are: the whole directory of the host's files, whatever its
 * version. ncopied: what there is already. A program of which no codelet has a model in a file still has a bus.
 */
static int copy_models(const struct import *im, const struct trace *t, const char *host, int ncopied,
                       struct ht_err *err)
{
	static const char *const versions[] = {"45", "44", "43", "42"};
	char *to = ht_asprintf("%s/sampling/codelets", im->to.dir), *config;
	int rc = 0;

	for (int v = 0; rc == 0 && v < 4; v++)
		for (size_t i = 0; rc == 0 && i < t->ncodelets; i++) {
			const char *symbol = trace_text(t, t->codelets[i].model);
			char *from = ht_asprintf("%s/codelets/%s/%s.%s", im->sampling, versions[v], symbol, host);
			char *dir = ht_asprintf("%s/%s", to, versions[v]), *name = ht_asprintf("%s.%s", symbol, host);

			if (*symbol && !strchr(symbol, '/') && file_exists(from)) {
				rc = dir_create(dir, err) || copy_into(from, dir, name, err) ? -1 : 0;
				ncopied++;
			}
			free(from);
			free(dir);
			free(name);
		}
	config = ht_asprintf("%s/bus/%s.config", im->sampling, host);
	if (rc == 0 && !ncopied && !file_exists(config))
		rc = no_models(im, host, err);
	else if (rc == 0 && !ncopied)
		fprintf(stderr,
		        "heterotune: import: %s has the bus of host %s, and no model of any codelet of the trace\n",
		        im->sampling, host);
	free(config);
	free(to);
	return rc;
}

/* STARPU_HOSTNAME; the only host there is, since a recording comes with its own models; this machine. */
static char *host_of(const struct import *im)
{
	char *hosts[2] = {NULL, NULL};

	if (im->host)
		return ht_strndup(im->host, strlen(im->host));
	if (im->sampling && !getenv("STARPU_HOSTNAME") && hosts_of(im->sampling, hosts, 2) == 1)
		return hosts[0];
	free(hosts[0]);
	free(hosts[1]);
	return machine_host();
}

static int has_codelet(const struct trace *t, const char *label, size_t len)
{
	for (size_t i = 0; i < t->ncodelets; i++) {
		const char *text = trace_text(t, t->codelets[i].label);

		if (strlen(text) == len && strncmp(text, label, len) == 0)
			return 1;
	}
	return 0;
}

/* A line of where.tsv from "CODELET=ARCH+ARCH". Names of codelets may have an equals sign. */
static int write_where_line(FILE *f, const struct trace *t, const char *text, struct ht_err *err)
{
	const char *equals = strrchr(text, '=');
	arch_mask archs;

	if (!equals || arch_parse_set(equals + 1, (int)strlen(equals + 1), &archs) != 0)
		return ht_err_set(err, "--where: expected CODELET=ARCH+ARCH, found \"%s\"", text);
	if (!has_codelet(t, text, (size_t)(equals - text)))
		return ht_err_set(err, "--where: the recording has no codelet \"%.*s\"", (int)(equals - text), text);
	run_writer_where(f, text, (int)(equals - text), archs, 0);
	return 0;
}

static int write_where(const struct import *im, const struct trace *t, struct ht_err *err)
{
	struct outfile out;

	if (!im->where.count)
		return 0;
	if (run_writer_open(&im->to, &out, "where.tsv", err) != 0)
		return -1;
	for (int i = 0; i < im->where.count; i++) {
		if (write_where_line(out.f, t, im->where.items[i], err) != 0) {
			outfile_abort(&out);
			return -1;
		}
	}
	return outfile_commit(&out, err);
}

static int gather(const struct import *im, const struct trace *t, const char *host, struct ht_err *err)
{
	char *const dirs[] = {(char *)im->sampling, NULL};
	char *sampling = ht_asprintf("%s/sampling", im->to.dir);
	int ncopied, rc = 0;

	if (im->sampling && (sampling_copy(im->to.dir, t, dirs, host, &ncopied, err) != 0 ||
	                     copy_models(im, t, host, ncopied, err) != 0))
		rc = -1;
	if (rc == 0 && collect_machine(im->to.dir, t, sampling, host, CAPACITY_DEFAULT, err) != 0)
		rc = -1;
	if (rc == 0)
		rc = write_where(im, t, err);
	if (rc == 0)
		rc = write_manifest(im, t, host, err);
	free(sampling);
	return rc;
}

static int import(char **words, void *options, struct ht_err *err)
{
	struct import *im = options;
	struct trace *t = NULL;
	char *host, *made_up = NULL;
	int rc = -1;

	if (words[0])
		return ht_err_set(err, "%s: expected --fxt or --tasks before a file, which says what it is", words[0]);
	if (check_options(im, err) != 0)
		return -1;
	if (!im->output)
		im->output = made_up = path_unused(im->tasks ? im->tasks : im->fxt.items[0], ".ht");
	host = host_of(im);
	if (run_writer_begin(&im->to, im->output, "-o", err) != 0 || copy_recording(im, err) != 0)
		goto out;
	/* Read from where the user has it, so that an error names his file and not our copy. */
	t = im->fxt.count ? trace_load_fxt(im->fxt.items, im->fxt.count, err) :
	                    trace_load_rec(&(struct trace_rec_files){im->tasks, im->data, im->paje}, err);
	if (!t)
		goto out;
	if (trace_executed(t) == 0) {
		ht_err_set(err, "%s: no task ran to its end in this recording",
		           im->tasks ? im->tasks : im->fxt.items[0]);
		goto out;
	}
	rc = gather(im, t, host, err);
out:
	rc = run_writer_end(&im->to, rc, err);
	if (rc == 0) {
		char span[16];

		if (t->defects.unknown_workers)
			fprintf(stderr,
			        "heterotune: import: the recording has no architecture of %llu workers: they count as CPUs; "
			        "%s\n",
			        (unsigned long long)t->defects.unknown_workers,
			        im->tasks ? "--paje would name it" : "the beginning of the trace is missing");
		if (t->defects.missing_ranks)
			fprintf(stderr, "heterotune: import: %llu MPI rank%s of the program %s not in the recording\n",
			        (unsigned long long)t->defects.missing_ranks, plural(t->defects.missing_ranks),
			        t->defects.missing_ranks == 1 ? "is" : "are");
		if (t->defects.truncated_bytes || t->defects.unfinished)
			fprintf(stderr,
			        "heterotune: import: the end of the trace is missing: %llu task%s not seen to end\n",
			        (unsigned long long)t->defects.unfinished,
			        t->defects.unfinished == 1 ? " was" : "s were");
		printf("%s: %zu task%s of %zu codelet%s on %zu worker%s, %s from first start to last end\n", im->output,
		       trace_executed(t), plural(trace_executed(t)), t->ncodelets, plural(t->ncodelets), t->nworkers,
		       plural(t->nworkers), time_text(span, trace_makespan_ns(t, NULL)));
	}
	trace_free(t);
	free(host);
	free(made_up);
	return rc;
}

static int run(int argc, char **argv)
{
	struct import im = {0};
	const struct option_spec specs[] = {
		{OPTION_TEXT, 'o', "output", &im.output, "RUN",
	         "directory to make (default: FILE.ht); never overwritten"},
		{OPTION_TEXTS, 0, "fxt", &im.fxt, "FILE...", "raw FxT files (prof_file_*), one per MPI rank"},
		{OPTION_TEXT, 0, "tasks", &im.tasks, "FILE", "tasks.rec of starpu_fxt_tool"},
		{OPTION_TEXT, 0, "data", &im.data, "FILE", "data.rec beside it: has the home nodes of data"},
		{OPTION_TEXT, 0, "paje", &im.paje, "FILE", "paje.trace beside it: has the architecture of the workers"},
		{OPTION_TEXT, 0, "sampling", &im.sampling, "DIR",
	         "StarPU's performance models: the directory with codelets/ and bus/"},
		{OPTION_TEXT, 0, "hostname", &im.host, "NAME",
	         "whose models to take (default: the only host's of DIR, else this machine's)"},
		{OPTION_TEXT, 0, "scheduler", &im.scheduler, "NAME", "the scheduler of the recorded run"},
		{OPTION_TEXTS, 0, "where", &im.where, "CODELET=ARCHS...",
	         "what a codelet can run on, where the recording does not show it"},
		{OPTION_END, 0, NULL, NULL, NULL, NULL},
	};
	const struct option_usage usage = {
		.command = "import",
		.synopsis =
			"[-o RUN] --fxt FILE... | --tasks tasks.rec [--data FILE] [--paje FILE] [--sampling DIR --hostname NAME]",
		.summary = "Make a run directory from recordings made elsewhere.",
	};

	return command_run(argc, argv, specs, &usage, &(struct command_answer){"no word", 0, -1, 0, import}, &im);
}

const struct command cmd_import = {"import", "make a run directory from recordings made elsewhere", run};
