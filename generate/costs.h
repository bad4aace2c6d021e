/* generate/costs.h - costs that the user gives: `TYPE=arch:us,arch:us`. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GENERATE_COSTS_H
#define GENERATE_COSTS_H

#include "core/machine/arch.h"

struct ht_err;

struct costs; /* by type name; what is given last holds */

struct costs *costs_create(void);
void costs_free(struct costs *c);

/*
 * "gemm=cpu:103562,cuda:1713": us; an architecture that is not named cannot run the type. `where` stands in front of
 * errors.
 */
int costs_add(struct costs *c, const char *text, const char *where, struct ht_err *err);

/* A file of such lines; empty ones and those that begin with '#' are skipped. */
int costs_add_file(struct costs *c, const char *path, struct ht_err *err);

/* Replaces cost_us by what was given for the type, if anything was: 1, else 0. */
int costs_apply(struct costs *c, const char *type, double cost_us[ARCH_COUNT]);

/* The name of a type that costs were given for and that costs_apply() was never asked for; NULL when there is none. */
const char *costs_unused(const struct costs *c);

#endif
