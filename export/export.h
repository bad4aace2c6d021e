/* export/export.h - what production reads, made from a config. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

struct config;
struct ht_err;

struct export_source {
	const struct config *config;
	const char *path; /* the file it came from */
};

struct export_format {
	const char *name;
	const char *summary;
	int (*write)(const struct export_source *s, const char *out, struct ht_err *err); /* out "-": standard output */
};

/* All formats, NULL-terminated: cmd_export.c. */
extern const struct export_format *const export_formats[];

extern const struct export_format format_header, format_env, format_xml;

#endif
