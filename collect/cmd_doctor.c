/* collect/cmd_doctor.c - heterotune doctor: what is there, what is missing, and what to do about it. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dirent.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "collect/counters.h"
#include "collect/launch.h"
#include "collect/sampling.h"
#include "collect/starpu_place.h"
#include "core/base/alloc.h"
#include "core/base/command.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/options.h"
#include "core/base/stats.h"
#include "core/base/table.h"
#include "core/config/plugin_path.h"
#include "core/config/shell.h"
#include "core/machine/machine.h"
#include "core/perfmodel/model.h"

enum check_state {
	CHECK_OK,
	CHECK_MISSING, /* something does not work */
	CHECK_HIGH,    /* what is measured is more than is good, */
	CHECK_LOW,     /* or less */
	CHECK_FATAL,   /* nothing can be recorded */
};

static const char *const state_names[] = {"ok", "missing", "high", "low", "missing"};

enum { CHECK_TEXT = 512 };

struct check_result {
	enum check_state state;
	char found[CHECK_TEXT]; /* what is there, or is not */
	char to_do[CHECK_TEXT]; /* "": nothing */
};

struct check {
	const char *name;
	void (*look)(struct check_result *r);
};

/* Below these a machine is quiet; a trace takes some 100 bytes an event. */
static const double MOST_SPREAD = 0.05, MOST_LOAD = 0.5, LEAST_FREE_BYTES = 1e9;
enum { NOISE_SAMPLES = 41, NOISE_LOOPS = 1000000, ENOUGH_SAMPLES = 10, MAX_BYTES = 1 << 20 };

