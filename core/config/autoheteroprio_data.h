/* core/config/autoheteroprio_data.h - what StarPU's AutoHeteroprio has learned of types of tasks, and its data file. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_AUTOHETEROPRIO_DATA_H
#define CORE_CONFIG_AUTOHETEROPRIO_DATA_H

#include <stdint.h>

#include "core/machine/arch.h"

struct ht_err;

enum {
	AUTOHETEROPRIO_MAX_TYPES = 100, /* HETEROPRIO_MAX_PRIO of StarPU 1.4 */
	AUTOHETEROPRIO_MAX_NAME = 32,   /* CODELET_MAX_NAME_LENGTH: of longer names the rest is not looked at */
	AUTOHETEROPRIO_WINDOW = 256,    /* AUTOHETEROPRIO_RELEVANT_TASK_LIFE: samples that an average remembers */
	AUTOHETEROPRIO_SAMPLES = 16,    /* AUTOHETEROPRIO_RELEVANT_SAMPLE_SIZE: durations it takes to believe them */
};

/* One type on one architecture. */
struct autoheteroprio_arch {
	double urt;     /* normalised released time (NRT of eq 7): no unit; StarPU calls its average URT */
	double time_us; /* of its executions there; not valid when ntimes is 0 */
	uint32_t ntimes;
	double share; /* of its executions, those there */
};

/*
 * A type is a model symbol, or the name of a codelet, and the architectures its tasks can run on. Every average comes
 * with its number of samples, which stops at AUTOHETEROPRIO_WINDOW; with 0 samples the value is not valid.
 */
struct autoheteroprio_type {
	char name[AUTOHETEROPRIO_MAX_NAME + 1];
	arch_mask where;
	double nod; /* normalised out-degree */
	uint32_t nnods;
	uint32_t nurts;    /* samples of urt, on all architectures alike */
	double proportion; /* of the tasks that became ready */
	uint32_t nproportions;
	uint32_t nshares;
	double released_us; /* best times of the successors, summed */
	uint32_t nreleased;
	double best_us;
	uint32_t nbests;
	struct autoheteroprio_arch arch[ARCH_COUNT];
};

struct autoheteroprio_data {
	struct autoheteroprio_type types[AUTOHETEROPRIO_MAX_TYPES]; /* index: StarPU's bucket */
	int ntypes;
	double busy_us[ARCH_COUNT], free_us[ARCH_COUNT]; /* of the workers, of all runs so far */
};

/*
 * The file of STARPU_HETEROPRIO_DATA_FILE, as StarPU 1.4 reads and writes it (src/sched_policies/heteroprio.c,
 * starpu_autoheteroprio_fetch_task_data() and _save_task_data()). Architectures that only a later StarPU knows are
 * left out, as there. Sentences name file and line.
 */
int autoheteroprio_load(struct autoheteroprio_data *l, const char *path, struct ht_err *err);

/*
 * "-": standard output. `note`: lines of comments ("# ...\n") to put on top, or NULL. Fails on a name that StarPU could
 * not read back: with blanks, or empty.
 */
int autoheteroprio_save(const struct autoheteroprio_data *l, const char *path, const char *note, struct ht_err *err);

/*
 * The type of that name (of `len` = AUTOHETEROPRIO_MAX_NAME bytes at most) and exactly these architectures, added as
 * the last one when there is none; -1: all AUTOHETEROPRIO_MAX_TYPES are taken. An empty name is StarPU's NO_NAME.
 */
int autoheteroprio_type_of(struct autoheteroprio_data *l, const char *name, arch_mask where);

#endif
