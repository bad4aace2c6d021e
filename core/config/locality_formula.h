/* core/config/locality_formula.h - LAHeteroprio's push formulas: their names in papers, configs and StarPU. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_LOCALITY_FORMULA_H
#define CORE_CONFIG_LOCALITY_FORMULA_H

/*
 * The memory nodes that StarPU 1.4's locality mode can have (LAHETEROPRIO_MAX_WORKER_GROUPS in
 * src/sched_policies/heteroprio.h): with more, StarPU writes past its arrays.
 */
enum { STARPU_LOCALITY_NODES = 10 };

/*
 * Bramas, PeerJ Computer Science 5:e190 (2019); sched/heteroprio/locality.h has the formulas. The names are the
 * paper's. In StarPU's code LS_SDHB and LC_SMWB are swapped: what it runs for STARPU_LAHETEROPRIO_PUSH=LC_SMWB is the
 * paper's LS_SDHB, and the reverse.
 */
enum locality_formula {
	LOCALITY_LARU,    /* node of the worker that pushes: StarPU's WORKER */
	LOCALITY_MC,      /* smallest predicted time of transfers: StarPU's LcS */
	LOCALITY_LS_SDH,  /* largest: bytes that are there (eq 6) */
	LOCALITY_LS_SDH2, /* largest: bytes read that are there + their square for those written (eq 7) */
	LOCALITY_LS_SDHB, /* largest: bytes read that are there + 1000 * number * bytes of the written there (eq 8) */
	LOCALITY_LC_SMWB, /* smallest: bytes read that are not there + (2 - |W|/|data|) * bytes of the written (eq 9) */
	LOCALITY_FORMULAS,
	LOCALITY_AUTO = LOCALITY_FORMULAS,         /* not a formula: the scheduler chooses one */
	LOCALITY_FIRST_AUTOMATIC = LOCALITY_LS_SDH /* the automatic choice is between those from here on */
};

/* f: also LOCALITY_AUTO, "AUTO". */
const char *locality_paper_name(enum locality_formula f);  /* "MC", "LS_SDHB" */
const char *locality_config_name(enum locality_formula f); /* in configs: "LcS", "LS_SDHB" */
const char *locality_starpu_name(enum locality_formula f); /* value of STARPU_LAHETEROPRIO_PUSH: "LcS", "LC_SMWB" */

/* The formula, or LOCALITY_AUTO, of that name in papers or in configs; -1: there is none. */
int locality_find(const char *name);

#endif