/* What is there, or is not; `to_do` may be NULL. */
static void say(struct check_result *r, enum check_state state, const char *to_do, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void say(struct check_result *r, enum check_state state, const char *to_do, const char *fmt, ...)
{
	va_list ap;

	r->state = state;
	va_start(ap, fmt);
	vsnprintf(r->found, CHECK_TEXT, fmt, ap);
	va_end(ap);
	snprintf(r->to_do, CHECK_TEXT, "%s", to_do ? to_do : "");
}

/* A command to copy, which calls this program. */
static void say_command(struct check_result *r, const char *before, const char *after)
{
	char *heterotune = shell_heterotune();

	snprintf(r->to_do, CHECK_TEXT, "%s%s%s", before, heterotune, after);
	free(heterotune);
}

static void look_starpu(struct check_result *r)
{
	struct starpu_place starpu;
	struct ht_err err = {""};

	if (starpu_place_find(&starpu, STARPU_NATIVE, &err) != 0) {
		say(r, CHECK_FATAL, NULL, "%.500s", err.text);
	} else {
		say(r, CHECK_OK, NULL, "%.40s, %.400s", starpu.version, starpu.prefix);
		say_command(r, "eval \"$(", " env)\" before a program is built with it");
	}
	starpu_place_fini(&starpu);
}

static void look_fxt(struct check_result *r)
{
	struct starpu_place starpu;

	if (starpu_place_find(&starpu, STARPU_NATIVE, NULL) != 0 || !starpu.has_fxt)
		say(r, CHECK_FATAL, "build StarPU with --with-fxt, or let setup/starpu do so", "%s",
		    starpu.prefix ? "this StarPU records nothing" : "without a StarPU");
	else
		say(r, CHECK_OK, NULL, "StarPU records its tasks");
	starpu_place_fini(&starpu);
}

static void look_library(struct check_result *r)
{
	struct ht_err err = {""};
	char *path = plugin_path(&err);
	void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

	if (handle && dlsym(handle, "starpu_get_sched_lib_policy"))
		say(r, CHECK_OK, NULL, "%.500s", path);
	else
		say(r, CHECK_MISSING, "run 'make' where StarPU is: run and collect --priorities need it", "%.500s",
		    path ? dlerror() : err.text);
	if (handle)
		dlclose(handle);
	free(path);
}

static int has_ending(const char *name, const char *ending)
{
	size_t len = strlen(name), end = strlen(ending);

	return len >= end && strcmp(name + len - end, ending) == 0;
}

/* How many models have that ending; *first is the first directory that has one, borrowed. */
static int count_models(char *const *dirs, const char *ending, const char **first)
{
	int n = 0;

	*first = NULL;
	for (; *dirs && !n; dirs++) {
		char *path = ht_asprintf("%s/codelets/45", *dirs);
		DIR *d = opendir(path);
		struct dirent *e;

		while (d && (e = readdir(d)))
			n += has_ending(e->d_name, ending);
		if (d)
			closedir(d);
		*first = n ? *dirs : NULL;
		free(path);
	}
	return n;
}

static void look_models(struct check_result *r)
{
	char **dirs = sampling_dirs(4), *host = machine_host(), *ending = ht_asprintf(".%s", host);
	const char *dir;
	struct model_set *models = sampling_models(dirs, host);
	int n = count_models(dirs, ending, &dir), lacking = n ? sampling_uncalibrated(models, NULL, ENOUGH_SAMPLES) : 0;
	const char *to_do = !n || lacking ? "heterotune collect --calibrate measures those of a program" : NULL;

	if (!n)
		say(r, CHECK_MISSING, to_do, "none for %.60s", host);
	else if (lacking)
		say(r, CHECK_OK, to_do, "%d for %.60s in %.300s, %d entries with few samples", n, host, dir, lacking);
	else
		say(r, CHECK_OK, to_do, "%d for %.60s in %.300s", n, host, dir);
	model_set_free(models);
	sampling_dirs_free(dirs);
	free(host);
	free(ending);
}

static int has_bus(void)
{
	char **dirs = sampling_dirs(4), *host = machine_host();
	int found = 0;

	for (int i = 0; dirs[i] && !found; i++) {
		char *path = ht_asprintf("%s/bus/%s.bandwidth", dirs[i], host);

		found = file_exists(path);
		free(path);
	}
	sampling_dirs_free(dirs);
	free(host);
	return found;
}

/* StarPU's own tools are on PATH after that. */
static void say_bus(struct check_result *r, const char *found)
{
	say(r, CHECK_MISSING, NULL, "%s", found);
	say_command(r, "eval \"$(", " env)\", then starpu_calibrate_bus, or run any program under StarPU");
}

static void look_bus(struct check_result *r)
{
	if (has_bus())
		say(r, CHECK_OK, NULL, "measured by StarPU");
	else
		say_bus(r, "StarPU has not measured its copies here");
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void look_noise(struct check_result *r)
{
	int64_t ns[NOISE_SAMPLES];
	volatile unsigned value = 1;
	double spread;

	for (int i = 0; i < NOISE_SAMPLES; i++) {
		int64_t begin = now_ns();

		for (int k = 0; k < NOISE_LOOPS; k++)
			value = value * 1664525u + 1013904223u;
		ns[i] = now_ns() - begin;
	}
	stats_sort_i64(ns, NOISE_SAMPLES);
	spread =
		stats_ratio((double)(ns[stats_percentile(NOISE_SAMPLES, 90)] - ns[stats_percentile(NOISE_SAMPLES, 10)]),
	                    (double)ns[NOISE_SAMPLES / 2], 0);
	say(r, spread > MOST_SPREAD ? CHECK_HIGH : CHECK_OK,
	    spread > MOST_SPREAD ? "leave the machine alone, and fix its clock, before times are compared" : NULL,
	    "the time of a loop varies by %.1f %%", 100 * spread);
}

static void look_load(struct check_result *r)
{
	double load;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (getloadavg(&load, 1) != 1)
		load = 0;
	say(r, load > MOST_LOAD ? CHECK_HIGH : CHECK_OK,
	    load > MOST_LOAD ? "wait for the programs that take time of the workers" : NULL, "%.2f on %ld core%s", load,
	    cores, plural((uint64_t)cores));
}

static void look_gnuplot(struct check_result *r)
{
	if (path_has_program("gnuplot"))
		say(r, CHECK_OK, NULL, "draws plots");
	else
		say(r, CHECK_MISSING, "install gnuplot-nox for plot and the pictures of report", "is not on PATH");
}

static const char *tmp_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	return tmp && *tmp ? tmp : "/tmp";
}

/* "4 CUDA workers:" lines of StarPU's own tool. */
static void count_devices(const char *text, struct check_result *r)
{
	static const char *const kinds[] = {"CUDA", "OpenCL", "HIP"};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		char part[32];
		const char *at;
		int count = 0;

		snprintf(part, sizeof(part), " %s worker", kinds[i]);
		at = strstr(text, part);
		while (at && at > text && at[-1] != '\n')
			at--;
		if (at && sscanf(at, "%d", &count) == 1 && count && n < CHECK_TEXT)
			n += (size_t)snprintf(r->found + n, CHECK_TEXT - n, "%s%d %s worker%s", n ? ", " : "", count,
			                      kinds[i], plural((uint64_t)count));
	}
}

