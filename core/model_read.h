/* core/model_read.h - how the readers of performance models put one together. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_MODEL_READ_H
#define CORE_MODEL_READ_H

#include "core/model.h"

struct ht_err;

/* A model being read: arrays that grow; model_set_add_file() moves them into the set's arena. */
struct model_draft {
	struct model m;
	size_t cap_entries, cap_regressions;
};

/* Drops rows without samples or without a usable mean. */
void model_draft_entry(struct model_draft *d, const struct model_entry *e);
void model_draft_regression(struct model_draft *d, const struct model_regression *r);

/* The text form, versions 42 to 45; `text` is the whole file. */
int model_read_text(struct model_draft *d, const char *path, const char *text, struct ht_err *err);

/* The XML of `starpu_perfmodel_display -x`. */
int model_read_xml(struct model_draft *d, const char *path, struct ht_err *err);

#endif
