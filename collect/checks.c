/* collect/checks.c - what recording, tuning and production need of a machine, and whether it is there. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/checks.h"

#include <dirent.h>
#include <dlfcn.h>
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
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/stats.h"
#include "core/base/table.h"
#include "core/config/plugin_path.h"

/* Below these a machine is quiet; a trace takes some 100 bytes an event. */
static const double MOST_SPREAD = 0.05, MOST_LOAD = 0.5, LEAST_FREE_BYTES = 1e9;
enum { NOISE_SAMPLES = 41, NOISE_LOOPS = 1000000, ENOUGH_SAMPLES = 10, MAX_BYTES = 1 << 20 };

static void look_starpu(struct check_result *r)
{
	struct starpu_place starpu;
	struct ht_err err = {""};

	if (starpu_place_find(&starpu, STARPU_NATIVE, &err) != 0) {
		r->state = CHECK_FATAL;
		snprintf(r->found, CHECK_TEXT, "%.500s", err.text);
	} else {
		snprintf(r->found, CHECK_TEXT, "%.40s, %.400s", starpu.version, starpu.prefix);
		snprintf(r->to_do, CHECK_TEXT, "eval \"$(heterotune env)\" before a program is built with it");
	}
	starpu_place_fini(&starpu);
}

static void look_fxt(struct check_result *r)
{
	struct starpu_place starpu;

	if (starpu_place_find(&starpu, STARPU_NATIVE, NULL) != 0 || !starpu.has_fxt) {
		r->state = CHECK_FATAL;
		snprintf(r->found, CHECK_TEXT, "%s",
		         starpu.prefix ? "this StarPU records nothing" : "without a StarPU");
		snprintf(r->to_do, CHECK_TEXT, "build StarPU with --with-fxt, or let setup/starpu do so");
	} else {
		snprintf(r->found, CHECK_TEXT, "StarPU records its tasks");
	}
	starpu_place_fini(&starpu);
}

static void look_library(struct check_result *r)
{
	struct ht_err err = {""};
	char *path = plugin_path(&err);
	void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

	if (handle && dlsym(handle, "starpu_get_sched_lib_policy")) {
		snprintf(r->found, CHECK_TEXT, "%.500s", path);
	} else {
		r->state = CHECK_MISSING;
		snprintf(r->found, CHECK_TEXT, "%.500s", path ? dlerror() : err.text);
		snprintf(r->to_do, CHECK_TEXT, "'make' where StarPU is; run and collect --priorities need it");
	}
	if (handle)
		dlclose(handle);
	free(path);
}

/* How many files DIR/BELOW has whose name has `part`; *first is the first directory that has one, borrowed. */
static int count_files(char *const *dirs, const char *below, const char *part, const char **first)
{
	int n = 0;

	*first = NULL;
	for (; *dirs && !n; dirs++) {
		char *path = ht_asprintf("%s/%s", *dirs, below);
		DIR *d = opendir(path);
		struct dirent *e;

		while (d && (e = readdir(d)))
			n += strstr(e->d_name, part) != NULL;
		if (d)
			closedir(d);
		*first = n ? *dirs : NULL;
		free(path);
	}
	return n;
}

static void look_models(struct check_result *r)
{
	char **dirs = sampling_dirs(4), *host = sampling_host(), *ending = ht_asprintf(".%s", host);
	const char *dir;
	int n = count_files(dirs, "codelets/45", ending, &dir),
	    lacking = n ? sampling_uncalibrated(dirs, host, ENOUGH_SAMPLES) : 0;

	if (n) {
		snprintf(r->found, CHECK_TEXT, "%d for %.60s in %.300s", n, host, dir);
	} else {
		r->state = CHECK_MISSING;
		snprintf(r->found, CHECK_TEXT, "none for %.60s", host);
	}
	if (lacking)
		snprintf(r->found + strlen(r->found), CHECK_TEXT - strlen(r->found), ", %d entries with few samples",
		         lacking);
	if (!n || lacking)
		snprintf(r->to_do, CHECK_TEXT, "'heterotune collect' calibrates those of a program");
	sampling_dirs_free(dirs);
	free(host);
	free(ending);
}

static int has_bus(void)
{
	char **dirs = sampling_dirs(4), *host = sampling_host(), *name = ht_asprintf("%s.bandwidth", host);
	const char *dir;
	int n = count_files(dirs, "bus", name, &dir);

	sampling_dirs_free(dirs);
	free(host);
	free(name);
	return n > 0;
}

