/* collect/starpu_place.h - where the StarPU is that setup/starpu found or built. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_STARPU_PLACE_H
#define COLLECT_STARPU_PLACE_H

struct ht_err;

enum starpu_flavour { STARPU_NATIVE, STARPU_SIMGRID };

struct starpu_place {
	char *prefix;  /* bin/ and include/ are below it */
	char *libdir;  /* has its libraries, */
	char *pcdir;   /* and this one starpu-1.4.pc */
	char *version; /* "1.4.10" */
	int has_fxt;
};

/*
 * As setup/starpu: that of HETEROTUNE_STARPU, a folder or a version below the cache; else the one in the cache; else,
 * natively, the one that pkg-config knows. The cache is heterotune/ below XDG_CACHE_HOME or HOME/.cache. -1: there is
 * none. starpu_place_fini() in any case.
 */
int starpu_place_find(struct starpu_place *p, enum starpu_flavour flavour, struct ht_err *err);
void starpu_place_fini(struct starpu_place *p);

#endif
