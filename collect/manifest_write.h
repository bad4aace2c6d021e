/* collect/manifest_write.h - the manifest of a recorded run. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef COLLECT_MANIFEST_WRITE_H
#define COLLECT_MANIFEST_WRITE_H

struct collect_options;
struct collect_result;
struct counters;
struct energy;
struct ht_err;
struct trace;

/* The keys are those of heterotune-run(5). */
int manifest_write(const char *path, const struct collect_options *o, const struct collect_result *result,
                   const struct trace *t, const struct counters *counters, const struct energy *energy,
                   const char *host, struct ht_err *err);

#endif
