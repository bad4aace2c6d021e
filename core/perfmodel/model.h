/* core/perfmodel/model.h - performance models: durations of codelets by architecture and footprint. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_PERFMODEL_MODEL_H
#define CORE_PERFMODEL_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine/arch.h"

struct arena;
struct ht_err;

/*
 * One row of a history model. The key is (symbol, arch, devid, ncores, impl, footprint): a footprint alone names
 * nothing.
 */
struct model_entry {
	uint32_t footprint;
	uint16_t devid, ncores, impl;
	enum arch arch;
	int64_t size_bytes;
	double flops; /* 0 where the file has none */
	double mean_us, deviation_us;
	uint64_t samples; /* never 0 here: such rows are dropped when read */
};

struct model {
	const char *symbol;          /* "chol_model_gemm" */
	const char *host;            /* "sirocco" */
	int version;                 /* 42 to 45 */
	struct model_entry *entries; /* sorted by architecture, then by footprint */
	size_t nentries;
	int is_computed; /* it has rows of model_set_add_lengths(): no calibration changes what it says */
};

/* The models of one host, at most one of a symbol; borrowed pointers live until model_set_free(). */
struct model_set {
	struct model *models; /* sorted by symbol */
	size_t count, cap;
	struct arena *arena;
};

struct model_set *model_set_create(void);
void model_set_free(struct model_set *set);

/*
 * One file: the text form of versions 42 to 45, or the XML of `starpu_perfmodel_display -x`. A symbol that is in the
 * set already is an error; on failure the set is as it was. host may be NULL: not known.
 */
int model_set_add_file(struct model_set *set, const char *path, const char *symbol, const char *host,
                       struct ht_err *err);

/*
 * Every codelet model of `host` below dir: dir/codelets/VERSION/SYMBOL.HOST, or, where there is no codelets/, the files
 * of dir/SYMBOL.HOST that start like a model. host NULL: the only one there is, else an error that names those found. A
 * symbol with a dot may stand without a host. The newest version wins, a symbol that the set has already is left as it
 * is, and a file of 0 bytes is no model: all three as StarPU does. A directory without any model adds nothing and is no
 * error.
 */
int model_set_add_dir(struct model_set *set, const char *dir, const char *host, struct ht_err *err);

/*
 * lengths.tsv of a run (heterotune-run.5): rows of models that are functions of the program or regressions. They become
 * models; of a symbol that the set has they add what its rows lack. On failure the set is as it was.
 */
int model_set_add_lengths(struct model_set *set, const char *path, const char *host, struct ht_err *err);

const struct model *model_find(const struct model_set *set, const char *symbol);

/* The first of the rows of an architecture and footprint, parallel tasks included, and in *n how many there are. */
const struct model_entry *model_rows(const struct model *m, enum arch arch, uint32_t footprint, size_t *n);

/*
 * The mean over the devices of `arch`, weighted by samples, us; of the fastest implementation. < 0: no sample. Rows of
 * parallel tasks (ncores > 1) do not count, neither here nor below.
 */
double model_mean_us(const struct model *m, enum arch arch, uint32_t footprint);

/* The standard deviation of the samples after model_mean_us(), devices together (population); < 0: no sample. */
double model_deviation_us(const struct model *m, enum arch arch, uint32_t footprint);

/*
 * The same mean on one device; < 0 where it has no sample of its own, also if other devices of `arch` do: StarPU may
 * keep one model per device, or one for all under device 0.
 */
double model_device_mean_us(const struct model *m, enum arch arch, int devid, uint32_t footprint);

/*
 * A trace does not name the energy models of its codelets. StarPU's own applications call them after the time model or
 * the codelet, with this after it; their rows are in joules where those of others are in microseconds.
 */
#define MODEL_ENERGY_SUFFIX "_energy"

#endif
