/* core/base/dir_copy.h - a directory's files and directories into another one. */
/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CORE_BASE_DIR_COPY_H
#define CORE_BASE_DIR_COPY_H

struct ht_err;

/*
 * Makes `to` with copies of the plain files of `from`, and of those in its directories; links and special files are
 * left out. Deeper than 16 directories is an error. What was copied before a failure stays.
 */
int dir_copy(const char *from, const char *to, struct ht_err *err);

#endif
