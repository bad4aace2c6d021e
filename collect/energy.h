/* collect/energy.h - the energy that a run has consumed, by the processors' own meters. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_ENERGY_H
#define COLLECT_ENERGY_H

#include <stdint.h>

/* Where Linux has Intel's and AMD's meters (RAPL): a directory each, with the files name and energy_uj. */
#define ENERGY_DIR "/sys/class/powercap"

enum { ENERGY_MAX = 64 };

struct energy_meter {
	char name[32];     /* "package-0", "package-0 dram" */
	char dir[64];      /* below the directory of meters */
	uint64_t last_uj;  /* when it was read last */
	uint64_t range_uj; /* where it begins at 0 again; 0: not known */
	int64_t used_uj;   /* until then; -1: the meter could not be read, or began again */
};

/* Sorted by name; none where the machine has no meters, or lets only root read them. */
struct energy {
	struct energy_meter meters[ENERGY_MAX];
	int count;
};

void energy_begin(struct energy *e, const char *dir);

/*
 * Reads the meters of the same directory. A meter that began at 0 again since it was read last has done so once: the
 * smallest ones take minutes to fill, so a run that takes longer has to read them every minute.
 */
void energy_read(struct energy *e, const char *dir);

#endif
