/* collect/manifest_write.c - the manifest of a recorded run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect/manifest_write.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "collect/collect.h"
#include "collect/counters.h"
#include "collect/energy.h"
#include "core/base/err.h"
#include "core/base/file.h"
#include "core/base/version.h"
#include "core/config/shell.h"
#include "core/run/manifest.h"
#include "core/trace/trace.h"

/* The line can be pasted into a shell, but for line breaks, which it cannot hold. */
static void write_command(FILE *f, char *const *argv)
{
	fputs("command:", f);
	for (; *argv; argv++) {
		char *word = shell_word(*argv);

		putc(' ', f);
		for (const char *s = word; *s; s++)
			putc(*s == '\n' ? ' ' : *s, f);
		free(word);
	}
	putc('\n', f);
}

static void write_environment(FILE *f)
{
	size_t n;
	char **vars = manifest_environment(&n);

	for (size_t i = 0; i < n; i++)
		manifest_put(f, "environment", vars[i]);
	free(vars);
}

/* Of those that this process, and so the application, may run on. */
static int cores_usable(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : -1;
}

int manifest_write(const char *path, const struct collect_options *o, const struct collect_result *result,
                   const struct trace *t, const struct counters *counters, const struct energy *energy,
                   const char *host, struct ht_err *err)
{
	struct outfile out;
	struct utsname u;

	if (outfile_open(&out, path, err) != 0)
		return -1;
	manifest_put(out.f, "format", MANIFEST_FORMAT);
	manifest_put(out.f, "heterotune", HETEROTUNE_VERSION);
	write_command(out.f, o->argv);
	fprintf(out.f, "status: %d\n", result->status);
	if (result->signal)
		fprintf(out.f, "interrupted: %d\n", result->signal);
	fprintf(out.f, "duration_ns: %lld\n", (long long)result->wall_ns);
	if (*result->scheduler)
		manifest_put(out.f, "scheduler", result->scheduler);
	if (result->whole)
		manifest_put(out.f, "whole", "yes");
	fprintf(out.f, "starpu: 1.%d\n", t->starpu_minor);
	manifest_put(out.f, "models_host", host);
	if (uname(&u) == 0) {
		fprintf(out.f, "system: %s %s %s\n", u.sysname, u.release, u.machine);
		manifest_put(out.f, "hostname", u.nodename);
	}
	if (trace_simulated(t))
		manifest_put(out.f, "simulated", "yes");
	else if (cores_usable() > 0)
		fprintf(out.f, "cores: %d\n", cores_usable());
	if (isfinite(result->others))
		fprintf(out.f, "others: %.3f\n", result->others);
	for (int i = 0; i < counters->count; i++)
		fprintf(out.f, "counter: 0x%x %s\n", counters->codes[i], counters->names[i]);
	for (int i = 0; i < energy->count; i++)
		if (energy->meters[i].used_uj >= 0)
			fprintf(out.f, "energy_uj: %lld %s\n", (long long)energy->meters[i].used_uj,
			        energy->meters[i].name);
	write_environment(out.f);
	return outfile_commit(&out, err);
}
