/* core/run/manifest.h - a run's manifest: what was recorded, as lines `key: value`. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_RUN_MANIFEST_H
#define CORE_RUN_MANIFEST_H

#include <stddef.h>
#include <stdio.h>

struct ht_err;

/* A key may stand more than once (environment). Values are one line; a line break in one is written as a space. */
struct manifest {
	char *text; /* the file, cut at line ends and colons */
	struct manifest_entry {
		const char *key, *value;
	} * entries;
	size_t count, cap;
};

#define MANIFEST_FORMAT "heterotune-run 1"

/* -1 also for one that says that its format is another. */
int manifest_load(struct manifest *m, const char *path, struct ht_err *err);
void manifest_fini(struct manifest *m); /* also for a zeroed struct */

/* "" when it is not there; borrowed until manifest_fini(). */
const char *manifest_get(const struct manifest *m, const char *key);

/* The share of the cores that other programs used while the run was recorded, where it matters; else 0. */
double manifest_others(const struct manifest *m);
#define MANIFEST_OTHERS_LEAST 0.1

/*
 * The `n` variables of this process that steer StarPU and the libraries below it, sorted; others may be private and are
 * not recorded. The array is to be freed, its texts are borrowed; NULL where there are none.
 */
char **manifest_environment(size_t *n);

void manifest_put(FILE *f, const char *key, const char *value);

/* To that of a run, which on an error is as it was. */
int manifest_add(const char *path, const char *key, const char *value, struct ht_err *err);

#endif
