/* export/format_env.c - a shell file: the environment in which StarPU 1.4 uses the config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The scheduler's settings for which StarPU has variables (no calibration, locality) are not in it: the library takes
 * them from the config when it has seen that the config holds for the machine. In the environment they would also
 * apply where it does not, or where the library was not loaded, and StarPU's heteroprio without calibration and without
 * a mapping aborts on tasks that cannot run everywhere.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/file.h"
#include "core/config/shell.h"
#include "core/config/config.h"
#include "core/config/plugin_path.h"
#include "export/export.h"

/* How the config wants StarPU to be started: the scheduler library comes too late for that. */
static void put_startup(FILE *f, const struct config *c)
{
	struct starpu_env_var vars[STARPU_ENV_MAX_VARS];
	int n = starpu_env_vars(&c->starpu_env, c->workers, vars);

	for (int i = 0; i < n; i++)
		shell_export(f, vars[i].name, vars[i].value);
}

/* Knobs of StarPU's own policies. */
static void put_knobs(FILE *f, const struct config *c)
{
	struct config_knob_var vars[CONFIG_KNOB_VARS];
	char text[CONFIG_KNOB_TEXT];
	int n = config_knob_vars(c->knobs, vars, text);

	for (int i = 0; i < n; i++)
		shell_export(f, vars[i].name, vars[i].value);
}

/* Another policy was faster than every setting of Heteroprio. */
static int write_policy(const struct config *c, const char *out, struct ht_err *err)
{
	struct outfile o;

	if (outfile_open(&o, out, err) != 0)
		return -1;
	fputs("# Written by heterotune. Source it in a POSIX shell, then start the application.\n", o.f);
	shell_export(o.f, "STARPU_SCHED", c->policy);
	put_knobs(o.f, c);
	put_startup(o.f, c);
	return outfile_commit(&o, err);
}

static int write_env(const struct export_source *s, const char *out, struct ht_err *err)
{
	char *library, *config;
	struct outfile o;
	int rc = -1;

	if (!config_needs_library(s->config))
		return write_policy(s->config, out, err);
	library = plugin_path(err);
	if (!library)
		return -1;
	config = path_absolute(s->path);
	if (outfile_open(&o, out, err) != 0)
		goto out;
	fputs("# Written by heterotune. Source it in a POSIX shell, then start the application (StarPU 1.4 or later):\n"
	      "# it then runs with the setting of the config, if the machine is the config's, else under the scheduler that\n"
	      "# it has now.\n"
	      "[ \"${STARPU_SCHED-}\" = heterotune ] || export HETEROTUNE_FALLBACK=\"${STARPU_SCHED-}\"\n",
	      o.f);
	shell_export(o.f, "STARPU_SCHED", "heterotune");
	shell_export(o.f, "STARPU_SCHED_LIB", library);
	shell_export(o.f, "HETEROTUNE_CONFIG", config);
	if (s->config->has_rank_priorities)
		put_knobs(o.f, s->config);
	put_startup(o.f, s->config);
	rc = outfile_commit(&o, err);
out:
	free(library);
	free(config);
	return rc;
}

const struct export_format format_env = {
	.name = "env",
	.summary = "a shell file that makes an unchanged application use the config (StarPU 1.4)",
	.write = write_env,
};
