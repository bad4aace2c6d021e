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

/*
 * What holds for the setting alone: knobs of StarPU's own policies, which the scheduler library takes from the config
 * itself, and how StarPU is to be started, for which the library comes too late.
 */
struct variables {
	struct config_knob_var all[CONFIG_KNOB_VARS + STARPU_ENV_MAX_VARS];
	int n;
	char knob_text[CONFIG_KNOB_TEXT];
	struct starpu_env_var startup[STARPU_ENV_MAX_VARS];
};

static void variables_of(struct variables *v, const struct config *c)
{
	int n = starpu_env_vars(&c->starpu_env, c->workers, v->startup);

	v->n = 0;
	if (!config_needs_library(c) || c->has_rank_priorities)
		v->n = config_knob_vars(c->knobs, v->all, v->knob_text);
	for (int i = 0; i < n; i++)
		v->all[v->n++] = (struct config_knob_var){.name = v->startup[i].name, .value = v->startup[i].value};
}

static void put_variables(FILE *f, const struct variables *v)
{
	for (int i = 0; i < v->n; i++)
		shell_export(f, v->all[i].name, v->all[i].value);
}

/*
 * What a file that was sourced before has put into the shell is taken back, then the user's scheduler and variables are
 * noted: the library goes back to them.
 */
static void put_fallback(FILE *f, const struct variables *v)
{
	fputs("while IFS= read -r heterotune; do case $heterotune in STARPU_*=*) export \"$heterotune\" ;; "
	      "STARPU_*) unset \"$heterotune\" ;; esac; done <<END\n${HETEROTUNE_RESTORE-}\nEND\n"
	      "[ \"${STARPU_SCHED-}\" = heterotune ] || export HETEROTUNE_FALLBACK=\"${STARPU_SCHED-}\"\n"
	      "export HETEROTUNE_RESTORE=\"",
	      f);
	for (int i = 0; i < v->n; i++)
		fprintf(f, "%s${%s+=$%s}\n", v->all[i].name, v->all[i].name, v->all[i].name);
	fputs("\"\n", f);
}

/* Another policy was faster than every setting of Heteroprio. */
static int write_policy(const struct config *c, const char *out, struct ht_err *err)
{
	struct variables variables;
	struct outfile o;

	variables_of(&variables, c);
	if (outfile_open(&o, out, err) != 0)
		return -1;
	fputs("# Written by heterotune. Source it in a POSIX shell, then start the application.\n", o.f);
	put_fallback(o.f, &variables);
	fputs("unset HETEROTUNE_CONFIG\n", o.f);
	shell_export(o.f, "STARPU_SCHED", c->policy);
	put_variables(o.f, &variables);
	return outfile_commit(&o, err);
}

static int write_env(const struct export_source *s, const char *out, struct ht_err *err)
{
	char *library, *config;
	struct variables variables;
	struct outfile o;
	int rc = -1;

	if (!config_needs_library(s->config))
		return write_policy(s->config, out, err);
	library = plugin_path(err);
	if (!library)
		return -1;
	config = path_absolute(s->path);
	variables_of(&variables, s->config);
	if (outfile_open(&o, out, err) != 0)
		goto out;
	fputs("# Written by heterotune. Source it in a POSIX shell, then start the application (StarPU 1.4 or later):\n"
	      "# it then runs with the setting of the config, if the machine is the config's, else under the scheduler that\n"
	      "# it has now.\n",
	      o.f);
	put_fallback(o.f, &variables);
	shell_export(o.f, "STARPU_SCHED", "heterotune");
	shell_export(o.f, "STARPU_SCHED_LIB", library);
	shell_export(o.f, "HETEROTUNE_CONFIG", config);
	put_variables(o.f, &variables);
	rc = outfile_commit(&o, err);
out:
	free(library);
	free(config);
	return rc;
}

const struct export_format format_env = {
	.name = "env",
	.mark = "Written by heterotune",
	.summary = "a shell file that makes an unchanged application use the config (StarPU 1.4)",
	.write = write_env,
};
