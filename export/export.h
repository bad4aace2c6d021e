/* export/export.h - what production reads, made from a config or a run, and what viewers read, made from a run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdint.h>

#include "core/machine/arch.h"

struct config;
struct ht_err;
struct run;

enum export_from { EXPORT_CONFIG = 0, EXPORT_RUN };

/* What a format is made from; the other one is NULL. */
struct export_source {
	const struct config *config;
	const struct run *run;
	const char *path; /* where it came from */
	int64_t limit;    /* tasks, for formats that draw each of them; 0: none was given */
	arch_mask also;   /* of frozen and autoheteroprio: codelets can run on these too */
};

struct export_format {
	const char *name;
	const char *summary;
	enum export_from from;
	int takes_limit, takes_also; /* of the source */
	const char *mark;            /* what its files have at their beginning, run_check_output(); NULL: a directory */
	int (*write)(const struct export_source *s, const char *out, struct ht_err *err); /* out "-": standard output */
};

/* All formats, NULL-terminated: cmd_export.c. */
extern const struct export_format *const export_formats[];

extern const struct export_format format_header, format_env, format_xml, format_frozen, format_autoheteroprio,
	format_chrome, format_paje, format_dot, format_starvz;

#endif
