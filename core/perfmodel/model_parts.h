/* core/perfmodel/model_parts.h - what the readers of model files share. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_PERFMODEL_MODEL_PARTS_H
#define CORE_PERFMODEL_MODEL_PARTS_H

#include "core/perfmodel/model.h"

/* Above what any file of StarPU has; a count beyond is damage. */
enum { MODEL_MAX_COMBS = 4096, MODEL_MAX_DEVICES = 64, MODEL_MAX_IMPLS = 64, MODEL_MAX_ENTRIES = 1 << 24 };
enum { MODEL_MAX_BYTES = 64 << 20 };

/* One model while it is read; the arrays are from ht_alloc. */
struct model_build {
	int version;
	struct model_entry *entries;
	size_t nentries, entries_cap;
};

/* What the columns of one row of a history say, as read. */
struct model_row {
	double flops, mean_us, deviation_us, sum_us, sum2_us2;
	int64_t size_bytes, samples;
	uint64_t footprint; /* of 32 bits */
};

/*
 * The device, cores and implementation that rows belong to; arch ARCH_NONE: none that this tool knows.
 */
struct model_place {
	enum arch arch;
	uint16_t devid, ncores, impl;
};

/* A number, nan or inf: 0, else -1. */
int model_number(const char *text, double *value);

/* Keeps the row unless it has no sample or no place; `path` and `line` are for the error. */
int model_add_row(struct model_build *b, const struct model_place *at, const struct model_row *row, const char *path,
                  int line, struct ht_err *err);

/* Sorts the entries of a model, which lookups expect. */
void model_sort(struct model *m);

/* A new model of the set, which has none of that symbol. */
struct model *model_insert(struct model_set *set, const struct model_build *b, const char *symbol, const char *host);

int model_read_text(struct model_build *b, const char *path, const char *text, struct ht_err *err);
int model_read_xml(struct model_build *b, const char *path, struct ht_err *err);

#endif