static void look_bus(struct check_result *r)
{
	if (has_bus()) {
		snprintf(r->found, CHECK_TEXT, "measured by StarPU");
		return;
	}
	r->state = CHECK_MISSING;
	snprintf(r->found, CHECK_TEXT, "StarPU has not measured its copies here");
	snprintf(r->to_do, CHECK_TEXT, "starpu_calibrate_bus, or the first program under StarPU, does so");
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
	snprintf(r->found, CHECK_TEXT, "the time of a loop varies by %.1f %%", 100 * spread);
	if (spread > MOST_SPREAD) {
		r->state = CHECK_MISSING;
		snprintf(r->to_do, CHECK_TEXT, "leave the machine alone, and fix its clock, before times are compared");
	}
}

static void look_load(struct check_result *r)
{
	double load;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (getloadavg(&load, 1) != 1)
		load = 0;
	snprintf(r->found, CHECK_TEXT, "%.2f on %ld core%s", load, cores, plural((uint64_t)cores));
	if (load > MOST_LOAD) {
		r->state = CHECK_MISSING;
		snprintf(r->to_do, CHECK_TEXT, "other programs take time of the workers: wait for them");
	}
}

static void look_gnuplot(struct check_result *r)
{
	if (path_has_program("gnuplot")) {
		snprintf(r->found, CHECK_TEXT, "draws plots");
		return;
	}
	r->state = CHECK_MISSING;
	snprintf(r->found, CHECK_TEXT, "is not on PATH");
	snprintf(r->to_do, CHECK_TEXT, "install gnuplot-nox for plot and the pictures of report");
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

	if (fd >= 0 && has_bus() && starpu_place_find(&starpu, STARPU_NATIVE, NULL) == 0) {
		char *tool = ht_asprintf("%s/bin/starpu_machine_display", starpu.prefix), *text;
		char *const argv[] = {tool, "-notopology", NULL};
		const struct launch l = {.argv = argv, .output = output};

		if (launch_wait(&l, &result, NULL) == 0 && (text = file_read(output, MAX_BYTES, NULL, NULL))) {
			count_devices(text, r);
			free(text);
		}
		free(tool);
		starpu_place_fini(&starpu);
	}
	if (fd >= 0) {
		close(fd);
		unlink(output);
	}
	free(output);
	if (*r->found)
		return;
	r->state = CHECK_MISSING;
	snprintf(r->found, CHECK_TEXT, "%s",
	         result.status == 0 ? "StarPU sees none" : "not known before StarPU is there and has measured its bus");
	if (result.status == 0)
		snprintf(r->to_do, CHECK_TEXT,
		         "a GPU wants its driver, and a StarPU that was built with CUDA or OpenCL");
}

static void look_papi(struct check_result *r)
{
	struct counters c;
	struct ht_err err = {""};

	if (counters_parse(&c, "PAPI_TOT_CYC", &err) == 0) {
		snprintf(r->found, CHECK_TEXT, "counts cycles");
	} else {
		r->state = CHECK_MISSING;
		snprintf(r->found, CHECK_TEXT, "%.500s", err.text);
	}
	counters_fini(&c);
}

static void look_perf(struct check_result *r)
{
	char *text = file_read("/proc/sys/kernel/perf_event_paranoid", 64, NULL, NULL);
	int level = text ? atoi(text) : 4;

	snprintf(r->found, CHECK_TEXT, "%s%.*s",
	         text ? "kernel.perf_event_paranoid is " : "the kernel has no perf events",
	         text ? (int)strcspn(text, "\n") : 0, text ? text : "");
	if (level > 2 && geteuid() != 0) {
		r->state = CHECK_MISSING;
		snprintf(r->to_do, CHECK_TEXT, "counters want 2 or less: sysctl kernel.perf_event_paranoid=2");
	}
	free(text);
}

static void look_tmp(struct check_result *r)
{
	const char *tmp = tmp_dir();
	struct statvfs fs;
	char size[16];
	double bytes;

	if (access(tmp, W_OK | X_OK) != 0 || statvfs(tmp, &fs) != 0) {
		r->state = CHECK_FATAL;
		snprintf(r->found, CHECK_TEXT, "%.400s: cannot be written", tmp);
		snprintf(r->to_do, CHECK_TEXT, "set TMPDIR to a directory that can");
		return;
	}
	bytes = (double)fs.f_bavail * (double)fs.f_frsize;
	snprintf(r->found, CHECK_TEXT, "%.400s has %s free", tmp, bytes_text(size, bytes));
	if (bytes < LEAST_FREE_BYTES) {
		r->state = CHECK_MISSING;
		snprintf(r->to_do, CHECK_TEXT, "long recordings want more: set TMPDIR");
	}
}

const struct check checks[] = {
	{"StarPU", look_starpu},
	{"FxT", look_fxt},
	{"library", look_library},
	{"models", look_models},
	{"bus", look_bus},
	{"GPU", look_gpu},
	{"noise", look_noise},
	{"load", look_load},
	{"TMPDIR", look_tmp},
	{"gnuplot", look_gnuplot},
	{"PAPI", look_papi},
	{"perf", look_perf},
	{NULL, NULL},
};
