/* core/config/plan_text.h - the plan of a config as words, and back. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_PLAN_TEXT_H
#define CORE_CONFIG_PLAN_TEXT_H

#include "core/config/config.h"

struct arena;
struct ht_err;

/* "1f00ab12 ...", "1042 ...", "cuda0 - ...", and of the tasks that have a place "17:cpu0 ..."; free() them. */
char *plan_hashes_text(const struct config_plan *p);
char *plan_ranks_text(const struct config_plan *p);
char *plan_owners_text(const struct config_plan *p);
char *plan_places_text(const struct config_plan *p);

/* `places` may be NULL. -1: a sentence that says which word is wrong. The plan's arrays are in arena `a`. */
int plan_parse(struct config_plan *p, const char *hashes, const char *ranks, const char *owners, const char *places,
               struct arena *a, struct ht_err *err);

#endif
