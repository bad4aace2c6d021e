/* core/config/locality_formula.c - LAHeteroprio's push formulas: their names in papers, configs and StarPU. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/config/locality_formula.h"

#include <string.h>

/* StarPU's names are those of getEnvAdvPush() in StarPU 1.4's src/sched_policies/heteroprio.c. */
static const struct {
	const char *paper, *config, *starpu;
} names[LOCALITY_FORMULAS + 1] = {
	[LOCALITY_LARU] = {"LaRU", "WORKER", "WORKER"},
	[LOCALITY_MC] = {"MC", "LcS", "LcS"},
	[LOCALITY_LS_SDH] = {"LS_SDH", "LS_SDH", "LS_SDH"},
	[LOCALITY_LS_SDH2] = {"LS_SDH2", "LS_SDH2", "LS_SDH2"},
	[LOCALITY_LS_SDHB] = {"LS_SDHB", "LS_SDHB", "LC_SMWB"},
	[LOCALITY_LC_SMWB] = {"LC_SMWB", "LC_SMWB", "LS_SDHB"},
	[LOCALITY_AUTO] = {"AUTO", "AUTO", "AUTO"},
};

const char *locality_paper_name(enum locality_formula f)
{
	return names[f].paper;
}

const char *locality_config_name(enum locality_formula f)
{
	return names[f].config;
}

const char *locality_starpu_name(enum locality_formula f)
{
	return names[f].starpu;
}

int locality_find(const char *name)
{
	for (int f = 0; f <= LOCALITY_AUTO; f++)
		if (strcmp(names[f].paper, name) == 0 || strcmp(names[f].config, name) == 0)
			return f;
	return -1;
}
