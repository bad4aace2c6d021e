/* core/config/plugin_path.h - where the scheduler library is. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_CONFIG_PLUGIN_PATH_H
#define CORE_CONFIG_PLUGIN_PATH_H

struct ht_err;

/*
 * The absolute path of libheterotune_sched.so: what HETEROTUNE_PLUGIN names if that is set, else beside the running
 * program (the build tree), else ../lib/heterotune from there (installed). free() it. NULL: it is in none of these
 * places.
 */
char *plugin_path(struct ht_err *err);

#endif