static void look_gpu(struct check_result *r)
{
	struct starpu_place starpu;
	char *output = ht_asprintf("%s/heterotune-doctor.XXXXXX", tmp_dir());
	int fd = mkstemp(output);
	struct launch_result result = {.status = -1};
	const int is_installed = starpu_place_find(&starpu, STARPU_NATIVE, NULL) == 0;

	if (fd >= 0 && has_bus() && is_installed) {
		char *tool = ht_asprintf("%s/bin/starpu_machine_display", starpu.prefix), *text;
		char *const argv[] = {tool, "-notopology", NULL};
		const struct launch l = {.argv = argv, .output = output};

		if (launch_wait(&l, &result, NULL) == 0 && (text = file_read(output, MAX_BYTES, NULL, NULL))) {
			count_devices(text, r);
			free(text);
		}
		free(tool);
	}
	if (is_installed)
		starpu_place_fini(&starpu);
	if (fd >= 0) {
		close(fd);
		unlink(output);
	}
	free(output);
	if (*r->found)
		return;
	if (result.status == 0)
		say(r, CHECK_MISSING, "for a GPU install its driver, and a StarPU built with CUDA or OpenCL",
		    "StarPU sees none");
	else if (is_installed && has_bus())
		say(r, CHECK_MISSING, "see what its starpu_machine_display says",
		    "not known: StarPU's tool gave no answer");
	else if (is_installed)
		say_bus(r, "not known before StarPU has measured its copies");
	else
		say(r, CHECK_MISSING, "see the line of StarPU", "not known without a StarPU");
}

static void look_papi(struct check_result *r)
{
	struct counters c;
	struct ht_err err = {""};

	if (counters_parse(&c, "PAPI_TOT_CYC", &err) == 0)
		say(r, CHECK_OK, NULL, "counts cycles");
	else
		say(r, CHECK_MISSING, "collect --papi needs it", "%.500s", err.text);
	counters_fini(&c);
}

static void look_perf(struct check_result *r)
{
	char *text = file_read("/proc/sys/kernel/perf_event_paranoid", 64, NULL, NULL);
	int level = text ? atoi(text) : 4, high = level > 2 && geteuid() != 0;

	say(r, high ? CHECK_HIGH : CHECK_OK,
	    high ? "set it to 2 for counters: sysctl kernel.perf_event_paranoid=2" : NULL, "%s%.*s",
	    text ? "kernel.perf_event_paranoid is " : "the kernel has no perf events",
	    text ? (int)strcspn(text, "\n") : 0, text ? text : "");
	free(text);
}

static void look_tmp(struct check_result *r)
{
	const char *tmp = tmp_dir();

	if (access(tmp, W_OK | X_OK) == 0)
		say(r, CHECK_OK, NULL, "%.400s", tmp);
	else
		say(r, CHECK_MISSING, "set TMPDIR to a directory that can, for plot, auto and run",
		    "%.400s: cannot be written", tmp);
}

/* Where collect makes a run, unless -o names another one. */
static void look_space(struct check_result *r)
{
	struct statvfs fs;
	char size[16];
	double bytes = statvfs(".", &fs) == 0 ? (double)fs.f_bavail * (double)fs.f_frsize : 0;

	if (dir_check(".", NULL) != 0) {
		say(r, CHECK_MISSING, "go to one that can, or name one with -o",
		    "the working directory cannot be written");
		return;
	}
	say(r, bytes < LEAST_FREE_BYTES ? CHECK_LOW : CHECK_OK,
	    bytes < LEAST_FREE_BYTES ? "go to a directory with more, or name one with -o: long recordings take it" :
	                               NULL,
	    "the working directory has %s free", bytes_text(size, bytes));
}

/* In the order to show them. */
static const struct check checks[] = {
	{"StarPU", look_starpu}, {"FxT", look_fxt},    {"library", look_library}, {"models", look_models},
	{"bus", look_bus},       {"GPU", look_gpu},    {"noise", look_noise},     {"load", look_load},
	{"space", look_space},   {"TMPDIR", look_tmp}, {"gnuplot", look_gnuplot}, {"PAPI", look_papi},
	{"perf", look_perf},     {NULL, NULL},
};

static int answer(char **words, void *options, struct ht_err *err)
{
	int fatal = 0;

	(void)words;
	(void)options;
	(void)err;
	for (const struct check *c = checks; c->name; c++) {
		struct check_result r = {.state = CHECK_OK};

		c->look(&r);
		printf("%-7s  %-7s  %s%s%s\n", state_names[r.state], c->name, r.found, *r.to_do ? ": " : "", r.to_do);
		fflush(stdout);
		fatal |= r.state == CHECK_FATAL;
	}
	if (fatal)
		printf("\nNothing can be recorded here.\n");
	return fatal ? STATUS_NO : STATUS_DONE;
}

static int run(int argc, char **argv)
{
	const struct option_spec specs[] = {{OPTION_END, 0, NULL, NULL, NULL, NULL}};
	const struct option_usage usage = {
		.command = "doctor",
		.synopsis = "",
		.summary = "Check what recording, tuning and production need of this machine.",
		.epilogue = "The status is 1 when nothing can be recorded here.\n",
	};

	return command_run(argc, argv, specs, &usage, &(struct command_answer){"no words", 0, 0, 0, answer}, NULL);
}

const struct command cmd_doctor = {"doctor", "check what this machine lacks, and what to do", run};
